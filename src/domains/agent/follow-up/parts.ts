import { allOf, bare, condsOf, isEqual, isSameField, relConds, swapped } from "../query/parts.ts";
import type { Ask, Cond, Key, Num, Rel, Scope, Window } from "../query/semantic-query.ts";
import type { Change } from "./change.ts";

export type Table = Extract<Ask, { k: "table" }>;
export type List = Extract<Ask, { k: "list" }>;

/** A table of the rows that these conditions hold of, and no others. */
export function withConds(table: Table, conds: readonly Cond[]): Table {
  const { if: _, ...rest } = table.scope ?? {};
  const all = allOf(conds);
  return withScope(table, { ...rest, ...(all !== undefined && { if: all }) });
}

function withScope({ scope: _, ...table }: Table, scope: Scope): Table {
  return Object.keys(scope).length > 0 ? { ...table, scope } : table;
}

export function withoutWindow(table: Table): Table {
  const { win: _, ...scope } = table.scope ?? {};
  return withScope(table, scope);
}

/** With the one time that its rows are of as its period. */
export function inTime(ask: Ask): Ask {
  if (ask.k === "list" || ask.scope?.win !== undefined) return ask;
  const conds = condsOf(ask.scope?.if);
  const [then, ...others] = conds.filter((cond) => cond.k === "during");
  if (then === undefined || others.length > 0) return ask;
  const rest = withConds(
    ask,
    conds.filter((cond) => cond !== then),
  );
  return { ...rest, scope: { ...rest.scope, win: then.win } };
}

/** What a condition is about; for links what is at their end. */
function subjectOf(cond: Cond): string | undefined {
  if (cond.k === "not") return subjectOf(cond.of);
  if (cond.k === "is" || cond.k === "null") return `${cond.key.ds}.${cond.key.field}`;
  return cond.k === "link" && cond.to.k === "where" ? subjectOf(cond.to.if) : undefined;
}

/** Conditions beside those that were there: another value of a field takes the place of the old one. */
export function joined(old: readonly Cond[], conds: readonly Cond[], excludes: boolean): Cond[] {
  const isSame = (a: Cond, b: Cond) => subjectOf(a) !== undefined && subjectOf(a) === subjectOf(b);
  if (!excludes) return [...old.filter((cond) => !conds.some((other) => isSame(cond, other))), ...conds];
  const left = old.flatMap((cond): Cond[] => {
    const out = conds.flatMap((other) => (other.k === "is" && isSame(cond, other) ? other.values : []));
    if (cond.k !== "is" || out.length === 0) return [cond];
    const values = cond.values.filter((value) => !out.includes(value));
    return values.length > 0 ? [{ ...cond, values }] : [];
  });
  return [...left, ...conds.map((of): Cond => ({ k: "not", of }))];
}

/** With another value of a field, wherever one was asked for; undefined where none was. */
export function exchanged<T>(node: T, cond: Extract<Cond, { k: "is" }>): T | undefined {
  let isFound = false;
  const isOwn = (part: { k?: string; key?: Key; of?: object }): boolean => {
    if (part.k === "not" && part.of !== undefined) return isOwn(part.of);
    return part.k === "is" && isSameField(part.key, cond.key);
  };
  const next = swapped(node, (part) => {
    if (!isOwn(part)) return undefined;
    isFound = true;
    return cond;
  });
  return isFound ? next : undefined;
}

/** Entities under further conditions. */
export function narrowed(rel: Rel, conds: readonly Cond[], excludes = false): Rel {
  // The first ones of fewer are others than those of the first that are left.
  if (rel.k === "top") return { ...rel, in: narrowed(rel.in, conds, excludes) };
  const all = allOf(joined(relConds(rel), conds, excludes));
  return all === undefined ? bare(rel) : { k: "where", in: bare(rel), if: all };
}

function leavesOf(num: Num): Num[] {
  if (num.k === "calc") return [...leavesOf(num.a), ...leavesOf(num.b)];
  if (num.k === "lag" || num.k === "running") return leavesOf(num.of);
  return num.k === "lit" ? [] : [num];
}

function scopeIn(num: Num): Scope {
  return ("scope" in num && num.scope) || {};
}

/** The one period that a number is of, and not the table. */
export function windowOf(num: Num | undefined): Window | undefined {
  const [first, ...others] = num === undefined ? [] : leavesOf(num).map((leaf) => scopeIn(leaf).win);
  return others.every((win) => isEqual(win, first)) ? first : undefined;
}

