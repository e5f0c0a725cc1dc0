import type { JsonValue, QueryResult, SerializedSql } from "../analytics-options.ts";
import { FOLDED } from "./print-expression.ts";
import { type Node, nodes, text } from "./tree.ts";

/** DuckDB itself, without any data. */
export interface Folder {
  serialize(sql: string): Promise<SerializedSql>;
  select(sql: string, params?: readonly string[]): Promise<QueryResult>;
  isAggregate(name: string): boolean;
}

/** What gives something else each time, or many rows, or means its place. */
const KEPT = new Set(
  "random uuid gen_random_uuid uuidv4 uuidv7 unnest row struct_pack main.row count_star row_number".split(
    " ",
  ),
);
const CLOCK = new Set("current_date current_timestamp current_time localtime localtimestamp".split(" "));
const PURE = new Set(["CAST", "FUNCTION", "OPERATOR", "COMPARISON", "CONJUNCTION", "CASE", "BETWEEN"]);

/**
 * Computes what is known without any row in DuckDB: dates and spans of time, TRY_CAST of a policy's values, series of
 * periods. So no dialect needs words for them, and all databases start from the same values.
 */
export async function foldConstants(trees: readonly Node[], folder: Folder): Promise<Node[]> {
  const found: Node[] = [];
  for (const tree of trees) collect(tree, folder, found);
  if (found.length === 0) return [...trees];
  const values = await valuesOf(found, folder);
  return trees.map((tree) => replaced(tree, values) as Node);
}

function collect(value: unknown, folder: Folder, found: Node[]): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) collect(each, folder, found);
    return;
  }
  const node = value as Node;
  const isName = node.class === "COLUMN_REF";
  if (!isName && node.class !== "CONSTANT" && isConstant(node, folder)) found.push(node);
  else if (isName && isClock(node)) found.push(node);
  else
    for (const [name, each] of Object.entries(node))
      if (name !== "cast_type" && name !== "value_type") collect(each, folder, found);
}

function isConstant(node: Node, folder: Folder): boolean {
  if (node.class === "CONSTANT") return true;
  if (node.class === "COLUMN_REF") return isClock(node);
  if (!PURE.has(text(node.class))) return false;
  if (node.class === "FUNCTION") {
    const name = text(node.function_name).toLowerCase();
    if (KEPT.has(name) || folder.isAggregate(name)) return false;
  }
  const below = [
    ...nodes(node.children),
    ...nodes(node.case_checks).flatMap((check) => [check.when_expr, check.then_expr]),
    ...["child", "left", "right", "input", "lower", "upper", "else_expr"].map((name) => node[name]),
  ];
  return below.every((each) => typeof each !== "object" || each === null || isConstant(each as Node, folder));
}

/** No column has such a name without its table: the guard sees to it. */
function isClock(node: Node): boolean {
  const names = (node.column_names as string[] | undefined) ?? [];
  return names.length === 1 && CLOCK.has((names[0] as string).toLowerCase());
}

async function valuesOf(
  found: readonly Node[],
  folder: Folder,
): Promise<Map<Node, { value: JsonValue; type: string }>> {
  const template = await folder.serialize("SELECT 1");
  if (!template.ok) throw new Error("the parser does not read SELECT 1");
  const [statement] = template.statements as { node: Record<string, unknown> }[];
  const select_list = found.map((node, i) => ({ ...node, alias: `c${i}` }));
  const tree = { error: false, statements: [{ ...statement, node: { ...statement?.node, select_list } }] };
  const printed = await folder.select("SELECT json_deserialize_sql(CAST($1 AS JSON))", [
    // Where there is no place it is 2^64 - 1, which no number here holds.
    JSON.stringify(tree, (name, held: unknown) => (name === "query_location" ? 0 : held)),
  ]);
  const { columns, rows } = await folder.select(String(printed.rows[0]?.[0]));
  return new Map(
    found.map((node, i) => [node, { value: rows[0]?.[i] ?? null, type: columns[i]?.type ?? "" }]),
  );
}

function replaced(value: unknown, values: ReadonlyMap<Node, { value: JsonValue; type: string }>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => replaced(each, values));
  const node = value as Node;
  const known = values.get(node);
  if (known !== undefined)
    return { class: FOLDED, value: known.value, valueType: known.type, alias: node.alias };
  return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, replaced(each, values)]));
}
