import { and, count, desc, eq, inArray, isNull, lte, sql } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import { type CatalogTx, Store } from "../../../platform/catalog/index.ts";
import type { Truncation } from "../connectors/index.ts";
import { queries, queryRuns, type RunState } from "../data.tables.ts";
import { tellOfRun } from "../data-events.ts";
import type { Dataset } from "../dataset.ts";
import { LIMITS } from "../limits.ts";

export interface QueryRun {
  id: number;
  queryId: number;
  status: RunState;
  jobId: string | null;
  attempt: number;
  rowCount: number | null;
  truncated: Truncation | null;
  rejectedRows: number | null;
  datasetVersion: number | null;
  error: string | null;
  queuedAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

const ACTIVE = ["queued", "running"] as const;
const START_TRIES = 5;

export function isActive({ status }: QueryRun): boolean {
  return (ACTIVE as readonly string[]).includes(status);
}

/** Catalog records of runs. A unique index keeps active runs to one a query. */
export class QueryRunsStore extends Store {
  /** A new run with its job, or the one that is active already. */
  async start(
    query: { id: number; workspaceId: number },
    userId: number,
    enqueue: (tx: CatalogTx, runId: number) => Promise<string>,
  ): Promise<{ run: QueryRun; isNew: boolean }> {
    const queryId = query.id;
    for (let tries = 0; tries < START_TRIES; tries += 1) {
      const made = await this.#insert(query, userId, enqueue);
      if (made !== undefined) return { run: made, isNew: true };
      const [active] = await this.catalog.db
        .select()
        .from(queryRuns)
        .where(and(eq(queryRuns.queryId, queryId), inArray(queryRuns.status, [...ACTIVE])));
      if (active !== undefined) return { run: active, isNew: false };
      // It ended in between, so now there is room for another.
    }
    throw new AppError("conflict", "Other runs of this query come and go too fast.", { hint: "Try again." });
  }

  async #insert(
    { id: queryId, workspaceId }: { id: number; workspaceId: number },
    userId: number,
    enqueue: (tx: CatalogTx, runId: number) => Promise<string>,
  ): Promise<QueryRun | undefined> {
    return this.catalog.transaction(async (tx) => {
      const values = { queryId, status: "queued" as const, startedBy: userId, queuedAt: this.clock.now() };
      const [row] = await tx.insert(queryRuns).values(values).onConflictDoNothing().returning();
      if (row === undefined) return undefined;
      await assertRoom(tx, workspaceId);
      const jobId = await enqueue(tx, row.id);
      await tx.update(queryRuns).set({ jobId }).where(eq(queryRuns.id, row.id));
      const old = tx
        .select({ id: queryRuns.id })
        .from(queryRuns)
        .where(eq(queryRuns.queryId, queryId))
        .orderBy(desc(queryRuns.id))
        .limit(1)
        .offset(LIMITS.queries.keptRuns);
      await tx.delete(queryRuns).where(and(eq(queryRuns.queryId, queryId), lte(queryRuns.id, sql`(${old})`)));
      return { ...row, jobId };
    });
  }

  /** Begins a try; undefined when the run has ended meanwhile. */
  async claim(id: number, attempt: number): Promise<QueryRun | undefined> {
    const [row] = await this.catalog.db
      .update(queryRuns)
      .set({
        status: "running",
        attempt,
        rowCount: null,
        startedAt: sql`coalesce(${queryRuns.startedAt}, ${this.clock.now()})`,
      })
      .where(and(eq(queryRuns.id, id), inArray(queryRuns.status, [...ACTIVE])))
      .returning();
    return row;
  }

  /** Writes down how a try is getting on or that it failed, unless the run was cancelled or another try has begun. */
  async record(
    { id, attempt }: Pick<QueryRun, "id" | "attempt">,
    values: { status?: "queued" | "failed"; rowCount?: number | null; error?: string },
  ): Promise<boolean> {
    const isThisTry = and(
      eq(queryRuns.id, id),
      eq(queryRuns.attempt, attempt),
      eq(queryRuns.status, "running"),
    );
    if (values.status === "failed") return this.#end(isThisTry, { ...values, status: values.status });
    const rows = await this.catalog.db
      .update(queryRuns)
      .set(values)
      .where(isThisTry)
      .returning({ id: queryRuns.id });
    return rows.length > 0;
  }

