import type { DuckDBConnection } from "@duckdb/node-api";
import { LIMITS } from "../../../kernel/limits.ts";
import type { Column, ColumnStatistics, Inspection, JsonValue } from "../analytics-options.ts";
import { jsonConverter } from "../engine/json-values.ts";
import { columnsOf, readParquet, selectParts } from "../engine/relation-sql.ts";
import { quoteList, quoteName } from "../types/sql-text.ts";

/** Types whose values have an order that means something. */
const ORDERED =
  /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)|DATE|TIME|TIMESTAMP.*|VARCHAR|BOOLEAN)$/;

/**
 * What is known of some parts: rows, NULLs and extremes of each column from all rows, and how many different
 * values it has from the first of them. DuckDB answers the first three from the files' own statistics as far
 * as it can.
 */
export async function inspectParts(
  connection: DuckDBConnection,
  files: readonly string[],
  wanted: readonly Column[] | undefined,
): Promise<Inspection> {
  if (files.length === 0) return { rows: 0, bytes: 0, columns: (wanted ?? []).map(withoutValues) };
  const columns = wanted ?? (await columnsOf(connection, readParquet(files)));
  const rows = await countRows(connection, files);
  if (columns.length === 0) return { rows, bytes: 0, columns: [] };
  const source = await selectParts(connection, files, columns, "data");
  const [whole, first] = [
    await extremes(connection, source, columns),
    await distinct(connection, source, columns),
  ];
  return {
    rows,
    bytes: await storedBytes(connection, files),
    columns: columns.map((column, index) => ({ ...column, ...whole[index]!, distinct: first[index]! })),
  };
}

function withoutValues(column: Column): ColumnStatistics {
  return { ...column, nulls: 0, distinct: 0, min: null, max: null };
}

async function countRows(connection: DuckDBConnection, files: readonly string[]): Promise<number> {
  const reader = await connection.runAndReadAll(
    `SELECT sum(num_rows) FROM parquet_file_metadata(${quoteList(files)})`,
  );
  return Number(reader.value(0, 0));
}

async function storedBytes(connection: DuckDBConnection, files: readonly string[]): Promise<number> {
  const reader = await connection.runAndReadAll(
    `SELECT sum(total_compressed_size) FROM parquet_metadata(${quoteList(files)})`,
  );
  return Number(reader.value(0, 0));
}

interface Extremes {
  nulls: number;
  min: JsonValue;
  max: JsonValue;
}

async function extremes(
  connection: DuckDBConnection,
  source: string,
  columns: readonly Column[],
): Promise<Extremes[]> {
  const items = columns.flatMap(({ name, type }) => {
    const column = quoteName(name);
    const isOrdered = ORDERED.test(type);
    return [
      `count(*) - count(${column})`,
      isOrdered ? `min(${shortened(column, type)})` : "NULL",
      isOrdered ? `max(${shortened(column, type)})` : "NULL",
    ];
  });
  const reader = await connection.runAndReadAll(`SELECT ${items.join(", ")} FROM (${source})`);
  return columns.map((_, index) => {
    const value = (place: number): JsonValue =>
      jsonConverter(reader.columnType(place))(reader.value(place, 0));
    return { nulls: Number(value(3 * index)), min: value(3 * index + 1), max: value(3 * index + 2) };
  });
}

/** The extremes of long texts are cut, not kept out. */
function shortened(column: string, type: string): string {
  return type === "VARCHAR" ? `left(${column}, ${LIMITS.analytics.extremeCharacters})` : column;
}

async function distinct(
  connection: DuckDBConnection,
  source: string,
  columns: readonly Column[],
): Promise<number[]> {
  const rows = Math.max(1_000, Math.floor(LIMITS.analytics.distinctValues / columns.length));
  const items = columns.map(({ name }) => `approx_count_distinct(${quoteName(name)})`);
  const reader = await connection.runAndReadAll(
    `SELECT ${items.join(", ")} FROM (SELECT * FROM (${source}) LIMIT ${rows})`,
  );
  return columns.map((_, index) => Number(reader.value(index, 0)));
}
