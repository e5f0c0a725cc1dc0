import { AppError, type ErrorCode } from "../../../kernel/errors.ts";

/** An object of the parser's tree. */
export type Node = Readonly<Record<string, unknown>>;

/** The common table expressions that can be seen at a place, the nearest first. */
export interface Scope {
  /** As `keyOf` gives it. */
  readonly name: string;
  readonly outer: Scope | undefined;
}

/** The parser keeps the names in a WITH as keys of a map; here they are visited like anything else. */
export const NAME_OF_EXPRESSION = "name of an expression";

export interface Visit {
  node: Node;
  scope: Scope | undefined;
  /** The field that the node stands in. */
  field: string;
}

/** Far more than anybody writes. */
const MOST_NODES = 500_000;
const MOST_COMMON_TABLES = 500;
/** The engine's planner takes seconds beyond these, minutes far beyond, and cannot be stopped meanwhile. */
const MOST_NESTED_EXPRESSIONS = 200;
const MOST_NESTED_QUERIES = 50;

interface Open extends Visit {
  expressions: number;
  queries: number;
}

/** Visits all objects of the tree, with what can be seen at each. Without recursion, however deep it is. */
export function visitTree(root: unknown, visit: (visit: Visit) => void): void {
  const open: Open[] = [];
  const limits = { nodes: 0, commonTables: 0 };
  pushAll(open, root, "statement", { scope: undefined, expressions: 0, queries: 0 });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    limits.nodes += 1;
    const { node } = next;
    const expressions = next.expressions + (node.class === undefined ? 0 : 1);
    const queries = next.queries + (isQuery(node) ? 1 : 0);
    if (limits.nodes > MOST_NODES || expressions > MOST_NESTED_EXPRESSIONS || queries > MOST_NESTED_QUERIES) {
      throw refuse("depth", "too_large", "The SQL is nested too deeply or too large.", "Write it in parts.");
    }
    visit(next);
    let { scope } = next;
    for (const { name, value } of commonTables(node)) {
      limits.commonTables += 1;
      if (limits.commonTables > MOST_COMMON_TABLES) {
        const message = `A statement can have ${MOST_COMMON_TABLES} common table expressions at most.`;
        throw refuse("depth", "too_large", message);
      }
      visit({ node: { type: NAME_OF_EXPRESSION, name }, scope, field: "cte" });
      // Each expression of a WITH sees those before it, and the statement behind the WITH sees all of them.
      pushAll(open, value, "cte", { scope, expressions, queries });
      scope = { name: keyOf(name), outer: scope };
    }
    // A recursive expression can be seen in the part that is repeated, and not in the one that it begins with.
    const isRecursive = node.type === "RECURSIVE_CTE_NODE";
    const own = isRecursive ? { name: keyOf(text(node.cte_name)), outer: scope } : scope;
    for (const field in node) {
      if (field === "cte_map") continue;
      pushAll(open, node[field], field, { scope: field === "right" ? own : scope, expressions, queries });
    }
  }
}

/** The objects in a value: itself, or those of a list. */
function pushAll(open: Open[], value: unknown, field: string, place: Omit<Open, "node" | "field">): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) for (const item of value) pushAll(open, item, field, place);
  else open.push({ node: value as Node, field, ...place });
}

function isQuery({ type }: Node): boolean {
  return typeof type === "string" && type.endsWith("_NODE");
}

function commonTables({ cte_map: map }: Node): { name: string; value: unknown }[] {
  const entries = ((map ?? {}) as { map?: { key?: unknown; value?: unknown }[] }).map ?? [];
  return entries.map(({ key, value }) => ({ name: text(key), value }));
}

export function isInScope(scope: Scope | undefined, name: string): boolean {
  for (let at = scope; at !== undefined; at = at.outer) if (at.name === name) return true;
  return false;
}

export function namesIn(scope: Scope | undefined): string[] {
  const names: string[] = [];
  for (let at = scope; at !== undefined; at = at.outer) names.push(at.name);
  return names;
}

/** The same for all ways to write a name; the engine folds no other letters than these. */
export function keyOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Why SQL was not let through: the name of the check that refused it, for whoever counts them. */
type Reason =
  | "length"
  | "characters"
  | "empty"
  | "syntax"
  | "statement"
  | "statements"
  | "explain"
  | "depth"
  | "kind"
  | "table"
  | "table_function"
  | "function"
  | "column"
  | "type"
  | "collation"
  | "parameter"
  | "pivot"
  | "size";

export function refuse(reason: Reason, code: ErrorCode, message: string, hint?: string): AppError {
  return new AppError(code, message, { data: { reason }, ...(hint !== undefined && { hint }) });
}
