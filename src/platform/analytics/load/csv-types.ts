import type { DuckDBConnection } from "@duckdb/node-api";
import { messageOf } from "../../../kernel/errors.ts";
import type { Column } from "../analytics-options.ts";
import { quoteName, quoteText } from "../types/sql-text.ts";
import { datesAgain, isLate, parsedDate } from "./csv-date-columns.ts";
import { isIsoFormat } from "./csv-dates.ts";
import { type CsvFile, readCsv } from "./csv-file.ts";
import { groupAgain, groupedNumber, isGroupedNumber } from "./csv-grouping.ts";

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
  /** What it needs besides the columns, so that it is worked out once. */
  needs?: string;
}

export function checkedColumn(file: CsvFile, index: number, isGiven: boolean): ReadColumn {
  const { name, type } = file.columns[index]!;
  const column = quoteName(name);
  const marks = file.grouping.grouped.get(index);
  if (marks !== undefined) {
    const { isNumber, number } = groupedNumber(column, marks, type);
    return { readType: "VARCHAR", expression: checked(column, type, `NOT ${isNumber}`, number) };
  }
  const format = file.dates.get(index)?.formats[0];
  if (format !== undefined) {
    const parsed = quoteName(freeName(file, `date ${index}`));
    const misfit = `NOT (${column} IS NULL OR ${isLate(parsed)})`;
    const needs = `${parsedDate(column, format)} AS ${parsed}`;
    return { readType: "VARCHAR", expression: checked(column, type, misfit, parsed), needs };
  }
  const bent = isGiven ? undefined : bentValues(file, type, column);
  if (bent === undefined) return { readType: type, expression: column };
  return { readType: "VARCHAR", expression: checked(column, type, bent, column) };
}

function freeName({ columns }: CsvFile, start: string): string {
  const isTaken = (text: string): boolean => columns.some(({ name }) => name.toLowerCase() === text);
  let name = start;
  while (isTaken(name)) name += "_";
  return name;
}

function checked(column: string, type: string, isMisfitting: string, value: string): string {
  const misfit = `CAST(error(${quoteText(MISFIT)}) AS ${type})`;
  return `CASE WHEN ${isMisfitting} THEN ${misfit} ELSE CAST(${value} AS ${type}) END AS ${column}`;
}

/** True for values that a cast would bend; undefined when it bends none. Kept to what costs next to nothing. */
function bentValues(file: CsvFile, type: string, column: string): string | undefined {
  const has = (text: string): string => `contains(${column}, ${quoteText(text)})`;
  // A fraction, or a negative exponent; or a zero in front, which would be lost.
  if (type === "BIGINT" || type.startsWith("DECIMAL")) {
    return `${has(".")} OR strpos(${column}, '-') > 1 OR (${column} < '0:' AND ${column} >= '00')`;
  }
  if (type === "DATE" && !isIsoFormat(file.dateFormat)) return has(":");
  if (type === "TIMESTAMP" && !isIsoFormat(file.timestampFormat)) {
    return `${has("+")} OR ${has("Z")} OR contains(substr(${column}, 12), '-')`;
  }
  return undefined;
}

/** No type: numbers, some with separators, that have to be looked at once more. */
const SEPARATED = "separated";

/** What a column may become, in this order, when its type does not hold all values; at last text. */
const LADDERS: Readonly<Record<string, readonly string[]>> = {
  BIGINT: ["BIGINT", "DECIMAL(38,0)", "DOUBLE", SEPARATED],
  "DECIMAL(38,0)": ["DECIMAL(38,0)", "DOUBLE", SEPARATED],
  DOUBLE: ["DOUBLE", SEPARATED],
  DATE: ["DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"],
  TIMESTAMP: ["TIMESTAMP", "TIMESTAMP WITH TIME ZONE"],
};

/** Looks at all values of the columns with detected types, and gives each column the first type that holds them. */
export async function surveyTypes(
  connection: DuckDBConnection,
  file: CsvFile,
  given: ReadonlySet<number>,
): Promise<CsvFile> {
  const isFixed = ({ type }: Column, index: number): boolean =>
    type === "VARCHAR" || given.has(index) || file.grouping.grouped.has(index) || file.dates.has(index);
  const checks = file.columns.flatMap((column, index) => {
    if (isFixed(column, index)) return [];
    return (LADDERS[column.type] ?? [column.type]).map((step) => ({
      index,
      step,
      sql: holdsAll(file, quoteName(column.name), step),
    }));
  });
  const texts = file.columns.map((column, index) => (given.has(index) ? column.type : "VARCHAR"));
  const items = checks.map(({ sql }) => sql).join(", ");
  const source = readCsv(file, texts, undefined);
  const reader = items === "" ? undefined : await connection.runAndReadAll(`SELECT ${items} FROM ${source}`);
  const separated = new Set(file.grouping.grouped.keys());
  const columns = file.columns.map((column, index) => {
    if (isFixed(column, index)) return column;
    const fitting = checks.find((check, place) => check.index === index && reader?.value(place, 0) !== false);
    if (fitting?.step === SEPARATED) separated.add(index);
    return { ...column, type: fitting === undefined || separated.has(index) ? "VARCHAR" : fitting.step };
  });
  return groupAgain(connection, await datesAgain(connection, { ...file, columns }), separated);
}

function holdsAll(file: CsvFile, column: string, type: string): string {
  if (type === "BIGINT") return every(column, `regexp_full_match(${column}, '[+-]?(0|[1-9][0-9]{0,17})')`);
  if (type === "DECIMAL(38,0)")
    return every(column, `regexp_full_match(${column}, '[+-]?(0|[1-9][0-9]{0,37})')`);
  if (type === "DOUBLE") return every(column, isDouble(file, column));
  // Few values are not numbers as they are, and only those are looked at.
  if (type === SEPARATED) {
    return every(column, `CASE WHEN ${isDouble(file, column)} THEN true ELSE ${isGroupedNumber(column)} END`);
  }
  const bent = bentValues(file, type, column);
  const fits = `${parsed(file, type, column)} IS NOT NULL`;
  return every(column, bent === undefined ? fits : `NOT (${bent}) AND ${fits}`);
}

function isDouble(file: CsvFile, column: string): string {
  const plain = file.decimal === "," ? `replace(replace(${column}, '.', 'x'), ',', '.')` : column;
  return `(TRY_CAST(${plain} AS DOUBLE) IS NOT NULL AND NOT (${column} < '0:' AND ${column} >= '00'))`;
}

function parsed(file: CsvFile, type: string, column: string): string {
  const format = type === "DATE" ? file.dateFormat : type === "TIMESTAMP" ? file.timestampFormat : undefined;
  return format === undefined || !isIsoFormat(format)
    ? `TRY_CAST(${column} AS ${type})`
    : parsedDate(column, format);
}

/** NULL, for a column without values, counts as fitting. */
function every(column: string, condition: string): string {
  return `bool_and(${column} IS NULL OR (${condition}))`;
}
