import { and, asc, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Clock } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/errors.ts";
import type { Catalog, CatalogTx } from "../../../platform/catalog/index.ts";
import type { Schedules } from "../../../platform/schedules/index.ts";
import type { SearchText } from "../../../registry/asset-kind.ts";
import { reportRuns, reports } from "../automation.tables.ts";
import { keepNewest } from "../keep-newest.ts";
import { LIMITS } from "../limits.ts";

export const KIND = "report";
const KEPT_DAYS = 30;

export type Report = typeof reports.$inferSelect;
export type ReportRun = typeof reportRuns.$inferSelect;
export type ReportWish = Omit<typeof reports.$inferInsert, "id" | "createdAt" | "deletedAt">;

/** Reports, when they are due, and what became of them. */
export class ReportsStore {
  readonly #catalog: Catalog;
  readonly #schedules: Schedules;
  readonly #clock: Clock;

  constructor(catalog: Catalog, schedules: Schedules, clock: Clock) {
    this.#catalog = catalog;
    this.#schedules = schedules;
    this.#clock = clock;
  }

  async create(wish: ReportWish): Promise<Report> {
    return this.#catalog.transaction(async (tx) => {
      const { perWorkspace } = LIMITS.reports;
      if ((await tx.$count(reports, own(wish.workspaceId))) >= perWorkspace)
        throw new AppError(
          "plan_limit",
          `This workspace has ${perWorkspace} reports, which is as many as it can.`,
          {
            hint: "Delete those that nobody needs with {tool:delete_asset}.",
          },
        );
      const [made] = await tx
        .insert(reports)
        .values({ ...wish, createdAt: this.#clock.now() })
        .returning();
      await this.#schedule(tx, made!);
      return made!;
    });
  }

  async change({ workspaceId, id }: Report, patch: Partial<ReportWish>): Promise<Report> {
    return this.#catalog.transaction(async (tx) => {
      const [changed] = await tx
        .update(reports)
        .set(patch)
        .where(and(own(workspaceId), eq(reports.id, id)))
        .returning();
      if (changed === undefined) throw noReport(id);
      await this.#schedule(tx, changed);
      return changed;
    });
  }

  async #schedule(tx: CatalogTx, report: Report): Promise<void> {
    const { id, paused, frequency, every, startTime, zone, weekday, monthday } = report;
    if (paused) return this.#schedules.remove(tx, KIND, id);
    await this.#schedules.set(tx, KIND, id, {
      unit: frequency,
      every,
      time: startTime,
      zone,
      ...(frequency === "weeks" && { weekday }),
      ...(frequency === "months" && { monthday }),
    });
  }

  async find(workspaceId: number, id: number): Promise<Report | undefined> {
    const [found] = await this.#catalog.db
      .select()
      .from(reports)
      .where(and(own(workspaceId), eq(reports.id, id)));
    return found;
  }

  list(workspaceId: number): Promise<Report[]> {
    return this.#catalog.db.select().from(reports).where(own(workspaceId)).orderBy(asc(reports.id));
  }

  /** In the transaction that enqueues its job. */
  async addRun(
    tx: CatalogTx,
    run: Pick<typeof reportRuns.$inferInsert, "reportId" | "occurrenceAt" | "missed" | "askedBy">,
  ): Promise<ReportRun> {
    const [made] = await tx
      .insert(reportRuns)
      .values({ ...run, createdAt: this.#clock.now() })
      .returning();
    return made!;
  }

  async findRun(id: number): Promise<{ run: ReportRun; report: Report } | undefined> {
    const [found] = await this.#catalog.db
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
      .set({ ...outcome, endedAt: this.#clock.now() })
      .where(and(eq(reportRuns.id, id), eq(reportRuns.state, "waiting")))
      .returning({ id: reportRuns.id });
    return ended.length > 0;
  }

  /** The last run that went well; 0 when none has. */
  async lastDone(reportId: number): Promise<number> {
    const [done] = await this.#catalog.db
      .select({ id: reportRuns.id })
      .from(reportRuns)
      .where(and(eq(reportRuns.reportId, reportId), eq(reportRuns.state, "done")))
      .orderBy(desc(reportRuns.id))
      .limit(1);
    return done?.id ?? 0;
  }

  runs(reportId: number, limit: number): Promise<ReportRun[]> {
    return this.#catalog.db
      .select()
      .from(reportRuns)
      .where(eq(reportRuns.reportId, reportId))
      .orderBy(desc(reportRuns.id))
      .limit(limit);
  }

  async remove(workspaceId: number, id: number): Promise<void> {
    await this.#catalog.transaction(async (tx) => {
      await this.#schedules.remove(tx, KIND, id);
      await tx
        .update(reports)
        .set({ deletedAt: this.#clock.now() })
        .where(and(own(workspaceId), eq(reports.id, id)));
    });
  }

  async restore(workspaceId: number, id: number): Promise<void> {
    await this.#catalog.transaction(async (tx) => {
      const [restored] = await tx
        .update(reports)
        .set({ deletedAt: null })
        .where(and(eq(reports.workspaceId, workspaceId), eq(reports.id, id), isNotNull(reports.deletedAt)))
        .returning();
      if (restored === undefined)
        throw new AppError("not_found", `There is no deleted report with id ${id}.`);
      await this.#schedule(tx, restored);
    });
  }

  searchTexts(workspaceId: number): Promise<SearchText[]> {
    return this.#catalog.db
      .select({ id: reports.id, title: reports.name, body: sql<string>`coalesce(${reports.subject}, '')` })
      .from(reports)
      .where(own(workspaceId));
  }

  /** Forgets reports that were deleted long ago, and the oldest runs of the others. */
  async sweep(): Promise<void> {
    const { db } = this.#catalog;
    await db.delete(reports).where(sql`${reports.deletedAt} < now() - ${KEPT_DAYS} * interval '1 day'`);
    const { kept } = LIMITS.reports;
    await keepNewest(this.#catalog, {
      table: reportRuns,
      id: reportRuns.id,
      owner: reportRuns.reportId,
      kept,
    });
  }
}

function own(workspaceId: number) {
  return and(eq(reports.workspaceId, workspaceId), isNull(reports.deletedAt));
}

export function noReport(id: number): AppError {
  return new AppError("not_found", `There is no report with id ${id}.`, {
    hint: "{tool:list_reports} shows what there is.",
  });
}
