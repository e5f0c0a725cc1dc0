/**
 * Runs inside a sandboxed process: SQL of strangers over the files that the server chose. Everything that is
 * needed is imported here, because afterwards the process cannot read its own code.
 */
import {
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBPreparedStatement,
  StatementType,
} from "@duckdb/node-api";
import { AppError, messageOf } from "../../../kernel/errors.ts";
import { serve, type WorkerContext } from "../../sandbox/index.ts";
import type { QueryParam } from "../analytics-options.ts";
import { Copies, type Room } from "../engine/copies.ts";
import { isBroken, withConnection } from "../engine/engine.ts";
import { asEngineError, isReopened, whileRunning } from "../engine/engine-errors.ts";
import { hasRestricted, openPlanner, openTableViews, placeOf } from "../engine/table-view-sql.ts";
import { LIMITS } from "../limits.ts";
import type { EngineSpec, NextAnswer, NextParams, RunAnswer, RunParams } from "../wire.ts";
import { type Sums, withExactSums } from "./exact-sums.ts";
import { Parser } from "./parser.ts";
import { bindParams, withParamHint } from "./query-params.ts";
import { BrokenResult, ResultReader } from "./result-reader.ts";
import { checkSources, onlySelect } from "./syntax-tree.ts";

interface Cursor {
  place: Place;
  connection: DuckDBConnection;
  reader: ResultReader;
  query: RunParams;
  idle: NodeJS.Timeout | undefined;
}

interface Engine {
  instance: DuckDBInstance;
  spec: EngineSpec;
  /** For plans, where those of the engine itself would tell too much. */
  planner: Promise<DuckDBInstance> | undefined;
  /** Names of the views that a query may use, in lower case. */
  tableViews: ReadonlySet<string>;
  copies: Copies;
  hidden: HiddenValues;
}

/** An engine, from the moment it is asked for. */
interface Place {
  spec: EngineSpec;
  opening: Promise<Engine>;
  /** Queries and streams that have not ended. */
  users: number;
  usedAt: number;
}

/** An engine that was not asked for so long gives its copies up when others need the room. */
const COPIES_KEPT_MS = 60_000;

const places = new Map<string, Place>();
const cursors = new Map<number, Cursor>();
let lastCursor = 0;
let lastSpill = 0;

/** What failed because another query of the same views broke the engine runs once more, on a new one. */
async function run(params: RunParams, context: WorkerContext): Promise<RunAnswer> {
  const spec = params.spec ?? places.get(params.engine)?.spec;
  return runOnce(params, context).catch((error: unknown) => {
    if (!isReopened(error)) throw error;
    return runOnce({ ...params, spec }, context);
  });
}

async function runOnce(params: RunParams, { signal }: WorkerContext): Promise<RunAnswer> {
  const place = placeFor(params);
  // Counted before anything is awaited, so that nobody closes it in between.
  place.users += 1;
  let isKept = false;
  let connection: DuckDBConnection | undefined;
  try {
    const engine = await place.opening;
    // Whatever the server thinks of a text: what it selects from is looked at here.
    const sources = await parser.sourcesOf(params.sql, signal);
    checkSources(sources, engine.tableViews);
    const instance = params.isExplain ? await plannerOf(engine) : engine.instance;
    connection = await instance.connect();
    const { reader, ...answer } = await answerOn(
      connection,
      params,
      { ...sources.sums, spec: engine.spec },
      signal,
    );
    isKept = params.isStream && answer.end !== "done";
    if (!params.isExplain) engine.copies.noteUse();
    return { ...answer, cursor: isKept ? keep({ place, connection, reader, query: params }) : undefined };
  } catch (error) {
    throw await explain(error, place, params, signal);
  } finally {
    if (!isKept) {
      connection?.disconnectSync();
      leave(place);
    }
  }
}

function answerOn(
  connection: DuckDBConnection,
  params: RunParams,
  { spec, ...sums }: Sums & { spec: EngineSpec },
  signal: AbortSignal,
): Promise<Omit<RunAnswer, "cursor"> & { reader: ResultReader }> {
  const { isComputed } = sums;
  const answer = async (statement: DuckDBPreparedStatement) => {
    const reader = new ResultReader(await statement.stream(), { isComputed });
    const batch = await reader.read(params.limits, params.isStream);
    return { ...batch, columns: reader.columns, reader };
  };
  return whileRunning(connection, signal, async () => {
    const exact = params.isExplain ? undefined : withExactSums(params.sql, sums, spec.tableViews);
    // Whatever is wrong with a text is said of the text as it came.
    const statement =
      exact === undefined
        ? undefined
        : await prepare(connection, { ...params, sql: exact }).catch(() => undefined);
    const found = statement && (await answer(statement));
    // An exact sum with an infinite number in it is none.
    if (found !== undefined && !found.reader.hasNaN) return found;
    return answer(await prepare(connection, params));
  });
}

function leave(place: Place): void {
  place.users -= 1;
  place.usedAt = performance.now();
}

