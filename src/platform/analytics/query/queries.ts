import { lazily } from "../../../kernel/concurrency.ts";
import { AppError } from "../../../kernel/errors.ts";
import { FairQueue, workspaceOf } from "../../../kernel/fair-queue.ts";
import { crashAttribution, isProcessLost } from "../../sandbox/index.ts";
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
import { crashError, HeavyStatements, Quarantine } from "./quarantine.ts";
import type { Lease, QueryPool } from "./query-pool.ts";
import { parseTree } from "./syntax-tree.ts";

/** Queries, from their turn in the queue to their rows. */
export class Queries {
  readonly #pool: QueryPool;
  readonly #queue: FairQueue;
  readonly #quarantine = new Quarantine();
  /** Those who go into quarantine as soon as the processes of their workspace are there. */
  readonly #coming = new Set<string>();
  readonly #heavy = new HeavyStatements();
  /** In processes of a workspace's own, one statement runs at a time until it is known to be a long one. */
  readonly #own = ownQueue("queries");
  /** And one long one; others wait for it. */
  readonly #ownLong = ownQueue(
    "long queries",
    "Wait for them or cancel some. Ask for less at once: filter earlier, join less, or aggregate.",
  );

  constructor(pool: QueryPool, queue: FairQueue) {
    this.#pool = pool;
    this.#queue = queue;
  }

  /** Statements that run or wait for their turn, in processes that are shared and in others. */
  get load(): { running: number; waiting: number } {
    const loads = [this.#queue, this.#own, this.#ownLong].map(({ load }) => load);
    const sum = (name: "running" | "waiting") => loads.reduce((total, load) => total + load[name], 0);
    return { running: sum("running"), waiting: sum("waiting") };
  }

  async query(request: QueryRequest): Promise<QueryResult> {
    checkRequest(request);
    const limits = limitsOf(request);
    const clock: Clock = { startedMs: undefined };
    const leftMs = (): number =>
      Math.ceil((clock.startedMs ?? performance.now()) + limits.ms - performance.now());
    for (let ms = limits.ms, isLast = false; ; isLast = true) {
      try {
        return await this.#run(request, { ...limits, ms }, clock);
      } catch (error) {
        const attribution = await this.#attributeCrash(request, error);
        ms = leftMs();
        if (!isProcessLost(error) || ms <= 0) throw error;
        // One of several ended their process: whose doing it was shows when each is alone.
        if (attribution === "possible") return this.#runOwn(request, { ...limits, ms });
        if (isLast) throw error;
      }
    }
  }

  /** Fails with what its caller is to know when a statement was alone in the process that ended. */
  async #attributeCrash(request: QueryRequest, error: unknown): Promise<"none" | "possible"> {
    const attribution = crashAttribution(error);
    if (attribution !== "certain") return attribution;
    const { scope } = request;
    this.#heavy.add(request);
    this.#coming.add(scope);
    // Who did it is answered when he can do it to nobody else any more.
    await this.#pool.own.prepare(workspaceOf(scope)).finally(() => this.#coming.delete(scope));
    this.#quarantine.add(scope);
    throw crashError(error);
  }

  /**
   * Whether a statement is kept away from those of others: whose it is has ended a process, or has many long statements.
   * Those of a workspace who are kept away share its processes. As long as none is ready, what is not known to be heavy
   * runs beside others.
   */
  #isApart(request: QueryRequest): boolean {
    const { scope } = request;
    if (this.#quarantine.has(scope)) return true;
    const { own } = this.#pool;
    const workspace = workspaceOf(scope);
    const isMuch = this.#coming.has(scope) || this.#hasMuch(scope);
    return isMuch && own.isOpenTo(workspace) && (own.isReadyFor(workspace) || this.#heavy.has(request));
  }

  /** Who has no long statement himself is not made to wait for those of others in his workspace. */
  #hasMuch(scope: string): boolean {
    const { longQueriesPerUser, longQueriesPerScope } = LIMITS.analytics;
    const own = this.#pool.longOf(scope);
    if (own >= longQueriesPerUser) return true;
    return own > 0 && this.#pool.longOf(workspaceOf(scope)) >= longQueriesPerScope;
  }

  async #run(request: QueryRequest, limits: QueryLimits, clock: Clock): Promise<QueryResult> {
    const place = await this.#enter(request);
    if (place === undefined) return this.#runOwn(request, limits);
    const { scope } = request;
    let wasLong = false;
    const onLong = (isFirst: boolean): void => {
      wasLong = true;
      if (isFirst) this.#heavy.add(request);
      const workspace = workspaceOf(scope);
      if (!this.#pool.own.isOpenTo(workspace)) return;
      // The next statements of this workspace need not wait for it.
      place.leaveQueue();
      if (this.#hasMuch(scope)) void this.#pool.own.prepare(workspace);
    };
    try {
      clock.startedMs ??= performance.now();
      const result = await runOn(place.lease, request, limits, onLong);
      if (wasLong) this.#heavy.remove(request);
      return result;
    } finally {
      void place.leave();
    }
  }

  async #runOwn(request: QueryRequest, limits: QueryLimits): Promise<QueryResult> {
    const result = this.#heavy.has(request) ? undefined : await this.#runBriefly(request, limits);
    if (result !== undefined) return result;
    const place = await this.#enterOwn(this.#ownLong, request);
    try {
      const result = await runOn(place.lease, request, limits);
      this.#heavy.remove(request);
      return result;
    } catch (error) {
      await this.#sendToQuarantine(request, error, place);
      throw error;
    } finally {
      void place.leave();
    }
  }

  /** Nothing when it turned out to be long beside another long one: it was stopped, and has to wait for that. */
  async #runBriefly(request: QueryRequest, limits: QueryLimits): Promise<QueryResult | undefined> {
    const place = await this.#enterOwn(this.#own, request);
    const stop = new AbortController();
    let leaveLong: (() => void) | undefined;
    const onLong = (): void => {
      this.#heavy.add(request);
      leaveLong = this.#ownLong.tryEnter(request.scope);
      if (leaveLong === undefined) stop.abort();
      else place.leaveQueue();
    };
    const signal = AbortSignal.any([stop.signal, ...(request.signal === undefined ? [] : [request.signal])]);
    try {
      const result = await runOn(place.lease, { ...request, signal }, limits, onLong);
      if (leaveLong !== undefined) this.#heavy.remove(request);
      return result;
    } catch (error) {
      await this.#sendToQuarantine(request, error, place);
      if (stop.signal.aborted && request.signal?.aborted !== true) return undefined;
      throw error;
    } finally {
      void place.leave().then(leaveLong);
    }
  }

  /** Who ends processes again and again is answered when the next one is there, so that he cannot outrun them. */
  async #sendToQuarantine(request: QueryRequest, error: unknown, place: Place): Promise<void> {
    if (crashAttribution(error) === "none") return;
    this.#heavy.add(request);
    this.#quarantine.add(request.scope);
    await place.leave();
    await this.#pool.own.revived(workspaceOf(request.scope));
    throw crashError(error);
  }

  /** Like `query`; but once it has given rows, it cannot begin again. */
  async *queryStream(request: QueryRequest): AsyncGenerator<QueryBatch, void, void> {
    checkRequest(request);
    const shared = await this.#enter(request);
    if (shared !== undefined) {
      let hasRows = false;
      try {
        for await (const batch of this.#stream(request, shared)) {
          hasRows = true;
          yield batch;
        }
        return;
      } catch (error) {
        await this.#attributeCrash(request, error);
        if (hasRows || !isProcessLost(error)) throw error;
      }
    }
    yield* this.#streamOwn(request);
  }

  /** A stream takes as long as its reader. */
  async *#streamOwn(request: QueryRequest): AsyncGenerator<QueryBatch, void, void> {
    const place = await this.#enterOwn(this.#ownLong, request);
    try {
      yield* this.#stream(request, place);
    } catch (error) {
      await this.#sendToQuarantine(request, error, place);
      throw error;
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
      void place.leave();
    }
  }

  async serialize(sql: string, signal?: AbortSignal): Promise<SerializedSql> {
    checkSql(sql);
    const options = { timeoutMs: LIMITS.analytics.queryMs, signal };
    const call = () => this.#pool.call("serialize", { sql }, options);
    // What crashed it is most likely a query that ran at the same time, if there was one.
    const again = (error: unknown): Promise<unknown> => {
      if (crashAttribution(error) === "certain") throw crashError(error);
      return isProcessLost(error) ? call() : Promise.reject(error);
    };
    return serializedOf(await call().catch(again));
  }

  /** A place beside others; none for a workspace that is kept away from them. */
  async #enter(request: QueryRequest): Promise<Place | undefined> {
    const { scope, tableViews, engine, signal } = request;
    if (this.#isApart(request)) return undefined;
    const leaveQueue = await this.#queue.enter(scope, signal);
    if (!this.#isApart(request)) {
      return placeOf(leaveQueue, () => this.#pool.acquire(scope, tableViews, engine));
    }
    leaveQueue();
    return undefined;
  }

  async #enterOwn(queue: FairQueue, { scope, tableViews, engine, signal }: QueryRequest): Promise<Place> {
    const leaveQueue = await queue.enter(scope, signal);
    const isHeavy = queue === this.#ownLong;
    return placeOf(leaveQueue, () => this.#pool.acquireOwn(scope, isHeavy, tableViews, engine));
  }
}

