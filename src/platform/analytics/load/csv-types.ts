import type { DuckDBConnection } from "@duckdb/node-api";
import { messageOf } from "../../../kernel/errors.ts";
import { quoteName, quoteText } from "../types/sql-text.ts";
import { type CsvFile, readCsv } from "./csv-file.ts";

/**
 * Types are detected from the first rows, and a later value may not fit. Some of those DuckDB would bend
 * silently (1.5 becomes 2 in an integer column, a time is cut off in a date column), so such columns are read
 * as text and checked; at the first misfit the conversion stops, the whole file is looked at, and the columns
 * get types that hold everything.
 */
const MISFIT = "kenning: a value does not fit its column";

export function isMisfit(error: unknown): boolean {
  const message = messageOf(error);
  return message.includes(MISFIT) || message.startsWith("Conversion Error");
}

/** How a column is read and turned into its values. */
export interface ReadColumn {
  /** For `read_csv`. */
  readType: string;
  /** For the SELECT. */
  expression: string;
}

export function checkedColumn(file: CsvFile, index: number, isGiven: boolean): ReadColumn {
  const { name, type } = file.columns[index]!;
  const column = quoteName(name);
  const bent = isGiven ? undefined : bentValues(file, type, column);
  if (bent === undefined) return { readType: type, expression: column };
  const misfit = `CAST(error(${quoteText(MISFIT)}) AS ${type})`;
  const expression = `CASE WHEN ${bent} THEN ${misfit} ELSE CAST(${column} AS ${type}) END AS ${column}`;
  return { readType: "VARCHAR", expression };
}

/** True for values that a cast would bend; undefined when it bends none. Kept to what costs next to nothing. */
function bentValues(file: CsvFile, type: string, column: string): string | undefined {
  const has = (text: string): string => `contains(${column}, ${quoteText(text)})`;
  // A fraction, or a negative exponent.
  if (type === "BIGINT" || type.startsWith("DECIMAL")) return `${has(".")} OR strpos(${column}, '-') > 1`;
  if (type === "DATE" && file.dateFormat === undefined) return has(":");
  if (type === "TIMESTAMP" && file.timestampFormat === undefined) {
    return `${has("+")} OR ${has("Z")} OR contains(substr(${column}, 12), '-')`;
  }
  return undefined;
}

/** What a column may become, in this order, when its type does not hold all values; at last text. */
const LADDERS: Readonly<Record<string, readonly string[]>> = {
  BIGINT: ["BIGINT", "DECIMAL(38,0)", "DOUBLE"],
  "DECIMAL(38,0)": ["DECIMAL(38,0)", "DOUBLE"],
  DATE: ["DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"],
  TIMESTAMP: ["TIMESTAMP", "TIMESTAMP WITH TIME ZONE"],
};

/** Looks at all values of the columns with detected types, and gives each column the first type that holds them. */
export async function surveyTypes(
  connection: DuckDBConnection,
  file: CsvFile,
  given: ReadonlySet<number>,
): Promise<CsvFile> {
  const checks = file.columns.flatMap(({ name, type }, index) => {
    if (type === "VARCHAR" || given.has(index)) return [];
    return (LADDERS[type] ?? [type]).map((step) => ({
      index,
      step,
      sql: holdsAll(file, quoteName(name), step),
    }));
  });
  if (checks.length === 0) return file;
  const texts = file.columns.map((column, index) => (given.has(index) ? column.type : "VARCHAR"));
  const source = readCsv(file, texts, undefined);
  const reader = await connection.runAndReadAll(
    `SELECT ${checks.map(({ sql }) => sql).join(", ")} FROM ${source}`,
  );
  const columns = file.columns.map((column, index) => {
    if (column.type === "VARCHAR" || given.has(index)) return column;
    const fitting = checks.find((check, place) => check.index === index && reader.value(place, 0) !== false);
    return { ...column, type: fitting?.step ?? "VARCHAR" };
  });
  return { ...file, columns };
}

function holdsAll(file: CsvFile, column: string, type: string): string {
  if (type === "BIGINT") return every(column, `regexp_full_match(${column}, '[+-]?[0-9]{1,18}')`);
  if (type === "DECIMAL(38,0)") return every(column, `regexp_full_match(${column}, '[+-]?[0-9]{1,38}')`);
  if (type === "DOUBLE" && file.decimal === ",") {
    const plain = `replace(replace(${column}, '.', 'x'), ',', '.')`;
    return every(column, `TRY_CAST(${plain} AS DOUBLE) IS NOT NULL`);
  }
  const bent = bentValues(file, type, column);
  const fits = `${parsed(file, type, column)} IS NOT NULL`;
  return every(column, bent === undefined ? fits : `NOT (${bent}) AND ${fits}`);
}

function parsed(file: CsvFile, type: string, column: string): string {
  const format = type === "DATE" ? file.dateFormat : type === "TIMESTAMP" ? file.timestampFormat : undefined;
  return format === undefined
    ? `TRY_CAST(${column} AS ${type})`
    : `try_strptime(${column}, ${quoteText(format)})`;
}

/** NULL, for a column without values, counts as fitting. */
function every(column: string, condition: string): string {
  return `bool_and(${column} IS NULL OR (${condition}))`;
}
