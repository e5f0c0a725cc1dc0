/** A part of a query that has parts itself, whatever kind it is of. */
export type Node = Readonly<Record<string, unknown>>;

/** Every part of a query, those around others first. */
export function nodesIn(part: unknown): Node[] {
  if (typeof part !== "object" || part === null) return [];
  const inside = Object.values(part).flatMap(nodesIn);
  return Array.isArray(part) ? inside : [part as Node, ...inside];
}

/** The same query with some parts changed, those inside of others first. */
export function rebuilt<T>(part: T, change: (node: Node) => Node): T {
  if (Array.isArray(part)) return part.map((each) => rebuilt(each, change)) as T;
  if (typeof part !== "object" || part === null) return part;
  const all = Object.entries(part).map(([name, value]) => [name, rebuilt(value, change)]);
  return change(Object.fromEntries(all)) as T;
}
