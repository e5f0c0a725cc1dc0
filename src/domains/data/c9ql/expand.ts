import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import type { CallNode, Expression, Statement, ValueItem } from "./ast.ts";
import type { CompiledStatement } from "./compile.ts";
import { compileExpression } from "./compile-expression.ts";
import { EXPANSIONS } from "./functions.ts";
import { printExpression } from "./print.ts";
import { type BoundColumn, errorAt, findColumn, type Scope, unknownField } from "./scope.ts";
import { compileReverse, compileTranspose } from "./transpose.ts";
import { describeKind, isNested, JSON_VALUE, OTHER, TEXT, type Value, type ValueType } from "./value.ts";

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

/** Longest name that a column gets from its expression. */
const NAME_CHARACTERS = 200;

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
  return text.length > NAME_CHARACTERS ? `${text.slice(0, NAME_CHARACTERS - 1).toWellFormed()}…` : text;
}
