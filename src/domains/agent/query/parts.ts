import type { Cond, Key, Rel } from "./semantic-query.ts";

/** A part of a query that has parts itself, whatever kind it is of. */
export type Node = Readonly<Record<string, unknown>>;

/** Every part of a query, those around others first. */
export function nodesIn(part: unknown): Node[] {
  if (typeof part !== "object" || part === null) return [];
  const inside = Object.values(part).flatMap(nodesIn);
  return Array.isArray(part) ? inside : [part as Node, ...inside];
}

/** Whether there is a part of one of these kinds in it. */
export function hasKind(part: unknown, ...kinds: string[]): boolean {
  return nodesIn(part).some(({ k }) => kinds.includes(k as string));
}

/** The names of the metrics in it. */
export function metricsIn(part: unknown): string[] {
  return nodesIn(part).flatMap(({ k, name }) => (k === "metric" ? [name as string] : []));
}

/** The same query with some parts changed, those inside of others first. */
export function rebuilt<T>(part: T, change: (node: Node) => Node): T {
  if (Array.isArray(part)) return part.map((each) => rebuilt(each, change)) as T;
  if (typeof part !== "object" || part === null) return part;
  const all = Object.entries(part).map(([name, value]) => [name, rebuilt(value, change)]);
  return change(Object.fromEntries(all)) as T;
}

/** The same with something else in the place of each part that `swap` has something for. */
export function swapped<T>(part: T, swap: (part: object) => unknown): T {
  if (typeof part !== "object" || part === null) return part;
  const other = swap(part);
  if (other !== undefined) return other as T;
  if (Array.isArray(part)) return part.map((each) => swapped(each, swap)) as T;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, swapped(value, swap)])) as T;
}

export function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Whether two keys are of one field, along whichever way. */
export function isSameField(a: Field | null | undefined, b: Field | null | undefined): boolean {
  return a != null && a.ds === b?.ds && a.field === b.field;
}

type Field = Pick<Key, "ds" | "field">;

/** The conditions of which each has to hold. */
export function condsOf(cond: Cond | undefined): Cond[] {
  if (cond === undefined) return [];
  return cond.k === "and" ? cond.of.flatMap(condsOf) : [cond];
}

/** Who is not unpaid has paid. */
export function opposite(cond: Cond): Cond {
  return cond.k === "not" ? cond.of : { k: "not", of: cond };
}

/** The condition that all of these are together; none of none. */
export function allOf(conds: readonly Cond[]): Cond | undefined {
  return conds.length > 1 ? { k: "and", of: [...conds] } : conds[0];
}

/** What is said of entities, in the order in which it was. */
export function relConds(rel: Rel): Cond[] {
  return rel.k === "where" ? [...relConds(rel.in), ...condsOf(rel.if)] : [];
}

/** Entities without what is said of them. */
export function bare(rel: Rel): Rel {
  return rel.k === "where" ? bare(rel.in) : rel;
}

/** Entities of which all of this is said, one after the other. */
export function whereAll(rel: Rel, conds: readonly Cond[]): Rel {
  return conds.reduce<Rel>((of, cond) => ({ k: "where", in: of, if: cond }), rel);
}

/** The dataset whose entities these are, where no way leads to them. */
export function datasetIn(rel: Rel): string | undefined {
  if (rel.k === "all") return rel.ds;
  if (rel.k === "where" || rel.k === "top") return datasetIn(rel.in);
  return rel.k === "set" ? datasetIn(rel.a) : undefined;
}
