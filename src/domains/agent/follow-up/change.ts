import { isAdditive } from "../explain/view.ts";
import { condsOf, datasetIn, isEqual, relConds, swapped } from "../query/parts.ts";
import { isPartOf } from "../query/same-number.ts";
import type { Schema } from "../query/schema.ts";
import {
  type Ask,
  type Comparison,
  type Cond,
  isKey,
  type Key,
  type Num,
  type Window,
} from "../query/semantic-query.ts";
import { isYearly } from "../query/years-apart.ts";
import {
  areDated,
  exchanged,
  isMadeOf,
  joined,
  type List,
  narrowed,
  onlyBase,
  rebased,
  rescoped,
  type Table,
  undated,
  windowOf,
  windowsIn,
  withConds,
  withoutWindow,
} from "./parts.ts";
import { about, countedSet, countsThings, ofAnyTime } from "./referent.ts";
import { asLag } from "./that-time.ts";

/** One thing that is said of the query before; a follow-up is a list of them. */
export type Change =
  /** Other numbers, in the place of those before or beside them. */
  | { k: "number"; cols: Num[]; adds: boolean }
  /** What becomes of a number: its growth, its share, it in two periods. */
  | { k: "become"; of: Num; cols: Num[] }
  | { k: "group"; by: Key[]; adds: boolean }
  | { k: "period"; win: Window }
  | { k: "where"; conds: Cond[]; excludes: boolean }
  /** No longer limited to some values of a field, and no longer told apart by it either. */
  | { k: "free"; key: Key; isGroup: boolean }
  /** Another number to be above or below of. */
  | { k: "threshold"; op: Comparison; value: number }
  /** The same of what is counted, and not of all numbers. */
  | { k: "counted"; conds: Cond[]; excludes: boolean }
  /** Which groups, and in which order, by `of` or what is in its place. */
  | ({ k: "choose"; of?: Num } & Pick<Table, "top" | "having" | "order">)
  /** Also what was left out by its place or its number. */
  | { k: "all" }
  /** One number of all groups. */
  | { k: "total" }
  /** Each part of the whole. */
  | { k: "share" }
  /** How much of a number that is; without one, how much of it is under conditions. */
  | { k: "ratio"; over: Num }
  | { k: "part"; conds: Cond[] }
  /** How many there are, and who. */
  | { k: "count" }
  | { k: "names" }
  /** Something else of the same entities. */
  | { k: "show"; keys: Key[] };

type Of<K extends Change["k"]> = Extract<Change, { k: K }>;

/** A query with all changes made to it; undefined where one cannot be made as it was said. */
export function apply(ask: Ask, changes: readonly Change[], schema: Schema): Ask | undefined {
  return changes.reduce<Ask | undefined>((made, change) => {
    if (made === undefined) return undefined;
    return made.k === "list" ? onList(made, change, schema) : onTable(made, change, schema);
  }, ask);
}

function onList(ask: List, change: Change, schema: Schema): Ask | undefined {
  const { limit: _, ...rest } = ask;
  switch (change.k) {
    case "where":
    case "counted":
      return limited(ask, change, () => ({ ...ask, rel: narrowed(ask.rel, change.conds, change.excludes) }));
    case "threshold":
      return withThreshold(ask, change);
    case "period": {
      const { cols: [num] = [], scope: { win } = {} } = within(countOf(ask), change.win, schema) ?? {};
      if (num?.k !== "agg" || num.in === undefined) return undefined;
      return { ...ask, rel: win === undefined ? num.in : narrowed(num.in, [{ k: "during", win }]) };
    }
    case "all":
      return rest;
    case "count":
      return countOf(ask);
    case "number":
      return asTable(ask, change.cols);
    case "choose":
      return change.order === undefined ? undefined : { ...ask, order: change.order };
    case "show":
      return { ...rest, show: change.keys };
    default:
      return undefined;
  }
}

export function countOf({ rel }: List): Table {
  return { k: "table", by: [], cols: [{ k: "agg", fn: "count", in: rel }] };
}

