import { chmod, mkdir } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { AppError } from "../../kernel/errors.ts";
import { FairQueue } from "../../kernel/fair-queue.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { accountOf } from "../sandbox/index.ts";
import { sweepLeftovers } from "../temp/index.ts";
import type { Analytics, AnalyticsOptions } from "./analytics-options.ts";
import { Loader } from "./load/loader.ts";
import { Queries } from "./query/queries.ts";
import { QueryPool } from "./query/query-pool.ts";
import { rowsToJson } from "./types/row-json.ts";

export async function openAnalytics(options: AnalyticsOptions): Promise<Analytics> {
  const { tempFolder, log, blobs } = options;
  const { workers = LIMITS.analytics.workers } = options;
  const threads = options.threads ?? Math.min(availableParallelism(), LIMITS.analytics.threads);
  await mkdir(tempFolder, { recursive: true, mode: 0o711 });
  // The processes step through it to their files, without being able to see what else is there.
  if (process.geteuid?.() === 0) await chmod(tempFolder, 0o711);
  // What a killed server left may be large, and need not wait for the first query.
  await sweepLeftovers(tempFolder);
  const pool = new QueryPool({
    tempFolder,
    workers,
    memoryMb: options.queryMemoryMb ?? defaultMemoryMb(workers),
    threads,
    readerOf: (index) => accountOf("engine", index + 1),
    log,
  });
  const loadMemoryMb = options.loadMemoryMb ?? LIMITS.analytics.loadMemoryMb;
  const loader = new Loader({
    blobs,
    tempFolder,
    memoryMb: loadMemoryMb,
    threads,
    readerOf: (index) => accountOf("loader", index),
    log,
  });
  const queries = new Queries(pool, queryQueue(workers));
  return {
    query: (request) => queries.query(request),
    queryStream: (request) => queries.queryStream(request),
    serializeSql: (sql, signal) => queries.serialize(sql, signal),
    convert: (request) => loader.convert(request),
    rowsToPart: async (request) => {
      if (request.rows.length === 0) throw new AppError("bad_request", "There are no rows.");
      const { json, columns } = rowsToJson(request.rows, request);
      return loader.rowsToPart(request, json, columns);
    },
    mergeParts: (request) => loader.mergeParts(request),
    forget: (parts) => pool.forget(parts),
    describe: async () => ({
      query: await pool.sandboxes[0]!.describe(),
      load: await loader.describe(),
      duckdb: String(await pool.call("version", {}, {})),
    }),
    probe: async (engines) => {
      if (engines === "load") await loader.probe();
      else await Promise.all(pool.sandboxes.map((sandbox) => sandbox.call("version", {})));
    },
    close: async () => {
      await Promise.all([pool.close(), loader.close()]);
    },
  };
}

function queryQueue(workers: number): FairQueue {
  const { queriesPerWorker, queriesPerScope, waitingQueries, waitingPerScope, waitMs } = LIMITS.analytics;
  return new FairQueue({
    what: "queries",
    places: workers * queriesPerWorker,
    placesPerScope: queriesPerScope,
    waiting: waitingQueries,
    waitingPerScope,
    waitMs,
  });
}

/** A quarter of the machine for all queries together. */
function defaultMemoryMb(workers: number): number {
  const { queryMemoryMinMb, queryMemoryMaxMb } = LIMITS.analytics;
  const share = Math.floor(totalmem() / 1024 / 1024 / 4 / workers);
  return Math.min(queryMemoryMaxMb, Math.max(queryMemoryMinMb, share));
}
