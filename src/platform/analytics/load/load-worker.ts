/**
 * Runs inside a sandboxed process: reads what strangers sent and writes Parquet parts. The SQL is ours; the
 * bytes are not. Everything that is needed is imported here, because afterwards the process cannot read its
 * own code.
 */
import { rmSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import type { DuckDBInstance } from "@duckdb/node-api";
import { serve, type WorkerContext } from "../../sandbox/index.ts";
import { lock, openEngine, withConnection } from "../engine/engine.ts";
import { asEngineError, asFileError } from "../engine/engine-errors.ts";
import { selectParts } from "../engine/relation-sql.ts";
import type {
  ConvertAnswer,
  ConvertParams,
  LoadSettings,
  MergeParams,
  RowsParams,
  WriteAnswer,
} from "../wire.ts";
import { type CsvJob, convertCsv } from "./csv-convert.ts";
import { convertJson, type JsonJob, planLines } from "./json-convert.ts";
import { convertParquet, type ParquetJob } from "./parquet-convert.ts";
import { type PartOptions, planAll, writePart } from "./write-part.ts";

/** What this process writes for itself, inside its own folder. */
const WORK_FOLDER = "work";
/** Large jobs and small ones have an engine each, so that a push does not wait for an import. */
type Size = "bulk" | "small";
/** DuckDB takes about 35 MB to read one row of JSON and write it. */
const SMALL_MB = 192;
const SMALL_BYTES = 2 * 1024 * 1024;
const SMALL_COLUMNS = 200;

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
    threads: size === "small" ? 1 : settings.threads,
    spillFolder: `spill-${size}`,
    spillMb: settings.spillMb,
    folders: [settings.inputs, settings.outputs, WORK_FOLDER],
  });
  await lock(engine);
  return engine;
}

function workFileName(): string {
  lastFile += 1;
  return `${WORK_FOLDER}/${lastFile}`;
}

/** A name for files of our own; whatever begins with it is gone afterwards. */
async function withWorkFile<T>(work: (path: string) => Promise<T>): Promise<T> {
  const folder = workFileName();
  await mkdir(folder);
  try {
    return await work(`${folder}/data`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function convert(params: ConvertParams, context: WorkerContext): Promise<ConvertAnswer> {
  const engine = await engineFor("bulk", params.settings);
  return withConnection(engine, (connection) =>
    withWorkFile((workFile) => convertFile({ connection, workFile, ...params }, context)),
  ).catch((error: unknown) => {
    throw asFileError(error, params.format);
  });
}

function convertFile(job: CsvJob & JsonJob & ParquetJob, context: WorkerContext): Promise<ConvertAnswer> {
  switch (job.format) {
    case "csv":
    case "tsv":
      return convertCsv(job, context);
    case "json":
    case "ndjson":
      return convertJson(job, context);
    case "parquet":
      return convertParquet(job, context);
  }
}

async function writeRows(params: RowsParams, context: WorkerContext): Promise<WriteAnswer> {
  const isSmall = params.json.length <= SMALL_BYTES && params.columns.length <= SMALL_COLUMNS;
  const engine = await engineFor(isSmall ? "small" : "bulk", params.settings);
  const path = workFileName();
  try {
    // At once: what is small takes less than the way to another thread and back, and what is large waits anyway.
    writeFileSync(path, params.json);
    return await withConnection(engine, (connection) => {
      const plan = planLines(path, params.columns, longestLine(params.json));
      return writePart(connection, plan, params.output, context, { isPortable: true });
    });
  } finally {
    rmSync(path, { force: true });
  }
}

function longestLine(text: Uint8Array): number {
  let longest = 0;
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf(10, start);
    const stop = end === -1 ? text.length : end;
    longest = Math.max(longest, stop - start);
    start = stop + 1;
  }
  return longest;
}

async function merge(params: MergeParams & PartOptions, context: WorkerContext): Promise<WriteAnswer> {
  const engine = await engineFor("bulk", params.settings);
  return withConnection(engine, async (connection) => {
    const { inputs, columns, output, isPortable } = params;
    const source = `(${await selectParts(connection, inputs, columns, "data")})`;
    return writePart(connection, await planAll(connection, source), output, context, { isPortable });
  });
}

async function probe({ settings }: { settings: LoadSettings }): Promise<void> {
  for (const size of ["bulk", "small"] as const) {
    const engine = await engineFor(size, settings);
    await withConnection(engine, (connection) => connection.runAndReadAll("SELECT 1"));
  }
}

/** DuckDB's errors as expected failures, for every method alike. */
function method<P, T>(work: (params: P, context: WorkerContext) => Promise<T>) {
  return (params: unknown, context: WorkerContext): Promise<T> =>
    work(params as P, context).catch((error: unknown) => {
      throw asEngineError(error);
    });
}

serve({ convert: method(convert), rows: method(writeRows), merge: method(merge), probe: method(probe) });