/** Entities with a number are a table of it. */
function asTable({ rel, show: [key, ...more] }: List, cols: Num[]): Table | undefined {
  if (key === undefined || more.length > 0 || key.path !== undefined || cols.some(isKey)) return undefined;
  return { k: "table", by: [key], cols, scope: { if: { k: "link", at: key.ds, path: [], to: rel } } };
}

function onTable(ask: Table, change: Change, schema: Schema): Ask | undefined {
  switch (change.k) {
    case "number":
      return withNumber(ask, change, schema);
    case "become":
      return withCols(ask, change, schema);
    case "group":
      return groupedBy(ask, change);
    case "period":
      return within(ask, change.win, schema);
    case "where":
      // Of one group alone the share is all.
      if (isShare(ask.cols[0]) && change.conds.some((cond) => ask.by.some((key) => isOn(cond, key))))
        return undefined;
      return limited(ask, change, () =>
        withConds(ask, joined(condsOf(ask.scope?.if), change.conds, change.excludes)),
      );
    case "counted":
      return limited(ask, change, () => withCounted(ask, change));
    case "free":
      return freed(ask, change, schema);
    case "threshold":
      return withThreshold(ask, change);
    case "choose":
      return chosen(ask, change);
    case "all": {
      const { top: _, having: __, ...all } = ask;
      return all;
    }
    case "total": {
      const { fill: _, order: __, ...all } = ask;
      // Of the first ones alone there is none.
      return ask.top === undefined && ask.having === undefined ? { ...all, by: [] } : undefined;
    }
    case "share":
      return shared(ask, schema);
    case "ratio":
      return over(ask, change.over, schema);
    case "part":
      return part(ask, change.conds);
    case "names":
      return namesOf(ask, schema);
    case "show":
    case "count":
      return undefined;
  }
}

/** Those that were counted. */
function namesOf({ by, cols: [num, ...others], scope }: Table, { datasets }: Schema): List | undefined {
  const rel = num?.k === "agg" && num.fn === "count" && others.length + by.length === 0 ? num.in : undefined;
  const ds = rel && datasetIn(rel);
  const field = ds === undefined ? undefined : datasets.get(ds)?.nameField;
  if (rel === undefined || ds === undefined || field == null) return undefined;
  const during: Cond[] = scope?.win === undefined ? [] : [{ k: "during", win: scope.win }];
  return { k: "list", rel: narrowed(rel, [...condsOf(scope?.if), ...during]), show: [{ ds, field }] };
}

/** Another value of a field that was asked for, wherever that was; or one condition more. */
function limited<A extends Ask>(
  ask: A,
  { conds: [only, ...others], excludes }: Of<"where" | "counted">,
  more: () => A | undefined,
): A | undefined {
  const isOne = only?.k === "is" && others.length === 0 && !excludes;
  return (isOne ? exchanged(ask, only) : undefined) ?? more();
}

function freed(ask: Table, { key, isGroup }: Of<"free">, schema: Schema): Table | undefined {
  const [num] = ask.cols;
  const part = num?.k === "calc" && isShare(num) && "scope" in num.a ? condsOf(num.a.scope?.if) : [];
  // "all segments" after the share of one of them: the share of each.
  if (num?.k === "calc" && part.length === 1 && part[0]?.k === "is" && isSameGroup(part[0].key, key))
    return shared({ ...ask, by: [...ask.by, key], cols: [num.b] }, schema);
  const isOwn = (other: Key) => other.ds === key.ds && other.field === key.field;
  const conds = condsOf(ask.scope?.if).filter((cond) => {
    const of = cond.k === "not" ? cond.of : cond;
    return of.k !== "is" || !isOwn(of.key);
  });
  return { ...withConds(ask, conds), by: isGroup ? ask.by.filter((each) => !isOwn(each)) : ask.by };
}

