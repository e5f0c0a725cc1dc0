import { nodesIn, opposite, relConds } from "../../query/parts.ts";
import type { Aggregate, Cond, Grain, Key, Num, Rel, Top, Window } from "../../query/semantic-query.ts";
import type { Combined } from "../rules/chart.ts";
import type { By, Place, Sense, TableSense } from "./fragment.ts";

export type RelSense = Extract<Sense, { t: "rel" }>;

export const EMPTY_TABLE: TableSense = {
  cols: [],
  by: [],
  conds: [],
  win: null,
  top: null,
  having: null,
  order: [],
};

export function tableOf(...cols: Num[]): TableSense {
  return { ...EMPTY_TABLE, cols };
}

/** Some entities of a dataset, as a rule made them. */
export function entities(rel: Rel, ds: string, form: RelSense["form"] = "made", isTopped = false): RelSense {
  return { t: "rel", rel, ds, form, isTopped };
}

/** All entities of a dataset, by its noun. */
export function noun(ds: string): RelSense {
  return entities({ k: "all", ds }, ds, "noun");
}

/** A period belongs to what happened then: more likely to an event than to whom it happened. */
export function duringCost({ rel, form }: Pick<RelSense, "rel" | "form">, isEvent: boolean): number {
  if (form === "name") return 2;
  const isLinked = nodesIn(rel).some(({ k, path }) => k === "metric" || path !== undefined);
  if (!isEvent && isLinked) return 1.6;
  if (form === "noun") return 0.4;
  return isEvent ? 0.2 : 0.7;
}

/** "bought in 2024 but not in 2025" */
export function notThen(rel: RelSense, win: Window): Combined[] {
  if (rel.rel.k !== "where" || rel.rel.if.k !== "link" || rel.rel.if.to.k !== "where") return [];
  const { to } = rel.rel.if;
  if (to.if.k !== "during") return [];
  const then: Cond = { ...rel.rel.if, to: { ...to, if: { k: "during", win } } };
  return [made(where(rel, then, true), 0, false)];
}

export function onWeekdays(date: Key, days: string[]): Cond {
  return { k: "is", key: { ...date, part: "weekday" }, values: days, match: "equal" };
}

/** What somebody did is seldom counted or listed itself: rather who did it, or to what. */
export const VERB_COST = 1.2;

/** Of one that is named there is no first one. */
export function firstCost(rel: RelSense): number {
  return (rel.isTopped ? 2 : 0) + (rel.form === "name" ? 3 : 0);
}

export function top(rel: RelSense, by: Num | Key, place: Place): RelSense {
  return { ...rel, rel: { k: "top", in: rel.rel, by, ...placed(place) } };
}

export function placeOf({ dir, n, skip }: Place): Place {
  return { dir, n, skip };
}

export function supBy(sup: Place, by: By): Sense {
  return { t: "supby", by, ...placeOf(sup) };
}

/** How many are wanted; of one place all that share it. */
export function placed({ dir, n, skip }: Place): Omit<Top, "by" | "per"> {
  return { dir, n: n ?? 1, ties: n === null ? "keep" : "cut", skip };
}

export function where(rel: RelSense, cond: Cond, not = false): RelSense {
  return { ...rel, rel: { k: "where", in: rel.rel, if: not ? opposite(cond) : cond } };
}

export function made(rel: RelSense, cost: number, isTopped: boolean): Combined {
  return { sense: { ...rel, form: "made", isTopped }, cost };
}

/** One meaning that words have together. */
export function means(sense: Sense, cost = 0): Combined[] {
  return [{ sense, cost }];
}

export function attr(rel: Rel, ds: string, keys: Key[], cost: number): Combined {
  return { sense: { t: "attr", rel, ds, keys }, cost };
}

export function table(num: Num): Sense {
  return { t: "table", table: tableOf(num) };
}

export function count(rel: Rel): Num {
  return { k: "agg", fn: "count", in: rel };
}

export function aggregate(fn: Aggregate, of: Key, rel: Rel): Num {
  return { k: "agg", fn, of, in: rel };
}

/** That there are any, by a field that says how many there are. */
export function someOf(key: Key): Cond {
  return { k: "cmp", a: key, op: ">", b: { k: "lit", v: 0 } };
}

/** Entities with a clause about what there is of them. */
export function saysWhatTheyDid(rel: Rel): boolean {
  const isDeed = (cond: Cond): boolean =>
    cond.k === "not" ? isDeed(cond.of) : cond.k === "link" && cond.path.some(({ dir }) => dir === "many");
  return relConds(rel).some(isDeed);
}

/** How many periods a window has, where they fill it. */
export function periodsIn({ from, to }: Window, grain: Grain): number | undefined {
  if (from === null || to === null) return undefined;
  const [start, end] = [new Date(`${from.slice(0, 10)}T00:00:00Z`), new Date(`${to.slice(0, 10)}T00:00:00Z`)];
  const days = (end.getTime() - start.getTime()) / 86_400_000;
  if (grain === "day" || grain === "week") return grain === "day" ? days : Math.ceil(days / 7);
  const months =
    (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth();
  const n = months / { month: 1, quarter: 3, year: 12 }[grain];
  return Number.isInteger(n) && n > 1 ? n : undefined;
}
