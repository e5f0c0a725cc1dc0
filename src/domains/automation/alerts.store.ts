import { and, asc, desc, eq, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Catalog, CatalogTx } from "../../platform/catalog/index.ts";
import type { Schedules } from "../../platform/schedules/index.ts";
import type { SearchText } from "../../registry/asset-kind.ts";
import { alertEvents, alerts } from "./automation.tables.ts";
import { keepNewest } from "./keep-newest.ts";
import { LIMITS } from "./limits.ts";

export const KIND = "alert";
const KEPT_DAYS = 30;

export type Alert = typeof alerts.$inferSelect;
export type AlertEvent = typeof alertEvents.$inferSelect;
export type AlertWish = Omit<
  typeof alerts.$inferInsert,
  "id" | "version" | "createdAt" | "deletedAt" | "stateSince"
>;

/** Alerts, what happened to them, and when they are checked. */
export class AlertsStore {
  readonly #catalog: Catalog;
  readonly #schedules: Schedules;
  readonly #clock: Clock;

  constructor(catalog: Catalog, schedules: Schedules, clock: Clock) {
    this.#catalog = catalog;
    this.#schedules = schedules;
    this.#clock = clock;
  }

  async create(wish: AlertWish): Promise<Alert> {
    const now = this.#clock.now();
    return this.#catalog.transaction(async (tx) => {
      await assertRoom(tx, wish.workspaceId);
      const [made] = await tx
        .insert(alerts)
        .values({ ...wish, createdAt: now, stateSince: now })
        .returning();
      await this.#schedule(tx, made!);
      return made!;
    });
  }

  /** Changes an alert that nobody else has changed since; its schedule goes with it. */
  async change(alert: Alert, patch: Partial<AlertWish>): Promise<Alert> {
    return this.#catalog.transaction(async (tx) => {
      const [changed] = await tx
        .update(alerts)
        .set({ ...patch, version: sql`${alerts.version} + 1` })
        .where(and(own(alert.workspaceId), eq(alerts.id, alert.id)))
        .returning();
      if (changed === undefined) throw noAlert(alert.id);
      await this.#schedule(tx, changed);
      return changed;
    });
  }

  async #schedule(tx: CatalogTx, { id, paused, frequency, startTime, zone }: Alert): Promise<void> {
    if (paused) return this.#schedules.remove(tx, KIND, id);
    await this.#schedules.set(tx, KIND, id, { unit: frequency, every: 1, time: startTime, zone });
  }

  async find(workspaceId: number, id: number): Promise<Alert | undefined> {
    const [found] = await this.#catalog.db
      .select()
      .from(alerts)
      .where(and(own(workspaceId), eq(alerts.id, id)));
    return found;
  }

  async list(
    workspaceId: number,
    { datasetId, limit, offset }: { datasetId: number | undefined; limit: number; offset: number },
  ): Promise<{ total: number; items: Alert[] }> {
    const condition = and(
      own(workspaceId),
      datasetId === undefined ? undefined : eq(alerts.datasetId, datasetId),
    );
    const [total, items] = await Promise.all([
      this.#catalog.db.$count(alerts, condition),
      this.#catalog.db
        .select()
        .from(alerts)
        .where(condition)
        .orderBy(asc(alerts.id))
        .limit(limit)
        .offset(offset),
    ]);
    return { total, items };
  }

  /** Those of these that are to be checked. */
  awake(ids: readonly number[], within: Pick<CatalogTx, "select"> = this.#catalog.db): Promise<Alert[]> {
    return within
      .select()
      .from(alerts)
      .where(and(inArray(alerts.id, [...ids]), isNull(alerts.deletedAt), eq(alerts.paused, false)))
      .orderBy(asc(alerts.id));
  }

  /** The alerts on a dataset that look at every change of it, or at every run of its query. */
  async watching(datasetId: number): Promise<Alert[]> {
    const watches = or(eq(alerts.realtime, true), eq(alerts.type, "query_error"));
    return this.#catalog.db
      .select()
      .from(alerts)
      .where(
        and(eq(alerts.datasetId, datasetId), watches, isNull(alerts.deletedAt), eq(alerts.paused, false)),
      )
      .orderBy(asc(alerts.id));
  }

  /** Writes down what a check found, unless the alert is no longer what was checked. */
  async settle(tx: CatalogTx, { id, version }: Alert, patch: Partial<Alert>): Promise<Alert | undefined> {
    const current = and(
      eq(alerts.id, id),
      eq(alerts.version, version),
      isNull(alerts.deletedAt),
      eq(alerts.paused, false),
    );
    const [settled] = await tx
      .update(alerts)
      .set({ ...patch, version: version + 1 })
      .where(current)
      .returning();
    return settled;
  }

  /** The same for alerts that found nothing, as before, in one statement; the ids of those that are what was checked. */
  async settleQuiet(checked: readonly Alert[]): Promise<Set<number>> {
    if (checked.length === 0) return new Set();
    const ids = checked.map(({ id }) => id);
    const versions = checked.map(({ version }) => version);
    const { rows } = await this.#catalog.db.execute<{ id: string }>(sql`
      UPDATE alerts SET checked_at = ${this.#clock.now().toISOString()}::timestamptz, matched_rows = 0, last_error = NULL, version = alerts.version + 1
      FROM unnest(${sql.param(ids)}::bigint[], ${sql.param(versions)}::int[]) AS checked (id, version)
      WHERE alerts.id = checked.id AND alerts.version = checked.version AND deleted_at IS NULL AND NOT paused
      RETURNING alerts.id`);
    return new Set(rows.map(({ id }) => Number(id)));
  }

  async record(tx: CatalogTx, event: typeof alertEvents.$inferInsert): Promise<void> {
    await tx.insert(alertEvents).values(event);
  }

  async events(alertId: number, limit: number): Promise<AlertEvent[]> {
    return this.#catalog.db
      .select()
      .from(alertEvents)
      .where(eq(alertEvents.alertId, alertId))
      .orderBy(desc(alertEvents.id))
      .limit(limit);
  }

  async remove(workspaceId: number, id: number): Promise<void> {
    await this.#catalog.transaction(async (tx) => {
      await this.#schedules.remove(tx, KIND, id);
      await tx
        .update(alerts)
        .set({ deletedAt: this.#clock.now(), version: sql`${alerts.version} + 1` })
        .where(and(own(workspaceId), eq(alerts.id, id)));
    });
  }

  async restore(workspaceId: number, id: number): Promise<void> {
    await this.#catalog.transaction(async (tx) => {
      const [restored] = await tx
        .update(alerts)
        .set({ deletedAt: null })
        .where(and(eq(alerts.workspaceId, workspaceId), eq(alerts.id, id), isNotNull(alerts.deletedAt)))
        .returning();
      if (restored === undefined) throw new AppError("not_found", `There is no deleted alert with id ${id}.`);
      await this.#schedule(tx, restored);
    });
  }

  /** By their names alone: what they look for is not for everybody to see. */
  searchTexts(workspaceId: number): Promise<SearchText[]> {
    return this.#catalog.db
      .select({ id: alerts.id, title: alerts.name, body: sql<string>`''` })
      .from(alerts)
      .where(own(workspaceId));
  }

  /** Forgets alerts that were deleted long ago, and the oldest of what happened to the others. */
  async sweep(): Promise<void> {
    const { db } = this.#catalog;
    await db.delete(alerts).where(sql`${alerts.deletedAt} < now() - ${KEPT_DAYS} * interval '1 day'`);
    const { kept } = LIMITS.alerts;
    await keepNewest(this.#catalog, {
      table: alertEvents,
      id: alertEvents.id,
      owner: alertEvents.alertId,
      kept,
    });
  }
}

function own(workspaceId: number) {
  return and(eq(alerts.workspaceId, workspaceId), isNull(alerts.deletedAt));
}

async function assertRoom(tx: CatalogTx, workspaceId: number): Promise<void> {
  const { perWorkspace } = LIMITS.alerts;
  if ((await tx.$count(alerts, own(workspaceId))) < perWorkspace) return;
  throw new AppError("plan_limit", `This workspace has ${perWorkspace} alerts, which is as many as it can.`, {
    hint: "Delete those that nobody needs with {tool:delete_asset}.",
  });
}

export function noAlert(id: number): AppError {
  return new AppError("not_found", `There is no alert with id ${id}.`, {
    hint: "{tool:list_alerts} shows what there is.",
  });
}
