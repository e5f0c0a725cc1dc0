import { AppError } from "../../../kernel/errors.ts";
import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import { LIMITS } from "../limits.ts";
import type { CallNode, Expression } from "./ast.ts";
import { asText, unify } from "./coerce.ts";
import type { CompiledStatement } from "./compile.ts";
import { compileExpression } from "./compile-expression.ts";
import { printExpression } from "./print.ts";
import { type BoundColumn, errorAt, rowNumberName, type Scope, unknownField } from "./scope.ts";
import { isNumber, NUMBER, TEXT, type Value } from "./value.ts";

/** FROM clause: a source that goes by the scope's name, with its filter. */
type From = string;

/** `transpose(field, value[, key, …])`: a column of each value of a field, for every row or one for each key. */
export function compileTranspose(scope: Scope, node: CallNode, from: From): CompiledStatement {
  const [field, value, ...keys] = node.args.map((arg) => ({
    node: arg,
    value: compileExpression(scope, arg),
  }));
  if (field === undefined || value === undefined)
    throw misused(scope, node, "transpose(field, value[, key, …])");
  for (const { node: part, value: compiled } of [field, value, ...keys]) refuseOthers(scope, part, compiled);
  const names = valuesOf(scope, node, field.value, from);
  const text = asText(field.value).sql;
  const pick = (name: string | null) => (name === null ? `${text} IS NULL` : `${text} = ${quoteText(name)}`);
  const taken = new Set<string>();
  const cells = (sql: (condition: string) => string, type: Value["type"]) =>
    names.map((name) => ({ name: unused(taken, name), sql: sql(pick(name)), type }));
  if (keys.length === 0) {
    const kept = keptColumns(scope, [field.node, value.node]);
    for (const { name } of kept) taken.add(name.toLowerCase());
    const made = cells((is) => `CASE WHEN ${is} THEN ${value.value.sql} END`, value.value.type);
    return select([...kept, ...made], from, "");
  }
  const heads = keys.map(({ node: key, value: { sql, type } }) => ({
    name: unused(taken, headOf(scope, key)),
    sql,
    type,
  }));
  // Several values of one cell are added up; of what is no number, the last one stands.
  const hasNumbers = isNumber(value.value.type);
  const take = hasNumbers ? "sum" : "last";
  const made = cells(
    (is) => `${take}(${value.value.sql}) FILTER (WHERE ${is})`,
    hasNumbers ? NUMBER : value.value.type,
  );
  const groups = heads.map(({ sql }) => sql).join(", ");
  // Keys come out in the order in which they come first.
  const row = quoteName(rowNumberName(scope.tableView));
  const numbered = `(SELECT *, row_number() OVER () AS ${row} FROM ${from}) AS ${scope.table}`;
  return select([...heads, ...made], numbered, ` GROUP BY ${groups} ORDER BY min(${scope.table}.${row})`);
}

/** `reverse_transpose(name, value, keep, …)`: every other column as a row with its name and its value. */
export function compileReverse(scope: Scope, node: CallNode, from: From): CompiledStatement {
  const [name, value, ...kept] = node.args;
  const usage = "reverse_transpose(new name field, new value field, field to keep, …)";
  if (name === undefined || value === undefined) throw misused(scope, node, usage);
  const keep = kept.map((each) => {
    const column = each.kind === "name" ? scope.tableView.find(each.text) : undefined;
    if (column !== undefined) return column;
    if (each.kind === "name") throw unknownField(scope, each);
    throw misused(scope, node, usage);
  });
  const fold = scope.tableView.columns.filter((column) => !keep.includes(column));
  if (fold.length === 0) throw errorAt(scope, node.span, { message: "no column is left to make rows of." });
  const read = ({ name: column, type }: BoundColumn): Value => ({
    sql: `${scope.table}.${quoteName(column)}`,
    type,
    readsColumns: true,
    hasAggregate: false,
    hasWindow: false,
  });
  const nodes = fold.map(
    (column): Expression => ({ kind: "name", text: column.name, exact: true, span: node.span }),
  );
  const [values, type] = unify(scope, nodes, fold.map(read));
  const list = (items: readonly string[]) => `unnest([${items.join(", ")}])`;
  const taken = new Set<string>();
  const columns = [
    ...keep.map((column) => ({ ...column, sql: read(column).sql })),
    { name: newName(scope, node, name), sql: list(fold.map((each) => quoteText(each.name))), type: TEXT },
    { name: newName(scope, node, value), sql: list(values.map(({ sql }) => sql)), type },
  ].map((column) => ({ ...column, name: unused(taken, column.name) }));
  return select(columns, from, "");
}

