import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import type { CallNode, Expression, Statement, ValueItem } from "./ast.ts";
import { findColumn } from "./bind-name.ts";
import { compileExpression } from "./compile-expression.ts";
import type { CompiledStatement } from "./compile-statement.ts";
import { EXPANSIONS } from "./functions/index.ts";
import { printExpression } from "./print.ts";
import { type BoundColumn, complain, type Scope } from "./scope.ts";
import type { Value } from "./value.ts";
import { describeKind, JSON_VALUE, OTHER, TEXT, type ValueType } from "./value-type.ts";

/** The expand(…) of a statement, which stands alone or after `*`. */
export function expansionIn(scope: Scope, { items, groupBy }: Statement): ValueItem | undefined {
  const item = items.find((each) => each.kind === "value" && isExpansion(each.expression));
  if (item?.kind !== "value") return undefined;
  const isAlone = items.every((each) => each === item || each.kind === "all");
  if (!isAlone || item.alias !== undefined || groupBy.length > 0) {
    const { name } = item.expression as CallNode;
    throw complain(scope, item.span, {
      message: `${name} stands alone in its select.`,
      hint: `Write select ${name}(field); and go on in a next statement. All other fields are kept.`,
    });
  }
  return item;
}

function isExpansion(node: Expression): boolean {
  return node.kind === "call" && EXPANSIONS.some((name) => name === node.name);
}

/** One column of the expanded rows. */
interface Expanded {
  readonly name: string;
  readonly sql: string;
  readonly type: ValueType;
  /** Whether it came out of a list, so that its fields become columns. */
  readonly isExpanded: boolean;
}

/** Lists become rows, objects become columns; the other columns are repeated. */
export function compileExpansion(
  scope: Scope,
  { expression, span }: ValueItem,
  from: string,
  where: string | undefined,
): CompiledStatement {
  const { name, args } = expression as CallNode;
  if (args.length === 0 || (name === "expand" && args.length > 1)) {
    const usage = name === "expand" ? "expand(field)" : "expand_arrays(field, field, …)";
    throw complain(scope, span, {
      message: `${name} was given ${args.length} arguments.`,
      hint: `Write ${usage}.`,
    });
  }
  const expanded = new Map(
    args.map((arg) => expandArgument(scope, arg)).map((each) => [each.name.toLowerCase(), each]),
  );
  const kept = scope.tableView.columns.map((column): Expanded => {
    const key = column.name.toLowerCase();
    const replacement = expanded.get(key);
    expanded.delete(key);
    if (replacement !== undefined) return replacement;
    return { ...column, sql: `${scope.table}.${quoteName(column.name)}`, isExpanded: false };
  });
  const columns = [...kept, ...expanded.values()];
  const list = columns.map((each) => `${each.sql} AS ${quoteName(each.name)}`).join(", ");
  const filter = where === undefined ? "" : ` WHERE ${where}`;
  const rows = `SELECT ${list} FROM ${from} AS ${scope.table}${filter}`;
  const hasFields = columns.some(({ type, isExpanded }) => isExpanded && type.kind === "struct");
  return hasFields ? spreadFields(scope, rows, columns) : { sql: rows, columns };
}

function expandArgument(scope: Scope, node: Expression): Expanded {
  const value = compileExpression(scope, node);
  const found = node.kind === "name" || node.kind === "access" ? findColumn(scope, node) : undefined;
  const name = found !== undefined && found.steps.length === 0 ? found.column.name : printExpression(node);
  return { name, ...elementsOf(scope, node, value), isExpanded: true };
}

function elementsOf(scope: Scope, node: Expression, { sql, type }: Value): { sql: string; type: ValueType } {
  switch (type.kind) {
    case "list":
      return { sql: `unnest(${sql})`, type: type.element ?? OTHER };
    case "map": {
      const fields = [
        { name: "key", type: TEXT },
        { name: "value", type: type.element ?? OTHER },
      ];
      return { sql: `unnest(map_entries(${sql}))`, type: { kind: "struct", fields } };
    }
    case "struct":
      return { sql, type };
    case "json":
    case "text": {
      const json = type.kind === "json" ? sql : `TRY_CAST(${sql} AS JSON)`;
      const elements = `CASE WHEN json_type(${json}) = 'ARRAY' THEN json_extract(${json}, '$[*]')`;
      return { sql: `unnest(${elements} WHEN ${json} IS NOT NULL THEN [${json}] END)`, type: JSON_VALUE };
    }
    default:
      throw complain(scope, node.span, {
        message: `this is ${describeKind(type)} and has nothing to expand.`,
        hint: "Expand a field that holds a list or a nested object.",
      });
  }
}

/** Each field of an object as a column of its own; where the name is taken, after the name of the object. */
function spreadFields(scope: Scope, rows: string, columns: readonly Expanded[]): CompiledStatement {
  const taken = new Set(
    columns
      .filter(({ type, isExpanded }) => !isExpanded || type.kind !== "struct")
      .map(({ name }) => name.toLowerCase()),
  );
  const spread = columns.flatMap((column): (BoundColumn & { sql: string })[] => {
    const sql = `${scope.table}.${quoteName(column.name)}`;
    if (!column.isExpanded || column.type.kind !== "struct")
      return [{ name: column.name, type: column.type, sql }];
    return (column.type.fields ?? []).map((field) => {
      const name = taken.has(field.name.toLowerCase()) ? `${column.name}.${field.name}` : field.name;
      taken.add(name.toLowerCase());
      return { name, type: field.type, sql: `struct_extract(${sql}, ${quoteText(field.name)})` };
    });
  });
  const list = spread.map(({ name, sql }) => `${sql} AS ${quoteName(name)}`).join(", ");
  return { sql: `SELECT ${list} FROM (${rows}) AS ${scope.table}`, columns: spread };
}
