import type { Edge, LinkSchema } from "./schema.ts";

export const AGGREGATES = ["", "count", "sum", "avg", "min", "max"] as const;
export type Aggregate = (typeof AGGREGATES)[number];
export const OPERATORS = ["=", "!=", ">", "<", ">=", "<=", "between", "like"] as const;
export type Operator = (typeof OPERATORS)[number] | "not like";
export const KINDS = [
  ...["plain", "agg", "group", "grouporder", "gtop", "having", "order", "top", "except"],
  ...["intersect", "union", "cmpagg", "sub"],
] as const;

/** A column, or an aggregate of one; -1 are the rows themselves. */
export interface Item {
  agg: Aggregate;
  column: number;
  isDistinct?: true;
}

export interface Condition {
  column: number;
  op: Operator;
  value?: string | number;
  value2?: string | number;
  /** Held against an aggregate of the column itself, over all rows or those of `inner`. */
  against?: "avg" | "min" | "max";
  inner?: Condition[];
}

/** A query as it is put together of what was linked, before it is one of the product's. */
export interface Draft {
  kind: string;
  select: Item[];
  isDistinct: boolean;
  /** Tables that are meant beside those of columns. */
  tables: number[];
  where: Condition[];
  /** One of the conditions is enough. */
  isAny?: boolean;
  group?: number;
  having?: { agg: Aggregate; column: number; op: Operator; value: number };
  order?: Item;
  direction?: "asc" | "desc";
  limit?: number;
  /** What is left out: entities of the table that have such partners, or values of the shown column. */
  except?: { of: "entity" | "value"; table: number; tables: number[]; where: Condition[] };
  /** The other half of "both … and …" and "either … or …". */
  other?: Condition[];
}

/** Tables with the edges that join them. */
export interface JoinTree {
  tables: number[];
  edges: Edge[];
  cost: number;
}

const trees = new WeakMap<LinkSchema, Map<string, JoinTree | undefined>>();

/** The cheapest way to join some tables, found greedily from each of them; undefined where there is none. */
export function joinTree(schema: LinkSchema, wanted: Iterable<number>): JoinTree | undefined {
  const needed = [...new Set(wanted)].sort((a, b) => a - b);
  const cache = trees.get(schema) ?? new Map<string, JoinTree | undefined>();
  trees.set(schema, cache);
  const key = needed.join(",");
  if (cache.has(key)) return cache.get(key);
  const all = needed.flatMap((start) => treeFrom(schema, start, needed) ?? []);
  const best = all.reduce<JoinTree | undefined>(
    (a, b) => (a !== undefined && a.cost <= b.cost + 1e-9 ? a : b),
    undefined,
  );
  cache.set(key, best);
  return best;
}

function treeFrom(schema: LinkSchema, start: number, needed: readonly number[]): JoinTree | undefined {
  const tree: JoinTree = { tables: [start], edges: [], cost: 0 };
  const left = new Set(needed.filter((table) => table !== start));
  while (left.size > 0) {
    const path = nearestPath(schema, tree.tables, left);
    if (path === undefined) return undefined;
    for (const { edge, table } of path) {
      tree.tables.push(table);
      tree.edges.push(edge);
      tree.cost += edge.cost;
      left.delete(table);
    }
  }
  return tree;
}

/** The cheapest way from what is joined already to one of the tables that are not. */
function nearestPath(
  schema: LinkSchema,
  joined: readonly number[],
  left: ReadonlySet<number>,
): { edge: Edge; table: number }[] | undefined {
  const costs = new Map(joined.map((table) => [table, 0]));
  const before = new Map<number, { edge: Edge; from: number }>();
  const done = new Set<number>();
  for (;;) {
    let near = -1;
    for (const [table, cost] of costs)
      if (!done.has(table) && (near === -1 || cost < (costs.get(near) as number))) near = table;
    if (near === -1) return undefined;
    if (left.has(near)) return wayBack(near, before);
    done.add(near);
    for (const edge of schema.adjacent[near] ?? []) {
      const next = edge.from === near ? edge.to : edge.from;
      const cost = (costs.get(near) as number) + edge.cost;
      if (cost >= (costs.get(next) ?? Number.POSITIVE_INFINITY)) continue;
      costs.set(next, cost);
      before.set(next, { edge, from: near });
    }
  }
}

function wayBack(end: number, before: ReadonlyMap<number, { edge: Edge; from: number }>) {
  const path: { edge: Edge; table: number }[] = [];
  for (let table = end, step = before.get(end); step !== undefined; step = before.get(table)) {
    path.unshift({ edge: step.edge, table });
    table = step.from;
  }
  return path;
}

/** The tables that a draft reads, without those on the way between them. */
export function tablesOf({ columns }: LinkSchema, draft: Draft): Set<number> {
  const { tables, select, order, group, having, where, other = [] } = draft;
  const own = [
    ...select.map(({ column }) => column),
    ...where.map(({ column }) => column),
    ...other.map(({ column }) => column),
    order?.column ?? -1,
    group ?? -1,
    having?.column ?? -1,
  ];
  const found = new Set(tables);
  for (const column of own) if (column >= 0) found.add(columns[column]?.table ?? -1);
  found.delete(-1);
  return found;
}
