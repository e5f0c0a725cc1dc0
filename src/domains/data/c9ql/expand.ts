import { AppError } from "../../../kernel/errors.ts";
import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import { LIMITS } from "../limits.ts";
import type { CallNode, Expression, Statement, ValueItem } from "./ast.ts";
import { asText, unify } from "./coerce.ts";
import type { CompiledStatement } from "./compile.ts";
import { compileExpression } from "./compile-expression.ts";
import { EXPANSIONS } from "./functions.ts";
import { printExpression } from "./print.ts";
import { type BoundColumn, errorAt, findColumn, rowNumberName, type Scope, unknownField } from "./scope.ts";
import {
  describeKind,
  isNested,
  isNumber,
  JSON_VALUE,
  NUMBER,
  OTHER,
  TEXT,
  type Value,
  type ValueType,
} from "./value.ts";

/** The expand(…) of a statement, which stands alone or after `*`. */
export function expansionIn(scope: Scope, { items, groupBy }: Statement): ValueItem | undefined {
  const item = items.find((each) => each.kind === "value" && isExpansion(each.expression));
  if (item?.kind !== "value") return undefined;
  const isAlone = items.every((each) => each === item || each.kind === "all");
  if (!isAlone || item.alias !== undefined || groupBy.length > 0) {
    const { name } = item.expression as CallNode;
    throw errorAt(scope, item.span, {
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
  /** True if it came out of a list, so that its fields become columns. */
  readonly isExpanded: boolean;
}

/** Lists become rows, objects become columns; the other columns are repeated. */
export function compileExpansion(
  scope: Scope,
  { expression, span }: ValueItem,
  from: string,
  where: string | undefined,
): CompiledStatement {
  const call = expression as CallNode;
  const { name, args } = call;
  const filtered = `${from} AS ${scope.table}${where === undefined ? "" : ` WHERE ${where}`}`;
  if (name === "transpose") return compileTranspose(scope, call, filtered);
  if (name === "reverse_transpose") return compileReverse(scope, call, filtered);
  if (args.length === 0 || (name === "expand" && args.length > 1)) {
    const usage = name === "expand" ? "expand(field)" : `${name}(field, field, …)`;
    throw errorAt(scope, span, {
      message: `${name} was given ${args.length} arguments.`,
      hint: `Write ${usage}.`,
    });
  }
  const lists =
    name === "expand_arrays_with_defaults"
      ? withDefaults(scope, args)
      : args.map((arg) => listOf(scope, arg));
  const made = new Map(lists.map((each) => [each.name.toLowerCase(), expanded(each)]));
  const kept = scope.tableView.columns.map((column): Expanded => {
    const key = column.name.toLowerCase();
    const replacement = made.get(key);
    made.delete(key);
    if (replacement !== undefined) return replacement;
    return { ...column, sql: `${scope.table}.${quoteName(column.name)}`, isExpanded: false };
  });
  const columns = [...kept, ...made.values()];
  const list = columns.map((each) => `${each.sql} AS ${quoteName(each.name)}`).join(", ");
  const rows = `SELECT ${list} FROM ${filtered}`;
  const hasFields = columns.some(({ type, isExpanded }) => isExpanded && type.kind === "struct");
  return hasFields ? spreadFields(scope, rows, columns) : { sql: rows, columns };
}

/** Operand of an expansion: a list of elements, or an object as it is. */
interface Listed {
  readonly name: string;
  readonly sql: string;
  readonly type: ValueType;
  readonly isList: boolean;
}

function listOf(scope: Scope, node: Expression): Listed {
  const value = compileExpression(scope, node);
  const found = node.kind === "name" || node.kind === "access" ? findColumn(scope, node) : undefined;
  const name = found !== undefined && found.steps.length === 0 ? found.column.name : printExpression(node);
  return { name, isList: value.type.kind !== "struct", ...elementsOf(scope, node, value) };
}

function expanded({ name, sql, type, isList }: Listed): Expanded {
  return { name, sql: isList ? `unnest(${sql})` : sql, type, isExpanded: true };
}

/**
 * All lists as long as the longest, and at least one long, so that no row is lost. A constant after a field stands
 * where its list has nothing; without one it is null.
 */
function withDefaults(scope: Scope, args: readonly Expression[]): Listed[] {
  const lists: { listed: Listed; otherwise: string }[] = [];
  for (const node of args) {
    const { constant, sql } = compileExpression(scope, node);
    const last = lists.at(-1);
    if (constant === undefined || last === undefined)
      lists.push({ listed: listOf(scope, node), otherwise: "NULL" });
    else last.otherwise = sql;
  }
  const whole = ({ sql }: Listed) => `coalesce(${sql}, [])`;
  const lengths = lists.filter(({ listed }) => listed.isList).map(({ listed }) => `len(${whole(listed)})`);
  const longest = `greatest(1, ${lengths.join(", ")})`;
  return lists.map(({ listed, otherwise }) => {
    const { isList, type } = listed;
    if (!isList) return listed;
    // An object has no default of its own: its fields are null.
    const value = isNested(type) || type.sql === undefined ? "NULL" : `CAST(${otherwise} AS ${type.sql})`;
    return { ...listed, sql: `list_resize(${whole(listed)}, ${longest}, ${value})` };
  });
}

/** The elements of a value as a list; an object is one. */
function elementsOf(scope: Scope, node: Expression, { sql, type }: Value): { sql: string; type: ValueType } {
  switch (type.kind) {
    case "list":
      return { sql, type: type.element ?? OTHER };
    case "map": {
      const fields = [
        { name: "key", type: TEXT },
        { name: "value", type: type.element ?? OTHER },
      ];
      return { sql: `map_entries(${sql})`, type: { kind: "struct", fields } };
    }
    case "struct":
      return { sql, type };
    case "json":
    case "text": {
      const json = type.kind === "json" ? sql : `TRY_CAST(${sql} AS JSON)`;
      const elements = `CASE WHEN json_type(${json}) = 'ARRAY' THEN json_extract(${json}, '$[*]')`;
      return { sql: `${elements} WHEN ${json} IS NOT NULL THEN [${json}] END`, type: JSON_VALUE };
    }
    default:
      throw errorAt(scope, node.span, {
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

/** A column of a result. */
export interface Output {
  readonly name: string;
  readonly value: Value;
}

/** Longest name that a column gets from its expression or from a value. */
const NAME_CHARACTERS = 200;

function shortened(name: string): string {
  return name.length > NAME_CHARACTERS ? `${name.slice(0, NAME_CHARACTERS - 1).toWellFormed()}…` : name;
}

/** The columns that the items of a statement give; of two with one name, the later one takes the earlier one's place. */
export function compileOutputs(scope: Scope, { items }: Pick<Statement, "items">): Output[] {
  const outputs = new Map<string, Output>();
  const put = (output: Output) => outputs.set(output.name.toLowerCase(), output);
  const exceptions = exceptionsIn(scope, items);
  const hasAll = items.some(({ kind }) => kind === "all");
  if (exceptions.size > 0 && !hasAll) allColumns(scope, exceptions).forEach(put);
  for (const item of items) {
    if (item.kind === "all") allColumns(scope, exceptions).forEach(put);
    else if (item.kind === "value") put(compileItem(scope, item));
  }
  if (outputs.size === 0) {
    const span = items[0]?.span ?? { start: 0, end: 0 };
    throw errorAt(scope, span, { message: "no column is left.", hint: "Leave at least one column in." });
  }
  return [...outputs.values()];
}

function exceptionsIn(scope: Scope, items: Statement["items"]): Set<string> {
  const names = items.flatMap((item) => {
    if (item.kind !== "except") return [];
    const column = scope.tableView.find(item.name.text);
    if (column === undefined) throw unknownField(scope, item.name);
    return [column.name];
  });
  return new Set(names);
}

function allColumns(scope: Scope, exceptions: ReadonlySet<string>): Output[] {
  return scope.tableView.columns
    .filter(({ name }) => !exceptions.has(name))
    .map(({ name, type }) => ({
      name,
      value: {
        sql: `${scope.table}.${quoteName(name)}`,
        type,
        readsColumns: true,
        hasAggregate: false,
        hasWindow: false,
      },
    }));
}

function compileItem(scope: Scope, { expression, alias }: ValueItem): Output {
  return { name: alias ?? nameOf(scope, expression), value: compileExpression(scope, expression) };
}

/** A field keeps the name it has in the data; anything else is called by its text. */
function nameOf(scope: Scope, expression: Expression): string {
  if (expression.kind === "name" || expression.kind === "access") {
    const found = findColumn(scope, expression);
    if (found !== undefined && found.steps.length === 0) return found.column.name;
  }
  const text = printExpression(expression);
  return shortened(text);
}

/** FROM clause: a source that goes by the scope's name, with its filter. */
type From = string;

/** `transpose(field, value[, key, …])`: a column of each value of a field, for every row or one for each key. */
function compileTranspose(scope: Scope, node: CallNode, from: From): CompiledStatement {
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
function compileReverse(scope: Scope, node: CallNode, from: From): CompiledStatement {
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

/** Names of columns differ by more than their case. */
function unused(taken: Set<string>, wanted: string | null): string {
  const text = wanted === null ? "null" : wanted.trim() === "" ? "(empty)" : wanted;
  const name = shortened(text);
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
