import { allOf, bare, condsOf, isEqual, isSameField, relConds, swapped } from "../query/parts.ts";
import type { Ask, Cond, Key, Num, Rel, Scope, Window } from "../query/semantic-query.ts";

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
