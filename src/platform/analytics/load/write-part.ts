import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError } from "../../../kernel/errors.ts";
import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import type { WorkerContext } from "../../sandbox/index.ts";
import type { Column } from "../analytics-options.ts";
import { whileRunning } from "../engine/engine-errors.ts";
import { columnsOf, readParquet } from "../engine/table-view-sql.ts";
import { LIMITS } from "../limits.ts";
import { storableType, variantJson } from "../types/cast-sql.ts";
import { sqlType } from "../types/column-types.ts";
import type { ConvertAnswer, ConvertParams, WriteAnswer } from "../wire.ts";
import { readHead } from "./text-encoding.ts";

/**
 * DuckDB's own size of a group, for which statistics are kept. Wide tables get smaller ones: a group sits in
 * memory until it is written.
 */
const GROUP_ROWS = 122_880;
const GROUP_VALUES = 8_000_000;
const CHUNK_ROWS = 2_048;
const PROGRESS_MS = 250;

export interface PartPlan {
  /** A SELECT of exactly these columns. */
  select: string;
  columns: Column[];
}

/**
 * Parts are kept in the newer encodings of Parquet, with little effort on compression: against the old ones with
 * zstd's usual effort a third less time to write, a quarter less to read, and no more space (bench/README.md).
 */
const LASTING = "PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1";
/** Not everybody reads those (fastparquet does not): what may be handed out as a file has the old ones. */
const PORTABLE = "PARQUET_VERSION v1, COMPRESSION zstd";

export interface PartOptions {
  isPortable: boolean;
}

/** Everything from a source (something that can stand after FROM), in types that a part can keep. */
export async function planAll(connection: DuckDBConnection, source: string): Promise<PartPlan> {
  const found = await columnsOf(connection, source);
  checkColumnCount(found.length);
  for (const column of found) refuseEmptyGroup(column);
  const columns = found.map(({ name, type }) => ({
    name,
    type: storableType(type),
  }));
  const items = found.map(({ name, type }, index) => {
    const wanted = columns[index]!.type;
    if (sqlType(type) === wanted && !type.startsWith("ENUM")) return quoteName(name);
    const value = quoteName(name);
    const known = type === "VARIANT" ? variantJson(value) : `CAST(${value} AS ${wanted})`;
    return `${known} AS ${quoteName(name)}`;
  });
  return { select: `SELECT ${items.join(", ")} FROM ${source}`, columns };
}

/** Parquet files can have groups without fields; nobody can ask for anything in them. */
function refuseEmptyGroup({ name, type }: Column): void {
  if (!type.includes("STRUCT()")) return;
  throw new AppError(
    "unsupported",
    `Column "${name}" holds a group without any field, which cannot be kept.`,
    {
      hint: "Leave the group out where the file is written.",
    },
  );
}

/** Writes the rows of a SELECT as one Parquet part. */
export async function writePart(
  connection: DuckDBConnection,
  { select, columns }: PartPlan,
  output: string,
  context: WorkerContext,
  { isPortable }: PartOptions = { isPortable: false },
): Promise<WriteAnswer> {
  const copy = `COPY (${select}) TO ${quoteText(output)}
    (FORMAT parquet, ${isPortable ? PORTABLE : LASTING}, ROW_GROUP_SIZE ${groupRows(columns.length)}, OVERWRITE_OR_IGNORE true)`;
  const timer = setInterval(() => context.progress({ fraction: fractionOf(connection) }), PROGRESS_MS);
  try {
    const result = await whileRunning(connection, context.signal, () => connection.run(copy));
    return { rows: result.rowsChanged, columns };
  } finally {
    clearInterval(timer);
  }
}

function groupRows(columns: number): number {
  const rows = Math.floor(GROUP_VALUES / Math.max(1, columns) / CHUNK_ROWS) * CHUNK_ROWS;
  return Math.min(GROUP_ROWS, Math.max(CHUNK_ROWS, rows));
}

export function checkColumnCount(count: number): void {
  const { columns } = LIMITS.analytics;
  if (count <= columns) return;
  throw new AppError("too_large", `The data has more than ${columns.toLocaleString("en")} columns.`, {
    hint: "Check the delimiter, or turn columns into rows.",
  });
}

function fractionOf(connection: DuckDBConnection): number {
  const { percentage } = connection.progress;
  return percentage < 0 ? 0 : Math.min(1, percentage / 100);
}

export interface ParquetJob extends ConvertParams {
  connection: DuckDBConnection;
}

/** Reads a Parquet file and writes it anew: what comes out is ours, whatever was wrong with what came in. */
export async function convertParquet(job: ParquetJob, context: WorkerContext): Promise<ConvertAnswer> {
  const { connection, input, output, format } = job;
  const { bytes } = await readHead(input, 4);
  if (bytes.toString("latin1") !== "PAR1") throw new AppError("bad_request", "This is not a Parquet file.");
  const promised = await connection.runAndReadAll(
    `SELECT sum(num_rows) FROM parquet_file_metadata(${quoteText(input)})`,
  );
  const { parquetRows } = LIMITS.analytics;
  if (Number(promised.value(0, 0)) > parquetRows) {
    throw new AppError("too_large", `The file has more than ${parquetRows.toLocaleString("en")} rows.`);
  }
  const source = readParquet([input]);
  const notes = typeNotes(await columnsOf(connection, source));
  const written = await writePart(connection, await planAll(connection, source), output, context);
  return { ...written, rejected: [], rejectedRows: 0, detected: { format, encoding: "binary" }, notes };
}

/** What a reader should know about types that are not kept as they are. */
function typeNotes(columns: readonly Column[]): string[] {
  const named = (part: string): string =>
    columns
      .filter(({ type }) => type.includes(part))
      .map(({ name }) => `"${name}"`)
      .join(", ");
  const [shapes, variants] = [named("GEOMETRY"), named("VARIANT")];
  return [
    ...(shapes === ""
      ? []
      : [`Geometries in ${shapes} are kept as text (WKT), without their reference system.`]),
    ...(variants === "" ? [] : [`Values of several types in ${variants} are kept as JSON.`]),
  ];
}
