import type { AppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import {
  childrenOf,
  type Expression,
  NOWHERE,
  type Ordering,
  type Query,
  type Statement,
  type ValueItem,
} from "./ast.ts";
import { compileCondition, compileExpression } from "./compile-expression.ts";
import { compileExpansion, compileOutputs, expansionIn, type Output, ValuesNeeded } from "./expand.ts";
import { isAggregateCall } from "./functions.ts";
import { parametersOf } from "./parameters.ts";
import { printExpression } from "./print.ts";
import {
  type BoundColumn,
  type Environment,
  errorAt,
  type ParameterValue,
  rowNumberName,
  type Scope,
  TableView,
} from "./scope.ts";
import { localTime, refuseLarge, type Value, type ValueType, valueType } from "./value.ts";

export interface CompileOptions {
  /** The columns of the source that may be seen, with DuckDB's names of their types. Others do not exist. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** SQL of the view: what may stand after FROM, such as a quoted name or a query in brackets. It is trusted. */
  readonly source: string;
  /** Values of the run-time parameters, by name without `$c9_`. */
  readonly parameters?: Readonly<Record<string, ParameterValue>>;
  /** The moment that `now()` and the date tokens mean. */
  readonly now: Date;
  /** IANA name of the zone whose calendar days are meant. */
  readonly timezone: string;
  /** Number of the first placeholder, if the source has some of its own. */
  readonly firstParam?: number;
  /** Results of queries that had to run first, by their SQL and parameters. */
  readonly known?: ReadonlyMap<string, readonly (string | null)[]>;
}

export interface CompiledQuery {
  /** One SELECT of DuckDB over the source. */
  readonly sql: string;
  /** The values of $1, $2 and so on: texts that came in as run-time parameters. */
  readonly params: readonly string[];
  /** The columns of the result, with their types where they are known before it runs. */
  readonly columns: readonly { readonly name: string; readonly type?: string }[];
}

/** A query as one SELECT. Statements nest as subqueries, which DuckDB plans as one. */
export function compile(query: Query, options: CompileOptions): CompiledQuery {
  const bindings = new Bindings();
  const environment = environmentOf(query, options, bindings);
  const first = boundColumns(options.columns);
  let input: Input = { from: options.source, tableView: new TableView(first), isExact: false };
  let sql = "";
  const statements = query.statements.filter((statement) => !isEverything(statement));
  for (const statement of statements.length === 0 ? [EVERYTHING] : statements) {
    const { text = query.text } = statement;
    const compiled = compileStatement({ ...environment, text }, statement, input);
    sql = compiled.sql;
    refuseLarge(sql);
    input = { from: `(${sql})`, tableView: new TableView(compiled.columns), isExact: true };
  }
  return {
    ...bindings.resolve(sql, options.firstParam ?? 1),
    columns: input.tableView.columns.map(({ name, type }) => ({
      name,
      ...(type.sql === undefined ? {} : { type: type.sql }),
    })),
  };
}

/** The columns that a query gives, where it fits those that it is asked on; else it says what is wrong with it. */
export function columnsOf(query: Query, columns: CompileOptions["columns"]): CompiledQuery["columns"] {
  return compile(query, { columns, source: '"rows"', now: new Date(0), timezone: "UTC" }).columns;
}

/** The same for queries whose columns depend on the data; `ask` gives the first column of what they need to know. */
export async function compileOn(
  query: Query,
  options: CompileOptions,
  ask: (sql: string, params: readonly string[]) => Promise<readonly (string | null)[]>,
): Promise<CompiledQuery> {
  const known = new Map<string, readonly (string | null)[]>();
  for (;;) {
    try {
      return compile(query, { ...options, known });
    } catch (error) {
      if (!(error instanceof ValuesNeeded)) throw error;
      const { sql, params } = error;
      known.set(keyOf({ sql, params }), await ask(sql, params));
    }
  }
}

/**
 * SQL of a value that is true if the query finds rows, and what it is read from; undefined if it has parameters.
 * Conditions on each row by itself share what they are read from, so one look at all rows answers many of them.
 */
export function compileTest(
  query: Query,
  options: CompileOptions,
): { test: string; from: string } | undefined {
  if (parametersOf(query).length > 0) return undefined;
  const condition = rowCondition(query);
  if (condition === undefined)
    return { test: `EXISTS (SELECT * FROM (${compile(query, options).sql}))`, from: "" };
  const tableView = new TableView(boundColumns(options.columns));
  const table = quoteName(tableName(tableView));
  const environment = environmentOf(query, options, new Bindings());
  const { sql } = compileWhere({ environment, tableView, table }, condition);
  refuseLarge(sql);
  return { test: `coalesce(bool_or(${sql}), false)`, from: ` FROM ${options.source} AS ${table}` };
}

/** The condition of a query that gives those of all rows for which it is true. */
export function rowCondition({ statements }: Query): Expression | undefined {
  const [first, ...others] = statements;
  if (first?.where === undefined || others.length > 0) return undefined;
  const { where, ...rest } = first;
  return isEverything(rest) ? where : undefined;
}

function keyOf({ sql, params }: Pick<CompiledQuery, "sql" | "params">): string {
  return JSON.stringify([sql, params]);
}

const EVERYTHING: Statement = {
  distinct: false,
  items: [{ kind: "all", span: NOWHERE }],
  groupBy: [],
  orderBy: [],
  span: NOWHERE,
};

/** `select *` on its own changes nothing. */
function isEverything({ distinct, items, where, groupBy, orderBy, limit }: Statement): boolean {
  const hasClause = where !== undefined || groupBy.length > 0 || orderBy.length > 0 || limit !== undefined;
  return !distinct && !hasClause && items.every(({ kind }) => kind === "all");
}

function environmentOf(query: Query, options: CompileOptions, bindings: Bindings): Environment {
  return {
    text: query.text,
    now: localTime(options.now, options.timezone),
    timezone: options.timezone,
    parameters: options.parameters ?? {},
    bind: (text) => bindings.place(text),
    valuesOf: (needed) => {
      const { sql, params } = bindings.resolve(needed, options.firstParam ?? 1);
      const found = options.known?.get(keyOf({ sql, params }));
      if (found === undefined) throw new ValuesNeeded(sql, params);
      return found;
    },
  };
}

/** Types repeat, so each is read once. */
function boundColumns(columns: CompileOptions["columns"]): BoundColumn[] {
  const types = new Map<string, ValueType>();
  return columns.map(({ name, type }) => {
    const known = types.get(type) ?? valueType(type);
    types.set(type, known);
    return { name, type: known };
  });
}

/** Input of a statement: something that can stand after FROM, and its columns. */
interface Input {
  readonly from: string;
  readonly tableView: TableView;
  /** True if it has these columns and no others. A source may have more, which are not to be seen. */
  readonly isExact: boolean;
}

export interface CompiledStatement {
  readonly sql: string;
  readonly columns: readonly BoundColumn[];
}

function compileStatement(environment: Environment, statement: Statement, input: Input): CompiledStatement {
  const table = tableName(input.tableView);
  const scope: Scope = { environment, tableView: input.tableView, table: quoteName(table) };
  const expansion = expansionIn(scope, statement);
  if (expansion !== undefined) return compileExpanded(scope, statement, expansion, input);
  const aliases = aliasesOf(statement);
  const where =
    statement.where === undefined ? undefined : compileWhere({ ...scope, aliases }, statement.where);
  const keys = statement.groupBy.map((key) => compileKey(scope, statement, key));
  const parts: Parts = { statement, input, keys, where, aliases };
  const selection = compileSelection(scope, parts);
  if ([...selection.outputs, ...selection.orders].some(({ value }) => value.alongRows)) {
    return compileRows(scope, parts, selection);
  }
  if (isGrouped(parts, selection)) checkGrouping(scope, statement, selection);
  const from = `${input.from} AS ${scope.table}`;
  return assemble(parts, selection, {
    from: where === undefined ? from : `${from} WHERE ${where.sql}`,
    groups: keys,
    isExact: input.isExact,
  });
}

/** The compiled parts of a statement that do not depend on its select. */
interface Parts {
  readonly statement: Statement;
  readonly input: Input;
  readonly keys: readonly Value[];
  readonly where: Value | undefined;
  readonly aliases: ReadonlyMap<string, Expression>;
}

interface Selection {
  readonly outputs: readonly Output[];
  readonly orders: readonly CompiledOrder[];
}

function compileSelection(scope: Scope, { statement, keys, aliases }: Parts): Selection {
  const groupScope: Scope = { ...scope, groupKeys: new Set(keys.map(({ sql }) => sql)) };
  const outputs = compileOutputs(groupScope, statement);
  const orders = statement.orderBy.map((each) =>
    compileOrder({ ...groupScope, aliases }, statement, outputs, each),
  );
  return { outputs, orders };
}

function isGrouped({ keys }: Pick<Parts, "keys">, { outputs, orders }: Selection): boolean {
  return keys.length > 0 || [...outputs, ...orders].some(({ value }) => value.hasAggregate);
}

/**
 * A statement whose select looks along the rows: in the order of its `order by`, or else in that in which they come.
 * Where nothing is aggregated, `group by` puts no rows together but says where such a function begins anew.
 */
function compileRows(scope: Scope, parts: Parts, first: Selection): CompiledStatement {
  const { statement, input, where } = parts;
  const isAggregated = isGrouped({ keys: [] }, first);
  const row = rowNumberName(input.tableView);
  const came = isAggregated ? parts.keys.map(({ sql }) => sql) : [`${scope.table}.${quoteName(row)}`];
  const byResult = first.orders.some(({ value }) => value.alongRows);
  const order = [...(byResult ? [] : first.orders.map(({ key }) => key)), ...came].join(", ");
  const keys = isAggregated ? parts.keys : [];
  const groups = isAggregated ? [] : parts.keys.map(({ sql }) => sql);
  const selection = compileSelection({ ...scope, rows: { order, groups } }, { ...parts, keys });
  if (isAggregated) checkGrouping(scope, statement, selection);
  const filter = where === undefined ? "" : ` WHERE ${where.sql}`;
  const from = `${input.from} AS ${scope.table}${filter}`;
  const numbered = `(SELECT *, row_number() OVER () AS ${quoteName(row)} FROM ${from}) AS ${scope.table}`;
  return assemble(parts, selection, {
    from: isAggregated ? from : numbered,
    groups: keys,
    // The rows come out in the order in which they were looked at.
    tie: statement.distinct ? [] : came,
    isExact: false,
  });
}

function assemble(
  { statement }: Parts,
  { outputs, orders }: Selection,
  {
    from,
    groups,
    tie = [],
    isExact,
  }: { from: string; groups: readonly Value[]; tie?: readonly string[]; isExact: boolean },
): CompiledStatement {
  const order = [...orders.map(({ sql }) => sql), ...tie];
  const clauses = [
    `SELECT ${statement.distinct ? "DISTINCT " : ""}${selectList(statement, outputs, isExact)}`,
    `FROM ${from}`,
    groups.length === 0 ? "" : `GROUP BY ${groups.map(({ sql }) => sql).join(", ")}`,
    order.length === 0 ? "" : `ORDER BY ${order.join(", ")}`,
    statement.limit === undefined ? "" : `LIMIT ${statement.limit}`,
  ];
  return {
    sql: clauses.filter((clause) => clause !== "").join(" "),
    columns: outputs.map(({ name, value }) => ({ name, type: value.type })),
  };
}

/** A column with the name of the table would make `table.column` ambiguous. */
function tableName(tableView: TableView): string {
  let name = "c9";
  while (tableView.find(name) !== undefined) name += "_";
  return name;
}

function selectList({ items }: Statement, outputs: readonly Output[], isExact: boolean): string {
  if (isExact && items.every(({ kind }) => kind === "all")) return "*";
  return outputs.map(({ name, value }) => `${value.sql} AS ${quoteName(name)}`).join(", ");
}

/** Clauses after an expansion become a statement over its result. */
function compileExpanded(
  scope: Scope,
  statement: Statement,
  expansion: ValueItem,
  input: Input,
): CompiledStatement {
  const where = statement.where === undefined ? undefined : compileWhere(scope, statement.where);
  const expanded = compileExpansion(scope, expansion, input.from, where?.sql);
  const { distinct, orderBy, limit } = statement;
  if (!distinct && orderBy.length === 0 && limit === undefined) return expanded;
  const rest: Statement = {
    distinct,
    items: [{ kind: "all", span: expansion.span }],
    groupBy: [],
    orderBy,
    ...(limit === undefined ? {} : { limit }),
    span: statement.span,
  };
  const next = { from: `(${expanded.sql})`, tableView: new TableView(expanded.columns), isExact: true };
  return compileStatement(scope.environment, rest, next);
}

function aliasesOf({ items }: Statement): Map<string, Expression> {
  const aliased = items.flatMap((item) => (item.kind === "value" && item.alias !== undefined ? [item] : []));
  return new Map(aliased.map(({ alias, expression }) => [(alias as string).toLowerCase(), expression]));
}

function compileWhere(scope: Scope, node: Expression): Value {
  const value = compileCondition(scope, node);
  if (value.hasAggregate || value.hasWindow) {
    throw errorAt(scope, node.span, {
      message: value.alongRows
        ? "where looks at single rows and cannot contain what looks at others."
        : "where looks at single rows and cannot contain aggregates.",
      hint: value.alongRows
        ? "Filter in a next statement: select *, delta(x) as change; select * where change > 10"
        : "Filter in a next statement: select …, sum(x) as total group by …; select * where total > 10",
    });
  }
  return value;
}

/** Group key: an item by its alias or position, or an expression over fields. */
function compileKey(scope: Scope, statement: Statement, node: Expression): Value {
  const value = compileExpression(scope, keyExpression(scope, statement, node));
  if (!value.readsColumns || value.hasAggregate || value.hasWindow) {
    throw errorAt(scope, node.span, {
      message: "group by takes fields and what is computed from the fields of one row.",
      hint: "Write group by field.",
    });
  }
  return value;
}

function keyExpression(scope: Scope, statement: Statement, node: Expression): Expression {
  if (node.kind === "number") return itemAt(scope, statement, node).expression;
  const alias = node.kind === "name" ? aliasesOf(statement).get(node.text.toLowerCase()) : undefined;
  // An aggregate with the name of a field cannot be meant.
  return alias === undefined || containsAggregate(alias) ? node : alias;
}

function containsAggregate(node: Expression): boolean {
  if (node.kind === "window" || (node.kind === "call" && isAggregateCall(node))) return true;
  return childrenOf(node).some(containsAggregate);
}

function itemAt(scope: Scope, { items }: Statement, node: Expression & { kind: "number" }): ValueItem {
  const item = items[Number(node.text) - 1];
  if (item?.kind === "value" && items.every(({ kind }) => kind === "value")) return item;
  throw noItem(scope, node);
}

function noItem(scope: Scope, node: Expression & { kind: "number" }): AppError {
  return errorAt(scope, node.span, {
    message: `there is no item ${node.text} to refer to.`,
    hint: "A number stands for an item of the select by its position, from 1 on.",
  });
}

interface CompiledOrder {
  readonly sql: string;
  /** The same without reference to an output by its position. */
  readonly key: string;
  readonly value: Value;
}

/** Outputs come first: `order by total` means the alias, even if a field is called the same. */
function compileOrder(
  scope: Scope,
  statement: Statement,
  outputs: readonly Output[],
  { expression: node, descending }: Ordering,
): CompiledOrder {
  const direction = `${descending ? " DESC" : ""} NULLS LAST`;
  const position = outputPosition(scope, outputs, node);
  const value =
    position === undefined ? compileExpression(scope, node) : (outputs[position - 1] as Output).value;
  const key = `${value.sql}${direction}`;
  if (position !== undefined) return { sql: `${position}${direction}`, key, value };
  const same = outputs.findIndex((output) => output.value.sql === value.sql);
  if (same !== -1) return { sql: `${same + 1}${direction}`, key, value };
  if (statement.distinct || !value.readsColumns) {
    throw errorAt(scope, node.span, {
      message: statement.distinct
        ? "with distinct, only what is selected can be ordered by."
        : "order by takes fields and what is computed from them.",
      hint: statement.distinct ? `Add ${printExpression(node)} to the select.` : "Write order by field.",
    });
  }
  return { sql: key, key, value };
}

function outputPosition(scope: Scope, outputs: readonly Output[], node: Expression): number | undefined {
  if (node.kind === "number") {
    const position = Number(node.text);
    if (Number.isInteger(position) && position >= 1 && position <= outputs.length) return position;
    throw noItem(scope, node);
  }
  const name = (node.kind === "name" ? node.text : printExpression(node)).toLowerCase();
  const index = outputs.findIndex((output) => output.name.toLowerCase() === name);
  return index === -1 ? undefined : index + 1;
}

/** In a grouped statement, fields outside of aggregates must be grouped by. */
function checkGrouping(scope: Scope, { items, groupBy }: Statement, { outputs, orders }: Selection): void {
  const all = items.find(({ kind }) => kind !== "value");
  if (all !== undefined) {
    throw errorAt(scope, all.span, {
      message: "all fields cannot be selected where rows are grouped.",
      hint: "Name the fields to group by, and aggregates such as count(*) for the others.",
    });
  }
  const free = [...outputs, ...orders].find(({ value }) => value.free !== undefined)?.value.free;
  if (free !== undefined) throw mustGroup(scope, free, groupBy);
}

function mustGroup(scope: Scope, field: Expression, groupBy: readonly Expression[]): AppError {
  const keys = [...groupBy, field].map((key) => printExpression(key)).join(", ");
  return errorAt(scope, field.span, {
    message: `${printExpression(field)} is neither grouped by nor aggregated.`,
    hint: `Add group by ${keys}, or take an aggregate such as max(${printExpression(field)}).`,
  });
}

/** Texts by their number, each once: equal expressions stay equal. */
class Numbered {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}

/** The values that are bound, as the compiler comes across them; not all of them end up in the query. */
class Bindings {
  readonly #met = new Numbered();

  /** The place of a text. */
  place(text: string): string {
    return `\u0000${this.#met.numberOf(text)}\u0000`;
  }

  /** The query with $1, $2 and so on in their places, and their values. */
  resolve(sql: string, first: number): { sql: string; params: readonly string[] } {
    const used = new Numbered();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: nothing else can contain a NUL
    const resolved = sql.replace(/\u0000(\d+)\u0000/g, (_, number: string) => {
      return `$${first + used.numberOf(this.#met.texts[Number(number)] as string)}`;
    });
    return { sql: resolved, params: used.texts };
  }
}
