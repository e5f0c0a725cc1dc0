import type { Cond } from "../../query/semantic-query.ts";
import type { TableSense } from "../senses/fragment.ts";
import { means, type RelSense, where } from "../senses/make.ts";
import { scoped, scopeOf } from "../senses/table-senses.ts";
import type { Combined } from "./chart.ts";
import type { Grammar, Rules } from "./grammar.ts";

type VerbTable = TableSense & { isVerb: true };

function isVerb(table: TableSense): table is VerbTable {
  return table.isVerb === true && table.cols.length === 1 && table.by.length === 0 && table.having === null;
}

/** "without revenue": of what adds up there can be none. */
function isDoable(table: TableSense): boolean {
  const [num] = table.cols;
  return (
    isVerb({ ...table, isVerb: true }) && (table.isVerb === true || num?.k === "metric") && table.win === null
  );
}

/** "drivers who won a race in 2012": those of whom there is one. */
function done(grammar: Grammar, rel: RelSense, table: TableSense, not = false): Combined[] {
  const [num] = table.cols;
  if (!isVerb(table) || num === undefined || table.top !== null) return [];
  if (rel.form === "name" || !grammar.reachedBy(table, rel.ds)) return [];
  const cond: Cond = { k: "cmp", a: scoped(num, scopeOf(table)), op: ">", b: { k: "lit", v: 0 } };
  const made = where(rel, cond, not);
  return means({ ...made, form: "made" }, 0.3);
}

/** Rules for numbers that are said by a verb: "won", "sold". */
export const VERB_RULES: Rules = {
  "rel table": (grammar, rel, { table }) => done(grammar, rel, table),
  "op table": (_grammar, { op }, { table }) =>
    op === "not" && isDoable(table) ? means({ t: "undone", table: { ...table, isVerb: true } }) : [],
  "undone window": (_grammar, { table }, { win }) =>
    table.win === null ? means({ t: "undone", table: { ...table, win } }, 0.1) : [],
  "rel undone": (grammar, rel, { table }) => done(grammar, rel, table, true),
};
