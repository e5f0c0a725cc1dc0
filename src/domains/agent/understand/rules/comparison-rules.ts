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

/** Some, and all others. */
function apart(ds: string, cond: Cond): Extract<Sense, { t: "sides" }> {
  return { t: "sides", ds, sides: [cond, { k: "not", of: cond }] };
}

/** A number of each of several sides, beside each other. */
function inSides(
  grammar: Grammar,
  table: TableSense,
  { ds, sides }: Extract<Sense, { t: "sides" }>,
): Combined[] {
  const [num, ...others] = table.cols;
  if (num === undefined || others.length > 0 || !grammar.reachedBy(table, ds)) return [];
  const [first] = sides;
  const far = first?.k === "is" && grammar.isFarther(table, first.key) ? FAR_COST : 0;
  return [asTable({ ...table, cols: sides.map((side) => scoped(num, { if: side })) }, far)];
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
  // "share of refunds in revenue"
  "share table": (grammar, { table, rel }, { table: whole }) => {
    const [a, b] = [table.cols[0], whole.cols[0]];
    const isPlain = rel === null && whole.by.length === 0 && whole.having === null && whole.top === null;
    if (!isPlain || a?.k !== "metric" || b?.k !== "metric" || a.name === b.name) return [];
    if (grammar.isAverage(a.name) || grammar.isAverage(b.name)) return [];
    // Of money no number of things is a part.
    if (grammar.isCounting(a.name) !== grammar.isCounting(b.name)) return [];
    return [
      asTable(
        {
          ...whole,
          conds: [...table.conds, ...whole.conds],
          win: whole.win ?? table.win,
          cols: [{ k: "calc", op: "/", a, b }],
        },
        0.1,
      ),
    ];
  },
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
  // "with the newsletter vs without", "Germany vs the rest"
  "versus op": (_grammar, { ds, cond, isAnd }, { op, arg }) => {
    if (isAnd || (op !== "not" && op !== "rest")) return [];
    if (op === "rest" && arg !== undefined && !(cond.k === "is" && JSON.stringify(cond.key) === arg))
      return [];
    if (op === "not" && cond.k === "is" && cond.values[0] === true)
      return means({ t: "among", ds, cond: { ...cond, values: [true, false] }, key: cond.key }, -0.2);
    return means(apart(ds, cond));
  },
  // "orders with a sales rep vs …"
  "rel op": (_grammar, rel, op) => {
    if (op.op === "versus" && rel.form === "made" && !rel.isTopped)
      return means({ t: "versus", ds: rel.ds, cond: condOf(rel), isAnd: false }, 0.1);
    // "orders without one"
    return op.op === "rest" && rel.rel.k === "all" && rel.form === "noun" ? means(op) : [];
  },
  // "all other countries"
  "op field": (grammar, other, { key }) =>
    other.op === "rest" && grammar.isLabel(key) ? means({ ...other, arg: JSON.stringify(key) }) : [],
  // "other customers"
  "op rel": (_grammar, other, rel) =>
    other.op !== "rest" || rel.form === "name"
      ? []
      : [...(rel.rel.k === "all" ? means(other) : []), { sense: rel, cost: 0.2 }],
  "table sides": (grammar, { table }, sides) => inSides(grammar, table, sides),
  "sides table": (grammar, sides, { table }) => inSides(grammar, table, sides),
  // "a higher basket value than our other customers"
  "outdo than": (_grammar, { table }, { isRest }) => (isRest === true ? means({ t: "apart", table }) : []),
  "cond apart": (grammar, { ds, cond }, { table }) => inSides(grammar, table, apart(ds, cond)),
  "rel apart": (grammar, rel, { table }) =>
    rel.rel.k === "all" ? [] : inSides(grammar, table, apart(rel.ds, condOf(rel))),
  // "than other customers"
  "op op": (_grammar, left, right) =>
    left.op === "than" && right.op === "rest"
      ? means({ t: "than", win: null, cond: null, ds: null, isRest: true })
      : [],
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
