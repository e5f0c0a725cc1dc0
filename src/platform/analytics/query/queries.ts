import { AppError } from "../../../kernel/errors.ts";
import { FairQueue } from "../../../kernel/fair-queue.ts";
import { guiltOf, hasDied } from "../../sandbox/index.ts";
import type {
  Column,
  JsonValue,
  QueryBatch,
  QueryLimits,
  QueryRequest,
  QueryResult,
  SerializedSql,
} from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";
import type { NextAnswer, RunAnswer } from "../wire.ts";
import type { Lease, QueryPool } from "./query-pool.ts";
import { deadly, Suspects } from "./suspects.ts";
import { parseTree } from "./syntax-tree.ts";

/** Queries, from their turn in the queue to their rows. */
export class Queries {
  readonly #pool: QueryPool;
  readonly #queue: FairQueue;
  readonly #suspects = new Suspects();
  /** For statements that run alone: a workspace's own ones wait for each other, and nobody else's for all of them. */
  readonly #alone = new FairQueue({
    what: "queries",
    places: LIMITS.analytics.suspectProcesses,
    placesPerScope: 1,
    waiting: LIMITS.analytics.waitingQueries,
    waitingPerScope: LIMITS.analytics.waitingPerScope,
    waitMs: LIMITS.analytics.waitMs,
  });

  constructor(pool: QueryPool, queue: FairQueue) {
    this.#pool = pool;
    this.#queue = queue;
  }

  async query(request: QueryRequest): Promise<QueryResult> {
    checkRequest(request);
    const limits = limitsOf(request);
    if (this.#suspects.has(request)) return this.#runAlone(request, limits);
    const clock: Clock = { startedMs: undefined };
    const leftMs = (): number =>
      Math.ceil((clock.startedMs ?? performance.now()) + limits.ms - performance.now());
    for (let ms = limits.ms, isLast = false; ; isLast = true) {
      try {
        return await this.#run(request, { ...limits, ms }, clock);
      } catch (error) {
        const guilt = this.#accuse(request, error);
        ms = leftMs();
        if (!hasDied(error) || ms <= 0) throw error;
        // One of several ended their process: whose doing it was shows when each is alone.
        if (guilt === "possible") return this.#runAlone(request, { ...limits, ms });
        if (isLast) throw error;
      }
    }
  }

  /** Fails with what its caller is to know when a statement was alone in the process that ended. */
  #accuse(request: QueryRequest, error: unknown): "none" | "possible" {
    const guilt = guiltOf(error);
    if (guilt !== "none") this.#suspects.add(request);
    if (guilt === "certain") throw deadly(error);
    return guilt;
  }

  async #run(request: QueryRequest, limits: QueryLimits, clock: Clock): Promise<QueryResult> {
    const { lease, leave } = await this.#enter(request);
    try {
      clock.startedMs ??= performance.now();
      return await runOn(lease, request, limits);
    } finally {
      leave();
    }
  }

  async #runAlone(request: QueryRequest, limits: QueryLimits): Promise<QueryResult> {
    const { lease, leave } = await this.#enterAlone(request);
    try {
      const result = await runOn(lease, request, limits);
      this.#suspects.acquit(request);
      return result;
    } catch (error) {
      throw guiltOf(error) === "none" ? error : deadly(error);
    } finally {
      leave();
    }
  }

  /** Like `query`; but once it has given rows, it cannot begin again. */
  async *queryStream(request: QueryRequest): AsyncGenerator<QueryBatch, void, void> {
    checkRequest(request);
    if (!this.#suspects.has(request)) {
      let hasRows = false;
      try {
        for await (const batch of this.#stream(request, await this.#enter(request))) {
          hasRows = true;
          yield batch;
        }
        return;
      } catch (error) {
        this.#accuse(request, error);
        if (hasRows || !hasDied(error)) throw error;
      }
    }
    yield* this.#streamAlone(request);
  }

  async *#streamAlone(request: QueryRequest): AsyncGenerator<QueryBatch, void, void> {
    try {
      yield* this.#stream(request, await this.#enterAlone(request));
      this.#suspects.acquit(request);
    } catch (error) {
      throw guiltOf(error) === "none" ? error : deadly(error);
    }
  }

  async *#stream(request: QueryRequest, place: Place): AsyncGenerator<QueryBatch, void, void> {
    const { ms } = limitsOf(request);
    const batch = { rows: LIMITS.analytics.batchRows, bytes: LIMITS.analytics.batchBytes };
    let cursor: number | undefined;
    try {
      const first = parseRun(
        await place.lease.run(
          { ...paramsOf(request), limits: batch, isStream: true },
          { timeoutMs: ms, signal: request.signal },
        ),
      );
      cursor = first.cursor;
      const { columns } = first;
      yield { columns, rows: rowsOf(first.json) };
      while (cursor !== undefined) {
        const answer = parseNext(
          await place.lease.call(
            "next",
            { cursor, limits: batch },
            { timeoutMs: ms, signal: request.signal },
          ),
        );
        if (answer.isDone) cursor = undefined;
        if (answer.rows > 0) yield { columns, rows: rowsOf(answer.json) };
      }
    } finally {
      // Whoever stops reading does not wait for this.
      if (cursor !== undefined) place.lease.call("release", { cursor }).catch(() => undefined);
      place.leave();
    }
  }

  async serialize(sql: string, signal?: AbortSignal): Promise<SerializedSql> {
    checkSql(sql);
    const options = { timeoutMs: LIMITS.analytics.queryMs, signal };
    const call = () => this.#pool.call("serialize", { sql }, options);
    // The one to blame is most likely a query that ran at the same time, if there was one.
    const again = (error: unknown): Promise<unknown> => {
      if (guiltOf(error) === "certain") throw deadly(error);
      return hasDied(error) ? call() : Promise.reject(error);
    };
    return serializedOf(await call().catch(again));
  }

  #enter(request: QueryRequest): Promise<Place> {
    return enter(this.#queue, request, ({ scope, relations, engine }) =>
      this.#pool.acquire(scope, relations, engine),
    );
  }

  #enterAlone(request: QueryRequest): Promise<Place> {
    return enter(this.#alone, request, ({ scope, relations, engine }) =>
      this.#pool.acquireAlone(scope, relations, engine),
    );
  }
}

