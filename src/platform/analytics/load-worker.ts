/**
 * Runs inside a sandboxed process: reads what strangers sent and writes Parquet parts. The SQL is ours; the
 * bytes are not. Everything that is needed is imported here, because afterwards the process cannot read its
 * own code.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import type { DuckDBInstance } from "@duckdb/node-api";
import { serve, type WorkerContext } from "../sandbox/index.ts";
import type { Column } from "./analytics-options.ts";
import { sqlType } from "./column-types.ts";
import { convertCsv } from "./csv-convert.ts";
import { lock, openEngine, withConnection } from "./engine.ts";
import { asEngineError } from "./engine-errors.ts";
import { readParquet, selectParts } from "./relation-sql.ts";
import { quoteText } from "./sql-text.ts";
import type { ConvertAnswer, ConvertParams, LoadSettings, MergeParams, RowsParams, WriteAnswer } from "./wire.ts";
import { type PartPlan, planAll, writePart } from "./write-part.ts";

/** What this process writes for itself, inside its own folder. */
const WORK_FOLDER = "work";
/** Large jobs and small ones have an engine each, so that a push does not wait for an import. */
type Size = "bulk" | "small";
const SMALL_MB = 128;

const engines = new Map<Size, Promise<DuckDBInstance>>();
let lastFile = 0;

function engineFor(size: Size, settings: LoadSettings): Promise<DuckDBInstance> {
  const existing = engines.get(size);
  if (existing !== undefined) return existing;
  const opening = open(size, settings);
  engines.set(size, opening);
  opening.catch(() => engines.delete(size));
  return opening;
}

async function open(size: Size, settings: LoadSettings): Promise<DuckDBInstance> {
  await mkdir(WORK_FOLDER, { recursive: true });
  const engine = await openEngine({
    memoryMb: size === "small" ? SMALL_MB : settings.memoryMb - SMALL_MB,
    threads: settings.threads,
    spillFolder: `spill-${size}`,
    spillMb: settings.spillMb,
    folders: [settings.inputs, settings.outputs, WORK_FOLDER],
  });
  await lock(engine);
  return engine;
}

async function withWorkFile<T>(ending: string, work: (path: string) => Promise<T>): Promise<T> {
  lastFile += 1;
  const path = `${WORK_FOLDER}/${lastFile}.${ending}`;
  try {
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}

async function convert(params: ConvertParams, context: WorkerContext): Promise<ConvertAnswer> {
  const engine = await engineFor("bulk", params.settings);
  return withConnection(engine, (connection) =>
    withWorkFile("txt", (workFile) => convertCsv({ connection, workFile, ...params }, context)),
  );
}

async function writeRows(params: RowsParams, context: WorkerContext): Promise<WriteAnswer> {
  const engine = await engineFor("small", params.settings);
  return withConnection(engine, (connection) =>
    withWorkFile("ndjson", async (path) => {
      await writeFile(path, params.json);
      return writePart(connection, planRows(path, params.columns), params.output, context);
    }),
  );
}

function planRows(path: string, columns: readonly Column[]): PartPlan {
  const types = columns.map(({ name, type }) => `${quoteText(name)}: ${quoteText(sqlType(type))}`);
  const source = `read_json(${quoteText(path)}, format = 'newline_delimited', columns = {${types.join(", ")}})`;
  return { select: `SELECT * FROM ${source}`, columns: [...columns] };
}

async function merge(params: MergeParams, context: WorkerContext): Promise<WriteAnswer> {
  const engine = await engineFor("bulk", params.settings);
  return withConnection(engine, async (connection) => {
    const { inputs, columns, output } = params;
    const source =
      columns === undefined ? readParquet(inputs) : `(${await selectParts(connection, inputs, columns, "data")})`;
    return writePart(connection, await planAll(connection, source), output, context);
  });
}

/** DuckDB's errors as expected failures, for every method alike. */
function method<P, T>(work: (params: P, context: WorkerContext) => Promise<T>) {
  return (params: unknown, context: WorkerContext): Promise<T> =>
    work(params as P, context).catch((error: unknown) => {
      throw asEngineError(error);
    });
}

serve({ convert: method(convert), rows: method(writeRows), merge: method(merge) });
