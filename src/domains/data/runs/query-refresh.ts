import type { Logger } from "pino";
import { z } from "zod";
import { AppError, isAppError, messageOf } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import type { Jobs } from "../../../platform/jobs/index.ts";
import type { Rule, Schedules } from "../../../platform/schedules/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { JobOwner } from "../../identity/index.ts";
import type { Datasources } from "../datasources.ts";
import { assertMayQuery } from "../datasources.ts";
import { LIMITS } from "../limits.ts";
import type { QueriesStore, Query } from "../queries.store.ts";
import { assertIncremental } from "./incremental.ts";
import type { QueryRuns } from "./query-runs.ts";

/** How often a query runs by itself, and with whose rights. */
export interface Refresh extends Omit<Rule, "anchor"> {
  ownerId: number;
  /** Only what is new is asked for. */
  incremental?: Incremental | undefined;
  /** Why the last one did not even begin; a run that failed says so itself. */
  problem: string | null;
}

/** Rows whose column is above all that there are; with a key, rows of the same key take the place of older ones. */
export interface Incremental {
  column: string;
  key?: readonly string[] | undefined;
}

export type RefreshRule = Omit<Rule, "anchor"> & { incremental?: Incremental | undefined };

interface RefreshParts {
  store: QueriesStore;
  datasources: Datasources;
  runs: QueryRuns;
  jobs: Jobs;
  schedules: Schedules;
  callerFor(owner: JobOwner): Promise<Caller>;
  log: Logger;
}

const KIND = "query";
const JOB = "query.refresh";
const jobData = z.strictObject({ workspaceId: z.int(), queryId: z.int() });

/** Queries that run by themselves. What a run is, how it is tried again and what it changes, is as for any other. */
export class QueryRefresh {
  readonly #parts: RefreshParts;

  constructor(parts: RefreshParts) {
    this.#parts = parts;
    const { jobs, schedules, store } = parts;
    jobs.define(JOB, jobData, (data) => this.#begin(data), {
      concurrency: LIMITS.queries.runs,
      perGroup: LIMITS.queries.runsPerWorkspace,
      retries: LIMITS.queries.retries,
      retryDelaySeconds: LIMITS.queries.retrySeconds,
      timeoutSeconds: 60,
      keyed: false,
      onStop: "abort",
    });
    schedules.define(KIND, {
      prepare: () => jobs.wake(),
      // In the transaction that takes the occurrence, so that none is lost or doubled however a server ends.
      handle: async (tx, due) => {
        const refreshed = await store.refreshed(
          due.map(({ subject }) => subject),
          tx,
        );
        for (const { id: queryId, workspaceId } of refreshed)
          await jobs.enqueue(JOB, { workspaceId, queryId }, { tx, group: String(workspaceId) });
      },
    });
  }

  /** Sets when a query runs by itself, or with null that it does not; gives when it does next. */
  async set(caller: Caller, query: Query, wish: RefreshRule | null): Promise<Date | null> {
    const { store, schedules, datasources } = this.#parts;
    const datasource = await datasources.require(caller, query.datasourceId);
    assertMayQuery(caller, datasource);
    if (wish?.incremental !== undefined) assertIncremental(query, datasource);
    const refresh = wish === null ? null : { ...wish, ownerId: caller.user.id, problem: null };
    return store.setRefresh(query, refresh, async (tx) => {
      const { incremental: _, ...rule } = wish ?? { incremental: undefined };
      if (wish !== null) return schedules.set(tx, KIND, query.id, rule as Omit<Rule, "anchor">);
      await schedules.remove(tx, KIND, query.id);
      return null;
    });
  }

  /** When each of these runs next by itself. */
  nextOf(queries: readonly Query[]): Promise<Map<number, Date>> {
    const scheduled = queries.filter(({ refresh }) => refresh !== null);
    return this.#parts.schedules.nextOf(
      KIND,
      scheduled.map(({ id }) => id),
    );
  }

  /** A run that is under way already is enough. */
  async #begin({ workspaceId, queryId }: z.output<typeof jobData>): Promise<void> {
    const { store, runs, callerFor, log } = this.#parts;
    const query = await store.find(workspaceId, queryId);
    if (query?.refresh == null) return;
    try {
      const caller = await callerFor({ workspaceId, userId: query.refresh.ownerId });
      if (!caller.permissions.includes("bi:write"))
        throw new AppError("forbidden", "Whoever set the schedule may no longer run queries.");
      await runs.start(caller, query);
      if (query.refresh.problem !== null) await store.noteProblem(query, null);
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.warn({ query: queryId, reason: messageOf(error) }, "a scheduled run of a query did not begin");
      await store.noteProblem(query, clip(error.advice, LIMITS.queries.errorCharacters));
    }
  }
}

export const refreshShape = z.object({
  every: z.int(),
  unit: z.string(),
  time: z.string(),
  timezone: z.string(),
  weekday: z.int().optional(),
  monthday: z.int().optional(),
  incremental_by: z.string().optional(),
  key: z.array(z.string()).optional(),
  next_run: z.string().nullable(),
  problem: z.string().nullable(),
});

/** As tools show it; why one did not begin is told to those who may see texts of queries. */
export function refreshOf(
  { refresh }: Query,
  next: Date | null | undefined,
  view?: { texts: boolean },
): z.output<typeof refreshShape> | null {
  if (refresh === null) return null;
  const { every, unit, time, zone, weekday, monthday, incremental, problem } = refresh;
  return {
    every,
    unit,
    time,
    timezone: zone,
    ...(weekday !== undefined && { weekday }),
    ...(monthday !== undefined && { monthday }),
    ...(incremental !== undefined && { incremental_by: incremental.column }),
    ...(incremental?.key !== undefined && { key: [...incremental.key] }),
    next_run: next?.toISOString() ?? null,
    problem: (view?.texts ?? true) ? problem : problem && HIDDEN_PROBLEM,
  };
}

const HIDDEN_PROBLEM = "The last run did not begin.";
