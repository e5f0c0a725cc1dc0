import type { Ask, Cond, Key, Num, Rel, Scope, Window } from "../query/semantic-query.ts";

export type Table = Extract<Ask, { k: "table" }>;
export type List = Extract<Ask, { k: "list" }>;

/** What some words add to a query: whatever stands in it with them, and not without them. */
export interface Change extends Pick<Table, "having" | "top" | "order"> {
  /** The number that they were said of, and what becomes of it. */
  of: Num;
  cols: Num[] | undefined;
  by: Key[];
  conds: Cond[];
  /** Conditions of what is counted. */
  counted: Cond[];
  win: Window | undefined;
}

/** The difference that words make, all of it; undefined where it is no change of a table. */
export function changeOf(plain: Table, said: Ask): Change | undefined {
  const [of] = plain.cols;
  if (said.k !== "table" || of === undefined) return undefined;
  const counted = countedConds(of, said.cols);
  const cols = counted !== undefined || isEqual(plain.cols, said.cols) ? undefined : said.cols;
  const known = condsOf(plain.scope?.if);
  const { win } = said.scope ?? {};
  const { having, top, order } = said;
  return {
    of,
    cols,
    by: said.by.filter((key) => !plain.by.some((other) => isEqual(key, other))),
    conds: condsOf(said.scope?.if).filter((cond) => !known.some((other) => isEqual(cond, other))),
    counted: counted ?? [],
    win: isEqual(win, plain.scope?.win) ? undefined : win,
    ...(having !== undefined && { having }),
    ...(top !== undefined && { top }),
    ...(order !== undefined && { order }),
  };
}

/** "number of tickets" and "number of urgent tickets": the same is counted, under conditions. */
function countedConds(of: Num, cols: readonly Num[]): Cond[] | undefined {
  const [num, ...others] = cols;
  if (of.k !== "agg" || num?.k !== "agg" || others.length > 0 || of.in === undefined || num.in === undefined)
    return undefined;
  const isSame = isEqual({ ...of, in: null }, { ...num, in: null }) && isEqual(of.in, baseOf(num.in));
  return isSame ? relConds(num.in) : undefined;
}

export interface How {
  adds: boolean;
  excludes: boolean;
}

/** A table with that change made to it; undefined where it cannot be made as it was said. */
export function applied(before: Table, change: Change, { adds, excludes }: How): Table | undefined {
  const { by, conds, win, having, top, order } = change;
  const said = change.cols === undefined ? before : withCols(before, change);
  if (said === undefined) return undefined;
  const grouped = by.length > 0 ? groupedBy(said, by, adds) : said;
  if (grouped === undefined) return undefined;
  const dated = win === undefined ? grouped : within(grouped, win);
  const counted = withCounted(dated, change.counted, excludes);
  if (change.counted.length > 0 && counted === undefined) return undefined;
  const scope = scoped(dated.scope, { conds, excludes });
  const [first] = dated.cols;
  const others = having ?? top ?? order;
  // What else is ranked or compared by stays that.
  const mine = <T>(node: T): T => (first === undefined ? node : rebased(node, change.of, first));
  if (others !== undefined && first === undefined) return undefined;
  const { scope: _, ...rest } = { ...dated, ...(counted !== undefined && { cols: counted }) };
  return {
    ...rest,
    ...(Object.keys(scope).length > 0 && { scope }),
    ...(top !== undefined && { top: mine(top) }),
    ...(having !== undefined && { having: mine(having) }),
    ...(order !== undefined && { order: mine(order) }),
  };
}

