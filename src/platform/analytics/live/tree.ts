import { AppError } from "../../../kernel/errors.ts";
import type { Column } from "../analytics-options.ts";

/** A node of the tree that DuckDB's parser makes. */
export type Node = Readonly<Record<string, unknown>>;

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function nodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? (value as Node[]) : [];
}

export function child(node: Node, name: string): Node | undefined {
  const value = node[name];
  return typeof value === "object" && value !== null ? (value as Node) : undefined;
}

/** The name of a type in DuckDB's words: `DECIMAL(10,2)`. */
export function typeOf(type: Node | undefined): string {
  const id = text(type?.id);
  const info = type === undefined ? undefined : child(type, "type_info");
  if (id === "DECIMAL" && info !== undefined) return `DECIMAL(${info.width},${info.scale})`;
  if (id === "UNBOUND" || text(info?.alias) !== "") return text(info?.name ?? info?.alias).toUpperCase();
  return id;
}

/** A part of a statement that a database has no words for. */
export function untranslatable(what: string, title: string, hint?: string): AppError {
  return new AppError("unsupported", `${what} cannot be run in ${title}, where these data are.`, {
    hint:
      hint ??
      "Write it with simpler functions, or let {tool:create_query} fill a dataset with what you need of it.",
  });
}

/** What stands in a FROM. */
export interface Source {
  /** Its alias, or its own name. */
  name: string;
  columns: readonly Column[];
  /** Columns that a USING has put together with those of another source: the star does not show them again. */
  merged?: ReadonlySet<string>;
}

/** What names mean at one place of a statement. */
export interface Scope {
  sources: Source[];
  /** Names that the select list gives. */
  aliases: Map<string, Node>;
  outer: Scope | undefined;
  tables: ReadonlyMap<string, { name: string; columns: readonly Column[] }>;
}

/** Two expressions that say the same, wherever they stand. */
export function isSameNode(a: unknown, b: unknown): boolean {
  return plain(a) === plain(b);
}

function plain(value: unknown): string {
  return JSON.stringify(value, (key, held) =>
    key === "query_location" || key === "alias" ? undefined : held,
  );
}

/** Whether something of the kind stands anywhere below, outside of subqueries. */
export function holds(node: unknown, test: (node: Node) => boolean): boolean {
  if (typeof node !== "object" || node === null) return false;
  if (Array.isArray(node)) return node.some((each) => holds(each, test));
  const each = node as Node;
  if (test(each)) return true;
  if (each.class === "SUBQUERY") return child(each, "child") !== undefined && holds(each.child, test);
  return Object.values(each).some((value) => holds(value, test));
}
