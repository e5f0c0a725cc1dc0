import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { z } from "zod";
import { clip } from "../../../kernel/clip.ts";
import { AppError, isAppError, messageOf } from "../../../kernel/errors.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import { isOutage } from "../../../platform/catalog/index.ts";
import type { JobContext, Jobs } from "../../../platform/jobs/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import { type JobOwner, ownerOf } from "../../identity/index.ts";
import type { Data } from "../data.ts";
import type { Dataset } from "../dataset.ts";
import type { QueriesStore, Query } from "../queries.store.ts";
import { type ExecutionParts, executeQuery } from "./execute-query.ts";
import { isActive, type QueryRun, type QueryRunsStore } from "./query-runs.store.ts";

export interface QueryRunsParts {
  store: QueryRunsStore;
  queries: QueriesStore;
  data: Data;
  jobs: Jobs;
  execution: ExecutionParts;
  callerFor(owner: JobOwner): Promise<Caller>;
  log: Logger;
}

const JOB = "query.run";
const POLL_MS = 50;
const SLOWEST_POLL_MS = 500;
const PROGRESS_MS = 500;
/** Longer than any execution, which has limits of its own. */
const TIMEOUT_SECONDS = (LIMITS.datasources.runMs + 2 * LIMITS.analytics.convertMs) / 1_000 + 300;

const jobData = z.strictObject({
  runId: z.int(),
  workspaceId: z.int(),
  queryId: z.int(),
  owner: z.custom<JobOwner>((value) => typeof value === "object" && value !== null),
});
type JobData = z.output<typeof jobData>;

/** Runs of queries: each is a job, so it outlives the call that asked for it and the process that began it. */
export class QueryRuns {
  readonly #parts: QueryRunsParts;

