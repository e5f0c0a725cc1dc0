import { and, asc, desc, eq, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Clock } from "../../kernel/time.ts";
import { type Catalog, type CatalogTx, pageOf } from "../../platform/catalog/index.ts";
import type { Schedules } from "../../platform/schedules/index.ts";
import { alertEvents, alerts } from "./automation.tables.ts";
import { LIMITS } from "./limits.ts";
import { noneWith, ScheduledStore } from "./scheduled.store.ts";

export const KIND = "alert";

export type Alert = typeof alerts.$inferSelect;
export type AlertEvent = typeof alertEvents.$inferSelect;
export type AlertWish = Omit<
  typeof alerts.$inferInsert,
  "id" | "version" | "createdAt" | "deletedAt" | "stateSince"
>;

/** Alerts, what happened to them, and when they are checked. */
export class AlertsStore extends ScheduledStore<Alert> {
  /** Of the alert that a schedule is of. */
  readonly datasetOf: SQL = sql`(SELECT dataset_id FROM alerts WHERE alerts.id = schedules.subject)`;

  constructor(catalog: Catalog, schedules: Schedules, clock: Clock) {
    super(catalog, schedules, clock, {
      name: KIND,
      table: alerts,
      perWorkspace: LIMITS.alerts.perWorkspace,
      ruleOf: ({ paused, frequency, startTime: time, zone }) =>
        paused ? null : { unit: frequency, every: 1, time, zone },
      // By their names alone: what they look for is not for everybody to see.
      searchBody: sql<string>`''`,
      past: { table: alertEvents, of: alertEvents.alertId, kept: LIMITS.alerts.kept },
    });
  }

  async create(wish: AlertWish): Promise<Alert> {
    const now = this.clock.now();
    return this.catalog.transaction(async (tx) => {
      await this.assertRoom(tx, wish.workspaceId);
      const [made] = await tx
        .insert(alerts)
        .values({ ...wish, createdAt: now, stateSince: now })
        .returning();
      await this.schedule(tx, made!);
      return made!;
    });
  }

  /** Changes an alert that nobody else has changed since; its schedule goes with it. */
  async change(alert: Alert, patch: Partial<AlertWish>): Promise<Alert> {
    return this.catalog.transaction(async (tx) => {
      const [changed] = await tx
        .update(alerts)
        .set({ ...patch, version: sql`${alerts.version} + 1` })
        .where(this.own(alert.workspaceId, alert.id))
        .returning();
      if (changed === undefined) throw noneWith(KIND, alert.id);
      await this.schedule(tx, changed);
      return changed;
    });
  }

  async list(
    workspaceId: number,
    { datasetId, limit, offset }: { datasetId: number | undefined; limit: number; offset: number },
  ): Promise<{ total: number; items: Alert[] }> {
    const condition = and(
      this.own(workspaceId),
      datasetId === undefined ? undefined : eq(alerts.datasetId, datasetId),
    );
    return pageOf(this.catalog.db, alerts, condition, { order: asc(alerts.id), limit, offset });
  }

  /** Those of these that are to be checked. */
  awake(ids: readonly number[], within: Pick<CatalogTx, "select"> = this.catalog.db): Promise<Alert[]> {
    return within
      .select()
      .from(alerts)
      .where(and(inArray(alerts.id, [...ids]), isNull(alerts.deletedAt), eq(alerts.paused, false)))
      .orderBy(asc(alerts.id));
  }

  /** The alerts on a dataset that look at every change of it, or at every run of its query. */
  async watching(datasetId: number): Promise<Alert[]> {
    const watches = or(eq(alerts.realtime, true), eq(alerts.type, "query_error"));
    return this.catalog.db
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
    const { rows } = await this.catalog.db.execute<{ id: string }>(sql`
      UPDATE alerts SET checked_at = ${this.clock.now().toISOString()}::timestamptz, matched_rows = 0, last_error = NULL, version = alerts.version + 1
      FROM unnest(${sql.param(ids)}::bigint[], ${sql.param(versions)}::int[]) AS checked (id, version)
      WHERE alerts.id = checked.id AND alerts.version = checked.version AND deleted_at IS NULL AND NOT paused
      RETURNING alerts.id`);
    return new Set(rows.map(({ id }) => Number(id)));
  }

  async record(tx: CatalogTx, event: typeof alertEvents.$inferInsert): Promise<void> {
    await tx.insert(alertEvents).values(event);
  }

  async events(alertId: number, limit: number): Promise<AlertEvent[]> {
    return this.catalog.db
      .select()
      .from(alertEvents)
      .where(eq(alertEvents.alertId, alertId))
      .orderBy(desc(alertEvents.id))
      .limit(limit);
  }
}
