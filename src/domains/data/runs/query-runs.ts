import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { z } from "zod";
import { AppError, isAppError, isNotFound } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import type { TableView } from "../../../platform/analytics/index.ts";
import { LIMITS as ENGINE } from "../../../platform/analytics/limits.ts";
import { type CatalogTx, isOutage } from "../../../platform/catalog/index.ts";
import type { JobContext, JobStatus, Jobs } from "../../../platform/jobs/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import { type JobOwner, ownerOf } from "../../identity/index.ts";
import type { Data } from "../data.ts";
import { assertOwnDataset } from "../dataset.ts";
import { assertMayQuery } from "../datasources.ts";
import { LIMITS } from "../limits.ts";
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
/** How often whoever waits for a run looks whether anybody works on it. */
const SETTLE_MS = 5_000;
const START_TRIES = 3;
/**
 * Longer than an execution whose stages take all the time they may: to ask, to convert the answer, C9QL, and to
 * convert what it gives. Each stage waits for its turn in the engine, too, so there is as much again for these.
 */
const TIMEOUT_SECONDS =
  (LIMITS.datasources.connectMs + LIMITS.datasources.runMs + 2 * 3 * ENGINE.analytics.convertMs) / 1_000;

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
      perGroup: LIMITS.queries.runsPerWorkspace,
      retries: LIMITS.queries.retries,
      retryDelaySeconds: LIMITS.queries.retrySeconds,
      timeoutSeconds: TIMEOUT_SECONDS,
      keyed: false,
      onStop: "abort",
    });
  }

  /** Begins a run, or gives the one that is under way. */
  async start(caller: Caller, query: Query): Promise<{ run: QueryRun; isNew: boolean }> {
    const { jobs, store, queries, execution } = this.#parts;
    assertMayQuery(caller, await execution.datasources.require(caller, query.datasourceId));
    await queries.checkDataset(query);
    await jobs.wake();
    const { id: queryId, workspaceId } = query;
    const enqueue = (tx: CatalogTx, runId: number): Promise<string> => {
      const data = { runId, workspaceId, queryId, owner: ownerOf(caller) };
      return jobs.enqueue(JOB, data, { tx, group: String(workspaceId) });
    };
    for (let tries = 0; tries < START_TRIES; tries += 1) {
      const { run, isNew } = await store.start(query, caller.user.id, enqueue);
      const current = isNew ? run : await this.#settled(run);
      if (isActive(current)) return { run: current, isNew };
      // Nobody worked on it any more, so it has failed, and there is room for another.
    }
    throw new AppError("conflict", "Other runs of this query come and go too fast.", { hint: "Try again." });
  }

  /** Works on a run in this process, unless another one does, until it has ended or the signal aborts. */
  async finish(
    run: QueryRun,
    { signal, onRows }: { signal: AbortSignal; onRows: (rows: number) => void },
  ): Promise<QueryRun> {
    const { jobs, store } = this.#parts;
    const done = new AbortController();
    const watched = this.waitFor(run, {
      waitMs: Number.POSITIVE_INFINITY,
      signal: AbortSignal.any([signal, done.signal]),
      onRows,
    }).catch(() => undefined);
    try {
      if (run.jobId !== null) await jobs.workOn(run.jobId, signal);
    } finally {
      done.abort();
      await watched;
    }
    return this.#settled((await store.get(run.id)) ?? run);
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
    let settledAt = performance.now();
    for (let pauseMs = POLL_MS; isActive(current) && performance.now() < until; ) {
      await sleep(Math.min(pauseMs, Math.max(1, until - performance.now())), undefined, { signal });
      pauseMs = Math.min(pauseMs * 1.5, SLOWEST_POLL_MS);
      const before = current.rowCount;
      current = (await this.#parts.store.get(run.id)) ?? current;
      if (current.rowCount !== null && current.rowCount !== before) onRows?.(current.rowCount);
      if (performance.now() - settledAt < SETTLE_MS) continue;
      current = await this.#settled(current);
      settledAt = performance.now();
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

  /** The last run of each of these queries. */
  async lastOf(queryIds: readonly number[]): Promise<Map<number, QueryRun>> {
    const last = await this.#parts.store.lastOf(queryIds);
    const settled = await Promise.all([...last.values()].map((run) => this.#settled(run)));
    return new Map(settled.map((run) => [run.queryId, run]));
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
    // The run's own record comes a moment before the end of its job: what has ended stays as it is.
    if (job?.state === "cancelled") await store.end(run.id, "cancelled", null);
    else await store.end(run.id, "failed", run.error ?? lostReason(job));
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
      const { signal, attempt } = context;
      const cause = causeOf(error, signal);
      if (!isAppError(cause)) log.error({ err: cause, run: runId }, "a run of a query failed unexpectedly");
      if (cause === signal.reason && isTransient(cause)) {
        // The process stops. That is no fault of the run, and does not count as a try.
        await store.record(run, { status: "queued", rowCount: null });
        throw cause;
      }
      const reason = reasonOf(cause);
      const isOver = !isTransient(cause) || attempt > LIMITS.queries.retries;
      await store.record(run, { status: isOver ? "failed" : "queued", rowCount: null, error: reason });
      if (!isOver) throw new AppError("unavailable", reason);
    }
  }

  /** The power of whoever asked for the run may have ended since. */
  async #ownerNow(owner: JobOwner): Promise<Caller> {
    const caller = await this.#parts.callerFor(owner);
    if (caller.permissions.includes("bi:write")) return caller;
    throw new AppError("forbidden", "Whoever asked for this run may no longer run queries.");
  }

  /** The rows to which newer ones can be added; another text gives other rows, and all of them are asked for. */
  async #keptRows(
    query: Query,
    definition: string,
  ): Promise<{ view: TableView; version: number } | undefined> {
    if (query.refresh?.incremental === undefined) return undefined;
    const filled = await this.#parts.queries.datasetsOf([query]);
    const dataset = filled.get(query.datasetId ?? Number.NaN);
    if (dataset === undefined || dataset.rowCount === 0) return undefined;
    if (dataset.source.detail?.definition !== definition) return undefined;
    return { view: await this.#parts.data.ownRows(dataset), version: dataset.version };
  }

  async #execute(caller: Caller, query: Query, run: QueryRun, { signal }: JobContext): Promise<void> {
    const { store, queries, data, execution } = this.#parts;
    const datasource = await execution.datasources.require(caller, query.datasourceId);
    await queries.checkDataset(query);
    let reportedAt = 0;
    const onRows = (rowCount: number): void => {
      if (performance.now() - reportedAt < PROGRESS_MS) return;
      reportedAt = performance.now();
      store.record(run, { rowCount }).catch(() => undefined);
    };
    const definition = definitionOf(query);
    const kept = await this.#keptRows(query, definition);
    const asked = { caller, datasource, kept: kept?.view };
    const result = await executeQuery(execution, query, asked, { signal, onRows });
    const { part, isAppended, rowsRead, rejectedRows, truncated } = result;
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
      definition,
      ...(rejectedRows > 0 && { rejectedRows }),
      ...(truncated !== null && { truncated }),
    };
    await data.commit(
      caller,
      query.name,
      isAppended ? "append" : "replace",
      part,
      { kind: "query", detail },
      {
        // What is new was told from the rows of this version.
        ...(kept !== undefined && { onVersion: kept.version }),
        mayChange: (existing) => assertOwnDataset(query, existing),
        // The dataset is changed and the run has succeeded, or neither: a try that no longer counts changes nothing.
        within: (tx, dataset) => store.succeed(tx, run, dataset, { truncated, rejectedRows }),
      },
    );
  }
}