/** What went wrong, without what the caller may not see. */
async function explain(
  error: unknown,
  place: Place,
  params: RunParams,
  signal: AbortSignal,
): Promise<AppError> {
  const reason = error instanceof BrokenResult ? await findOut(place, params, signal) : asEngineError(error);
  const engine = await place.opening.catch(() => undefined);
  await closeIfBroken(place, params.engine);
  if (isReopened(reason)) return reason;
  const shown = engine === undefined ? reason : await engine.hidden.keepOut(reason, signal);
  return withParamHint(shown, params.params);
}

/** A result that broke off: the query is run once more for nothing but its error. */
async function findOut(place: Place, params: RunParams, signal: AbortSignal): Promise<AppError> {
  if (signal.aborted) return new AppError("cancelled", "The query was cancelled.");
  try {
    const rows = `SELECT hash(result) AS row FROM (\n${withoutEnd(params.sql)}\n) AS result`;
    await readNumber(await place.opening, `SELECT count(row) FROM (${rows})`, params.params, signal);
  } catch (reason) {
    return asEngineError(reason);
  }
  return new AppError("unavailable", "The query failed in the middle of its rows.", { hint: "Try again." });
}

function placeFor({ engine: key, spec }: RunParams): Place {
  const existing = places.get(key);
  if (existing !== undefined) return existing;
  if (spec === undefined)
    throw new AppError("gone", "This engine is not open here.", { data: { engine: key } });
  const place = { spec, opening: open(spec), users: 0, usedAt: performance.now() };
  places.set(key, place);
  place.opening.catch(() => places.delete(key));
  return place;
}

async function open(spec: EngineSpec): Promise<Engine> {
  const { tableViews } = spec;
  try {
    const instance = await openTableViews(spec, tableViews, nextSpill());
    const names = tableViews.filter(({ isHidden }) => !isHidden).map(({ name }) => name.toLowerCase());
    const copies = new Copies(instance, spec, room);
    const hidden = new HiddenValues(instance, spec);
    return { instance, spec, planner: undefined, tableViews: new Set(names), copies, hidden };
  } catch (error) {
    throw asEngineError(error);
  }
}

function nextSpill(): string {
  lastSpill += 1;
  return `spill-${lastSpill}`;
}

function plannerOf(engine: Engine): Promise<DuckDBInstance> {
  if (!hasRestricted(engine.spec)) return Promise.resolve(engine.instance);
  engine.planner ??= openPlanner(engine.instance, engine.spec, nextSpill());
  engine.planner.catch(() => {
    engine.planner = undefined;
  });
  return engine.planner;
}

/** A prepared SELECT, or the plan of one. */
async function prepare(
  connection: DuckDBConnection,
  { sql, params, isExplain = false }: { sql: string; params: readonly QueryParam[]; isExplain?: boolean },
): Promise<DuckDBPreparedStatement> {
  // Of several statements this would be an error. The text is known to be one SELECT, so that no word of it can turn
  // this into EXPLAIN ANALYZE.
  const statement = await connection.prepare(isExplain ? `EXPLAIN ${sql}` : sql);
  const expected = isExplain ? StatementType.EXPLAIN : StatementType.SELECT;
  if (statement.statementType !== expected) throw onlySelect();
  await bindParams(connection, statement, params);
  return statement;
}

async function readNumber(
  { instance }: Engine,
  sql: string,
  params: readonly QueryParam[],
  signal: AbortSignal,
): Promise<number> {
  return withConnection(instance, (connection) =>
    whileRunning(connection, signal, async () => {
      const statement = await prepare(connection, { sql, params });
      return Number((await statement.runAndReadAll()).value(0, 0));
    }),
  );
}

/** A semicolon would end the subquery. One inside a comment or a text at the very end cannot be the last character. */
function withoutEnd(sql: string): string {
  return sql.trimEnd().replace(/(?:;\s*)+$/, "");
}

function keep(cursor: Omit<Cursor, "idle">): number {
  lastCursor += 1;
  cursors.set(lastCursor, { ...cursor, idle: idleTimer(lastCursor) });
  return lastCursor;
}

function idleTimer(cursor: number): NodeJS.Timeout {
  return setTimeout(() => release(cursor), LIMITS.analytics.streamIdleMs).unref();
}

function release(id: number): void {
  const cursor = cursors.get(id);
  if (cursor === undefined) return;
  cursors.delete(id);
  clearTimeout(cursor.idle);
  cursor.connection.interrupt();
  cursor.connection.disconnectSync();
  leave(cursor.place);
}

async function next({ cursor: id, limits }: NextParams, { signal }: WorkerContext): Promise<NextAnswer> {
  const cursor = cursors.get(id);
  if (cursor === undefined) {
    throw new AppError("unavailable", "The result is not there any more.", { hint: "Run the query again." });
  }
  clearTimeout(cursor.idle);
  try {
    const batch = await whileRunning(cursor.connection, signal, () => cursor.reader.read(limits, true));
    const isDone = batch.end === "done";
    if (isDone) release(id);
    else cursor.idle = idleTimer(id);
    return { ...batch, isDone };
  } catch (error) {
    release(id);
    throw await explain(error, cursor.place, cursor.query, signal);
  }
}