/** In the place of the one number that something was compared with. */
function withThreshold<A extends Ask>(ask: A, { op, value }: Of<"threshold">): A | undefined {
  let found = 0;
  const next = swapped(ask, (part) => {
    const { k, b, n } = part as { k?: string; b?: { k?: string; unit?: string }; n?: number };
    if ((k !== "cmp" || b?.k !== "lit") && !("op" in part && n !== undefined)) return undefined;
    found += 1;
    return { ...part, op, ...(n === undefined ? { b: { ...b, v: value } } : { n: value }) };
  });
  if (found === 1) return next;
  // Of groups, those above or below it.
  const [a, ...others] = ask.k === "table" && ask.by.length > 0 && found === 0 ? ask.cols : [];
  return a === undefined || others.length > 0
    ? undefined
    : { ...ask, having: { k: "cmp", a, op, b: { k: "lit", v: value } } };
}

function withNumber(before: Table, { cols, adds }: Of<"number">, schema: Schema): Table | undefined {
  const others = cols.filter((num) => !before.cols.some((old) => isEqual(old, num)));
  if (adds) return { ...before, cols: [...before.cols, ...others] };
  const { having: _, ...unlimited } = before;
  const [number, ...more] = cols;
  const base = more.length === 0 ? onlyBase(before.cols) : undefined;
  // A number that two periods were of is of no period without them.
  if (number === undefined || (base === undefined && areDated(before.cols))) return undefined;
  const counted = countedSet(before, schema);
  if (counted !== undefined && before.top === undefined) {
    const other = about({ k: "table", by: [], cols }, counted, schema, false);
    return other?.k === "table" ? other : undefined;
  }
  // What held of those that were counted holds of the rows of the other number.
  const said = base?.k === "agg" && base.in !== undefined ? relConds(base.in) : [];
  const during = said.find((cond) => cond.k === "during");
  const rest = withConds(
    { ...unlimited, ...(during?.k === "during" && { scope: { ...unlimited.scope, win: during.win } }) },
    [...condsOf(before.scope?.if), ...said.filter((cond) => cond.k !== "during")],
  );
  // Of what does not add up there are no shares; growth that is said again is the same one of another number.
  const isShared = isShare(before.cols[0]) && !isAdditive(number, schema, before.by);
  const own = isGrowth(number) && isGrowth(before.cols[0]) ? (onlyBase([number]) ?? number) : number;
  const next = base === undefined || isShared ? cols : before.cols.map((num) => rebased(num, base, own));
  return inOwnTerms(ranked({ ...rest, cols: next }, before), own, schema);
}

function isOn(cond: Cond, key: Key): boolean {
  return cond.k === "is" ? isSameGroup(cond.key, key) : cond.k === "not" && isOn(cond.of, key);
}

function isGrowth(num: Num | undefined): boolean {
  return num?.k === "calc" && num.op === "growth";
}

function isShare(num: Num | undefined): boolean {
  return (
    num?.k === "calc" &&
    num.op === "/" &&
    (num.b.k === "metric" || num.b.k === "agg") &&
    isPartOf(num.a, num.b)
  );
}

/** A number has its own date, and a condition that is in its formula is not said twice: a rate of cancelled orders. */
function inOwnTerms(ask: Table, num: Num, { metrics }: Schema): Table | undefined {
  const { date, formula } = (num.k === "metric" && metrics.get(num.name)) || {};
  const pieces = formula?.aggregates.flatMap((each) => each.pieces) ?? [];
  const text = pieces
    .map((piece) => (typeof piece === "string" ? piece : `${piece.ds}.${piece.field}`))
    .join("");
  const conds = condsOf(ask.scope?.if);
  const isIn = (cond: Cond) => cond.k === "is" && text.includes(`${cond.key.ds}.${cond.key.field}`);
  const isSaid = (cond: Cond) => cond.k === "is" && cond.values.every((value) => text.includes(`'${value}'`));
  if (conds.some((cond) => isIn(cond) && !isSaid(cond))) return undefined;
  const own = withConds(
    ask,
    conds.filter((cond) => !isIn(cond)),
  );
  const inTime = (win: Window): Window => {
    const { on, ...rest } = win;
    return on !== undefined && date != null && on.ds !== date.ds ? rest : win;
  };
  const { win } = own.scope ?? {};
  const said = condsOf(own.scope?.if).map((cond) =>
    cond.k === "during" ? { ...cond, win: inTime(cond.win) } : cond,
  );
  const table = withConds(own, said);
  return win === undefined ? table : { ...table, scope: { ...table.scope, win: inTime(win) } };
}