  constructor(parts: QueryRunsParts) {
    this.#parts = parts;
    parts.jobs.define(JOB, jobData, (data, context) => this.#work(data, context), {
      concurrency: LIMITS.queries.runs,
      retries: LIMITS.queries.retries,
      retryDelaySeconds: LIMITS.queries.retrySeconds,
      timeoutSeconds: TIMEOUT_SECONDS,
      keyed: false,
      onStop: "abort",
    });
  }

  /** Begins a run, or gives the one that is under way. */
  async start(caller: Caller, query: Query): Promise<{ run: QueryRun; isNew: boolean }> {
    const { jobs, store } = this.#parts;
    await jobs.wake();
    const { id: queryId, workspaceId } = query;
    return store.start(queryId, caller.user.id, (tx, runId) =>
      jobs.enqueue(JOB, { runId, workspaceId, queryId, owner: ownerOf(caller) }, { tx }),
    );
  }

  async require({ workspace }: Caller, id: number): Promise<QueryRun> {
    const run = await this.#parts.store.find(workspace.id, id);
    if (run === undefined) throw new AppError("not_found", `There is no run with id ${id}.`);
    return this.#settled(run);
  }

  /** Waits for a run to end, but not longer than this; what it gives says how far it is. */
  async waitFor(
    run: QueryRun,
    { waitMs, signal, onRows }: { waitMs: number; signal: AbortSignal; onRows?: (rows: number) => void },
  ): Promise<QueryRun> {
    const until = performance.now() + waitMs;
    let current = run;
    for (let pauseMs = POLL_MS; isActive(current) && performance.now() < until; ) {
      await sleep(Math.min(pauseMs, Math.max(1, until - performance.now())), undefined, { signal });
      pauseMs = Math.min(pauseMs * 1.5, SLOWEST_POLL_MS);
      const before = current.rowCount;
      current = (await this.#parts.store.get(run.id)) ?? current;
      if (current.rowCount !== null && current.rowCount !== before) onRows?.(current.rowCount);
    }
    return current;
  }

  /** False when it had already ended. */
  async cancel({ id, jobId }: QueryRun): Promise<boolean> {
    const { store, jobs } = this.#parts;
    const isCancelled = await store.end(id, "cancelled", null);
    if (jobId !== null) await jobs.cancel(jobId).catch(ignoreUnknown);
    return isCancelled;
  }

  async latest(queryId: number, limit: number): Promise<QueryRun[]> {
    return Promise.all((await this.#parts.store.latest(queryId, limit)).map((run) => this.#settled(run)));
  }

  /** Runs whose process died, and that nobody will try again, must not run for ever. */
  async sweep(): Promise<void> {
    for (const run of await this.#parts.store.active()) await this.#settled(run);
  }

  /** An active run has a job that will see to it; otherwise it has failed. */
  async #settled(run: QueryRun): Promise<QueryRun> {
    if (!isActive(run)) return run;
    const { jobs, store } = this.#parts;
    const job =
      run.jobId === null
        ? undefined
        : await jobs.status(run.jobId).catch((error: unknown) => void ignoreUnknown(error));
    if (job?.state === "waiting" || job?.state === "running") return run;
    // The run's own record comes a moment before the end of its job, so it is looked at again.
    await store.end(run.id, "failed", run.error ?? "The server stopped in the middle of the run.");
    return (await store.get(run.id)) ?? run;
  }

  async #work({ runId, workspaceId, queryId, owner }: JobData, context: JobContext): Promise<void> {
    const { store, log } = this.#parts;
    const run = await store.claim(runId, context.attempt);
    if (run === undefined) return;
    try {
      const caller = await this.#ownerNow(owner);
      const query = await this.#parts.queries.find(workspaceId, queryId);
      if (query === undefined) throw new AppError("not_found", "The query was deleted.");
      await this.#execute(caller, query, run, context);
    } catch (error) {
      const isTransient = (isAppError(error) && error.code === "unavailable") || isOutage(error);
      const isLast = context.attempt > LIMITS.queries.retries;
      const reason = reasonOf(error);
      if (!isAppError(error)) log.error({ err: error, run: runId }, "a run of a query failed unexpectedly");
      const status = isTransient && !isLast ? "queued" : "failed";
      await store.record(run, { status, rowCount: null, error: reason });
      if (isTransient && !isLast) throw new AppError("unavailable", reason);
    }
  }

  /** The power of whoever asked for the run may have ended since. */
  async #ownerNow(owner: JobOwner): Promise<Caller> {
    const caller = await this.#parts.callerFor(owner);
    if (caller.permissions.includes("bi:write")) return caller;
    throw new AppError("forbidden", "Whoever asked for this run may no longer run queries.");
  }

  async #execute(caller: Caller, query: Query, run: QueryRun, { signal }: JobContext): Promise<void> {
    const { store, queries, data, execution } = this.#parts;
    const datasource = await execution.datasources.require(caller, query.datasourceId);
    let reportedAt = 0;
    const onRows = (rowCount: number): void => {
      if (performance.now() - reportedAt < PROGRESS_MS) return;
      reportedAt = performance.now();
      store.record(run, { rowCount }).catch(() => undefined);
    };
    const result = await executeQuery(execution, query, datasource, { signal, onRows });
    const { part, rowsRead, rejectedRows, truncated } = result;
    if (signal.aborted) {
      await execution.blobs.delete(part.key);
      throw signal.reason;
    }
    const detail = {
      queryId: query.id,
      query: query.name,
      datasourceId: datasource.id,
      datasource: datasource.name,
      runId: run.id,
      rowsRead,
      ...(rejectedRows > 0 && { rejectedRows }),
      ...(truncated !== null && { truncated }),
    };
    const dataset = await data.commit(
      caller,
      query.name,
      "replace",
      part,
      { kind: "query", detail },
      (existing) => assertOwnDataset(query, existing),
    );
    await queries.setDataset(query.id, dataset.id);
    const { rowCount, version: datasetVersion } = dataset;
    await store.record(run, { status: "succeeded", rowCount, truncated, datasetVersion, error: null });
  }
}

/** A query fills the dataset of its name, but never one that came from elsewhere. */
export function assertOwnDataset({ id, name }: Pick<Query, "id" | "name">, { source }: Dataset): void {
  if (source.kind === "query" && source.detail?.queryId === id) return;
  throw new AppError("conflict", `There is already a dataset called ${name}, which is not from this query.`, {
    hint: "Give the query another name, or delete that dataset.",
  });
}

function reasonOf(error: unknown): string {
  const text = isAppError(error) ? error.advice : isOutage(error) ? messageOf(error) : UNEXPECTED;
  return clip(text, LIMITS.queries.errorCharacters);
}

const UNEXPECTED = "Something went wrong inside Kenning; its log says what.";

function ignoreUnknown(error: unknown): void {
  if (!isAppError(error) || error.code !== "not_found") throw error;
}
