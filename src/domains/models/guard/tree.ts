import { refuse } from "./refusal.ts";

/** An object of the parser's tree. */
export type Node = Readonly<Record<string, unknown>>;

/** Names of common table expressions, in lower case, that can be seen at a place. */
export type Scope = ReadonlySet<string>;

/** The parser keeps the names in a WITH as keys of a map; here they are visited like anything else. */
export const NAME_OF_EXPRESSION = "name of an expression";

export interface Visit {
  node: Node;
  scope: Scope;
  /** The field that the node stands in. */
  field: string;
}

/** Far more than anybody writes; the parser itself stops at about 1,000 levels of an expression. */
const MOST_NODES = 500_000;
const MOST_DEPTH = 4_000;

interface Open {
  value: unknown;
  field: string;
  scope: Scope;
  depth: number;
}

/** Visits all objects of the tree, with what can be seen at each. Without recursion, however deep it is. */
export function visitTree(root: unknown, visit: (visit: Visit) => void): void {
  const open: Open[] = [{ value: root, field: "statement", scope: new Set(), depth: 0 }];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, field, scope, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    count += 1;
    if (count > MOST_NODES || depth > MOST_DEPTH) {
      throw refuse("depth", "too_large", "The SQL is nested too deeply or too large.");
    }
    if (Array.isArray(value)) {
      for (const item of value) open.push({ value: item, field, scope, depth: depth + 1 });
      continue;
    }
    const node = value as Node;
    visit({ node, scope, field });
    open.push(...childrenOf(node, scope, depth + 1));
  }
}

function childrenOf(node: Node, scope: Scope, depth: number): Open[] {
  const { cte_map, ...others } = node;
  const { children, inner } = commonTables(cte_map, scope, depth);
  // A recursive expression can be seen in the part that is repeated, and not in the one that it begins with.
  const isRecursive = node.type === "RECURSIVE_CTE_NODE";
  const own = isRecursive ? new Set([...inner, keyOf(text(node.cte_name))]) : inner;
  for (const [field, value] of Object.entries(others)) {
    if (typeof value === "object")
      children.push({ value, field, scope: field === "right" ? own : inner, depth });
  }
  return children;
}

/** Each expression of a WITH sees those before it, and the statement behind the WITH sees all of them. */
function commonTables(map: unknown, scope: Scope, depth: number): { children: Open[]; inner: Scope } {
  const entries = ((map ?? {}) as { map?: { key?: unknown; value?: unknown }[] }).map ?? [];
  if (entries.length === 0) return { children: [], inner: scope };
  const children: Open[] = [];
  const inner = new Set(scope);
  for (const { key, value } of entries) {
    const name = text(key);
    children.push({ value: { type: NAME_OF_EXPRESSION, name }, field: "cte", scope, depth });
    children.push({ value, field: "cte", scope: new Set(inner), depth });
    inner.add(keyOf(name));
  }
  return { children, inner };
}

/** The same for all ways to write a name; the engine folds no other letters than these. */
export function keyOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
