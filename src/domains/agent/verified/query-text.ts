import type { Ask, Cond, Window } from "../query/semantic-query.ts";

/** A query as a text that is the same for the same query, whatever order its parts were written in. */
export function queryText(ask: Ask): string {
  return JSON.stringify(ask, sorted);
}

/** The same without the days of its periods, which are others tomorrow. */
export function queryShape(ask: Ask): string {
  return JSON.stringify(ask, (name, value) => sorted(name, name === "win" ? openness(value) : value));
}

export function hasPeriods(ask: Ask): boolean {
  return queryText(ask).includes('"win":');
}

function openness({ from, to, on }: Window) {
  return { on, since: from !== null, until: to !== null };
}

function sorted(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

type Is = Extract<Cond, { k: "is" }>;

/** Every condition that names values. */
export function valuesIn(node: unknown): Is[] {
  if (typeof node !== "object" || node === null) return [];
  const inside = Object.values(node).flatMap(valuesIn);
  return "k" in node && node.k === "is" ? [node as Is, ...inside] : inside;
}
