import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { WorkerContext } from "../sandbox/index.ts";
import { type ColumnType, sqlType, parseType, scalar, TEXT, typeText } from "./column-types.ts";
import { whileRunning } from "./interruption.ts";
import { columnsOf } from "./relation-sql.ts";
import { quoteName, quoteText } from "./sql-text.ts";
import type { WriteAnswer } from "./wire.ts";

/** As many rows as DuckDB works on at once; statistics are kept for each group. */
const GROUP_ROWS = 122_880;
const PROGRESS_MS = 250;

/** Writes the rows of a source (something that can stand after FROM) as one Parquet part. */
export async function writePart(
  connection: DuckDBConnection,
  source: string,
  output: string,
  context: WorkerContext,
): Promise<WriteAnswer> {
  const columns = await columnsOf(connection, source);
  checkColumnCount(columns.length);
  const stored = columns.map(({ name, type }) => ({ name, type: typeText(storable(parseType(type))) }));
  const items = columns.map(({ name, type }, index) => {
    const wanted = stored[index]!.type;
    return sqlType(type) === wanted && !type.startsWith("ENUM") ? quoteName(name) : castTo(name, wanted);
  });
  const copy = `COPY (SELECT ${items.join(", ")} FROM ${source}) TO ${quoteText(output)}
    (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP_ROWS})`;
  const timer = setInterval(() => context.progress({ fraction: fractionOf(connection) }), PROGRESS_MS);
  try {
    const result = await whileRunning(connection, context.signal, () => connection.run(copy));
    return { rows: result.rowsChanged, columns: stored };
  } finally {
    clearInterval(timer);
  }
}

export function checkColumnCount(count: number): void {
  const { columns } = LIMITS.analytics;
  if (count <= columns) return;
  throw new AppError("too_large", `The data has more than ${columns.toLocaleString("en")} columns.`, {
    hint: "Check the delimiter, or turn columns into rows.",
  });
}

function castTo(name: string, type: string): string {
  return `CAST(${quoteName(name)} AS ${type}) AS ${quoteName(name)}`;
}

function fractionOf(connection: DuckDBConnection): number {
  const { percentage } = connection.progress;
  return percentage < 0 ? 0 : Math.min(1, percentage / 100);
}

/**
 * The type in which a column is kept. Parquet has no 128-bit integers (DuckDB would write them as floating
 * point), so they become decimals of 38 digits; larger ones and types that only DuckDB knows become text.
 */
export function storable(type: ColumnType): ColumnType {
  switch (type.kind) {
    case "decimal":
      return type;
    case "list":
      return { kind: "list", item: storable(type.item) };
    case "struct":
      return { ...type, fields: type.fields.map(({ name, type: field }) => ({ name, type: storable(field) })) };
    case "map":
      return { kind: "map", key: storable(type.key), value: storable(type.value) };
    case "scalar":
      return storableScalar(type.name);
  }
}

const AS_TEXT = new Set(["UHUGEINT", "BIGNUM", "BIT", "TIME WITH TIME ZONE", "TIME_NS", "GEOMETRY"]);

function storableScalar(name: string): ColumnType {
  if (name === "HUGEINT") return { kind: "decimal", width: 38, scale: 0 };
  if (name === "VARIANT") return scalar("JSON");
  return AS_TEXT.has(name) ? TEXT : scalar(name);
}

