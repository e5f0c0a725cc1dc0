import { isEqual } from "../../query/parts.ts";
import type { Cond, Key, Num } from "../../query/semantic-query.ts";
import { compared } from "../senses/comparison-senses.ts";
import { condOf } from "../senses/conditions.ts";
import type { Mod, Sense, TableSense } from "../senses/fragment.ts";
import { count, entities, means } from "../senses/make.ts";
import {
  asTable,
  FAR_COST,
  grouped,
  isAny,
  limited,
  more,
  ofTables,
  scoped,
  shareOfWhole,
} from "../senses/table-senses.ts";
import type { Combined } from "./chart.ts";
import type { Grammar, Rules } from "./grammar.ts";

/** "Kitchen and Audio" together, "Kitchen vs Audio" side by side. */
function beside({ ds, cond, isAnd, isEach }: Extract<Sense, { t: "versus" }>, other: Cond): Combined[] {
  if (cond.k !== "is" || other.k !== "is" || !isEqual(cond.key, other.key))
    // "not in Bern or Rome" is neither.
    return isAnd && isEach !== true && cond.k !== "not"
      ? means({ t: "cond", ds, cond: eitherOf(cond, other) }, 0.2)
      : [];
  const both: Cond = { ...cond, values: [...cond.values, ...other.values], all: isEach };
  if (isAnd) return means({ t: "cond", ds, cond: both });
  return means({ t: "among", ds, cond: both, key: cond.key });
}

/** "in Germany or of brand Luma": what has the one or the other. */
function eitherOf(one: Cond, other: Cond): Cond {
  return { k: "or", of: [...(one.k === "or" ? one.of : [one]), ...(other.k === "or" ? other.of : [other])] };
}

/** "enterprise revenue and consumer revenue": one number, of each. */
export function ofEach(left: TableSense, right: TableSense): Combined[] {
  const [a, ...more] = left.conds;
  const [b, ...others] = right.conds;
  const isOne = more.length === 0 && others.length === 0 && right.by.length === 0;
  if (!isOne || a?.k !== "is" || b?.k !== "is" || !isEqual(a.key, b.key)) return [];
  if (left.win !== null && right.win !== null) return [];
  const cond: Cond = { ...a, values: [...a.values, ...b.values] };
  const table = { ...right, win: right.win ?? left.win, conds: [cond], by: [a.key] };
  return means({ t: "table", table });
}

export function shareOf(
  grammar: Grammar,
  { table, rel, ds }: Extract<Sense, { t: "share" }>,
  mod: Mod,
): Combined[] {
  const [num] = table.cols;
  if (num === undefined) return [];
  if (rel !== null && ds !== null) {
    return grammar.apply(entities(rel, ds, "noun"), mod).flatMap(({ sense, cost }) => {
      if (sense.t !== "rel") return [];
      const part: Num = count(sense.rel);
      return [asTable({ ...table, cols: [{ k: "calc", op: "/", a: part, b: num }] }, cost)];
    });
  }
  return ofTables(limited(grammar, { ...table, conds: [] }, mod), ({ conds: [own] }) => {
    if (own === undefined || (isAny(own) && table.conds.length > 0)) return [];
    const part = scoped(num, { if: own });
    return [asTable({ ...table, cols: [{ k: "calc", op: "/", a: part, b: num }] }, 0)];
  });
}

function among(
  grammar: Grammar,
  table: TableSense,
  { ds, cond, key }: { ds: string; cond: Cond; key: Key },
): Combined[] {
  if (!grammar.reachedBy(table, ds)) return [];
  const far = grammar.isFarther(table, key) ? FAR_COST : 0;
  return [asTable({ ...table, conds: [...table.conds, cond], by: [...table.by, key] }, far)];
}

/** Rules for shares, and for numbers beside each other. */
export const COMPARISON_RULES: Rules = {
  "share cond": (grammar, share, { ds, cond }) => shareOf(grammar, share, { m: "is", ds, cond }),
  // "online's share of turnover"
  "cond share": (grammar, { ds, cond }, share) => shareOf(grammar, share, { m: "is", ds, cond }),
  "rel share": (grammar, { rel, ds, form }, share) =>
    rel.k === "all" ? [] : shareOf(grammar, share, { m: "to", rel, ds, form, paths: null, not: false }),
  // "what fraction of the tracks are Latin", "of the wins went to Italians"
  "share rel": (grammar, share, { rel, ds, form }) =>
    rel.k === "all" ? [] : shareOf(grammar, share, { m: "to", rel, ds, form, paths: null, not: false }),
  "by share": (grammar, { keys, by }, { table, rel }) =>
    by === null
      ? grouped(grammar, shareOfWhole(table), keys).map((each) => more(each, rel?.k === "where" ? 0.5 : 0))
      : [],
  "share by": (grammar, { table, rel }, { keys, by }) =>
    by !== null
      ? []
      : // Of a part that was said already, the share is seldom that of each group in it.
        grouped(grammar, shareOfWhole(table), keys).map((each) =>
          more(each, table.conds.length > 0 || rel?.k === "where" ? 0.8 : 0),
        ),
  // "in both 2024 and 2025"
  "op windows": (_grammar, { op }, { wins }) => {
    if (op === "both") return means({ t: "mod", mod: { m: "both", wins } }, -0.4);
    return op === "prep" ? means({ t: "windows", wins }) : [];
  },
  "table windows": (_grammar, { table }, { wins }) => compared(table, wins),
  "windows table": (_grammar, { wins }, { table }) => compared(table, wins),
  "cond op": (_grammar, { ds, cond }, { op }) =>
    op === "versus" || op === "or" || op === "and" || op === "comma"
      ? means({
          t: "versus",
          ds,
          cond,
          isAnd: op !== "versus",
          isEach: op === "and" || op === "comma" || undefined,
        })
      : [],
  "versus cond": (_grammar, left, { cond }) => beside(left, cond),
  "versus mod": (_grammar, left, { mod }) => (mod.m === "is" ? beside(left, mod.cond) : []),
  // "orders with a sales rep vs …"
  "rel op": (_grammar, rel, op) => {
    if (op.op === "versus" && rel.form === "made" && !rel.isTopped)
      return means({ t: "versus", ds: rel.ds, cond: condOf(rel), isAnd: false }, 0.1);
    // "orders without one"
    return op.op === "rest" && rel.rel.k === "all" && rel.form === "noun" ? means(op) : [];
  },
  // "other customers"
  "op rel": (_grammar, other, rel) =>
    other.op !== "rest" || rel.form === "name"
      ? []
      : [...(rel.rel.k === "all" ? means(other) : []), { sense: rel, cost: 0.2 }],
  "versus number": (_grammar, { ds, cond, isAnd }, { value }) =>
    isAnd && cond.k === "is" && typeof cond.values[0] === "number"
      ? means({ t: "cond", ds, cond: { ...cond, values: [...cond.values, value] } })
      : [],
  "among table": (grammar, { ds, cond, key }, { table }) => among(grammar, table, { ds, cond, key }),
  "table among": (grammar, { table }, { ds, cond, key }) => among(grammar, table, { ds, cond, key }),
  // "Germany vs Austria vs Switzerland"
  "among op": (_grammar, { ds, cond }, { op }) =>
    op === "versus" || op === "comma" || op === "and" ? means({ t: "versus", ds, cond, isAnd: false }) : [],
};
