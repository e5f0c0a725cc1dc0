import { messageOf } from "../../../kernel/errors.ts";
import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import { isLate, parsedDate } from "./csv-date-columns.ts";
import type { CsvFile } from "./csv-file.ts";
import { groupedNumber } from "./csv-grouping.ts";
import type { DecimalMark } from "./csv-thousands.ts";
import { decimalsOf, EXACT_DOUBLE, isLike, isOneOf, isPlainTimestamp, ruleOf } from "./csv-values.ts";

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
  /** Whether the expression sees to words that mean no value. */
  isRaw?: boolean;
}

export interface ColumnTrust {
  /** Whether the caller has chosen the type: what does not fit is rejected. */
  isGiven: boolean;
  /** Whether all values of the file were seen to fit. */
  isVerified: boolean;
  /** Whether plain values are hoped for alone: what to do with others takes the engine long to prepare. */
  isPlain: boolean;
}

export function checkedColumn(file: CsvFile, index: number, trust: ColumnTrust): ReadColumn {
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
  if (trust.isGiven || type === "VARCHAR") return { readType: type, expression: column };
  return ownColumn(file, index, trust);
}

/**
 * Nearly all values are written as their type is printed, or in a form as plain, and are taken at once. Only the others
 * are looked at closely, because a close look at each value took longer than reading it.
 */
function ownColumn(file: CsvFile, index: number, { isVerified, isPlain }: ColumnTrust): ReadColumn {
  const { name, type } = file.columns[index]!;
  const column = quoteName(name);
  const isComma = file.decimal === "," && (type === "DOUBLE" || decimalsOf(type) > 0);
  const pointed = (text: string): string => (isComma ? `replace(${text}, ',', '.')` : text);
  const isRaw = !file.units.has(index);
  const words = isRaw ? file.words.get(index) : undefined;
  const value = quoteName(freeName(file, `value ${index}`));
  const plain = plainValues(type, column, value, file.decimal);
  const isAlone = isPlain && plain.length > 0;
  const isMisfit = isAlone
    ? `${column} IS NOT NULL`
    : `NOT ${isLike(ruleOf(type, file.decimal), column, value)}`;
  const steps = [
    ...plain.map(({ when, taken }) => `WHEN ${when} THEN ${taken}`),
    ...(words === undefined ? [] : [`WHEN ${isOneOf(column, words)} THEN NULL`]),
    // What the rule of the type would not have let in, a cast would bend.
    ...(isVerified ? [] : [`WHEN ${isMisfit} THEN ${misfit(type)}`]),
  ];
  const cast = isAlone ? "NULL" : castSql(`nullif(${pointed(`trim(${column})`)}, '')`, type);
  const needsValue = steps.some((step) => step.includes(value));
  return {
    readType: "VARCHAR",
    expression: `${steps.length === 0 ? cast : `CASE ${steps.join(" ")} ELSE ${cast} END`} AS ${column}`,
    ...(needsValue && {
      needs: `TRY_CAST(${pointed(column)} AS ${isWhole38(type) ? "HUGEINT" : type}) AS ${value}`,
    }),
    ...(isRaw && { isRaw }),
  };
}

interface PlainValue {
  when: string;
  taken: string;
}

/** What is surely no more and no less than the text says; `value` is the text as its type. */
function plainValues(type: string, column: string, value: string, decimal: DecimalMark): PlainValue[] {
  if (type === "BOOLEAN") {
    const spelled = (word: string): string[] => [
      word,
      word.toUpperCase(),
      word[0]!.toUpperCase() + word.slice(1),
    ];
    return ["true", "false"].map((word) => ({
      when: `${column} IN (${spelled(word).map(quoteText).join(", ")})`,
      taken: word,
    }));
  }
  if (type === "DOUBLE") {
    const noPoint = decimal === "," ? ` AND NOT contains(${column}, '.')` : "";
    const when = `abs(${value}) < ${EXACT_DOUBLE} AND NOT (${hasZeros(column)} OR contains(${column}, '_'))${noPoint}`;
    return [{ when, taken: value }];
  }
  if (type === "TIMESTAMP") return [{ when: isPlainTimestamp(column, value), taken: value }];
  if (type.startsWith("TIMESTAMP") || decimalsOf(type) > 0) return [];
  // DuckDB also knows the day "infinity".
  const isDay = type === "DATE" ? `strlen(${column}) = 10 AND ` : "";
  const taken = isWhole38(type) ? `CAST(${value} AS ${type})` : value;
  return [{ when: `${isDay}CAST(${value} AS VARCHAR) = ${column}`, taken }];
}

/** A zero in front, or a plus or a blank. */
function hasZeros(column: string): string {
  return `(${column} >= '00' AND ${column} < '0:') OR (${column} >= '-00' AND ${column} < '-0:') OR ${column} < '-'`;
}

function freeName({ columns }: CsvFile, start: string): string {
  const isTaken = (text: string): boolean => columns.some(({ name }) => name.toLowerCase() === text);
  let name = start;
  while (isTaken(name)) name += "_";
  return name;
}

/** DuckDB takes 30 µs to make a number of 38 digits of a text, a hundred times as long as for other numbers. */
function castSql(text: string, type: string): string {
  if (isWhole38(type)) return `CAST(CAST(${text} AS HUGEINT) AS ${type})`;
  const decimals = decimalsOf(type);
  if (decimals === 0 || decimals >= SHORT_DIGITS) return `CAST(${text} AS ${type})`;
  const short = `TRY_CAST(${text} AS DECIMAL(${SHORT_DIGITS},${decimals}))`;
  return `coalesce(CAST(${short} AS ${type}), CAST(${text} AS ${type}))`;
}

const SHORT_DIGITS = 18;

function isWhole38(type: string): boolean {
  return type.startsWith("DECIMAL") && decimalsOf(type) === 0;
}

function misfit(type: string): string {
  return `CAST(error(${quoteText(MISFIT)}) AS ${type})`;
}

function checked(column: string, type: string, isMisfitting: string, value: string): string {
  return `CASE WHEN ${isMisfitting} THEN ${misfit(type)} ELSE ${castSql(value, type)} END AS ${column}`;
}
