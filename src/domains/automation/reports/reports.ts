import { AppError, isAppError, isNotFound } from "../../../kernel/errors.ts";
import type { Clock } from "../../../kernel/time.ts";
import { type Deliveries, type Only, oneLine } from "../../../platform/delivery/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { AgentServices } from "../../agent/index.ts";
import type { BiServices } from "../../bi/index.ts";
import { assertName, type Data, isWhole } from "../../data/index.ts";
import { LIMITS } from "../limits.ts";
import { looksAfter, notYours, takenOver } from "../owner.ts";
import { chosenChannels } from "../recipients.ts";
import { noneWith } from "../scheduled.store.ts";
import type { Report, ReportsStore, ReportWish } from "./reports.store.ts";

/** Partial update of a report; what is left out stays, or takes its default. */
export interface ReportChange {
  name?: string | undefined;
  recipients?: string | readonly string[] | undefined;
  /** Names or ids of channels, rooms of Slack, and URLs of webhooks. */
  channels?: readonly string[] | undefined;
  subject?: string | undefined;
  body?: string | undefined;
  frequency?: Report["frequency"] | undefined;
  every?: number | undefined;
  startTime?: string | undefined;
  zone?: string | undefined;
  weekday?: number | undefined;
  monthday?: number | undefined;
  format?: Report["format"] | undefined;
  withCsv?: boolean | undefined;
  withInsights?: boolean | undefined;
  paused?: boolean | undefined;
}

type Shown = Pick<Report, "dashboardId" | "widgetIds">;

export interface ReportsParts {
  store: ReportsStore;
  boards: BiServices["boards"];
  modelSources: BiServices["modelSources"];
  data: Data;
  clock: Clock;
  deliveries: Deliveries;
  preferences: AgentServices["preferences"];
  /** Of those who have chosen none. */
  timeZone: string;
}

/** Making and changing reports. */
export class Reports {
  readonly #parts: ReportsParts;

  constructor(parts: ReportsParts) {
    this.#parts = parts;
  }

  async require(caller: Caller, id: number): Promise<Report> {
    const report = await this.#parts.store.find(caller.workspace.id, id);
    if (report === undefined || !(await this.sees(caller, report))) throw noneWith("report", id);
    return report;
  }

