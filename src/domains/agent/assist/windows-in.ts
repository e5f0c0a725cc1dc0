import type { Window } from "../query/semantic-query.ts";

/** The periods of a query. */
export function windowsIn(node: unknown): Window[] {
  if (typeof node !== "object" || node === null) return [];
  const inside = Object.values(node).flatMap(windowsIn);
  return "said" in node && "from" in node ? [node as Window, ...inside] : inside;
}
