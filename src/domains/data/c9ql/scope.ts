import type { AppError } from "../../../kernel/errors.ts";
import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import { nearest } from "../../../kernel/text.ts";
import {
  type Complaint,
  type Expression,
  type ExpressionOf,
  type NameNode,
  queryError,
  type Span,
  type Step,
} from "./ast.ts";
import { isPlain } from "./lexer.ts";
import { printExpression } from "./print.ts";
import { derived, describeKind, type LocalTime, OTHER, TEXT, type Value, type ValueType } from "./value.ts";

export type ParameterScalar = string | number | boolean | null | Date;

/** One value, several (for `in`), or a range (for `between`, or its ends for `>=` and `<=`). */
export type ParameterValue =
  | ParameterScalar
  | readonly ParameterScalar[]
  | { readonly from: ParameterScalar; readonly to: ParameterScalar };

export interface BoundColumn {
  readonly name: string;
  readonly type: ValueType;
}

/** Context shared by all statements of a query. */
export interface Environment {
  /** The text that the spans of the tree refer to. */
  readonly text: string;
  readonly now: LocalTime;
  readonly timezone: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Where a text stands that goes to DuckDB as a parameter. */
  bind(text: string): string;
  /** The texts that this query gives, of which columns are made. */
  valuesOf(sql: string): readonly (string | null)[];
}

/** The columns of what a statement reads. Names differ by more than their case, as in DuckDB. */
export class TableView {
  readonly columns: readonly BoundColumn[];
  readonly #byName = new Map<string, BoundColumn>();
  readonly #byLower = new Map<string, BoundColumn>();