/** Since it had its turn for the first time. */
interface Clock {
  startedMs: number | undefined;
}

interface Place {
  lease: Lease;
  leave(): void;
}

async function enter(
  queue: FairQueue,
  request: QueryRequest,
  acquire: (request: QueryRequest) => Promise<Lease>,
): Promise<Place> {
  const leaveQueue = await queue.enter(request.scope, request.signal);
  try {
    const lease = await acquire(request);
    const leave = (): void => {
      lease.release();
      leaveQueue();
    };
    return { lease, leave };
  } catch (error) {
    leaveQueue();
    throw error;
  }
}

async function runOn(
  lease: Lease,
  request: QueryRequest,
  { rows, bytes, ms }: QueryLimits,
): Promise<QueryResult> {
  const params = { ...paramsOf(request), limits: { rows, bytes }, isStream: false };
  return resultOf(parseRun(await lease.run(params, { timeoutMs: ms, signal: request.signal })));
}

function checkRequest({ sql, relations, params = [] }: QueryRequest): void {
  checkSql(sql);
  const limits = LIMITS.analytics;
  const parts = relations.reduce((sum, relation) => sum + relation.parts.length, 0);
  if (params.length > limits.params) throw tooLarge("parameters", limits.params);
  if (relations.length > limits.relations) throw tooLarge("datasets", limits.relations);
  if (parts > limits.parts) throw tooLarge("parts of datasets", limits.parts);
}

function checkSql(sql: string): void {
  const { sqlCharacters } = LIMITS.analytics;
  if (sql.length > sqlCharacters) throw tooLarge("characters of SQL", sqlCharacters);
  // The engine's texts end there, so that what is behind would not be looked at.
  if (sql.includes("\u0000")) throw new AppError("bad_request", "The SQL has a NUL character.");
}

function tooLarge(what: string, most: number): AppError {
  return new AppError("too_large", `A query can have ${most.toLocaleString("en")} ${what} at most.`);
}

function limitsOf({ limits = {} }: QueryRequest): QueryLimits {
  const { resultRows, resultBytes, resultMaxBytes, queryMs } = LIMITS.analytics;
  const { rows = resultRows, bytes = resultBytes, ms = queryMs } = limits;
  return { rows, bytes: Math.min(bytes, resultMaxBytes), ms };
}

function paramsOf({ sql, params = [], explain = false }: QueryRequest): object {
  return { sql, params, isExplain: explain };
}

function resultOf({ columns, json, end }: RunAnswer): QueryResult {
  return { columns, rows: rowsOf(json), truncated: end === "done" ? false : end };
}

/** What comes from a sandboxed process is read as carefully as what comes from outside. */
function parseRun(answer: unknown): RunAnswer {
  const { columns, cursor } = answer as RunAnswer;
  const isKnown = Array.isArray(columns) && columns.every(isColumn);
  const isPlace = cursor === undefined || Number.isSafeInteger(cursor);
  if (!isKnown || !isPlace) throw new TypeError("a query process gave an answer that makes no sense");
  return { ...parseBatch(answer), columns, cursor };
}

function parseNext(answer: unknown): NextAnswer {
  const { isDone } = answer as NextAnswer;
  return { ...parseBatch(answer), isDone: isDone === true };
}

function parseBatch(answer: unknown): Pick<RunAnswer, "json" | "rows" | "end"> {
  const { json, rows, end } = answer as RunAnswer;
  if (!(json instanceof Uint8Array) || !["done", "rows", "bytes"].includes(end)) {
    throw new TypeError("a query process gave an answer that makes no sense");
  }
  return { json, rows: Number(rows), end };
}

function isColumn(value: unknown): value is Column {
  const { name, type } = (value ?? {}) as Column;
  return typeof name === "string" && typeof type === "string";
}

function rowsOf(json: Uint8Array): JsonValue[][] {
  return JSON.parse(
    Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString("utf8"),
  ) as JsonValue[][];
}

function serializedOf(answer: unknown): SerializedSql {
  const tree = parseTree(String(answer));
  if (!tree.error) return { ok: true, statements: (tree.statements ?? []) as JsonValue[] };
  const position = tree.position === undefined ? undefined : Number(tree.position);
  return { ok: false, type: tree.error_type ?? "", message: tree.error_message ?? "", position };
}
