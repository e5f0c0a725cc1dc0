import { refuse } from "../refusal.ts";
import { tokenAt } from "./tokens.ts";

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