  constructor(columns: readonly BoundColumn[]) {
    this.columns = columns;
    for (const column of columns) {
      this.#byName.set(column.name, column);
      const lower = column.name.toLowerCase();
      if (!this.#byLower.has(lower)) this.#byLower.set(lower, column);
    }
  }

  find(name: string): BoundColumn | undefined {
    return this.#byName.get(name) ?? this.#byLower.get(name.toLowerCase());
  }
}

/** Name scope that an expression is compiled against. */
export interface Scope {
  readonly environment: Environment;
  readonly tableView: TableView;
  /** How the view is called in SQL, quoted. */
  readonly table: string;
  /** The SQL of what is grouped by; only this may be read outside of aggregates. */
  readonly groupKeys?: ReadonlySet<string>;
  /** Aliases of the same statement, in lower case: names that are no columns. */
  readonly aliases?: ReadonlyMap<string, Expression>;
  /** Of what looks along the rows: SQL of the order that they have, and of the groups in which it begins anew. */
  readonly rows?: { readonly order: string; readonly groups: readonly string[] };
}

/** A name that no column of the view has, for the number of each row. */
export function rowNumberName(tableView: TableView): string {
  let name = "c9 row";
  while (tableView.find(name) !== undefined) name += "_";
  return name;
}

export function errorAt(scope: Pick<Scope, "environment">, span: Span, complaint: Complaint): AppError {
  return queryError(scope.environment.text, span, complaint);
}

type NamePath = NameNode | ExpressionOf<"access">;

/** The column that a name or a path means, or undefined when there is none. */
export function bindName(scope: Scope, node: NamePath): Value | undefined {
  const found = findColumn(scope, node);
  if (found === undefined) return undefined;
  const { column, steps } = found;
  const root: Value = {
    sql: `${scope.table}.${quoteName(column.name)}`,
    type: column.type,
    free: node,
    readsColumns: true,
    hasAggregate: false,
    hasWindow: false,
  };
  return followSteps(scope, node, root, steps);
}

/** The longest part of the path that is the name of a column, and what is left to follow. */
export function findColumn(
  scope: Scope,
  node: NamePath,
): { column: BoundColumn; steps: readonly Step[] } | undefined {
  if (node.kind === "name") {
    const column = scope.tableView.find(node.text);
    return column === undefined ? undefined : { column, steps: [] };
  }
  if (node.target.kind !== "name") return undefined;
  for (let taken = node.steps.length; taken >= 0; taken--) {
    const name = joined(node.target.text, node.steps.slice(0, taken));
    const column = scope.tableView.find(name);
    if (column !== undefined) return { column, steps: node.steps.slice(taken) };
  }
  return undefined;
}

function joined(name: string, steps: readonly Step[]): string {
  return name + steps.map((step) => ("index" in step ? `[${step.index}]` : `.${step.field}`)).join("");
}

function pathText(node: NamePath): string | undefined {
  if (node.kind === "name") return node.text;
  return node.target.kind === "name" ? joined(node.target.text, node.steps) : undefined;
}

/** Text literal without quotes, where a name is no column: `where Type = Transactional`. */
export function nameAsText(node: NamePath): string | undefined {
  const { target } = node.kind === "name" ? { target: node } : node;
  return target.kind === "name" && !target.exact ? pathText(node) : undefined;
}

/** Into nested data, step by step. Lists count from 0 here and from 1 in DuckDB. */
export function followSteps(scope: Scope, node: NamePath, root: Value, steps: readonly Step[]): Value {
  let value = root;
  for (const [index, step] of steps.entries()) {
    const { kind } = value.type;
    if (kind === "json" || kind === "text") return followJson(value, steps.slice(index));
    if (kind === "struct" && "field" in step) value = structField(scope, node, value, step.field);
    else if (kind === "map" && "field" in step) {
      value = derived(
        [value],
        `map_extract_value(${value.sql}, ${quoteText(step.field)})`,
        value.type.element ?? OTHER,
      );
    } else if (kind === "list" && "index" in step) {
      value = derived([value], `list_extract(${value.sql}, ${step.index + 1})`, value.type.element ?? OTHER);
    } else throw wrongStep(scope, node, value.type, step);
  }
  return value;
}

function structField(scope: Scope, node: NamePath, value: Value, name: string): Value {
  const fields = value.type.fields ?? [];
  const lower = name.toLowerCase();
  const field =
    fields.find((each) => each.name === name) ?? fields.find((each) => each.name.toLowerCase() === lower);
  if (field === undefined) {
    const names = fields.map((each) => each.name);
    throw errorAt(scope, node.span, {
      message: `there is no "${name}" inside "${printExpression(node)}".`,
      hint: suggestion(name, names),
    });
  }
  return derived([value], `struct_extract(${value.sql}, ${quoteText(field.name)})`, field.type);
}

/**
 * Texts may hold JSON too; what is none becomes null. The path is a JSON pointer, because in DuckDB's JSON paths a key
 * `*` is a wildcard even in quotes.
 */
function followJson(value: Value, steps: readonly Step[]): Value {
  const path = steps.map((step) => `/${"index" in step ? step.index : pointerKey(step.field)}`).join("");
  const json = value.type.kind === "json" ? value.sql : `TRY_CAST(${value.sql} AS JSON)`;
  return derived([value], `json_extract_string(${json}, ${quoteText(path)})`, TEXT);
}

function pointerKey(field: string): string {
  return field.replaceAll("~", "~0").replaceAll("/", "~1");
}

function wrongStep(scope: Scope, node: NamePath, type: ValueType, step: Step): AppError {
  const written = "index" in step ? `[${step.index}]` : `.${step.field}`;
  const hint =
    type.kind === "list"
      ? "Take one element, as in items[0].price, or turn the list into rows first: select expand(items); select price"
      : "A path leads into lists, nested objects and JSON only.";
  return errorAt(scope, node.span, {
    message: `${written} cannot follow: this is ${describeKind(type)}.`,
    hint,
  });
}

/** Fields that are compared for a suggestion; more would make a misspelling expensive. */
const COMPARED_FIELDS = 2_000;
/** Fields that are listed when none is near. */
const LISTED_FIELDS = 20;

export function unknownField(scope: Scope, node: NamePath): AppError {
  const written = pathText(node) ?? printExpression(node);
  const names = scope.tableView.columns.map(({ name }) => name);
  return errorAt(scope, node.span, {
    message: `there is no field "${shortened(written)}".`,
    hint: quotingHint(scope, node, names) ?? sqlHint(written) ?? suggestion(written, names),
  });
}

/** The field that a misspelt name was probably meant to be. */
export function nearestField(scope: Scope, written: string): string | undefined {
  return nearestName(
    written,
    scope.tableView.columns.map(({ name }) => name),
  );
}

function nearestName(written: string, names: readonly string[]): string | undefined {
  const meant = written.length > 100 ? undefined : nearest(written, names.slice(0, COMPARED_FIELDS));
  return meant === undefined || isPlain(meant) ? meant : `"${meant}"`;
}

function suggestion(written: string, names: readonly string[]): string {
  const meant = nearestName(written, names);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  if (names.length === 0) return "There are no fields.";
  const more = names.length > LISTED_FIELDS ? ` and ${names.length - LISTED_FIELDS} more` : "";
  return `The fields are: ${names.slice(0, LISTED_FIELDS).map(shortened).join(", ")}${more}.`;
}

function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99).toWellFormed()}…` : text;
}

/** `Terms and Conditions` reads as two conditions; the text still shows which field was meant. */
function quotingHint(scope: Scope, node: NamePath, names: readonly string[]): string | undefined {
  const { start } = node.span;
  const rest = scope.environment.text.slice(start, start + 200).toLowerCase();
  const meant = names.find(
    (name) => name.length > 1 && !isPlain(name) && rest.startsWith(name.toLowerCase()),
  );
  return meant === undefined ? undefined : `Put the field in double quotes: "${meant}".`;
}

/** Words of SQL that C9QL does without, and what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  from: "C9QL has no from: a query reads the rows of its dataset. Leave it out.",
  having:
    "Filter groups in a next statement: select …, sum(x) as total group by …; select * where total > 10",
  join: "C9QL reads one dataset and has no joins.",
  union: "C9QL reads one dataset and has no union.",
  offset: "C9QL has limit but no offset.",
};

/** Functions of SQL that have another name here. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  stddev: "sd",
  stddev_samp: "sd",
  stdev: "sd",
  mean: "avg",
  quantile: "percentile",
  nvl: "ifnull",
  len: "length",
  substr: "substring",
  to_date: "str_to_date",
};

/** C9QL's name of a SQL function. */
export function sqlFunction(name: string): string | undefined {
  return Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
}

/** Words after which nothing is a name. */
export function isSqlWord(word: string): boolean {
  return Object.hasOwn(INSTEAD, word);
}

/** Hint for SQL syntax that C9QL does not have. */
export function sqlHint(text: string): string | undefined {
  if (text.includes("||")) return "Texts are put together by concat(a, b).";
  const word = /\b(from|having|join|union|offset)\b/i.exec(text)?.[1]?.toLowerCase();
  return word === undefined ? undefined : INSTEAD[word];
}