/** What becomes of a number becomes of those of the table: its growth, its share, it in two periods. */
function withCols(before: Table, { of, cols = [] }: Change): Table | undefined {
  if (!cols.every((num) => holds(num, of))) return undefined;
  const isDated = areDated(before.cols);
  const dates = areDated(cols);
  if (isDated && dates) return undefined;
  // Of two periods beside each other the growth is that from the one to the other.
  const [a, b, ...more] = before.cols;
  const [only] = cols;
  if (isDated && cols.length === 1 && only?.k === "calc" && only.op === "growth" && b !== undefined) {
    return more.length > 0 || a === undefined
      ? undefined
      : withTop({ ...before, cols: [{ k: "calc", op: "growth", a, b }] }, before);
  }
  if (isDated || before.cols.some(({ k }) => k === "lag")) return undefined;
  if (!isYearly(before.by) && JSON.stringify(cols).includes('"grain":"year"')) return undefined;
  const next = before.cols.flatMap((num) => cols.map((col) => rebased(col, of, num)));
  const { scope: { win: _, ...scope } = {}, ...rest } = before;
  if (dates && before.by.some(({ bucket }) => bucket !== undefined)) {
    const lagged = asLag(next, before);
    if (lagged === undefined) return undefined;
    return withTop({ ...before, cols: lagged }, before);
  }
  return withTop(
    { ...(dates ? { ...rest, ...(Object.keys(scope).length > 0 && { scope }) } : before), cols: next },
    before,
  );
}

/** What was ranked by its number still is. */
function withTop(next: Table, before: Table): Table {
  const [old, now] = [before.cols[0], next.cols[0]];
  if (old === undefined || now === undefined) return next;
  const { top, order } = before;
  const instead = <T extends { by: Num | Key }>(each: T): T =>
    isEqual(each.by, old) ? { ...each, by: now } : each;
  return {
    ...next,
    ...(top !== undefined && { top: instead(top) }),
    ...(order !== undefined && { order: order.map(instead) }),
  };
}

/** Months of two years stand beside each other as each and the same a year before. */
function asLag(cols: readonly Num[], { scope, by }: Table): Num[] | undefined {
  const [a, b, ...more] = cols;
  if (a === undefined || b === undefined || more.length > 0) return undefined;
  const [mine, theirs] = [windowOf(a), windowOf(b)];
  const years = mine && theirs && yearsBetween(theirs, mine);
  if (years === undefined || years === 0 || !isYearly(by)) return undefined;
  const of = undated(a);
  return scope?.win === undefined || !isEqual(bounds(scope.win), bounds(mine as Window))
    ? undefined
    : [of, { k: "lag", of, n: years, grain: "year" }];
}

/** Weeks of two years are not the same ones. */
function isYearly(by: readonly Key[]): boolean {
  return by.every(({ bucket }) => bucket !== "week" && bucket !== "day");
}

function bounds({ from, to }: Window): unknown {
  return [from, to];
}

/** The one period that a number is of, and not the table. */
export function windowOf(num: Num): Window | undefined {
  const wins = leavesOf(num).map((leaf) => ("scope" in leaf ? leaf.scope?.win : undefined));
  const [first] = wins;
  return wins.every((win) => isEqual(win, first)) ? first : undefined;
}

/** Whether numbers are of periods of their own. */
export function areDated(cols: readonly Num[]): boolean {
  return cols.flatMap(leavesOf).some((leaf) => "scope" in leaf && leaf.scope?.win !== undefined);
}

function yearsBetween(earlier: Window, later: Window): number | undefined {
  if (earlier.from === null || earlier.to === null || later.from === null || later.to === null)
    return undefined;
  const years = Number(later.from.slice(0, 4)) - Number(earlier.from.slice(0, 4));
  const isShifted = (a: string, b: string) =>
    a.slice(4) === b.slice(4) && Number(b.slice(0, 4)) - Number(a.slice(0, 4)) === years;
  return isShifted(earlier.from, later.from) && isShifted(earlier.to, later.to) ? years : undefined;
}

/** The same without its period. */
export function undated(num: Num): Num {
  if (num.k === "calc") return { ...num, a: undated(num.a), b: undated(num.b) };
  if (num.k !== "metric" && num.k !== "agg" && num.k !== "each") return num;
  const { scope: { win: _, ...scope } = {}, ...rest } = num;
  return { ...rest, ...(Object.keys(scope).length > 0 && { scope }) } as Num;
}