/** Names what a query asks for, as long as nobody changes it. */
function definitionOf({ queryText, parameters, datasourceId, refresh }: Query): string {
  const asked = JSON.stringify([datasourceId, queryText, parameters, refresh?.incremental ?? null]);
  return createHash("sha256").update(asked).digest("base64url").slice(0, 16);
}

function reasonOf(error: unknown): string {
  const text = isAppError(error) ? error.advice : isOutage(error) ? OUTAGE : UNEXPECTED;
  return clip(text, LIMITS.queries.errorCharacters);
}

/** Cause of a failed try: the abort reason, once it was aborted, whatever is thrown. */
function causeOf(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted) return error;
  return isAppError(signal.reason) ? signal.reason : new AppError("timeout", "The run took too long.");
}

/** True for transient errors, which are retried. */
function isTransient(error: unknown): boolean {
  if (isAppError(error)) return error.code === "unavailable" && error.data.retryable !== false;
  return isOutage(error);
}

/** Why a run is active whose job is not. */
function lostReason(job: JobStatus | undefined): string {
  if (job === undefined) return "The run was lost: there is no job for it any more.";
  if (job.error?.includes("heartbeat")) return "The server stopped in the middle of the run.";
  if (job.error?.includes("timed out")) return "The run took too long.";
  return "The run ended without a result.";
}

const OUTAGE = "Kenning could not reach its own database.";
const UNEXPECTED = "Something went wrong inside Kenning; its log says what.";

function ignoreUnknown(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
