import { AppError } from "../../kernel/errors.ts";
import { type Deliveries, oneLine } from "../../platform/delivery/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { AgentServices } from "../agent/index.ts";
import {
  assertName,
  type Column,
  columnsOf,
  type Data,
  type Dataset,
  isWhole,
  parse,
  restrictionFor,
} from "../data/index.ts";
import type { Alert, AlertsStore, AlertWish } from "./alerts.store.ts";
import { readCondition } from "./conditions/read-condition.ts";
import { type Backtest, backtest, type EvaluationParts, evaluate } from "./evaluate.ts";
import { notYours, takenOver } from "./owner.ts";
import { chosenChannels } from "./recipients.ts";
import { noneWith } from "./scheduled.store.ts";

/** Partial update of an alert; what is left out stays, or takes its default. */
export interface AlertChange {
  name?: string | undefined;
  condition?: string | undefined;
  recipients?: string | readonly string[] | undefined;
  /** Names or ids of channels, rooms of Slack, and URLs of webhooks. */
  channels?: readonly string[] | undefined;
  subject?: string | undefined;
  frequency?: Alert["frequency"] | undefined;
  startTime?: string | undefined;
  zone?: string | undefined;
  realtime?: boolean | undefined;
  hold?: number | undefined;
  key?: readonly string[] | undefined;
  noData?: Alert["noData"] | undefined;
  paused?: boolean | undefined;
}

export interface AlertsParts extends EvaluationParts {
  store: AlertsStore;
  data: Data;
  deliveries: Deliveries;
  preferences: AgentServices["preferences"];
  /** Of those who have chosen none. */
  timeZone: string;
}

/** Making and changing alerts. */
export class Alerts {
  readonly #parts: AlertsParts;

  constructor(parts: AlertsParts) {
    this.#parts = parts;
  }

  async require({ workspace }: Caller, id: number): Promise<Alert> {
    const alert = await this.#parts.store.find(workspace.id, id);
    if (alert === undefined) throw noneWith("alert", id);
    return alert;
  }

  async create(
    caller: Caller,
    { datasetId, type, ...change }: AlertChange & { datasetId: number; type: Alert["type"]; name: string },
  ): Promise<Alert> {
    const { store, data, preferences, timeZone } = this.#parts;
    const dataset = await data.require(caller, datasetId);
    if (type === "conditional" && change.condition === undefined)
      throw new AppError("bad_request", "A conditional alert needs a condition.", {
        hint: 'Say when it is to fire, such as "orders drop below 50" or orders < 50.',
      });
    if (type === "query_error" && dataset.source.kind !== "query")
      throw new AppError("bad_request", `${dataset.name} is not filled by a query, which could fail.`, {
        hint: "Choose data_not_updated, or a dataset that a query fills.",
      });
    const zone = change.zone ?? (await preferences.get(caller)).timeZone ?? timeZone;
    const settings = await this.#settings(caller, dataset, { type, c9ql: null }, change);
    return store.create({
      workspaceId: caller.workspace.id,
      datasetId,
      name: change.name,
      type,
      sentence: sentenceOf(type, dataset),
      recipients: [],
      webhooks: [],
      frequency: "days",
      startTime: "08:00",
      realtime: false,
      ...settings,
      zone,
      ownerId: caller.user.id,
      webhooksBy: caller.user.id,
    });
  }