function misused(scope: Scope, node: CallNode, usage: string): AppError {
  return errorAt(scope, node.span, {
    message: `${node.name} was given ${node.args.length} arguments.`,
    hint: `Write ${usage}.`,
  });
}

function refuseOthers(scope: Scope, node: Expression, { hasAggregate, hasWindow }: Value): void {
  if (!hasAggregate && !hasWindow) return;
  throw errorAt(scope, node.span, {
    message: "transpose takes fields, and what is computed from the fields of one row.",
    hint: "Aggregate in a statement before: select Month, Region, sum(x) as total group by Month, Region; select transpose(Region, total, Month)",
  });
}

function select(
  columns: readonly (BoundColumn & { sql: string })[],
  from: From,
  rest: string,
): CompiledStatement {
  const list = columns.map(({ name, sql }) => `${sql} AS ${quoteName(name)}`).join(", ");
  return {
    sql: `SELECT ${list} FROM ${from}${rest}`,
    columns: columns.map(({ name, type }) => ({ name, type })),
  };
}

/** The columns that were not named, as they are. */
function keptColumns(scope: Scope, used: readonly Expression[]): (BoundColumn & { sql: string })[] {
  const names = new Set(used.map((node) => headOf(scope, node).toLowerCase()));
  return scope.tableView.columns
    .filter(({ name }) => !names.has(name.toLowerCase()))
    .map((column) => ({ ...column, sql: `${scope.table}.${quoteName(column.name)}` }));
}

function headOf(scope: Scope, node: Expression): string {
  return (node.kind === "name" ? scope.tableView.find(node.text)?.name : undefined) ?? printExpression(node);
}

function newName(scope: Scope, node: CallNode, name: Expression): string {
  if (name.kind === "name" && name.text.trim() !== "") return name.text;
  if (name.kind === "text" && name.value.trim() !== "") return name.value;
  throw misused(scope, node, "reverse_transpose(new name field, new value field, field to keep, …)");
}

/** Longest name that a column gets from a value. */
const NAME_CHARACTERS = 200;

/** Names of columns differ by more than their case. */
function unused(taken: Set<string>, wanted: string | null): string {
  const text = wanted === null ? "null" : wanted.trim() === "" ? "(empty)" : wanted;
  const name = text.length > NAME_CHARACTERS ? `${text.slice(0, NAME_CHARACTERS - 1).toWellFormed()}…` : text;
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name} (${count})`;
    if (taken.has(candidate.toLowerCase())) continue;
    taken.add(candidate.toLowerCase());
    return candidate;
  }
}

function valuesOf(scope: Scope, node: CallNode, field: Value, from: From): readonly (string | null)[] {
  const { transposedColumns: most } = LIMITS.c9ql;
  const text = asText(field).sql;
  const order = `ORDER BY min(${field.sql}) NULLS LAST`;
  const sql = `SELECT ${text} AS v FROM ${from} GROUP BY ${text} ${order} LIMIT ${most + 1}`;
  const values = scope.environment.valuesOf(sql);
  if (values.length <= most) return values;
  throw errorAt(scope, node.span, {
    code: "too_large",
    message: `${printExpression(node.args[0] as Expression)} has more than ${most} different values, each of which would be a column.`,
    hint: "Filter before, or take a field with fewer values.",
  });
}

/** Which columns a query has depends on its data: these must be asked for first, and it is compiled again. */
export class ValuesNeeded extends AppError {
  readonly sql: string;
  readonly params: readonly string[];

  constructor(sql: string, params: readonly string[]) {
    super("unsupported", "transpose cannot be used here: which columns it gives is only known when it runs.");
    this.sql = sql;
    this.params = params;
  }
}
