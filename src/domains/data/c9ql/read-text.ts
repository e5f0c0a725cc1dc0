import { AppError, isAppError } from "../../../kernel/errors.ts";
import { quoteText } from "../../../kernel/sql-text.ts";
import type { Expression } from "./ast.ts";
import { DATE_TEXT_FORMATS } from "./date-text.ts";
import { printExpression } from "./print.ts";

/**
 * How texts in the data are read as numbers and dates. Nulls and empty texts count as nothing. Any other text that
 * cannot be read fails the query: left out without a word, it would make a total wrong that looks right.
 */

/** Most of a field's name and of a text that an error shows. */
const SHOWN_FIELD = 100;
const SHOWN_TEXT = 40;

/** What marks an error as ours among the engine's. */
const DATA_ERROR = "C9QL: ";
const ENGINE_WORDS = `Invalid Input Error: ${DATA_ERROR}`;

/** The SQL of a text as a number; `otherwise` is the SQL of what an unreadable text gives. */
export function numberSql(node: Expression, text: string, otherwise = notNumbers(node, text)): string {
  const number = `TRY_CAST(${text} AS DOUBLE)`;
  // A single text nan or inf would make the whole sum one.
  return `CASE WHEN isfinite(${number}) THEN ${number} WHEN trim(${text}) <> '' THEN ${otherwise} END`;
}

function notNumbers(node: Expression, text: string): string {
  const field = shown(node);
  return failure(
    `${field} has texts that are not numbers, such as "`,
    text,
    `". Take away what is too much with regex_replace(${field}, ',', ''), leave such texts out with ` +
      `number(${field}, null), or import the data again with its number format.`,
  );
}

/** The SQL of a text as a timestamp. */
export function momentSql(node: Expression, text: string): string {
  const bare = `trim(${text})`;
  const shapes = Object.entries(DATE_TEXT_FORMATS).map(([sign, formats]) => {
    const list = formats.map(quoteText).join(", ");
    const when = sign === "" ? "ELSE" : `WHEN contains(${bare}, ${quoteText(sign)}) THEN`;
    return `${when} try_strptime(${bare}, [${list}])`;
  });
  // Reading a text in vain takes ten times as long, so its sign tells which patterns are tried.
  const read = `TRY_CAST(${bare} AS TIMESTAMP), CASE ${shapes.join(" ")} END`;
  return `CASE WHEN ${bare} <> '' THEN coalesce(${read}, ${notDates(node, text)}) END`;
}

function notDates(node: Expression, text: string): string {
  const field = shown(node);
  return failure(
    `${field} has texts that are not understood as dates, such as "`,
    text,
    `". Say how they are written with str_to_date(${field}, 'dd/MM/yy'), which is null where it does not fit; ` +
      "to look for a text, use like.",
  );
}

/**
 * The largest or smallest text. Of numbers it would be the wrong one ("999" comes after "1000"), so it is refused
 * where that can happen: if the last text is a number, and the texts are neither all the same nor all digits of the
 * same length.
 */
export function extremeText(name: "min" | "max", node: Expression, text: string, over: string): string {
  const last = `max(${text})${over}`;
  const filled = `nullif(${text}, '')`;
  const size = `length(${filled})`;
  const digits = `bool_and(regexp_full_match(${text}, '[0-9]*'))${over}`;
  const lengths = `min(${size})${over} <> max(${size})${over}`;
  const differ = `min(${filled})${over} <> ${last} AND (${lengths} OR NOT ${digits})`;
  const field = shown(node);
  const refusal = failure(
    `${field} is a text column that holds numbers, such as "`,
    last,
    `". Write ${name}(number(${field})).`,
  );
  const isMisleading = `isfinite(TRY_CAST(${last} AS DOUBLE)) AND ${differ}`;
  return `CASE WHEN ${isMisleading} THEN ${refusal} ELSE ${name}(${text})${over} END`;
}

function shown(node: Expression): string {
  const printed = printExpression(node);
  return printed.length > SHOWN_FIELD ? `${printed.slice(0, SHOWN_FIELD - 1).toWellFormed()}…` : printed;
}

/** DuckDB does not evaluate this before it must, nor for rows that another condition leaves out. */
function failure(before: string, text: string, after: string): string {
  return `error(concat(${quoteText(DATA_ERROR + before)}, left(${text}, ${SHOWN_TEXT}), ${quoteText(after)}))`;
}

/** An error of the engine; if it is what a query says of its data, without the engine's words. */
export function asQueryError(error: unknown): unknown {
  if (!isAppError(error) || !error.message.startsWith(ENGINE_WORDS)) return error;
  const message = DATA_ERROR + error.message.slice(ENGINE_WORDS.length);
  return new AppError("bad_request", message, { cause: error });
}
