import { AppError, isAppError } from "../../../kernel/errors.ts";
import {
  type Column,
  compile,
  parse,
  parseCondition,
  print,
  printExpression,
  type RowQuery,
  rowCondition,
} from "../../data/index.ts";
import { readPlainLanguage } from "./plain-language.ts";

const SHOWN_COLUMNS = 30;

/** A condition that was understood: C9QL, and what it says in words. */
interface Understood {
  c9ql: string;
  sentence: string;
}

interface Source {
  name: string;
  columns: readonly Column[];
}

/**
 * What an alert's condition means over these columns: a C9QL query whose rows are those that match. A text that is C9QL
 * is taken as such, any other is read as plain language.
 */
export function readCondition(text: string, source: Source): Understood {
  const trimmed = text.trim();
  const asC9ql = tryC9ql(trimmed, source.columns);
  if (!isAppError(asC9ql)) return { c9ql: print(asC9ql), sentence: sentenceOf(trimmed, asC9ql) };
  const understood = readPlainLanguage(trimmed, source);
  if (understood !== undefined) {
    const { query, sentence } = understood;
    assertCompiles(query, source.columns);
    return { c9ql: print(query), sentence };
  }
  if (looksLikeC9ql(trimmed)) throw asC9ql;
  throw notUnderstood(source);
}

/** As a condition in plain language is said back; one on all rows together, or a query, is said as it was given. */
function sentenceOf(text: string, query: RowQuery): string {
  const oneLine = text.replace(/\s+/g, " ").replace(/^where |;$/gi, "");
  const condition = rowCondition(query);
  if (condition !== undefined) return `any row where ${printExpression(condition).replace(/\s+/g, " ")}`;
  return isQuery(text) ? `this finds rows: ${oneLine}` : oneLine;
}

function isQuery(text: string): boolean {
  return /^select\b|;|\b(?:group|order) by\b|\blimit \d+$/i.test(text);
}

/** The query that it is, or why it is no C9QL. */
function tryC9ql(text: string, columns: readonly Column[]): RowQuery | AppError {
  try {
    const query = isQuery(text) ? parse(text, { columns }) : parseCondition(text, { columns });
    assertCompiles(query, columns);
    return query;
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
}

function assertCompiles(query: RowQuery, columns: readonly Column[]): void {
  compile(query, { columns, source: '"rows"', now: new Date(0), timezone: "UTC" });
}

function looksLikeC9ql(text: string): boolean {
  return /^(?:select|where)\b|[<>=;(]/i.test(text);
}

function notUnderstood({ columns }: Source): AppError {
  const names = columns.slice(0, SHOWN_COLUMNS).map(({ name }) => name);
  const more = columns.length > SHOWN_COLUMNS ? ", …" : "";
  const numeric = columns.find(({ type }) => /INT|DOUBLE|DECIMAL|FLOAT/.test(type))?.name;
  const example =
    numeric === undefined ? "the number of rows is below 50" : `the sum of ${numeric} is over 1000`;
  return new AppError("bad_request", "The condition was not understood.", {
    hint: `The columns are ${names.join(", ")}${more}. Say one comparison, such as "${example}", or write C9QL, such as ${numeric ?? names[0]} > 50.`,
  });
}