/** The different periods that something is of. */
export function windowsIn(node: unknown): Window[] {
  if (typeof node !== "object" || node === null) return [];
  const inside = "said" in node ? [node as Window] : Object.values(node).flatMap(windowsIn);
  return inside.filter((win, i) => inside.findIndex((other) => isEqual(win, other)) === i);
}

/** Whether numbers are of periods of their own. */
export function areDated(cols: readonly Num[]): boolean {
  return cols.flatMap(leavesOf).some((leaf) => scopeIn(leaf).win !== undefined);
}

/** The number without a part of its scope. */
function without(num: Num, part: "win" | "whole"): Num {
  if (num.k === "calc") return { ...num, a: without(num.a, part), b: without(num.b, part) };
  if (num.k === "running") return { ...num, of: without(num.of, part) };
  if ((num.k !== "metric" && num.k !== "agg" && num.k !== "each") || num.scope === undefined) return num;
  const { scope, ...rest } = num;
  const kept = Object.entries(scope).filter(([name]) => name !== part);
  return { ...rest, ...(kept.length > 0 && { scope: Object.fromEntries(kept) }) };
}

export function undated(num: Num): Num {
  return without(num, "win");
}

/** The one number that all of these are made of; a share is of the same number. */
export function onlyBase(cols: readonly Num[]): Num | undefined {
  const [first, ...others] = cols.flatMap(leavesOf).map((num) => without(undated(num), "whole"));
  return others.every((num) => isEqual(num, first)) ? first : undefined;
}

function isSameNumber(node: object, num: Num): boolean {
  const { scope: _, ...mine } = node as { scope?: Scope };
  const { scope: __, ...theirs } = num as { scope?: Scope };
  return isEqual(mine, theirs);
}

/** Whether something is made of a number. */
export function isMadeOf(node: unknown, num: Num): boolean {
  if (typeof node !== "object" || node === null) return false;
  return isSameNumber(node, num) || Object.values(node).some((each) => isMadeOf(each, num));
}

/** With another number in the place of one, of the same rows. */
export function rebased<T>(node: T, from: Num, to: Num): T {
  return swapped(node, (part) => (isSameNumber(part, from) ? rescoped(to, scopeIn(part as Num)) : undefined));
}

/** A number of certain rows. */
export function rescoped(num: Num, scope: Scope): Num {
  if (Object.keys(scope).length === 0) return num;
  if (num.k === "calc") return { ...num, a: rescoped(num.a, scope), b: rescoped(num.b, scope) };
  if (num.k === "running") return { ...num, of: rescoped(num.of, scope) };
  if (num.k !== "metric" && num.k !== "agg" && num.k !== "each") return num;
  return { ...num, scope: { ...num.scope, ...scope } };
}

type Is = Extract<Cond, { k: "is" }>;

/** The one part in which two answers differ. */
type Apart =
  | { k: "period"; later: Window; sooner: Window }
  | { k: "value"; a: Is; b: Is }
  | { k: "number"; a: Num };

/** "put the two side by side", "compare them" */
export const BESIDE =
  /(?<!\p{L})(?:side by side|next to each other|beside each other|nebeneinander)(?!\p{L})|^(?:compare|vergleiche?) (?:them|those|these|both|the two|sie|die beiden?|beide)$|^how do (?:they|those|these|the two) compare$/iu;
