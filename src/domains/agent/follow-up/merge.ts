import type { Ask, Cond, Key, Rel, Scope } from "../query/semantic-query.ts";

type Table = Extract<Ask, { k: "table" }>;
type List = Extract<Ask, { k: "list" }>;

/** What a table is grouped by, limited to or ordered by, taken from another one; its numbers stay. */
export function mergeTable(
  before: Table,
  more: Ask,
  { adds, excludes }: { adds: boolean; excludes: boolean },
): Table | undefined {
  if (more.k !== "table") return undefined;
  const { win, if: cond } = more.scope ?? {};
  const regrouped = more.by.length > 0 ? groupedBy(before, more.by, adds) : before;
  const scope = scoped(regrouped.scope, { win, conds: condsOf(cond), excludes });
  if (win !== undefined && JSON.stringify(before.cols).includes('"win":')) return undefined;
  const top = more.top === undefined ? regrouped.top : { ...more.top, by: before.cols[0] ?? more.top.by };
  const having = more.having ?? regrouped.having;
  return {
    ...regrouped,
    ...(Object.keys(scope).length > 0 && { scope }),
    ...(top !== undefined && { top }),
    ...(having !== undefined && { having }),
  };
}

/** The same for another number. */
export function withNumber(before: Table, other: Table): Table {
  const { top, order: _, having: __, ...rest } = before;
  const [number] = other.cols;
  const by = other.by.length > 0 ? groupedBy(before, other.by, false).by : before.by;
  const scope = scoped(rest.scope, {
    win: other.scope?.win,
    conds: condsOf(other.scope?.if),
    excludes: false,
  });
  return {
    ...rest,
    by,
    cols: other.cols,
    ...(Object.keys(scope).length > 0 && { scope }),
    ...(top !== undefined && number !== undefined && { top: { ...top, by: number } }),
  };
}

/** Entities within further conditions. */
export function mergeList(before: List, more: Ask, { excludes }: { excludes: boolean }): List | undefined {
  if (more.k !== "list") return undefined;
  const conds = relConds(more.rel);
  if (conds.length === 0) return undefined;
  return { ...before, rel: within(before.rel, conds, excludes) };
}

function within(rel: Rel, conds: readonly Cond[], excludes: boolean): Rel {
  // The first ones of fewer are others than those of the first that are left.
  if (rel.k === "top") return { ...rel, in: within(rel.in, conds, excludes) };
  if (rel.k === "where" && conds.some((cond) => isSameKey(cond, rel.if)) && !excludes) {
    return within(rel.in, conds, excludes);
  }
  const [first, ...others] = conds.map((cond): Cond => (excludes ? { k: "not", of: cond } : cond));
  if (first === undefined) return rel;
  return { k: "where", in: rel, if: others.length === 0 ? first : { k: "and", of: [first, ...others] } };
}

function relConds(rel: Rel): Cond[] {
  if (rel.k === "where") return [...relConds(rel.in), ...condsOf(rel.if)];
  return [];
}

/** Another grouping takes the place of the old one, unless it is to be added. */
function groupedBy(before: Table, by: readonly Key[], adds: boolean): Table {
  const { top: _, order: __, fill: ___, ...rest } = before;
  const kept = adds ? before.by.filter((key) => !by.some((other) => isSameGroup(key, other))) : [];
  const all = [...kept, ...by];
  return { ...rest, by: all, ...(all.length === 1 && all[0]?.bucket !== undefined && { fill: true }) };
}

function isSameGroup(a: Key, b: Key): boolean {
  if (a.bucket !== undefined && b.bucket !== undefined) return true;
  return a.ds === b.ds && a.field === b.field;
}

/** A new period, or a new value of the same field, takes the place of the old one. */
function scoped(
  before: Scope | undefined,
  { win, conds, excludes }: { win: Scope["win"]; conds: readonly Cond[]; excludes: boolean },
): Scope {
  const old = condsOf(before?.if).filter(
    (cond) => excludes || !conds.some((other) => isSameKey(cond, other)),
  );
  const added = conds.map((cond): Cond => (excludes ? { k: "not", of: cond } : cond));
  const all = [...old, ...added];
  const [only] = all;
  const { if: _, ...rest } = before ?? {};
  return {
    ...rest,
    ...(only !== undefined && { if: all.length === 1 ? only : { k: "and", of: all } }),
    ...(win !== undefined && { win }),
  };
}

function condsOf(cond: Cond | undefined): Cond[] {
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
