import type { WireTableView } from "../wire.ts";
import type { Tree } from "./syntax-tree.ts";

/**
 * `sum` and `avg` of floating-point numbers lose digits with every row: over ten million amounts of two decimals, a
 * sum was wrong by 40 cents. `fsum` and `favg` add without that loss, and as fast. Which of the two is meant is only
 * known of arguments that are floating-point for certain, because other numbers are added exactly as they are.
 */

type Node = Readonly<Record<string, unknown>>;

/** What the tree of a SELECT says of its sums. */
export interface Sums {
  /** Where the name of each call begins, in bytes, and what it adds up. */
  readonly calls: readonly { readonly at: number; readonly name: string; readonly of: Node }[];
  /** What each name in a select list stands for, where a query reads another one. */
  readonly aliases: ReadonlyMap<string, readonly Node[]>;
  /** Whether it has such calls of its own, whose names are theirs. */
  readonly hasOwn: boolean;
  /** Whether the result has anything but columns as they are. */
  readonly isComputed: boolean;
}

const EXACT = new Set(["sum", "avg"]);
/** Of a floating-point number these give another one. */
const ARITHMETIC = new Set([
  "+",
  "-",
  "*",
  "/",
  "round",
  "abs",
  "coalesce",
  "sum",
  "avg",
  "min",
  "max",
  "median",
]);
const COMPUTED = new Set(["FUNCTION", "OPERATOR", "CASE", "CAST", "WINDOW"]);

/** Goes over the whole tree without recursion, however deep it is. */
export function readSums({ statements = [] }: Tree): Sums {
  const calls: { at: number; name: string; of: Node }[] = [];
  const aliases = new Map<string, Node[]>();
  const put = (name: string, node: Node) =>
    aliases.set(name.toLowerCase(), [...(aliases.get(name.toLowerCase()) ?? []), node]);
  let [selects, isComputed, hasOwn] = [0, false, false];
  const open: { value: unknown; isListed: boolean }[] = [{ value: statements[0], isListed: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, isListed } = next;
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) {
      const node = value as Node;
      if (node.type === "SELECT_NODE") selects += 1;
      isComputed ||= isListed && COMPUTED.has(String(node.class));
      const { alias, function_name: name, query_location: at, children } = node;
      if (typeof alias === "string" && alias !== "") put(alias, node);
      for (const each of list(node.column_name_alias)) put(String(each), {});
      const [of] = list(children);
      hasOwn ||= node.class === "FUNCTION" && /^f(?:sum|avg)$/i.test(String(name));
      const isCall = node.class === "FUNCTION" && node.schema === "" && node.distinct === false;
      if (isCall && EXACT.has(String(name)) && list(children).length === 1 && typeof at === "number")
        calls.push({ at, name: String(name), of: of as Node });
    }
    for (const [key, child] of Object.entries(value))
      if (typeof child === "object") open.push({ value: child, isListed: isListed || key === "select_list" });
  }
  return { calls, aliases: selects > 1 ? aliases : new Map(), hasOwn, isComputed };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The SQL with exact sums; undefined where there is none to be made exact. */
export function withExactSums(
  sql: string,
  { calls, aliases, hasOwn }: Sums,
  tableViews: readonly Pick<WireTableView, "columns">[],
): string | undefined {
  if (calls.length === 0 || hasOwn) return undefined;
  const types = new Map<string, boolean>();
  for (const { name, type } of tableViews.flatMap(({ columns }) => columns)) {
    const key = name.toLowerCase();
    types.set(key, types.get(key) !== false && (type === "DOUBLE" || type === "FLOAT"));
  }
  const isFloating = floatingIn(types, aliases);
  const bytes = Buffer.from(sql);
  const places = calls
    .filter(
      ({ at, name, of }) =>
        bytes.toString("utf8", at, at + name.length).toLowerCase() === name && isFloating(of),
    )
    .map(({ at }) => at)
    .toSorted((a, b) => a - b);
  if (places.length === 0) return undefined;
  const parts = [0, ...places].map((from, i) => bytes.toString("utf8", from, places[i]));
  return parts.join("f");
}

/** A name of a column as it would be without exact sums. */
export function plainName(name: string): string {
  return name.replace(/\bf(sum|avg)\(/g, "$1(");
}

/** Deeper than anybody computes. */
const DEPTH = 50;

function floatingIn(
  types: ReadonlyMap<string, boolean>,
  aliases: ReadonlyMap<string, readonly Node[]>,
): (node: Node) => boolean {
  const known = new Map<string, boolean>();
  const named = (name: string, depth: number): boolean => {
    const before = known.get(name);
    if (before !== undefined) return before;
    // What refers to itself is no number of its own.
    known.set(name, false);
    const meanings = (aliases.get(name) ?? []).filter((node) => !isSame(node, name));
    const own = types.get(name);
    const is =
      own !== false && (own === true || meanings.length > 0) && meanings.every((node) => of(node, depth));
    known.set(name, is);
    return is;
  };
  const of = (node: Node, depth: number): boolean => {
    if (depth > DEPTH || typeof node !== "object" || node === null) return false;
    const some = (nodes: readonly unknown[]) => nodes.some((each) => of(each as Node, depth + 1));
    switch (node.class) {
      case "COLUMN_REF": {
        const names = list(node.column_names);
        return names.length <= 2 && named(String(names.at(-1)).toLowerCase(), depth + 1);
      }
      case "FUNCTION":
        return ARITHMETIC.has(String(node.function_name)) && some(list(node.children));
      case "OPERATOR":
        return node.type === "OPERATOR_COALESCE" && some(list(node.children));
      case "CASE": {
        const branches = list(node.case_checks).map((check) => (check as Node).then_expr);
        return some([...branches, node.else_expr]);
      }
      default:
        return false;
    }
  };
  return (node) => of(node, 0);
}

/** A column that is handed on under its own name. */
function isSame(node: Node, name: string): boolean {
  return node.class === "COLUMN_REF" && String(list(node.column_names).at(-1)).toLowerCase() === name;
}