/** "what's the difference?" */
export const MINUS =
  /^(?:by how much|um wie viel)(?: (?:do|does|did) (?:they|those|these|the two|it|that) differ)?$|^(?:(?:what|how (?:big|large|much)|was|wie (?:groß|hoch))(?:['’]?s| is| was| ist| war)? )?(?:the |der |die )?(?:difference|gap|delta|unterschied|differenz)(?: (?:between|zwischen) (?:them|those|these|both|the two|ihnen|den beiden|beiden))?$/iu;

/** "which of the two is bigger?" */
export const WHICH_OF_TWO =
  /^which (?:one|of (?:the two|them|these|those|both)) (?:is|was|did|does|had|has) (?:the )?(?:(?<max>bigger|higher|larger|better|more|stronger)|lower|smaller|worse|weaker|less)(?: one)?$/i;

/** The changes that show the last two answers beside each other; none where one answer does so already. */
export function beside(now: Ask, last: Ask | undefined): Change[] | undefined {
  if (now.k === "list") return undefined;
  if (now.cols.length === 2 || twoValues(now) !== undefined) return [];
  const apart = apartIn(now, last);
  const of = onlyBase(now.cols);
  if (apart === undefined || of === undefined) return undefined;
  if (apart.k === "number") return [{ k: "number", cols: [apart.a], adds: true }];
  if (apart.k === "period")
    return [{ k: "become", of, cols: [apart.later, apart.sooner].map((win) => rescoped(of, { win })) }];
  const { a, b } = apart;
  const both: Cond = { ...a, values: [...a.values, ...b.values] };
  return [
    { k: "where", conds: [both], excludes: false },
    { k: "group", by: [a.key], adds: true },
  ];
}

/** What the last two answers, or the two numbers of one, are apart: the later less the sooner. */
export function difference(now: Ask, last: Ask | undefined): Table | undefined {
  const values = now.k === "table" ? twoValues(now) : undefined;
  // Of the larger of two both are meant.
  if (now.k === "list" || (now.top !== undefined && values === undefined)) return undefined;
  const { order: _, top: __, ...table } = now;
  const [a, b, ...others] = now.cols;
  const isOfOne = a !== undefined && b !== undefined && onlyBase(now.cols) !== undefined;
  if (isOfOne && others.length === 0) return { ...table, cols: [{ k: "calc", op: "-", a, b }] };
  const apart: Apart | undefined = values ? { k: "value", ...values } : apartIn(now, last);
  if (a === undefined || b !== undefined || apart === undefined || apart.k === "number") return undefined;
  if (apart.k === "period") {
    const [later, sooner] = [apart.later, apart.sooner].map((win) => rescoped(a, { win })) as [Num, Num];
    const isSeries = now.by.some(({ bucket }) => bucket !== undefined);
    const cols: Num[] = [{ k: "calc", op: "-", a: later, b: sooner }];
    return isSeries ? undefined : { ...withoutWindow(table), cols };
  }
  const isOwn = (cond: Cond) => cond.k === "is" && isEqual(cond.key, apart.a.key);
  const rest = withConds(
    table,
    condsOf(now.scope?.if).filter((cond) => !isOwn(cond)),
  );
  const [mine, theirs] = [apart.a, apart.b].map((cond) => rescoped(a, { if: cond })) as [Num, Num];
  const by = now.by.filter((key) => !isEqual(key, apart.a.key));
  return { ...rest, by, cols: [{ k: "calc", op: "-", a: mine, b: theirs }] };
}

/** The two values that an answer tells apart. */
function twoValues({ by, scope }: Table): { a: Is; b: Is } | undefined {
  const isTold = (key: Key) => by.some((each) => isEqual(each, key));
  const [only, ...others] = condsOf(scope?.if).flatMap((cond) =>
    cond.k === "is" && cond.values.length === 2 && isTold(cond.key) ? [cond] : [],
  );
  if (only === undefined || others.length > 0) return undefined;
  const [a, b] = only.values.map((value) => ({ ...only, values: [value] })) as [Is, Is];
  return { a, b };
}

function apartIn(now: Table, last: Ask | undefined): Apart | undefined {
  if (last?.k !== "table") return undefined;
  const [mine, theirs] = [now.scope?.win, last.scope?.win];
  const [own, old] = [withoutWindow(now), withoutWindow(last)];
  if (isEqual(own, old)) {
    if (mine === undefined || theirs === undefined || isEqual(mine, theirs)) return undefined;
    const isLater = (mine.from ?? "") > (theirs.from ?? "");
    return { k: "period", later: isLater ? mine : theirs, sooner: isLater ? theirs : mine };
  }
  if (!isEqual([mine?.from, mine?.to], [theirs?.from, theirs?.to])) return undefined;
  const isNumber = isEqual({ ...own, cols: [] }, { ...old, cols: [] }) && last.cols.length === 1;
  if (isNumber) return { k: "number", a: last.cols[0] as Num };
  const [conds, known] = [own, old].map(({ scope }) => condsOf(scope?.if)) as [Cond[], Cond[]];
  const [a, ...more] = known.filter((cond) => !conds.some((each) => isEqual(each, cond)));
  const [b, ...others] = conds.filter((cond) => !known.some((each) => isEqual(each, cond)));
  const isRest = more.length + others.length === 0 && isEqual(withConds(own, []), withConds(old, []));
  const isValue = isRest && a?.k === "is" && b?.k === "is" && isEqual(a.key, b.key);
  return isValue ? { k: "value", a, b } : undefined;
}
