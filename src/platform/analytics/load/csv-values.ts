import { quoteList, quoteText } from "../../../kernel/sql-text.ts";
import { NO_VALUE_WORDS } from "../../../kernel/values.ts";
import type { DecimalMark } from "./csv-thousands.ts";

/** SQL that is true for a word that means no value. */
export function isNoValueWordSql(column: string): string {
  return `lower(trim(${column})) IN (${NO_VALUE_WORDS.map(quoteText).join(", ")})`;
}

/** SQL that is true for one of these words, and for blanks alone. */
export function isOneOf(column: string, words: readonly string[]): string {
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
export function ruleOf(type: string, decimal: DecimalMark): TypeRule {
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
export function isLike(
  { pattern, isValue, isWide = false }: TypeRule,
  column: string,
  value?: string,
): string {
  const text = `trim(${column})`;
  const fits = `regexp_full_match(${text}, ${quoteText(pattern)})`;
  return isValue === undefined || !isWide ? fits : `(${fits} AND ${isValue(text, value)})`;
}

/** Texts that are numbers only by name. */
const NO_NUMBERS: readonly string[] = ["nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"];

export function isSomeNumber(column: string): string {
  return `(${column} IS NOT NULL AND NOT lower(trim(${column})) IN (${quoteList(NO_NUMBERS).slice(1, -1)}))`;
}
