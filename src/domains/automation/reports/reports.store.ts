import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { Clock } from "../../../kernel/time.ts";
import type { Catalog, CatalogTx } from "../../../platform/catalog/index.ts";
import type { Schedules } from "../../../platform/schedules/index.ts";
import { reportRuns, reports } from "../automation.tables.ts";
import { LIMITS } from "../limits.ts";
import { noneWith, ScheduledStore } from "../scheduled.store.ts";

export const KIND = "report";

export type Report = typeof reports.$inferSelect;
export type ReportRun = typeof reportRuns.$inferSelect;
export type ReportWish = Omit<typeof reports.$inferInsert, "id" | "createdAt" | "deletedAt">;

/** Reports, when they are due, and what became of them. */
export class ReportsStore extends ScheduledStore<Report> {
  constructor(catalog: Catalog, schedules: Schedules, clock: Clock) {
    super(catalog, schedules, clock, {
      name: KIND,
      table: reports,
      perWorkspace: LIMITS.reports.perWorkspace,
      ruleOf,
      searchBody: sql<string>`coalesce(${reports.subject}, '')`,
      past: { table: reportRuns, of: reportRuns.reportId, kept: LIMITS.reports.kept },
    });
  }

  async create(wish: ReportWish): Promise<Report> {
    return this.catalog.transaction(async (tx) => {
      await this.assertRoom(tx, wish.workspaceId);
      const [made] = await tx
        .insert(reports)
        .values({ ...wish, createdAt: this.clock.now() })
        .returning();
      await this.schedule(tx, made!);
      return made!;
    });
  }

  async change({ workspaceId, id }: Report, patch: Partial<ReportWish>): Promise<Report> {
    return this.catalog.transaction(async (tx) => {
      const [changed] = await tx.update(reports).set(patch).where(this.own(workspaceId, id)).returning();
      if (changed === undefined) throw noneWith(KIND, id);
      await this.schedule(tx, changed);
      return changed;
    });
  }

  list(workspaceId: number): Promise<Report[]> {
    return this.catalog.db.select().from(reports).where(this.own(workspaceId)).orderBy(asc(reports.id));
  }

  /** In the transaction that enqueues its job. */
  async addRun(
    tx: CatalogTx,
    run: Pick<typeof reportRuns.$inferInsert, "reportId" | "occurrenceAt" | "missed" | "askedBy">,
  ): Promise<ReportRun> {
    const [made] = await tx
      .insert(reportRuns)
      .values({ ...run, createdAt: this.clock.now() })
      .returning();
    return made!;
  }

  /** Whose each of these is. */
  async workspacesOf(tx: Pick<CatalogTx, "select">, ids: readonly number[]): Promise<Map<number, number>> {
    const found = await tx
      .select({ id: reports.id, workspaceId: reports.workspaceId })
      .from(reports)
      .where(inArray(reports.id, [...ids]));
    return new Map(found.map(({ id, workspaceId }) => [id, workspaceId]));
  }

  async findRun(id: number): Promise<{ run: ReportRun; report: Report } | undefined> {
    const [found] = await this.catalog.db
      .select({ run: reportRuns, report: reports })
      .from(reportRuns)
      .innerJoin(reports, eq(reports.id, reportRuns.reportId))
      .where(eq(reportRuns.id, id));
    return found;
  }

  /** False when it has ended already. */
  async endRun(
    tx: Pick<CatalogTx, "update">,
    id: number,
    outcome: Pick<ReportRun, "state"> & Partial<Pick<ReportRun, "files" | "error">>,
  ): Promise<boolean> {
    const ended = await tx
      .update(reportRuns)
      .set({ ...outcome, endedAt: this.clock.now() })
      .where(and(eq(reportRuns.id, id), eq(reportRuns.state, "waiting")))
      .returning({ id: reportRuns.id });
    return ended.length > 0;
  }

  /** The last run that went well; 0 when none has. */
  async lastDone(reportId: number): Promise<number> {
    const [done] = await this.catalog.db
      .select({ id: reportRuns.id })
      .from(reportRuns)
      .where(and(eq(reportRuns.reportId, reportId), eq(reportRuns.state, "done")))
      .orderBy(desc(reportRuns.id))
      .limit(1);
    return done?.id ?? 0;
  }

  runs(reportId: number, limit: number): Promise<ReportRun[]> {
    return this.catalog.db
      .select()
      .from(reportRuns)
      .where(eq(reportRuns.reportId, reportId))
      .orderBy(desc(reportRuns.id))
      .limit(limit);
  }
}

function ruleOf({ paused, frequency, every, startTime: time, zone, weekday, monthday }: Report) {
  if (paused) return null;
  return {
    unit: frequency,
    every,
    time,
    zone,
    ...(frequency === "weeks" && { weekday }),
    ...(frequency === "months" && { monthday }),
  };
}
