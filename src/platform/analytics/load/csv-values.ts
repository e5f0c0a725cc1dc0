import { NO_VALUE_WORDS } from "../../../kernel/no-value-words.ts";
import { quoteList, quoteText } from "../../../kernel/sql-text.ts";
import type { DecimalMark } from "./csv-thousands.ts";

/** SQL that is true for a word that means no value. */
export function isNoValueWordSql(column: string): string {
  return `lower(trim(${column})) IN (${NO_VALUE_WORDS.map(quoteText).join(", ")})`;
}

/** SQL for a text column without the words that mean no value in it, and without blanks alone. */
export function withoutWords(column: string, words: readonly string[]): string {
  return `CASE WHEN trim(${column}) IN (${["", ...words].map(quoteText).join(", ")}) THEN NULL ELSE ${column} END`;
}

/** A type, and which texts are values of it. */
interface TypeRule {
  type: string;
  /** For JavaScript and for DuckDB. */
  pattern: string;
  /** SQL besides the pattern. */
  isValue?: (text: string) => string;
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
  const number = `(?:(?:-?(?:0|[1-9][0-9]*)|[+](?:0|[1-9][0-9]{0,6}))${fraction}|[+-]?[${decimal}][0-9]+)${exponent}`;
  const special = "[nN][aA][nN]|[+-]?(?:[iI][nN][fF]|[iI]nfinity)";
  return [
    { type: "BOOLEAN", pattern: "[tT][rR][uU][eE]|[fF][aA][lL][sS][eE]" },
    {
      type: "BIGINT",
      pattern: "-?(?:0|[1-9][0-9]{0,18})|[+](?:0|[1-9][0-9]{0,6})",
      isValue: castable("BIGINT"),
    },
    { type: "DECIMAL(38,0)", pattern: "-?(?:0|[1-9][0-9]{0,37})|[+](?:0|[1-9][0-9]{0,6})" },
    { type: "DOUBLE", pattern: `${number}|${special}`, isValue: (text) => isDouble(text, decimal) },
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

/** Too long a whole number would lose digits, and belongs to the type before. */
function isDouble(text: string, decimal: DecimalMark): string {
  const plain = decimal === "," ? `replace(${text}, ',', '.')` : text;
  return `(TRY_CAST(${plain} AS DOUBLE) IS NOT NULL AND NOT (length(${text}) > 38 AND regexp_full_match(${text}, '[+-]?[0-9]+')))`;
}

/** SQL that is true for a value of this kind, or for nothing. */
export function holds({ pattern, isValue }: TypeRule, column: string): string {
  const text = `trim(${column})`;
  const fits = `regexp_full_match(${text}, ${quoteText(pattern)})`;
  return `(${fits}${isValue === undefined ? "" : ` AND ${isValue(text)}`})`;
}

/** Texts that are numbers only by name. */
const NO_NUMBERS: readonly string[] = ["nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"];

export function isSomeNumber(column: string): string {
  return `(${column} IS NOT NULL AND NOT lower(trim(${column})) IN (${quoteList(NO_NUMBERS).slice(1, -1)}))`;
}