/** An engine that refuses everything: who asks for it next, or again, gets a new one. */
async function closeIfBroken(place: Place, key: string): Promise<void> {
  const engine = await place.opening.catch(() => undefined);
  const planner = await engine?.planner?.catch(() => undefined);
  if (
    engine === undefined ||
    !((await isBroken(engine.instance)) || (planner !== undefined && (await isBroken(planner))))
  )
    return;
  if (places.get(key) === place) await close({ engine: key });
}

async function close({ engine: key }: { engine: string }): Promise<void> {
  const place = places.get(key);
  places.delete(key);
  const engine = await place?.opening.catch(() => undefined);
  engine?.copies.close();
  engine?.instance.closeSync();
  (await engine?.planner?.catch(() => undefined))?.closeSync();
}

let copiedBytes = 0;

const room: Room = {
  take(bytes, mostMb) {
    const most = mostMb * 1024 * 1024;
    if (copiedBytes + bytes > most) {
      closeUnused();
      return false;
    }
    copiedBytes += bytes;
    return true;
  },
  give(bytes) {
    copiedBytes -= bytes;
  },
};

/** Engines that nobody asked for a while, as those of an older version of a dataset; who asks again is told. */
function closeUnused(): void {
  const before = performance.now() - COPIES_KEPT_MS;
  const unused = [...places].filter(([, { users, usedAt }]) => users === 0 && usedAt < before);
  for (const [engine] of unused) void close({ engine });
}

const parser = new Parser(() =>
  openTableViews({ tableViews: [], memoryMb: 128, threads: 1, spillMb: 1, copyMb: 0 }, [], nextSpill()),
);

function serialize({ sql }: { sql: string }, { signal }: WorkerContext): Promise<string> {
  return parser.serialize(sql, signal);
}

async function version(): Promise<string> {
  const reader = await parser.engine.share((connection) => connection.runAndReadAll("SELECT version()"));
  return String(reader.value(0, 0));
}

serve({
  version,
  run: (params, context) => run(params as RunParams, context),
  next: (params, context) => next(params as NextParams, context),
  release: (params) => release((params as { cursor: number }).cursor),
  close: (params) => close(params as { engine: string }),
  serialize: (params, context) => serialize(params as { sql: string }, context),
});

/** Found before any row was read. */
const BEFORE_ROWS = /^(?:Parser|Binder|Catalog) Error: /;
/** Tell of the engine, never of values. */
const HARMLESS = new Set<AppError["code"]>([
  "cancelled",
  "timeout",
  "too_large",
  "gone",
  "forbidden",
  "internal",
]);
const CHECK_MS = 5_000;

/**
 * Keeps the values of hidden rows out of errors. What a query says is evaluated only on rows that passed the
 * policies, so its errors tell nothing else; but the rows have to be read and turned into the dataset's types
 * before that, and an error there may quote any row. Which of the two it was cannot be read off its text: it was
 * there if the views alone, without the query, cannot be read either.
 */
class HiddenValues {
  readonly #instance: DuckDBInstance;
  readonly #restricted: EngineSpec["tableViews"];
  /** An engine's files never change, so one look is enough. */
  #areReadable: boolean | undefined;

  constructor(instance: DuckDBInstance, { tableViews }: Pick<EngineSpec, "tableViews">) {
    this.#instance = instance;
    this.#restricted = tableViews.filter(({ isRestricted }) => isRestricted);
  }

  async keepOut(error: AppError, signal: AbortSignal): Promise<AppError> {
    if (this.#restricted.length === 0 || HARMLESS.has(error.code) || BEFORE_ROWS.test(error.message))
      return error;
    this.#areReadable ??= await this.#check(signal);
    if (signal.aborted) return new AppError("cancelled", "The query was cancelled.");
    return this.#areReadable === true ? error : unreadable(error);
  }

  /** Undefined when there was no time to find out. */
  async #check(signal: AbortSignal): Promise<boolean | undefined> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)]);
    try {
      await withConnection(this.#instance, (connection) =>
        whileRunning(connection, limited, async () => {
          for (const tableView of this.#restricted) {
            const rows = `SELECT hash("_scope_row") AS row FROM ${placeOf(tableView)} AS "_scope_row"`;
            await connection.runAndReadAll(`SELECT count(row) FROM (${rows})`);
          }
        }),
      );
      return true;
    } catch {
      return limited.aborted ? undefined : false;
    }
  }
}

/** Says what happened, but for the part that may quote a value; whoever sees all rows sees all of it. */
function unreadable(error: AppError): AppError {
  const kind = /([A-Z][A-Za-z ]*?) Error: /.exec(messageOf(error))?.[1]?.toLowerCase();
  const what = kind === undefined ? "" : ` (${kind} error)`;
  return new AppError("unavailable", `A value of the data could not be read${what}.`, {
    hint: "Which one is not shown, because policies keep rows from you. Ask someone who may see all rows.",
  });
}