/** What was ranked by its number still is. */
function ranked(next: Table, { cols: [old], top, order }: Table): Table {
  const [now] = next.cols;
  if (old === undefined || now === undefined) return next;
  const instead = <T extends { by: Num | Key }>(each: T): T =>
    isEqual(each.by, old) ? { ...each, by: now } : each;
  return {
    ...next,
    ...(top !== undefined && { top: instead(top) }),
    ...(order !== undefined && { order: order.map(instead) }),
  };
}

function withCols(before: Table, { of, cols }: Of<"become">, schema: Schema): Table | undefined {
  if (!cols.every((num) => isMadeOf(num, of))) return undefined;
  const dates = areDated(cols);
  const ask = dates ? uncompared(before) : before;
  const isLagged = ask.cols.some(({ k }) => k === "lag");
  if (areDated(ask.cols) || isLagged) return dates ? undefined : grown(ask, cols);
  // Of the first ones alone there is no running total.
  if (ask.top !== undefined && cols.some(({ k }) => k === "running")) return undefined;
  if (!isYearly(ask.by) && JSON.stringify(cols).includes('"grain":"year"')) return undefined;
  const next = ask.cols.flatMap((num) => cols.map((col) => rebased(col, of, num)));
  if (!dates) return ranked({ ...ask, cols: next }, before);
  const free = ofAnyTime(ask, schema);
  if (free?.by.every(({ bucket }) => bucket === undefined))
    return ranked({ ...withoutWindow(free), cols: next }, before);
  const lagged = free && asLag(next, free);
  return lagged && ranked({ ...free, cols: lagged }, before);
}

/** Of two periods beside each other the growth is that from the one to the other. */
function grown(ask: Table, [only, ...others]: readonly Num[]): Table | undefined {
  const [a, b, ...more] = ask.cols;
  const isGrowth = only?.k === "calc" && only.op === "growth" && others.length === 0;
  if (!isGrowth || a === undefined || b === undefined || more.length > 0) return undefined;
  // Nobody means growth backwards in time.
  const isBack = (windowOf(a)?.from ?? "") < (windowOf(b)?.from ?? "");
  return ranked({ ...ask, cols: [{ k: "calc", op: "growth", a: isBack ? b : a, b: isBack ? a : b }] }, ask);
}

/** What was compared with another period, without that. */
function uncompared(ask: Table): Table {
  const [first, second] = ask.cols;
  const win = windowOf(first);
  if (first === undefined || second === undefined || win === undefined) return ask;
  const cols = [undated(first)];
  return isEqual(cols, [undated(second)]) ? { ...ask, cols, scope: { ...ask.scope, win } } : ask;
}

/** Another grouping takes the place of the old one, unless it is to be added. */
function groupedBy(before: Table, { by, adds }: Of<"group">): Table | undefined {
  const { top: _, order: __, fill: ___, ...rest } = before;
  const kept = adds ? before.by.filter((key) => !by.some((other) => isSameGroup(key, other))) : [];
  const all = [...kept, ...by];
  const isSeries = all.length === 1 && all[0]?.bucket !== undefined;
  const next: Table = { ...rest, by: all, ...(isSeries && { fill: true }) };
  if (!by.some(({ bucket }) => bucket !== undefined) || !areDated(before.cols)) return next;
  // Two periods, told apart by months: each month with the one of the other year.
  const win = windowOf(before.cols[0]);
  const dated = { ...next, scope: { ...next.scope, ...(win !== undefined && { win }) } };
  const cols = asLag(before.cols, dated);
  return cols && { ...dated, cols };
}

