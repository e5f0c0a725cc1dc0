import { refuse } from "../tree.ts";

/** A token of SQL, as far as one has to know to find the first words: where it is, and what it is if it is a word. */
export interface Token {
  start: number;
  end: number;
  /** A word without quotes in lower case, or the character itself. */
  text: string;
}

/** What DuckDB takes for space somewhere, tried on all characters. */
const SPACE = /[\t\n\v\f\r \u00a0\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]/;
const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_$]*/uy;

/** The token at or after a place; undefined at the end of the text, or in a comment that does not end. */
export function tokenAt(sql: string, from: number): Token | undefined {
  const start = skipSpace(sql, from);
  if (start === undefined || start >= sql.length) return undefined;
  WORD.lastIndex = start;
  const word = WORD.exec(sql)?.[0];
  if (word === undefined) return { start, end: start + 1, text: sql[start] as string };
  return { start, end: start + word.length, text: word.toLowerCase() };
}

function skipSpace(sql: string, from: number): number | undefined {
  let at: number | undefined = from;
  while (at !== undefined && at < sql.length) {
    if (SPACE.test(sql[at] as string)) at += 1;
    else if (sql.startsWith("--", at)) at = endOfLine(sql, at);
    else if (sql.startsWith("/*", at)) at = endOfComment(sql, at);
    else return at;
  }
  return at;
}

function endOfLine(sql: string, from: number): number {
  const length = sql.slice(from).search(/[\r\n]/);
  return length === -1 ? sql.length : from + length;
}

/** Comments nest, as in PostgreSQL. */
function endOfComment(sql: string, from: number): number | undefined {
  let depth = 0;
  let at = from;
  do {
    if (sql.startsWith("/*", at)) {
      depth += 1;
      at += 2;
    } else if (sql.startsWith("*/", at)) {
      depth -= 1;
      at += 2;
    } else {
      at += 1;
    }
    if (at > sql.length) return undefined;
  } while (depth > 0);
  return at;
}

/** Words that a SELECT in brackets can begin with; anything else in brackets after EXPLAIN is its options. */
const BEGINNINGS = new Set(["select", "with", "from", "values", "table", "pivot", "unpivot", "("]);

/**
 * Takes a leading EXPLAIN off, since the parser has a tree for SELECTs only. The rest is parsed like anything else,
 * so that it does not matter here what it is; only the words which would turn the EXPLAIN into something else do.
 */
export function peelExplain(sql: string): { sql: string; isExplain: boolean } {
  const first = tokenAt(sql, 0);
  if (first?.text !== "explain") return { sql, isExplain: false };
  const second = tokenAt(sql, first.end);
  if (second?.text === "analyze" || second?.text === "analyse") throw analyze();
  if (second?.text === "explain") {
    throw refuse("explain", "forbidden", "EXPLAIN of an EXPLAIN is not allowed.", "Send EXPLAIN SELECT …");
  }
  if (second?.text === "(") checkBracket(sql, second.end);
  return { sql: sql.slice(first.end), isExplain: true };
}

function checkBracket(sql: string, from: number): void {
  const word = tokenAt(sql, from)?.text ?? "";
  if (BEGINNINGS.has(word)) return;
  if (word === "analyze" || word === "analyse") throw analyze();
  throw refuse("explain", "forbidden", "EXPLAIN with options is not allowed.", "Send EXPLAIN SELECT …");
}

function analyze(): Error {
  return refuse(
    "explain",
    "forbidden",
    "EXPLAIN ANALYZE is not allowed, because it runs the statement.",
    "Send EXPLAIN SELECT … for the plan, or the SELECT itself for its rows.",
  );
}
