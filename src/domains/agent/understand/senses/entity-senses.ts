import type { Cond, Key, Rel, Window } from "../../query/semantic-query.ts";
import { unitNamed } from "../model/metric-facts.ts";
import type { Combined } from "../rules/chart.ts";
import type { Grammar } from "../rules/grammar.ts";
import { measuredCond } from "../rules/having-rules.ts";
import type { Mod, Place, Quantity, Sense } from "./fragment.ts";
import { aggregate, attr, firstCost, made, means, type RelSense, table, tableOf, top } from "./make.ts";
import { ofEntities } from "./table-senses.ts";

export function measuredBy(grammar: Grammar, own: Key, quantity: Quantity): Combined[] {
  // "closed within 24 hours": how long it took.
  const isTime = grammar.isDate(own) && unitNamed(quantity.unit ?? "") === "time";
  const key = isTime ? (grammar.timeOf(own.ds, quantity.unit ?? null) ?? own) : own;
  if (!grammar.isNumber(key)) return [];
  const cond = measuredCond(grammar, key, quantity);
  return cond === undefined ? [] : means({ t: "cond", ds: key.ds, cond });
}

/** A state with the highest point: every state has one, so it is the highest of them. */
export function first(grammar: Grammar, key: Key): Combined[] {
  const dir = /^(high|max|long|larg|big|most)/.test(key.field)
    ? "max"
    : /^(low|min|short|small|least)/.test(key.field)
      ? "min"
      : null;
  const measure = dir === null ? undefined : grammar.isNumber(key) ? key : grammar.measureOf(key, "high");
  if (dir === null || measure === undefined) return [];
  return means({ t: "mod", mod: { m: "first", dir, by: { k: "key", key: measure }, n: null } }, 0.2);
}

/** A field of everything there is: of numbers the sum, of extremes the most extreme. */
export function ofEverything(grammar: Grammar, key: Key, only: Extract<Mod, { m: "all" }>): Combined[] {
  const cond = grammar.everywhere(key.ds, only);
  if (cond === undefined) return [];
  const all: Rel = { k: "where", in: { k: "all", ds: key.ds }, if: cond };
  const [mod] = first(grammar, key);
  if (mod?.sense.t === "mod" && mod.sense.mod.m === "first" && mod.sense.mod.by.k === "key") {
    const { dir, by } = mod.sense.mod;
    return [attr({ k: "top", in: all, by: by.key, dir, n: 1, ties: "keep" }, key.ds, [key], 0)];
  }
  if (grammar.isNumber(key)) return means(table(aggregate("sum", key, all)), 0.2);
  return [attr(all, key.ds, [key], 0)];
}

/** Higher than the highest point of Texas: what has a higher one. */
export function compared(grammar: Grammar, arg: string, { rel, key }: { rel: Rel; key: Key }): Combined[] {
  const [op, dim] = arg.split(":") as [">" | "<", string];
  const measure = grammar.isNumber(key) ? key : grammar.measureOf(key, dim);
  if (measure === undefined) return [];
  const cond: Cond = { k: "cmp", a: measure, op, b: { k: "agg", fn: "only", of: measure, in: rel } };
  return means({ t: "cond", ds: measure.ds, cond });
}

export function measured(grammar: Grammar, dim: string, mod: Mod): Combined[] {
  if (mod.m === "attr") {
    const key = grammar.measureOf(mod.key, dim);
    return key === undefined ? [] : [attr(mod.rel, mod.ds, [key], 0)];
  }
  if (mod.m !== "to" || mod.not) return [];
  return grammar.dimensions(mod.ds, dim).map((key) => attr(mod.rel, mod.ds, [key], 0));
}

export function neighbours(grammar: Grammar, head: RelSense, other: RelSense, cost: number): Combined[] {
  const mod: Mod = {
    m: "to",
    rel: other.rel,
    ds: other.ds,
    form: other.form,
    paths: null,
    not: false,
    isOf: true,
  };
  return grammar.apply(head, mod).map((each) => ({
    ...each,
    cost: each.cost + (head.ds === other.ds ? 0 : cost),
  }));
}

/** Who is oldest was born first, but has the greatest age. */
function placeIn(grammar: Grammar, key: Key, dim: string | null, place: Place): Place {
  if (dim !== "age" || !grammar.isNumber(key)) return place;
  return { ...place, dir: place.dir === "max" ? "min" : "max" };
}

export function topped(
  grammar: Grammar,
  rel: RelSense,
  { dim, ...place }: Extract<Sense, { t: "sup" }>,
): Combined[] {
  const then =
    rel.verb === undefined || dim !== "date" ? undefined : grammar.schema.datasets.get(rel.ds)?.date;
  // What was ordered has a size, but the biggest order is no part of one.
  if (rel.verb !== undefined && then == null) return [];
  const keys = grammar.dimensions(rel.ds, dim ?? "", place.dir);
  if (keys.length > 0 || then != null)
    return (keys.length > 0 ? keys : [then as Key]).map((key) =>
      made(top(rel, key, placeIn(grammar, key, dim, place)), firstCost(rel), true),
    );
  // The largest order is the one that is worth most.
  const metric = dim === "big" ? grammar.worthOf(rel.ds) : undefined;
  return metric === undefined
    ? []
    : [made(top(rel, { k: "metric", name: metric }, place), firstCost(rel) + 0.2, true)];
}

/** "how many bikes did Emma buy": pieces, and not kinds of them; what is said of the deed is said of what is counted. */
export function piecesSold(grammar: Grammar, rel: RelSense): Combined[] {
  const { pieces: name } = rel;
  if (name === undefined) return [];
  const { things, rows } = apartFromDeed(rel.rel, (deed) => grammar.isMadeOf(name, deed));
  if (rows === undefined) return [];
  const [win = null, ...others] = rows.flatMap((cond): Window[] => (cond.k === "during" ? [cond.win] : []));
  const conds = rows.filter(({ k }) => k !== "during");
  if (others.length > 0) return [];
  return ofEntities(grammar, { ...tableOf({ k: "metric", name }), conds, win }, { ...rel, rel: things }, 0);
}

/** What was sold, and what is said of the rows that tell so; none where they tell it of nothing, or more than once. */
function apartFromDeed(rel: Rel, isMadeOf: (deed: Rel) => boolean): { things: Rel; rows?: Cond[] } {
  if (rel.k !== "where") return { things: rel };
  const { things, rows } = apartFromDeed(rel.in, isMadeOf);
  const isDeed = rel.if.k === "link" && rel.if.count === undefined && rel.if.path.length > 0;
  const own = isDeed && rel.if.k === "link" ? rowsOf(rel.if.to, isMadeOf) : undefined;
  if (own === undefined) return { things: { ...rel, in: things }, ...(rows && { rows }) };
  return rows === undefined ? { things, rows: own } : { things };
}

/** What is said of some rows beside what a number takes them by anyway. */
function rowsOf(rel: Rel, isMadeOf: (deed: Rel) => boolean): Cond[] | undefined {
  if (isMadeOf(rel)) return [];
  if (rel.k !== "where") return undefined;
  const rows = rowsOf(rel.in, isMadeOf);
  return rows && [...rows, rel.if];
}