function isSameGroup(a: Key, b: Key): boolean {
  const isTime = a.bucket !== undefined && b.bucket !== undefined;
  return isTime || (a.ds === b.ds && a.field === b.field);
}

/** In another period; what was chosen in the old one is chosen in the new one. */
function within(before: Table, said: Window, schema: Schema): Table | undefined {
  const [old, ...others] = windowsIn(before);
  const win = old?.on === undefined || said.on !== undefined ? said : { ...said, on: old.on };
  if (old !== undefined && others.length === 0) {
    // Those who were first then are still the same.
    const isFixed = (part: object) => "k" in part && part.k === "top" && before.scope?.win !== undefined;
    return swapped(before, (part) => (isEqual(part, old) ? win : isFixed(part) ? part : undefined));
  }
  // Things in a period are those that came then, or those that did something: nobody said which.
  if (old === undefined && win.on === undefined && before.cols.some((num) => countsThings(num, schema)))
    return undefined;
  const [first, ...more] = before.cols.map(undated);
  const isOne = first !== undefined && more.every((num) => isEqual(num, first));
  // What lies between two periods is not in a third.
  if (others.length > 0 && (!isOne || first.k === "calc")) return undefined;
  const next = others.length > 0 && isOne ? { ...before, cols: [first] } : before;
  return { ...next, scope: { ...next.scope, win } };
}

function withCounted(ask: Table, { conds, excludes }: Of<"counted">): Table | undefined {
  const cols = ask.cols.flatMap((num) =>
    num.k === "agg" && num.in !== undefined ? [{ ...num, in: narrowed(num.in, conds, excludes) }] : [],
  );
  return cols.length < ask.cols.length ? undefined : { ...ask, cols };
}

function chosen(ask: Table, { k: _, of, ...choice }: Of<"choose">): Table | undefined {
  const [first] = ask.cols;
  if (first === undefined) return undefined;
  const { order: __, ...rest } = ask;
  const mine = of === undefined ? choice : rebased(choice, of, first);
  return { ...(choice.top === undefined ? ask : rest), ...mine };
}

/** Only what adds up has parts. */
function shared(ask: Table, schema: Schema): Table | undefined {
  const [num, ...others] = ask.cols;
  if (others.length > 0 || (num?.k !== "metric" && num?.k !== "agg") || !isAdditive(num, schema, ask.by))
    return undefined;
  const whole = { ...num, scope: { ...num.scope, whole: true } };
  return { ...ask, cols: [{ k: "calc", op: "/", a: num, b: whole }] };
}

function over(ask: Table, all: Num, schema: Schema): Table | undefined {
  const [num, ...others] = ask.cols;
  if ((num?.k !== "metric" && num?.k !== "agg") || others.length > 0 || ask.top !== undefined)
    return undefined;
  const { if: cond } = ask.scope ?? {};
  // The whole is that of the same time.
  const win = ask.scope?.win === undefined ? countedSet(ask, schema)?.win : undefined;
  if (win === "several") return undefined;
  const whole = win === undefined ? all : rescoped(all, { win });
  const a = cond === undefined ? num : { ...num, scope: { ...num.scope, if: cond } };
  return withConds({ ...ask, cols: [{ k: "calc", op: "/", a, b: whole }] }, []);
}

/** "what percentage is urgent?": of all that was shown. */
function part(ask: Table, conds: Cond[]): Table | undefined {
  const [num, ...others] = ask.cols;
  if ((num?.k !== "metric" && num?.k !== "agg") || others.length > 0 || ask.top !== undefined)
    return undefined;
  const only: Cond = conds.length === 1 ? (conds[0] as Cond) : { k: "and", of: conds };
  const a = { ...num, scope: { ...num.scope, if: only } };
  const isOf = (key: Key) => conds.some((cond) => cond.k === "is" && isSameGroup(cond.key, key));
  const { fill: _, order: __, ...rest } = ask;
  return { ...rest, by: ask.by.filter((key) => !isOf(key)), cols: [{ k: "calc", op: "/", a, b: num }] };
}