  /** Its owner, admins, and whoever may see all that it shows. */
  async sees(caller: Caller, report: Report): Promise<boolean> {
    if (!caller.permissions.includes("bi:read")) return false;
    if (looksAfter(caller, report)) return true;
    return this.#namesOf(caller, report).then(
      () => true,
      (error: unknown) => {
        if (isAppError(error) && error.code === "not_found") return false;
        throw error;
      },
    );
  }

  async visible(caller: Caller): Promise<Report[]> {
    const all = await this.#parts.store.list(caller.workspace.id);
    const seen = await Promise.all(all.map((report) => this.sees(caller, report)));
    return all.filter((_, i) => seen[i]);
  }

  /** Which messages about reports this caller may know of; admins of all, also those of deleted ones. */
  async readable(caller: Caller): Promise<Only | undefined> {
    if (caller.role === "admin") return undefined;
    return { kind: "report", ids: (await this.visible(caller)).map(({ id }) => id) };
  }

  async create(
    caller: Caller,
    {
      dashboardId,
      widgetIds,
      ...change
    }: ReportChange & { dashboardId?: number | undefined; widgetIds?: number[] | undefined },
  ): Promise<Report> {
    const { store, preferences, timeZone } = this.#parts;
    const shown = shownOf(dashboardId, widgetIds);
    const [first = "", ...more] = await this.#namesOf(caller, shown);
    const zone = change.zone ?? (await preferences.get(caller)).timeZone ?? timeZone;
    const wish: ReportWish = {
      workspaceId: caller.workspace.id,
      ...shown,
      name: more.length === 0 ? first : `${first} and ${more.length} more`,
      recipients: [],
      webhooks: [],
      frequency: "days",
      every: 1,
      startTime: "08:00",
      weekday: 1,
      monthday: 1,
      format: "pdf",
      withCsv: false,
      withInsights: false,
      ...settingsOf(shown, change),
      ...(await this.#recipients(caller, change)),
      zone,
      paused: change.paused ?? false,
      ownerId: caller.user.id,
      webhooksBy: caller.user.id,
    };
    assertReachable(wish);
    return store.create(wish);
  }

  /** Whoever changes more than whether it is paused becomes the owner: what is sent from then on is what they may see. */
  async change(caller: Caller, report: Report, { paused, ...change }: ReportChange): Promise<Report> {
    const isOnlyPause = Object.values(change).every((value) => value === undefined);
    if (isOnlyPause && paused === undefined) return report;
    await this.assertMayChange(caller, report);
    if (!isOnlyPause) await this.#namesOf(caller, report);
    const settings = { ...settingsOf(report, change), ...(await this.#recipients(caller, change)) };
    assertReachable({ ...report, ...settings });
    return this.#parts.store.change(report, {
      ...settings,
      ...(paused !== undefined && { paused }),
      ...(!isOnlyPause && takenOver(caller, report, settings, this.#parts.clock.now())),
    });
  }

  /** Its owner, admins, and whoever sees all that it shows: nobody else has it sent, stops it or takes it over. */
  async assertMayChange(caller: Caller, report: Report): Promise<void> {
    if (!looksAfter(caller, report) && !(await this.#seesAll(caller, report))) throw notYours("report");
  }

  /** True if policies keep nothing from this caller of what its widgets show. */
  async #seesAll(caller: Caller, { dashboardId, widgetIds }: Shown): Promise<boolean> {
    const { boards, data, modelSources } = this.#parts;
    const found = await Promise.all(widgetIds.map((id) => boards.widget(caller, id)));
    const widgets =
      dashboardId === null ? found.map(({ widget }) => widget) : await boards.store.widgetsOf(dashboardId);
    const seen = widgets.map(async ({ datasetId, spec }) => {
      if (datasetId === null) return modelSources.isWhole(caller, spec);
      return isWhole(caller, await data.require(caller, datasetId));
    });
    return Promise.all(seen).then(
      (all) => all.every(Boolean),
      (error: unknown) => {
        // What is gone, or kept from them altogether.
        if (isNotFound(error)) return false;
        throw error;
      },
    );
  }

  async #recipients({ workspace }: Caller, { recipients, channels }: ReportChange) {
    const { deliveries } = this.#parts;
    return {
      ...(recipients !== undefined && { recipients: deliveries.addresses(recipients) }),
      ...(channels !== undefined && (await chosenChannels(deliveries, workspace.id, channels))),
    };
  }

  /** The names of what it shows, as far as this caller may see all of it. */
  async #namesOf(caller: Caller, { dashboardId, widgetIds }: Shown): Promise<string[]> {
    const { boards } = this.#parts;
    if (dashboardId !== null) return [(await boards.dashboard(caller, dashboardId)).name];
    const found = await Promise.all(widgetIds.map((id) => boards.widget(caller, id)));
    return found.map(({ widget }) => widget.name);
  }
}

function shownOf(dashboardId: number | undefined, widgetIds: readonly number[] = []): Shown {
  if ((dashboardId === undefined) === (widgetIds.length === 0))
    throw new AppError("bad_request", "One of dashboard_id or widget_ids is required, and only one.");
  return { dashboardId: dashboardId ?? null, widgetIds: [...new Set(widgetIds)] };
}

function settingsOf({ dashboardId }: Shown, change: ReportChange): Partial<ReportWish> {
  const { name, recipients: _, channels: __, subject, body, paused: ___, ...rest } = change;
  if (name !== undefined) assertName(name);
  if (rest.withCsv === true && dashboardId !== null)
    throw new AppError("bad_request", "Only reports of widgets can include CSV files.", {
      hint: "Name the widgets instead of the dashboard.",
    });
  if (body !== undefined && body.length > LIMITS.reports.bodyCharacters)
    throw new AppError(
      "bad_request",
      `The text of a mail has at most ${LIMITS.reports.bodyCharacters} characters.`,
    );
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...given,
    ...(name !== undefined && { name }),
    ...(subject !== undefined && { subject: oneLine(subject) || null }),
    ...(body !== undefined && { body: body.trim() || null }),
  };
}

function assertReachable({
  recipients,
  webhooks,
  channels = [],
}: Pick<ReportWish, "recipients" | "webhooks" | "channels">) {
  if (recipients.length + webhooks.length + channels.length > 0) return;
  throw new AppError("bad_request", "At least one delivery channel is required.", {
    hint: "Give mail addresses as recipients, or a channel of Slack or Teams.",
  });
}