  /** Ends a try with its result, in the transaction that makes it the dataset; throws where it no longer counts. */
  async succeed(
    tx: CatalogTx,
    { id, attempt, queryId }: QueryRun,
    dataset: Pick<Dataset, "id" | "rowCount" | "version">,
    result: Pick<QueryRun, "truncated" | "rejectedRows">,
  ): Promise<void> {
    const { rowCount, version: datasetVersion } = dataset;
    const [ended] = await tx
      .update(queryRuns)
      .set({
        ...result,
        status: "succeeded",
        rowCount,
        datasetVersion,
        error: null,
        finishedAt: this.clock.now(),
      })
      .where(and(eq(queryRuns.id, id), eq(queryRuns.attempt, attempt), eq(queryRuns.status, "running")))
      .returning({ id: queryRuns.id });
    if (ended === undefined)
      throw new AppError("cancelled", "The run was cancelled, or another try has begun.");
    const [query] = await tx
      .update(queries)
      .set({ datasetId: dataset.id })
      .where(and(eq(queries.id, queryId), isNull(queries.deletedAt)))
      .returning({ workspaceId: queries.workspaceId });
    if (query === undefined) throw new AppError("not_found", "The query was deleted.");
    await tellOfRun(tx, { workspaceId: query.workspaceId, queryId, runId: id, status: "succeeded" });
  }

  /** Ends an active run from outside; false when it had ended. */
  async end(id: number, status: "cancelled" | "failed", error: string | null): Promise<boolean> {
    const isActive = and(eq(queryRuns.id, id), inArray(queryRuns.status, [...ACTIVE]));
    return this.#end(isActive, { status, error });
  }

  async #end(
    condition: ReturnType<typeof and>,
    values: { status: "cancelled" | "failed"; error?: string | null; rowCount?: number | null },
  ): Promise<boolean> {
    const { status } = values;
    return this.catalog.transaction(async (tx) => {
      const [run] = await tx
        .update(queryRuns)
        .set({ ...values, finishedAt: this.clock.now() })
        .where(condition)
        .returning({ runId: queryRuns.id, queryId: queryRuns.queryId });
      if (run === undefined) return false;
      const [query] = await tx
        .select({ workspaceId: queries.workspaceId })
        .from(queries)
        .where(eq(queries.id, run.queryId));
      if (query !== undefined) await tellOfRun(tx, { ...query, ...run, status });
      return true;
    });
  }

  async get(id: number): Promise<QueryRun | undefined> {
    const [row] = await this.catalog.db.select().from(queryRuns).where(eq(queryRuns.id, id));
    return row;
  }

  /** A run of a query that is there, of this workspace. */
  async find(workspaceId: number, id: number): Promise<QueryRun | undefined> {
    const own = and(eq(queries.workspaceId, workspaceId), isNull(queries.deletedAt));
    const [row] = await this.catalog.db
      .select({ run: queryRuns })
      .from(queryRuns)
      .innerJoin(queries, eq(queries.id, queryRuns.queryId))
      .where(and(eq(queryRuns.id, id), own));
    return row?.run;
  }

  /** The latest runs of a query, the last one first. */
  async latest(queryId: number, limit: number): Promise<QueryRun[]> {
    return this.catalog.db
      .select()
      .from(queryRuns)
      .where(eq(queryRuns.queryId, queryId))
      .orderBy(desc(queryRuns.id))
      .limit(limit);
  }

  /** The last run of each of these queries. */
  async lastOf(queryIds: readonly number[]): Promise<Map<number, QueryRun>> {
    if (queryIds.length === 0) return new Map();
    const rows = await this.catalog.db
      .selectDistinctOn([queryRuns.queryId])
      .from(queryRuns)
      .where(inArray(queryRuns.queryId, [...queryIds]))
      .orderBy(queryRuns.queryId, desc(queryRuns.id));
    return new Map(rows.map((row) => [row.queryId, row]));
  }

  async active(): Promise<QueryRun[]> {
    return this.catalog.db
      .select()
      .from(queryRuns)
      .where(inArray(queryRuns.status, [...ACTIVE]));
  }
}

/** Nobody's runs may keep those of others waiting for ever. */
async function assertRoom(tx: CatalogTx, workspaceId: number): Promise<void> {
  const { activeRuns } = LIMITS.queries;
  const [found] = await tx
    .select({ active: count() })
    .from(queryRuns)
    .innerJoin(queries, eq(queries.id, queryRuns.queryId))
    .where(and(eq(queries.workspaceId, workspaceId), inArray(queryRuns.status, [...ACTIVE])));
  if ((found?.active ?? 0) <= activeRuns) return;
  throw new AppError("plan_limit", `${activeRuns} runs of this workspace wait or are at work already.`, {
    hint: "Wait until some have ended, or end them with {tool:cancel_query_run}.",
  });
}