function ownQueue(what: string, hint?: string): FairQueue {
  const { ownProcessScopes, waitingQueries, waitingPerScope, waitingPerUser, waitMs } = LIMITS.analytics;
  return new FairQueue({
    what,
    places: ownProcessScopes,
    placesPerScope: 1,
    waiting: waitingQueries,
    waitingPerScope,
    waitingPerUser,
    waitMs,
    ...(hint !== undefined && { hint }),
  });
}

/** Since it had its turn for the first time. */
interface Clock {
  startedMs: number | undefined;
}

interface Place {
  lease: Lease;
  /** Lets the next one in, though the statement goes on. */
  leaveQueue(): void;
  /** Resolves when the place is free again. */
  leave(): Promise<void>;
}

async function placeOf(leaveQueue: () => void, acquire: () => Promise<Lease>): Promise<Place> {
  try {
    const lease = await acquire();
    const leave = lazily(() => lease.release().finally(leaveQueue));
    return { lease, leaveQueue, leave };
  } catch (error) {
    leaveQueue();
    throw error;
  }
}

async function runOn(
  lease: Lease,
  request: QueryRequest,
  { rows, bytes, ms }: QueryLimits,
  onLong?: (isFirst: boolean) => void,
): Promise<QueryResult> {
  const params = { ...paramsOf(request), limits: { rows, bytes }, isStream: false };
  const options = { timeoutMs: ms, signal: request.signal, ...(onLong !== undefined && { onLong }) };
  return resultOf(parseRun(await lease.run(params, options)));
}

function checkRequest({ sql, tableViews, params = [] }: QueryRequest): void {
  checkSql(sql);
  const limits = LIMITS.analytics;
  const parts = tableViews.reduce((sum, tableView) => sum + tableView.parts.length, 0);
  if (params.length > limits.params) throw tooLarge("parameters", limits.params);
  if (tableViews.length > limits.tableViews) throw tooLarge("datasets", limits.tableViews);
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
