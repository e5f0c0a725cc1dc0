import { isPartOf } from "../query/same-number.ts";
import type { Schema } from "../query/schema.ts";
import { type Cond, isKey, type Key, type Num } from "../query/semantic-query.ts";

/** Whether this number of no rows is 0: a sum or a count is, an average or a minimum of nothing is not known. */
function isNoneOfNothing(schema: Schema, num: Num): boolean {
  switch (num.k) {
    case "metric": {
      const { only } = schema.metrics.get(num.name)?.formula ?? {};
      return only !== undefined && (only.isCount || only.fn === "sum");
    }
    case "agg":
    case "each":
      return num.fn === "count" || num.fn === "distinct" || num.fn === "sum";
    default:
      return false;
  }
}

/** Whether this number is 0 where there are no rows: sums and counts are, and what is added up of them. */
export function isZeroOfNothing(schema: Schema, num: Num): boolean {
  if (num.k === "calc") {
    const isFactor = (num.op === "*" || num.op === "/") && num.b.k === "lit";
    const isSum = (num.op === "+" || num.op === "-") && isZeroOfNothing(schema, num.b);
    return (isFactor || isSum) && isZeroOfNothing(schema, num.a);
  }
  if (num.k !== "metric") return isNoneOfNothing(schema, num);
  const { texts = [], aggregates = [] } = schema.metrics.get(num.name)?.formula ?? {};
  const isSum = aggregates.every(({ fn, isCount }) => isCount || fn === "sum");
  return isSum && texts.every((text) => /^[\s()+-]*$/.test(text));
}

/** Whether two numbers are the same sum or count of different rows: who had none then had 0, and less than now. */
export function areAlike(schema: Schema, a: Num | Key, b: Num | Key): boolean {
  if (isKey(a) || isKey(b)) return false;
  return isPartOf(a, b) && isNoneOfNothing(schema, a) && isNoneOfNothing(schema, b);
}

/** The numbers of a group that are compared with each other, each of which may be none. */
export function alikeIn(schema: Schema, cond: Cond | undefined): Num[] {
  if (cond === undefined) return [];
  if (cond.k === "and" || cond.k === "or") return cond.of.flatMap((each) => alikeIn(schema, each));
  if (cond.k !== "cmp" || !areAlike(schema, cond.a, cond.b)) return [];
  return [cond.a, cond.b].flatMap((side) => (isKey(side) || isWhole(side) ? [] : [side]));
}

function isWhole(num: Num): boolean {
  return "scope" in num && num.scope?.whole === true;
}

/** Whether a group has any number; a count of 0 is none, and what is merely known of it does not bring it in. */
export function isSomething(cols: readonly Num[], numbers: readonly string[]): string {
  const known = numbers.filter((_, i) => !["running", "lit", "day", "field"].includes(cols[i]?.k ?? ""));
  if (known.length === 0) return "true";
  return `(${known.map((sql) => (/^coalesce\(n\d+, 0\)$/.test(sql) ? `${sql} > 0` : `${sql} IS NOT NULL`)).join(" OR ")})`;
}
