import { AppError } from "../../../kernel/errors.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import { isAggregate as isAggregateName } from "../guard/functions/index.ts";
import { guardSql, type Serialize } from "../guard/index.ts";

interface SelectNode {
  type: string;
  select_list?: unknown[];
  from_table?: { type?: string };
}

/** Everything of a SELECT beside its list and its FROM that says something when it is there. */
const OTHER_CLAUSES = ["where_clause", "group_expressions", "having", "qualify", "sample", "modifiers"];

/**
 * Makes sure that a text which will stand inside a view is one expression and nothing more: it has to parse by
 * itself, so it cannot close a bracket that it did not open, and it may name no table, so it cannot reach around
 * the policies that the view stands behind. Gives back the columns that it names, each as the parts of its name.
 */
export async function readExpression(sql: string, serialize: Serialize): Promise<string[][]> {
  const select = `SELECT ${sql}\n`;
  const parsed = await serialize(select);
  const node = parsed.ok && parsed.statements.length === 1 ? nodeOf(parsed.statements[0]) : undefined;
  const isOne = node?.type === "SELECT_NODE" && node.select_list?.length === 1;
  const isBare = isOne && (node.from_table?.type ?? "EMPTY") === "EMPTY" && !hasOtherClauses(node);
  if (parsed.ok && !isBare) {
    throw new AppError("bad_request", "It is not one expression.", {
      hint: "Write what could stand as one item between SELECT and FROM.",
    });
  }
  if (named(node, "BASE_TABLE", "type").length > 0) {
    throw new AppError("bad_request", "It selects from a table.", {
      hint: "Compute it from columns of this model's datasets alone, without FROM.",
    });
  }
  await guardSql(select, { datasets: [], serialize });
  return named(node, "COLUMN_REF", "class").map(({ column_names: names }) => names as string[]);
}

/** Whether an expression makes one value of many rows. */
export async function isAggregate(sql: string, serialize: Serialize): Promise<boolean> {
  const parsed = await serialize(`SELECT ${sql}\n`);
  if (!parsed.ok) return false;
  const called = named(parsed.statements, "FUNCTION", "class").map(({ function_name: name }) => String(name));
  return called.some(isAggregateName);
}

function nodeOf(statement: JsonValue | undefined): SelectNode | undefined {
  return (statement as { node?: SelectNode } | undefined)?.node;
}

function hasOtherClauses(node: SelectNode): boolean {
  const clauses = node as unknown as Record<string, unknown>;
  return OTHER_CLAUSES.some((name) => {
    const clause = clauses[name];
    return clause !== undefined && clause !== null && (!Array.isArray(clause) || clause.length > 0);
  });
}

/** Everything in a tree whose `type` or `class` is this. */
export function named(root: unknown, kind: string, key: "type" | "class"): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    const each = node as Record<string, unknown>;
    if (each[key] === kind) found.push(each);
    open.push(...Object.values(each));
  }
  return found;
}