/** The same for another number, in the same periods and under the same conditions. */
export function withNumber(before: Table, other: Table, adds: boolean): Table | undefined {
  const [number, ...more] = other.cols;
  if (number === undefined) return undefined;
  const plain: Table = { k: "table", by: [], cols: other.cols };
  const change = changeOf(plain, other);
  if (change === undefined) return undefined;
  if (adds) {
    const added = {
      ...before,
      cols: [...before.cols, ...other.cols.filter((num) => !before.cols.some((old) => isEqual(old, num)))],
    };
    return applied(added, { ...change, of: number }, { adds: true, excludes: false });
  }
  const { having: _, order: __, ...rest } = before;
  const base = more.length === 0 ? onlyBase(before.cols) : undefined;
  const cols = base === undefined ? other.cols : before.cols.map((num) => rebased(num, base, number));
  // A number that two periods were of is of no period without them.
  if (base === undefined && areDated(before.cols)) return undefined;
  return applied(
    withTop({ ...rest, cols }, before),
    { ...change, of: number },
    { adds: false, excludes: false },
  );
}

/** The one number that all of these are made of. */
export function onlyBase(cols: readonly Num[]): Num | undefined {
  const leaves = cols.flatMap(leavesOf).map(undated).map(partless);
  const [first] = leaves;
  return first !== undefined && leaves.every((num) => isEqual(num, first)) ? first : undefined;
}

/** A share is of the same number. */
function partless(num: Num): Num {
  if (num.k !== "metric" || num.scope === undefined) return num;
  const { whole: _, ...scope } = num.scope;
  return Object.keys(scope).length > 0 ? { ...num, scope } : { k: "metric", name: num.name };
}

function leavesOf(num: Num): Num[] {
  if (num.k === "calc") return [...leavesOf(num.a), ...leavesOf(num.b)];
  if (num.k === "lag" || num.k === "running") return leavesOf(num.of);
  return num.k === "lit" ? [] : [num];
}

export function holds(node: unknown, num: Num): boolean {
  if (typeof node !== "object" || node === null) return false;
  return isSameNumber(node, num) || Object.values(node).some((each) => holds(each, num));
}

function isSameNumber(node: object, num: Num): boolean {
  const { scope: _, ...mine } = node as { scope?: Scope };
  const { scope: __, ...theirs } = num as { scope?: Scope };
  return isEqual(mine, theirs);
}

/** With another number in the place of one, of the same rows. */
function rebased<T>(node: T, from: Num, to: Num): T {
  if (Array.isArray(node)) return node.map((each) => rebased(each, from, to)) as T;
  if (typeof node !== "object" || node === null) return node;
  if (isSameNumber(node, from)) return rescoped(to, (node as { scope?: Scope }).scope ?? {}) as T;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, rebased(value, from, to)]),
  ) as T;
}

function rescoped(num: Num, scope: Scope): Num {
  if (Object.keys(scope).length === 0) return num;
  if (num.k === "calc") return { ...num, a: rescoped(num.a, scope), b: rescoped(num.b, scope) };
  if (num.k === "metric" || num.k === "agg" || num.k === "each")
    return { ...num, scope: { ...num.scope, ...scope } };
  return num;
}

/** In another period; what was chosen in the old one is chosen in the new one. */
function within(before: Table, win: Window): Table {
  const old = before.scope?.win;
  const on = old?.on === undefined || win.on !== undefined ? {} : { on: old.on };
  const next = { ...win, ...on };
  const moved = old === undefined ? before : replaced(before, old, next);
  const cols = moved.cols.map(undated);
  const isOne = cols.every((num) => isEqual(num, cols[0]));
  return { ...moved, cols: isOne ? cols.slice(0, 1) : cols, scope: { ...moved.scope, win: next } };
}

function replaced<T>(node: T, old: unknown, next: unknown): T {
  if (isEqual(node, old)) return next as T;
  if (Array.isArray(node)) return node.map((each) => replaced(each, old, next)) as T;
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, replaced(value, old, next)]),
  ) as T;
}

/** Conditions of what is counted hold of that, and not of the whole. */
function withCounted({ cols }: Table, conds: readonly Cond[], excludes: boolean): Num[] | undefined {
  if (conds.length === 0 || !cols.every((num) => num.k === "agg" && num.in !== undefined)) return undefined;
  return cols.map((num) =>
    num.k === "agg" && num.in !== undefined ? { ...num, in: narrowed(num.in, conds, excludes) } : num,
  );
}

