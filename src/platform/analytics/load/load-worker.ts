/**
 * Runs inside a sandboxed process: reads what strangers sent and writes Parquet parts. The SQL is ours; the
 * bytes are not. Everything that is needed is imported here, because afterwards the process cannot read its
 * own code.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import type { DuckDBInstance } from "@duckdb/node-api";
import { serve, type WorkerContext } from "../../sandbox/index.ts";
import { LastingEngine, lock, openEngine } from "../engine/engine.ts";
import { asEngineError, asFileError } from "../engine/engine-errors.ts";
import { selectParts } from "../engine/table-view-sql.ts";
import type {
  ConvertAnswer,
  ConvertParams,
  LoadSettings,
  MergeParams,
  RowsParams,
  WriteAnswer,
} from "../wire.ts";
import { type CsvJob, convertCsv } from "./csv/csv-convert.ts";
import { convertJson, type JsonJob } from "./json-convert.ts";
import { planLines } from "./json-lines.ts";
import { convertParquet, type ParquetJob, type PartOptions, planAll, writePart } from "./write-part.ts";

/** What this process writes for itself, inside its own folder. */
const WORK_FOLDER = "work";
/** Large jobs and small ones have an engine each, so that a push does not wait for a large one. */
type Size = "bulk" | "small";
/** DuckDB takes about 35 MB to read one row of JSON and write it. */
const SMALL_MB = 192;
const SMALL_BYTES = 2 * 1024 * 1024;
const SMALL_COLUMNS = 200;

const engines = new Map<Size, LastingEngine>();
let lastFile = 0;
let lastSpill = 0;

/** The settings are the same in every call. */
function engineFor(size: Size, settings: LoadSettings): LastingEngine {
  const existing = engines.get(size);
  if (existing !== undefined) return existing;
  mkdirSync(WORK_FOLDER, { recursive: true });
  const engine = new LastingEngine(() => open(size, settings));
  engines.set(size, engine);
  return engine;
}

async function open(size: Size, settings: LoadSettings): Promise<DuckDBInstance> {
  lastSpill += 1;
  const engine = await openEngine({
    memoryMb: size === "small" ? SMALL_MB : settings.memoryMb - SMALL_MB,
    threads: size === "small" ? 1 : settings.threads,
    // One that is replaced may not be gone yet.
    spillFolder: `spill-${lastSpill}`,
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
  const engine = engineFor("bulk", params.settings);
  return engine
    .use((connection) =>
      withWorkFile((workFile) => convertFile({ connection, workFile, ...params }, context)),
    )
    .catch((error: unknown) => {
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
  const engine = engineFor(isSmall ? "small" : "bulk", params.settings);
  const path = workFileName();
  try {
    // At once: what is small takes less than the way to another thread and back, and what is large waits anyway.
    writeFileSync(path, params.json);
    return await engine.share((connection) => {
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
  const engine = engineFor("bulk", params.settings);
  return engine.use(async (connection) => {
    const { inputs, columns, output, isPortable } = params;
    const source = `(${await selectParts(connection, inputs, columns, "data")})`;
    return writePart(connection, await planAll(connection, source), output, context, { isPortable });
  });
}

async function probe({ settings }: { settings: LoadSettings }): Promise<void> {
  for (const size of ["bulk", "small"] as const) {
    await engineFor(size, settings).share((connection) => connection.runAndReadAll("SELECT 1"));
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
