import { chmod, mkdir } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { AppError } from "../../kernel/errors.ts";
import { FairQueue } from "../../kernel/fair-queue.ts";
import { JsonSlice } from "../../kernel/json.ts";
import { osUserOf } from "../sandbox/index.ts";
import { sweepLeftovers } from "../temp/index.ts";
import { isAggregate } from "./aggregates.ts";
import type { Analytics, AnalyticsOptions } from "./analytics-options.ts";
import { LIMITS } from "./limits.ts";
import { isLive, LiveQueries } from "./live/live-queries.ts";
import { Loader } from "./load/loader.ts";
import { Queries } from "./query/queries.ts";
import { QueryPool } from "./query/query-pool.ts";
import { rowsToJson } from "./types/row-json.ts";
import { RowThreads } from "./types/row-threads.ts";

export async function openAnalytics(options: AnalyticsOptions): Promise<Analytics> {
  const { tempFolder, log, blobs } = options;
  const { workers = LIMITS.analytics.workers } = options;
  const threads = options.threads ?? Math.min(availableParallelism(), LIMITS.analytics.threads);
  await mkdir(tempFolder, { recursive: true, mode: 0o711 });
  // The processes step through it to their files, without being able to see what else is there.
  if (process.geteuid?.() === 0) await chmod(tempFolder, 0o711);
  // What a killed server left may be large, and need not wait for the first query.
  await sweepLeftovers(tempFolder);
  const memoryMb =
    options.queryMemoryMb ?? defaultMemoryMb(workers + LIMITS.analytics.extraWorkers + OWN_SHARE);
  const pool = new QueryPool({
    tempFolder,
    workers,
    extraWorkers: extraWorkersFor(workers, memoryMb),
    memoryMb,
    threads,
    readerOf: (index) => osUserOf("engine", index + 1),
    log,
  });
  const loadMemoryMb = options.loadMemoryMb ?? LIMITS.analytics.loadMemoryMb;
  const loader = new Loader({
    blobs,
    tempFolder,
    memoryMb: loadMemoryMb,
    threads,
    readerOf: (index) => osUserOf("loader", index),
    log,
  });
  const rowThreads = new RowThreads();
  const queries = new Queries(pool, queryQueue(workers));
  const rowsToPart: Analytics["rowsToPart"] = async (request) => {
    if (request.rows.length === 0) throw new AppError("bad_request", "There are no rows.");
    const { rows, scope = "", signal } = request;
    const { json, columns } =
      rows instanceof JsonSlice
        ? await rowThreads.toJson(rows, request, { scope, signal })
        : rowsToJson(rows, request);
    return loader.rowsToPart(request, json, columns);
  };
  const live = new LiveQueries({
    query: (request) => queries.query(request),
    queryStream: (request) => queries.queryStream(request),
    serialize: (sql, signal) => queries.serialize(sql, signal),
    isAggregate,
    rowsToPart,
    // By its name a later process knows whose it was, and removes it.
    newKey: () => `parts/${blobs.ownName()}`,
    async remove({ key, path }) {
      await blobs.delete(key);
      pool.forget([path]);
    },
  });
  return {
    query: (request) => (isLive(request) ? live.query(request) : queries.query(request)),
    queryStream: (request) => (isLive(request) ? live.queryStream(request) : queries.queryStream(request)),
    serializeSql: (sql, signal) => queries.serialize(sql, signal),
    convert: (request) => loader.convert(request),
    rowsToPart,
    mergeParts: (request) => loader.mergeParts(request),
    forget: (parts) => pool.forget(parts),
    describe: async () => ({
      query: await pool.sandbox.describe(),
      load: await loader.describe(),
      duckdb: String(await pool.call("version", {}, {})),
    }),
    probe: (engines) => (engines === "load" ? loader : pool).probe(),
    load: () => {
      const memories = [...pool.sandboxes, ...loader.sandboxes].flatMap(
        (sandbox) => sandbox.residentMb() ?? [],
      );
      const { running, waiting } = queries.load;
      const memoryMb = memories.reduce((sum, megabytes) => sum + megabytes, 0);
      return { queriesRunning: running, queriesWaiting: waiting, processes: memories.length, memoryMb };
    },
    close: async () => {
      await Promise.all([pool.close(), loader.close()]);
    },
  };
}

function queryQueue(workers: number): FairQueue {
  const { queriesPerWorker, queriesPerScope, queriesPerUser } = LIMITS.analytics;
  const { waitingQueries, waitingPerScope, waitingPerUser, waitMs } = LIMITS.analytics;
  return new FairQueue({
    what: "queries",
    places: workers * queriesPerWorker,
    placesPerScope: queriesPerScope,
    placesPerUser: queriesPerUser,
    waiting: waitingQueries,
    waitingPerScope,
    waitingPerUser,
    waitMs,
  });
}

/** A quarter of the machine for all queries together. */
const machineMb = totalmem() / 1024 / 1024;
/** What workspaces with two processes of their own take: each runs one statement, with half of a process's memory. */
const OWN_SHARE = LIMITS.analytics.ownProcessScopes;

/** One at least; more only as long as all of them together cannot take more than half of the machine. */
function extraWorkersFor(workers: number, memoryMb: number): number {
  const fitting = Math.floor(machineMb / 2 / memoryMb - OWN_SHARE) - workers;
  return Math.max(1, Math.min(LIMITS.analytics.extraWorkers, fitting));
}

function defaultMemoryMb(processes: number): number {
  const { queryMemoryMinMb, queryMemoryMaxMb } = LIMITS.analytics;
  const share = Math.floor(machineMb / 4 / processes);
  return Math.min(queryMemoryMaxMb, Math.max(queryMemoryMinMb, share));
}
