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
import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import { serve, type WorkerContext } from "../../sandbox/index.ts";
import type { QueryParam } from "../analytics-options.ts";
import { withConnection } from "../engine/engine.ts";
import { asEngineError, breaksEngine } from "../engine/engine-errors.ts";
import { whileRunning } from "../engine/interruption.ts";
import { hasRestricted, openPlanner, openRelations } from "../engine/relations-engine.ts";
import type { EngineSpec, NextAnswer, NextParams, RunAnswer, RunParams } from "../wire.ts";
import { withParamHint } from "./fitted-param.ts";
import { bindParams } from "./query-params.ts";
import { BrokenResult, ResultReader } from "./result-reader.ts";
import { checkSurface, onlySelect } from "./sql-surface.ts";

interface Cursor {
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
  /** Names of the relations that a query may use, in lower case. */
  relations: ReadonlySet<string>;
  /** The last texts that were found to be good: most questions are asked again. */
  checked: Set<string>;
}

const CHECKED_TEXTS = 200;
const CHECKED_CHARACTERS = 4_000;

const engines = new Map<string, Promise<Engine>>();
const cursors = new Map<number, Cursor>();
let lastCursor = 0;
let lastSpill = 0;

async function run(params: RunParams, { signal }: WorkerContext): Promise<RunAnswer> {
  const engine = await engineOf(params);
  const instance = params.isExplain ? await plannerOf(engine) : engine.instance;
  const connection = await instance.connect();
  let isKept = false;
  try {
    return await whileRunning(connection, signal, async () => {
      await checkOnce(engine, connection, params.sql);
      const statement = await prepare(connection, params);
      const reader = new ResultReader(await statement.stream());
      const batch = await reader.read(params.limits, params.isStream);
      const isCut = batch.end !== "done";
      isKept = params.isStream && isCut;
      return {
        ...batch,
        columns: reader.columns,
        cursor: isKept ? keep(connection, reader, params) : undefined,
        totalRows: params.countRows
          ? isCut
            ? await countRows(engine, params, signal)
            : batch.rows
          : undefined,
      };
    });
  } catch (error) {
    if (breaksEngine(error)) engines.delete(params.engine);
    throw await explain(error, params, signal);
  } finally {
    if (!isKept) connection.disconnectSync();
  }
}

async function checkOnce(
  { checked, relations }: Engine,
  connection: DuckDBConnection,
  sql: string,
): Promise<void> {
  if (checked.has(sql)) return;
  await checkSurface(connection, sql, relations);
  if (sql.length > CHECKED_CHARACTERS) return;
  checked.add(sql);
  const [oldest] = checked;
  if (checked.size > CHECKED_TEXTS && oldest !== undefined) checked.delete(oldest);
}

/** What went wrong; for a result that broke off, by running the query once more for nothing but its error. */
async function explain(error: unknown, params: RunParams, signal: AbortSignal): Promise<AppError> {
  if (!(error instanceof BrokenResult)) return withParamHint(asEngineError(error), params.params);
  if (signal.aborted) return new AppError("cancelled", "The query was cancelled.");
  try {
    const rows = `SELECT hash(result) AS row FROM (\n${withoutEnd(params.sql)}\n) AS result`;
    await readNumber(await engineOf(params), `SELECT count(row) FROM (${rows})`, params.params, signal);
  } catch (reason) {
    return withParamHint(asEngineError(reason), params.params);
  }
  return new AppError("unavailable", "The query failed in the middle of its rows.", { hint: "Try again." });
}

function engineOf({ engine: key, spec }: RunParams): Promise<Engine> {
  const existing = engines.get(key);
  if (existing !== undefined) return existing;
  if (spec === undefined)
    throw new AppError("gone", "This engine is not open here.", { data: { engine: key } });
  const opening = open(spec);
  engines.set(key, opening);
  opening.catch(() => engines.delete(key));
  return opening;
}

async function open(spec: EngineSpec): Promise<Engine> {
  const { relations } = spec;
  try {
    const instance = await openRelations(spec, relations, nextSpill());
    const names = relations.filter(({ isHidden }) => !isHidden).map(({ name }) => name.toLowerCase());
    return { instance, spec, planner: undefined, relations: new Set(names), checked: new Set() };
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
  { sql, params, isExplain }: Pick<RunParams, "sql" | "params" | "isExplain">,
): Promise<DuckDBPreparedStatement> {
  if (!isExplain) return prepareSelect(connection, sql, params);
  // The text is known to be one SELECT, so that no word of it can turn this into EXPLAIN ANALYZE.
  const statement = await connection.prepare(`EXPLAIN ${sql}`);
  if (statement.statementType !== StatementType.EXPLAIN) throw onlySelect();
  await bindParams(connection, statement, params);
  return statement;
}

async function prepareSelect(
  connection: DuckDBConnection,
  sql: string,
  params: readonly QueryParam[],
): Promise<DuckDBPreparedStatement> {
  // Of several statements this would be an error.
  const statement = await connection.prepare(sql);
  if (statement.statementType !== StatementType.SELECT) throw onlySelect();
  await bindParams(connection, statement, params);
  return statement;
}

function countRows(engine: Engine, { sql, params }: RunParams, signal: AbortSignal): Promise<number> {
  return readNumber(engine, `SELECT count(*) FROM (\n${withoutEnd(sql)}\n)`, params, signal);
}

async function readNumber(
  { instance }: Engine,
  sql: string,
  params: readonly QueryParam[],
  signal: AbortSignal,
): Promise<number> {
  return withConnection(instance, (connection) =>
    whileRunning(connection, signal, async () => {
      const statement = await prepareSelect(connection, sql, params);
      return Number((await statement.runAndReadAll()).value(0, 0));
    }),
  );
}

/** A semicolon would end the subquery. One inside a comment or a text at the very end cannot be the last character. */
function withoutEnd(sql: string): string {
  return sql.trimEnd().replace(/(?:;\s*)+$/, "");
}

function keep(connection: DuckDBConnection, reader: ResultReader, query: RunParams): number {
  lastCursor += 1;
  cursors.set(lastCursor, { connection, reader, query, idle: idleTimer(lastCursor) });
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
    throw await explain(error, cursor.query, signal);
  }
}

async function close({ engine: key }: { engine: string }): Promise<void> {
  const engine = await engines.get(key)?.catch(() => undefined);
  engines.delete(key);
  engine?.instance.closeSync();
  (await engine?.planner?.catch(() => undefined))?.closeSync();
}

let parser: Promise<Engine> | undefined;

/** An engine without any data, for what needs only DuckDB's parser. */
function parserEngine(): Promise<Engine> {
  parser ??= open({ relations: [], memoryMb: 128, threads: 1, spillMb: 1 });
  return parser;
}

async function serialize({ sql }: { sql: string }, { signal }: WorkerContext): Promise<string> {
  const { instance } = await parserEngine();
  return withConnection(instance, (connection) =>
    whileRunning(connection, signal, async () => {
      const reader = await connection.runAndReadAll("SELECT json_serialize_sql($1::VARCHAR)", [sql]);
      return String(reader.value(0, 0));
    }),
  ).catch((error: unknown) => {
    throw asEngineError(error);
  });
}

async function version(): Promise<string> {
  const { instance } = await parserEngine();
  const reader = await withConnection(instance, (connection) => connection.runAndReadAll("SELECT version()"));
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