/** Entities within further conditions. */
export function mergeList(before: List, more: Ask, { excludes }: { excludes: boolean }): List | undefined {
  if (more.k !== "list" || more.limit !== undefined || !isPlainRel(more.rel)) return undefined;
  const conds = relConds(more.rel);
  if (conds.length === 0) return undefined;
  return { ...before, rel: narrowed(before.rel, conds, excludes) };
}

/** Entities under conditions, and nothing else. */
function isPlainRel(rel: Rel): boolean {
  return rel.k === "all" || (rel.k === "where" && isPlainRel(rel.in));
}

export function narrowed(rel: Rel, conds: readonly Cond[], excludes: boolean): Rel {
  // The first ones of fewer are others than those of the first that are left.
  if (rel.k === "top") return { ...rel, in: narrowed(rel.in, conds, excludes) };
  if (rel.k === "where" && conds.some((cond) => isSameKey(cond, rel.if)) && !excludes) {
    return narrowed(rel.in, conds, excludes);
  }
  const [first, ...others] = conds.map((cond): Cond => (excludes ? { k: "not", of: cond } : cond));
  if (first === undefined) return rel;
  return { k: "where", in: rel, if: others.length === 0 ? first : { k: "and", of: [first, ...others] } };
}

function baseOf(rel: Rel): Rel {
  return rel.k === "where" ? baseOf(rel.in) : rel;
}

export function relConds(rel: Rel): Cond[] {
  if (rel.k === "where") return [...relConds(rel.in), ...condsOf(rel.if)];
  return [];
}

/** Another grouping takes the place of the old one, unless it is to be added. */
function groupedBy(before: Table, by: readonly Key[], adds: boolean): Table | undefined {
  const { top: _, order: __, fill: ___, ...rest } = before;
  const kept = adds ? before.by.filter((key) => !by.some((other) => isSameGroup(key, other))) : [];
  const all = [...kept, ...by];
  const next: Table = {
    ...rest,
    by: all,
    ...(all.length === 1 && all[0]?.bucket !== undefined && { fill: true }),
  };
  if (!by.some(({ bucket }) => bucket !== undefined) || !areDated(before.cols)) return next;
  // Two periods, told apart by months: each month with the one of the other year.
  const first = windowOf(before.cols[0] as Num);
  if (first === undefined) return undefined;
  const dated = { ...next, scope: { ...next.scope, win: first } };
  const cols = asLag(before.cols, dated);
  return cols === undefined ? undefined : { ...dated, cols };
}

function isSameGroup(a: Key, b: Key): boolean {
  if (a.bucket !== undefined && b.bucket !== undefined) return true;
  return a.ds === b.ds && a.field === b.field;
}

/** A new value of the same field takes the place of the old one. */
function scoped(
  before: Scope | undefined,
  { conds, excludes }: { conds: readonly Cond[]; excludes: boolean },
): Scope {
  const old = condsOf(before?.if).filter(
    (cond) => excludes || !conds.some((other) => isSameKey(cond, other)),
  );
  const added = conds.map((cond): Cond => (excludes ? { k: "not", of: cond } : cond));
  const all = [...old, ...added];
  const [only] = all;
  const { if: _, ...rest } = before ?? {};
  return { ...rest, ...(only !== undefined && { if: all.length === 1 ? only : { k: "and", of: all } }) };
}

export function condsOf(cond: Cond | undefined): Cond[] {
  if (cond === undefined) return [];
  return cond.k === "and" ? cond.of.flatMap(condsOf) : [cond];
}

function isSameKey(a: Cond, b: Cond): boolean {
  const [left, right] = [keyOf(a), keyOf(b)];
  return left !== undefined && left === right;
}

/** What a condition is about; for links what is at their end. */
function keyOf(cond: Cond): string | undefined {
  if (cond.k === "not") return keyOf(cond.of);
  if (cond.k === "is") return `${cond.key.ds}.${cond.key.field}`;
  if (cond.k === "link" && cond.to.k === "where") return keyOf(cond.to.if);
  return undefined;
}

export function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
