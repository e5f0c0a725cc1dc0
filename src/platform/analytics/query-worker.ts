/**
 * Runs inside a sandboxed process: SQL of strangers over the files that the server chose. Everything that is
 * needed is imported here, because afterwards the process cannot read its own code.
 */
import { type DuckDBConnection, type DuckDBInstance, type DuckDBPreparedStatement, StatementType } from "@duckdb/node-api";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { serve, type WorkerContext } from "../sandbox/index.ts";
import type { QueryParam } from "./analytics-options.ts";
import { lock, openEngine, withConnection } from "./engine.ts";
import { asEngineError, breaksEngine } from "./engine-errors.ts";
import { whileRunning } from "./interruption.ts";
import { bindParams } from "./query-params.ts";
import { createView } from "./relation-sql.ts";
import { BrokenResult, ResultReader } from "./result-reader.ts";
import type { EngineSpec, NextAnswer, NextParams, RunAnswer, RunParams } from "./wire.ts";

interface Cursor {
  connection: DuckDBConnection;
  reader: ResultReader;
  query: RunParams;
  idle: NodeJS.Timeout | undefined;
}

const engines = new Map<string, Promise<DuckDBInstance>>();
const cursors = new Map<number, Cursor>();
let lastCursor = 0;
let lastSpill = 0;

async function run(params: RunParams, { signal }: WorkerContext): Promise<RunAnswer> {
  const engine = await engineOf(params);
  const connection = await engine.connect();
  let isKept = false;
  try {
    return await whileRunning(connection, signal, async () => {
      const statement = await prepareSelect(connection, params.sql, params.params);
      const reader = new ResultReader(await statement.stream());
      const batch = await reader.read(params.limits, params.isStream);
      const isCut = batch.end !== "done";
      isKept = params.isStream && isCut;
      return {
        ...batch,
        columns: reader.columns,
        cursor: isKept ? keep(connection, reader, params) : undefined,
        totalRows: params.countRows ? (isCut ? await countRows(engine, params, signal) : batch.rows) : undefined,
      };
    });
  } catch (error) {
    if (breaksEngine(error)) engines.delete(params.engine);
    throw await explain(error, params, signal);
  } finally {
    if (!isKept) connection.disconnectSync();
  }
}

/** What went wrong; for a result that broke off, by running the query once more for nothing but its error. */
async function explain(error: unknown, params: RunParams, signal: AbortSignal): Promise<AppError> {
  if (!(error instanceof BrokenResult)) return asEngineError(error);
  if (signal.aborted) return new AppError("cancelled", "The query was cancelled.");
  try {
    const rows = `SELECT hash(result) AS row FROM (\n${withoutEnd(params.sql)}\n) AS result`;
    await readNumber(await engineOf(params), `SELECT count(row) FROM (${rows})`, params.params, signal);
  } catch (reason) {
    return asEngineError(reason);
  }
  return new AppError("unavailable", "The query failed in the middle of its rows.", { hint: "Try again." });
}

function engineOf({ engine: key, spec }: RunParams): Promise<DuckDBInstance> {
  const existing = engines.get(key);
  if (existing !== undefined) return existing;
  if (spec === undefined) throw new AppError("gone", "This engine is not open here.", { data: { engine: key } });
  const opening = open(spec);
  engines.set(key, opening);
  opening.catch(() => engines.delete(key));
  return opening;
}

async function open(spec: EngineSpec): Promise<DuckDBInstance> {
  lastSpill += 1;
  try {
    const engine = await openEngine({
      ...spec,
      spillFolder: `spill-${lastSpill}`,
      files: spec.relations.flatMap((relation) => relation.files),
    });
    await withConnection(engine, async (connection) => {
      for (const relation of spec.relations) await createView(connection, relation);
    });
    await lock(engine);
    return engine;
  } catch (error) {
    throw asEngineError(error);
  }
}

/** Exactly one statement, and only a SELECT: this does not replace the guard before it, it stands behind it. */
async function prepareSelect(
  connection: DuckDBConnection,
  sql: string,
  params: readonly QueryParam[],
): Promise<DuckDBPreparedStatement> {
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) {
    throw new AppError("bad_request", `The SQL has ${statements.count} statements.`, { hint: "Send one SELECT." });
  }
  const statement = await statements.prepare(0);
  if (statement.statementType !== StatementType.SELECT) {
    throw new AppError("forbidden", "Only SELECT is allowed.", { hint: "Send one SELECT." });
  }
  await bindParams(connection, statement, params);
  return statement;
}

function countRows(engine: DuckDBInstance, { sql, params }: RunParams, signal: AbortSignal): Promise<number> {
  return readNumber(engine, `SELECT count(*) FROM (\n${withoutEnd(sql)}\n)`, params, signal);
}

async function readNumber(
  engine: DuckDBInstance,
  sql: string,
  params: readonly QueryParam[],
  signal: AbortSignal,
): Promise<number> {
  return withConnection(engine, (connection) =>
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
  engine?.closeSync();
}

let parser: Promise<DuckDBInstance> | undefined;

/** An engine without any data, for what needs only DuckDB's parser. */
function parserEngine(): Promise<DuckDBInstance> {
  parser ??= open({ relations: [], memoryMb: 128, threads: 1, spillMb: 1 });
  return parser;
}

async function serialize({ sql }: { sql: string }, { signal }: WorkerContext): Promise<string> {
  return withConnection(await parserEngine(), (connection) =>
    whileRunning(connection, signal, async () => {
      const reader = await connection.runAndReadAll("SELECT json_serialize_sql($1::VARCHAR)", [sql]);
      return String(reader.value(0, 0));
    }),
  ).catch((error: unknown) => {
    throw asEngineError(error);
  });
}

async function version(): Promise<string> {
  const reader = await withConnection(await parserEngine(), (connection) =>
    connection.runAndReadAll("SELECT version()"),
  );
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