  /**
   * Whoever changes more than whether it is paused becomes the owner: what is sent from then on is what they may see,
   * and nobody can send themselves what another may see.
   */
  async change(caller: Caller, alert: Alert, { paused, ...change }: AlertChange): Promise<Alert> {
    const { store, data } = this.#parts;
    const isOnlyPause = Object.values(change).every((value) => value === undefined);
    if (isOnlyPause && paused === undefined) return alert;
    // Before anything of it is looked at: an error about its condition or columns would tell of them.
    await this.assertMayChange(caller, alert);
    const dataset = await data.require(caller, alert.datasetId);
    const isSeen = await this.sees(caller, alert);
    const settings = await this.#settings(
      caller,
      dataset,
      { type: alert.type, c9ql: isSeen ? alert.c9ql : undefined },
      change,
    );
    // It begins anew: what was told of the former condition, or before the pause, says nothing of it now.
    const isNew = settings.c9ql !== undefined || (alert.paused && paused === false);
    const fresh = {
      state: "ok",
      toldHash: null,
      toldRows: null,
      matches: 0,
      calm: 0,
      failures: 0,
      lastError: null,
    } as const;
    return store.change(alert, {
      ...settings,
      ...(paused !== undefined && { paused }),
      ...(isNew && fresh),
      ...(!isOnlyPause && takenOver(caller, alert, settings, this.#parts.clock.now())),
    });
  }

  async #settings(
    caller: Caller,
    dataset: Dataset,
    /** Without its condition where the caller may not see it. */
    { type, c9ql }: Pick<Alert, "type"> & { c9ql: string | null | undefined },
    change: AlertChange,
  ): Promise<Partial<AlertWish> & { zone?: string }> {
    const { name, condition, recipients, channels, subject, key, ...rest } = change;
    if (name !== undefined) assertName(name);
    if (condition !== undefined && type !== "conditional")
      throw new AppError("bad_request", `An alert of type ${type} has no condition.`);
    const columns = restrictionFor(caller, dataset).columns;
    const read =
      condition === undefined ? undefined : readCondition(condition, { name: dataset.name, columns });
    if (key !== undefined) assertKey(key, read?.c9ql ?? c9ql, columns);
    const given = Object.entries(rest).filter(([, value]) => value !== undefined);
    return {
      ...Object.fromEntries(given),
      ...(name !== undefined && { name }),
      ...(read !== undefined && { condition, ...read }),
      ...(recipients !== undefined && { recipients: this.#parts.deliveries.addresses(recipients) }),
      ...(channels !== undefined &&
        (await chosenChannels(this.#parts.deliveries, caller.workspace.id, channels))),
      ...(subject !== undefined && { subject: oneLine(subject) || null }),
      ...(key !== undefined && { key: [...new Set(key)] }),
    };
  }

  /** How an alert stands at this moment, as this caller sees the data. */
  async lookNow(
    caller: Caller,
    alert: Alert,
    signal: AbortSignal,
  ): Promise<{ says: string; rows: number | null; past: Backtest | null }> {
    const dataset = await this.#parts.data.require(caller, alert.datasetId);
    const { says, matched, found } = await evaluate(this.#parts, caller, dataset, alert, signal);
    return {
      says,
      past: await backtest(this.#parts, caller, dataset, alert),
      rows: alert.type === "conditional" && found.kind !== "unknown" ? (matched?.total ?? 0) : null,
    };
  }

  /** Its owner, admins, and whoever sees all that it looks at: nobody else has it sent, stops it or takes it over. */
  async assertMayChange(caller: Caller, alert: Alert): Promise<void> {
    if (caller.role !== "admin" && !(await this.sees(caller, alert))) throw notYours("alert");
  }

  /** True if this caller may know what the alert looks for and has found: its owner, or who sees all of the dataset. */
  async sees(caller: Caller, alert: Alert): Promise<boolean> {
    return alert.ownerId === caller.user.id || (await this.seesAll(caller, alert));
  }

  async seesAll(caller: Caller, alert: Alert): Promise<boolean> {
    const dataset = await this.#parts.data.require(caller, alert.datasetId).catch(() => undefined);
    return dataset !== undefined && isWhole(caller, dataset);
  }
}

/** Rows are told apart by columns that they have. */
function assertKey(
  key: readonly string[],
  c9ql: string | null | undefined,
  columns: readonly Column[],
): void {
  if (key.length === 0) return;
  if (c9ql === undefined)
    throw new AppError(
      "forbidden",
      "This alert looks at what you may not see, which columns its rows have too.",
      {
        hint: "Give its condition anew with the key.",
      },
    );
  if (c9ql === null) throw new AppError("bad_request", "Only a conditional alert has rows to tell apart.");
  const query = parse(c9ql, { columns });
  const names = columnsOf(query, columns).map(({ name }) => name);
  const unknown = key.find((name) => !names.some((each) => each.toLowerCase() === name.toLowerCase()));
  if (unknown === undefined) return;
  throw new AppError("bad_request", `The rows that match have no column ${unknown}.`, {
    hint: `Their columns are ${names.join(", ")}.`,
  });
}

function sentenceOf(type: Alert["type"], { name }: Dataset): string {
  if (type === "query_error") return `the query of ${name} fails`;
  return type === "data_not_updated" ? `${name} was not updated between two checks` : "";
}
