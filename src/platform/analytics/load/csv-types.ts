import { messageOf } from "../../../kernel/errors.ts";
import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import { isLate, parsedDate } from "./csv-date-columns.ts";
import type { CsvFile } from "./csv-file.ts";
import { groupedNumber } from "./csv-grouping.ts";

/**
 * Types are detected from the first rows, and a later value may not fit. Some of those DuckDB would bend
 * silently (1.5 becomes 2 in an integer column, a time is cut off in a date column, 7/10/14 is in the year 7), so such
 * columns are read as text and checked; at the first misfit the conversion stops, the whole file is looked at, and the
 * columns get types that hold everything.
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

export interface ColumnTrust {
  /** Whether the caller has chosen the type: what does not fit is rejected. */
  isGiven: boolean;
  /** Whether all values of the file were seen to fit. */
  isVerified: boolean;
}

export function checkedColumn(
  file: CsvFile,
  index: number,
  { isGiven, isVerified }: ColumnTrust,
): ReadColumn {
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
  const isClean = !file.words.has(index) && !file.units.has(index);
  const isNative = isGiven || type === "VARCHAR" || (type === "DOUBLE" && isClean);
  if (isNative) return { readType: type, expression: column };
  const text = `trim(${column})`;
  const plain = type === "DOUBLE" && file.decimal === "," ? `replace(${text}, ',', '.')` : text;
  const bent = isVerified ? undefined : bentValues(type, column);
  if (bent !== undefined) return { readType: "VARCHAR", expression: checked(column, type, bent, plain) };
  return { readType: "VARCHAR", expression: `CAST(nullif(${plain}, '') AS ${type}) AS ${column}` };
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
function bentValues(type: string, column: string): string | undefined {
  const has = (text: string): string => `contains(${column}, ${quoteText(text)})`;
  // A fraction, or a negative exponent; a zero in front, which would be lost; a plus or a blank; 0x1F, 1_000.
  if (type === "BIGINT" || type.startsWith("DECIMAL")) {
    return `${has(".")} OR strpos(${column}, '-') > 1 OR (${column} < '0:' AND ${column} >= '00')
      OR ${column} < '-' OR ${has("x")} OR ${has("_")}`;
  }
  if (type === "BOOLEAN") return `NOT lower(${column}) IN ('true', 'false')`;
  if (type === "DATE") return `length(${column}) <> 10 OR ${column}[5] <> '-'`;
  if (type === "TIME")
    return `NOT regexp_full_match(${column}, '[0-9]{1,2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?')`;
  if (type === "TIMESTAMP") {
    return `${has("+")} OR ${has("Z")} OR contains(substr(${column}, 12), '-') OR ${column}[5] <> '-'
      OR NOT (length(${column}) = 10 OR ${column}[14] = ':') OR length(${column}) > 26`;
  }
  return type.startsWith("TIMESTAMP") ? `${column}[5] <> '-' OR ${column}[8] <> '-'` : undefined;
}
