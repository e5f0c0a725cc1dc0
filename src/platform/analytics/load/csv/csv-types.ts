import { messageOf } from "../../../../kernel/errors.ts";
import { quoteList, quoteName, quoteText } from "../../../../kernel/sql-text.ts";
import { NO_VALUE_WORDS } from "../../../../kernel/values.ts";
import { isLate, parsedDate } from "./csv-date-columns.ts";
import type { CsvFile } from "./csv-file.ts";
import { type DecimalMark, groupedNumber } from "./csv-numbers.ts";

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
interface ReadColumn {
  /** For `read_csv`. */
  readType: string;
  /** For the SELECT. */
  expression: string;
  /** What it needs besides the columns, so that it is worked out once. */
  needs?: string;
  /** Whether the expression sees to words that mean no value. */
  isRaw?: boolean;
}

interface ColumnTrust {
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

/** SQL that is true for a word that means no value. */
export function isNoValueWordSql(column: string): string {
  return `lower(trim(${column})) IN (${NO_VALUE_WORDS.map(quoteText).join(", ")})`;
}

/** SQL that is true for one of these words, and for blanks alone. */
function isOneOf(column: string, words: readonly string[]): string {
  return `trim(${column}) IN (${["", ...words].map(quoteText).join(", ")})`;
}

/** SQL for a text column without the words that mean no value in it, and without blanks alone. */
export function withoutWords(column: string, words: readonly string[]): string {
  return `CASE WHEN ${isOneOf(column, words)} THEN NULL ELSE ${column} END`;
}

/** A type, and which texts are values of it. */
interface TypeRule {
  type: string;
  /** For JavaScript and for DuckDB. */
  pattern: string;
  /** SQL besides the pattern. */
  isValue?: (text: string, value?: string) => string;
  /** Whether a cast takes more than the values, so that `isValue` tells what a failing cast would not. */
  isWide?: boolean;
}

const DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
const CLOCK = "[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]{1,6}0*)?)?";
const ZONE = " ?(?:Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)";
const MOMENT = `${DAY}(?:[T ]${CLOCK})?`;

function castable(type: string): (text: string) => string {
  return (text) => `TRY_CAST(${text} AS ${type}) IS NOT NULL`;
}

/**
 * What a column may be, the narrowest first; what none of them holds is text. A zero in front makes an identifier, and
 * a plus before many digits a telephone number. Words such as yes, no, t and f are no truth values: NO is Norway.
 */
export function typeRules(decimal: DecimalMark): TypeRule[] {
  const fraction = `(?:[${decimal}][0-9]*)?`;
  const exponent = "(?:[eE][+-]?[0-9]{1,3})?";
  const number = `(?:(?:-?(?:0|[1-9][0-9]*)|[+](?:0|[1-9][0-9]{0,6}))${fraction}|[+-]?[${decimal}][0-9]+)`;
  const special = "[nN][aA][nN]|[+-]?(?:[iI][nN][fF]|[iI]nfinity)";
  return [
    { type: "BOOLEAN", pattern: "[tT][rR][uU][eE]|[fF][aA][lL][sS][eE]" },
    {
      type: "BIGINT",
      pattern: "-?(?:0|[1-9][0-9]{0,18})|[+](?:0|[1-9][0-9]{0,6})",
      isValue: castable("BIGINT"),
    },
    { type: "DECIMAL(38,0)", pattern: "-?(?:0|[1-9][0-9]{0,37})|[+](?:0|[1-9][0-9]{0,6})" },
    {
      type: "DOUBLE",
      pattern: `${number}${exponent}|${special}`,
      isValue: (text, value) => isDouble(text, decimal, value),
      isWide: true,
    },
    { type: LONG_DECIMAL, pattern: number },
    { type: "TIME", pattern: "(?:[01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,6})?" },
    { type: "DATE", pattern: DAY, isValue: castable("DATE") },
    { type: "TIMESTAMP", pattern: MOMENT, isValue: castable("TIMESTAMP") },
    {
      type: "TIMESTAMP WITH TIME ZONE",
      pattern: `${MOMENT}(?:${ZONE})?`,
      isValue: castable("TIMESTAMP WITH TIME ZONE"),
    },
  ];
}

/** Numbers with decimals among which are some that DOUBLE would bend. How many decimals there are is found later. */
export const LONG_DECIMAL = "DECIMAL";

/** The digits that a DECIMAL has at most. */
export const DECIMAL_DIGITS = 38;

/** Behind the decimal mark of a DECIMAL; 0 for other types. */
export function decimalsOf(type: string): number {
  return Number(/^DECIMAL\(\d+,\s*(\d+)\)$/.exec(type)?.[1] ?? 0);
}

/** True for 2024-01-31 12:00:00, with a blank or a T; `value` is the text as a timestamp. */
export function isPlainTimestamp(text: string, value: string): string {
  return `${text} LIKE '____-__-_____:__:__' AND ${value} >= TIMESTAMP '1000-01-01'`;
}

/** The rule by which a column has its type. */
function ruleOf(type: string, decimal: DecimalMark): TypeRule {
  const decimals = decimalsOf(type);
  if (decimals > 0) {
    const whole = `0|[1-9][0-9]{0,${DECIMAL_DIGITS - decimals - 1}}`;
    const fraction = `[${decimal}][0-9]{0,${decimals}}0*`;
    return {
      type,
      pattern: `-?(?:${whole})(?:${fraction})?|[+](?:0|[1-9][0-9]{0,6})(?:${fraction})?|[+-]?${fraction}`,
    };
  }
  return typeRules(decimal).find((rule) => rule.type === type)!;
}

/** From here on a DOUBLE does not hold every whole number. */
export const EXACT_DOUBLE = "9007199254740992";

/**
 * A number that is too large would be infinite, and a long one may lose digits: it is only a DOUBLE if that is printed
 * with the same digits, as programs do that write 123456789012345680000.
 */
function isDouble(text: string, decimal: DecimalMark, value?: string): string {
  const plain = decimal === "," ? `replace(${text}, ',', '.')` : text;
  const double = value ?? `TRY_CAST(${plain} AS DOUBLE)`;
  const whole = `TRY_CAST(split_part(${text}, '${decimal}', 1) AS HUGEINT)`;
  return `CASE WHEN abs(${double}) < ${EXACT_DOUBLE} THEN true
    WHEN ${double} IS NULL THEN ${text} IS NULL
    WHEN regexp_full_match(${text}, '[+-]?[0-9]+(?:[${decimal}]0*)?')
      THEN coalesce(${whole} = TRY_CAST(CAST(${double} AS VARCHAR) AS HUGEINT), false)
    WHEN regexp_full_match(${text}, '[+-]?[0-9]+[${decimal}][0-9]+') THEN false
    ELSE NOT (isinf(${double}) AND regexp_matches(${text}, '[0-9]')) END`;
}

/** SQL that is true for a value of this kind, or for nothing. */
export function holds(rule: TypeRule, column: string): string {
  const text = `trim(${column})`;
  const { isValue, isWide = false } = rule;
  const castsToo = isValue === undefined || isWide ? "" : ` AND ${isValue(text)}`;
  return `(${isLike(rule, column)}${castsToo})`;
}

/** Without what a cast would fail at anyway; `value` is the text as its type, where that is known. */
function isLike({ pattern, isValue, isWide = false }: TypeRule, column: string, value?: string): string {
  const text = `trim(${column})`;
  const fits = `regexp_full_match(${text}, ${quoteText(pattern)})`;
  return isValue === undefined || !isWide ? fits : `(${fits} AND ${isValue(text, value)})`;
}

/** Texts that are numbers only by name. */
const NO_NUMBERS: readonly string[] = ["nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"];

export function isSomeNumber(column: string): string {
  return `(${column} IS NOT NULL AND NOT lower(trim(${column})) IN (${quoteList(NO_NUMBERS).slice(1, -1)}))`;
}
