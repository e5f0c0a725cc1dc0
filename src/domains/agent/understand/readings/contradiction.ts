import { condsOf, isEqual, nodesIn, relConds } from "../../query/parts.ts";
import type { Ask, Cond, Num, Rel, Scope } from "../../query/semantic-query.ts";

type Is = Extract<Cond, { k: "is" }>;

/** Whether a query asks for rows of which a field is this and is something else, so that nothing can be found. */
export function contradictsItself(ask: Ask): boolean {
  const common = ask.k === "table" ? condsOf(ask.scope?.if) : [];
  const rows = nodesIn(ask).map((node) => {
    if (node.k === "where") return relConds(node as Extract<Rel, { k: "where" }>);
    return "scope" in node ? condsOf((node.scope as Scope | undefined)?.if) : [];
  });
  const numbers = ask.k === "table" ? ask.cols.flatMap(ownConds).map((conds) => [...common, ...conds]) : [];
  return [...rows, ...numbers].some((conds) => isNobody(conds.flatMap(ofSameRow)));
}

/** What is said of the rows that each number in it is made of. */
function ownConds(num: Num): Cond[][] {
  if (num.k === "calc") return [...ownConds(num.a), ...ownConds(num.b)];
  if (num.k === "metric") return [condsOf(num.scope?.if)];
  if (num.k !== "agg") return [];
  return [[...condsOf(num.scope?.if), ...(num.in === undefined ? [] : relConds(num.in))]];
}

/** A link along no way leads to the row itself. */
function ofSameRow(cond: Cond): Is[] {
  if (cond.k === "is") return cond.match === "equal" ? [cond] : [];
  return cond.k === "link" && cond.path.length === 0 ? relConds(cond.to).flatMap(ofSameRow) : [];
}

function isNobody(all: readonly Is[]): boolean {
  return all.some((a, i) =>
    all
      .slice(i + 1)
      .some((b) => isEqual(a.key, b.key) && !a.values.some((value) => b.values.includes(value))),
  );
}
