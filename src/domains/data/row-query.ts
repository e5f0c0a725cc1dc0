/**
 * Queries on the rows of a dataset as values, which slices pass to each other. C9QL is the text of the same tree: what
 * people write is parsed into it once, and what slices ask for is built here, where names are columns and values are
 * values, so that nothing has to be quoted.
 */
import { AppError } from "../../kernel/errors.ts";
import { nearest } from "../../kernel/text.ts";
import { type ComparisonOperator, type Expression, type Item, NOWHERE, type Query } from "./c9ql/ast.ts";
import { wholeVariable } from "./c9ql/parameters.ts";
import { aggregateOf, type Column, type ColumnAggregate } from "./dataset.ts";

export type RowQuery = Query;
/** A column of a row, or what is made of columns. */
export type RowValue = Expression;

/** Each step reads what the one before gives. */
export interface RowStep {
  distinct?: boolean;
  /** All columns, beside those that are selected; they are what comes without any. */
  all?: boolean;
  /** Columns by their names, and values under a name of their own. */
  select?: readonly (string | readonly [as: string, value: RowValue])[];
  where?: RowValue | undefined;
  /** By so many of the first that are selected, or by these. */
  groupBy?: number | readonly RowValue[];
  /** A value, or the place of a selected one, counted from 1. */
  orderBy?: readonly (Ordering | Ordering["by"])[];
  limit?: number | undefined;
}

interface Ordering {
  by: number | RowValue;
  descending: boolean;
}

export function rowQuery(...steps: readonly RowStep[]): RowQuery {
  return { text: "", statements: steps.map(statementOf) };
}

/** Pipes the rows through the queries one after the other; undefined ones are skipped. */
export function following(...queries: readonly (RowQuery | undefined)[]): RowQuery {
  const known = queries.filter((query) => query !== undefined);
  return {
    text: "",
    statements: known.flatMap(({ text, statements }) =>
      statements.map((statement) => ({ text, ...statement })),
    ),
  };
}

function statementOf({
  distinct = false,
  all = false,
  select = [],
  where,
  groupBy = [],
  orderBy = [],
  limit,
}: RowStep): Query["statements"][number] {
  const named = select.map((each): Item => {
    const [alias, expression] = typeof each === "string" ? [undefined, column(each)] : each;
    return { kind: "value", expression, ...(alias !== undefined && { alias }), span: NOWHERE };
  });
  return {
    distinct,
    items: all || named.length === 0 ? [{ kind: "all", span: NOWHERE }, ...named] : named,
    ...(where !== undefined && { where }),
    groupBy: typeof groupBy === "number" ? named.slice(0, groupBy).map((_, i) => place(i + 1)) : groupBy,
    orderBy: orderBy.map((each) => {
      const { by, descending } =
        typeof each === "object" && "by" in each ? each : { by: each, descending: false };
      return { expression: typeof by === "number" ? place(by) : by, descending };
    }),
    ...(limit !== undefined && { limit }),
    span: NOWHERE,
  };
}

/**
 * The columns of a query's result: what is taken over is put together as before, sums and counts add up again, and
 * averages do not. Of what else is made, its name says so.
 */
export function resultColumns(
  { statements }: RowQuery,
  before: readonly Column[],
  result: readonly Column[],
): Column[] {
  let known = new Map(before.map((column) => [column.name.toLowerCase(), aggregateOf(column)]));
  for (const { items } of statements) {
    const next = new Map(items.some(({ kind }) => kind === "all") ? known : []);
    for (const item of items) {
      if (item.kind !== "value") continue;
      const { expression, alias = expression.kind === "name" ? expression.text : undefined } = item;
      if (alias !== undefined) next.set(alias.toLowerCase(), aggregateOfValue(expression, known));
    }
    known = next;
  }
  return result.map((column) => {
    const aggregate = known.get(column.name.toLowerCase());
    return aggregate === undefined ? column : { ...column, aggregate };
  });
}

function aggregateOfValue(
  value: RowValue,
  known: ReadonlyMap<string, ColumnAggregate | undefined>,
): ColumnAggregate | undefined {
  if (value.kind === "name") return known.get(value.text.toLowerCase());
  if (value.kind !== "call") return undefined;
  return ({ sum: "sum", count: "sum", avg: "avg", median: "avg" } as const)[value.name];
}

function place(number: number): Expression {
  return { kind: "number", text: String(number), span: NOWHERE };
}

export function descending(by: Ordering["by"]): Ordering {
  return { by, descending: true };
}

export function column(name: string): RowValue {
  return { kind: "name", text: name, exact: true, span: NOWHERE };
}

/** Reference to a selected value by its alias. */
export function selected(name: string): RowValue {
  return { kind: "name", text: name, exact: false, span: NOWHERE };
}

export function constant(value: unknown): RowValue {
  if (value === null || value === undefined) return { kind: "null", span: NOWHERE };
  if (typeof value === "boolean") return { kind: "boolean", value, span: NOWHERE };
  if (typeof value !== "number" || !Number.isFinite(value))
    return {
      kind: "text",
      value: typeof value === "object" ? JSON.stringify(value) : String(value),
      span: NOWHERE,
    };
  const number: Expression = { kind: "number", text: String(Math.abs(value)), span: NOWHERE };
  return value < 0 ? { kind: "negate", operand: number, span: NOWHERE } : number;
}

/** A function of C9QL. */
export function call(name: string, ...args: readonly RowValue[]): RowValue & { kind: "call" } {
  return { kind: "call", name, args, span: NOWHERE };
}

export function countRows(): RowValue {
  return call("count", { kind: "star", span: NOWHERE });
}

/** The start of the period that a time is in. */
export function truncated(time: RowValue, grain: string): RowValue {
  return call("date_trunc", time, constant(grain));
}

/** The sum of an aggregate over all groups, beside each of them. */
export function sumOverGroups(value: RowValue): RowValue {
  return { kind: "window", call: call("sum", value), partitionBy: [], span: NOWHERE };
}

export function compare(left: RowValue, operator: ComparisonOperator, right: RowValue): RowValue {
  return { kind: "comparison", operator, left, right, span: NOWHERE };
}

export function between(left: RowValue, low: RowValue, high: RowValue): RowValue {
  return { kind: "between", negated: false, left, low, high, span: NOWHERE };
}

export function like(left: RowValue, pattern: RowValue): RowValue {
  return { kind: "like", negated: false, left, pattern, span: NOWHERE };
}

/** The start of a day or period that depends on when the query runs: `today`. */
export function dateToken(name: string): RowValue {
  return { kind: "token", name, offsets: [], span: NOWHERE };
}

export function isNull(operand: RowValue): RowValue {
  return { kind: "isnull", negated: false, operand, span: NOWHERE };
}

export function isNotNull(operand: RowValue): RowValue {
  return { kind: "isnull", negated: true, operand, span: NOWHERE };
}

export function isOneOf(left: RowValue, values: readonly unknown[]): RowValue {
  return among(left, values.map(constant));
}

function among(left: RowValue, values: readonly RowValue[]): RowValue {
  return { kind: "in", negated: false, left, values, span: NOWHERE };
}

export function both(...operands: readonly RowValue[]): RowValue {
  return { kind: "and", operands, span: NOWHERE };
}

export function either(...operands: readonly RowValue[]): RowValue {
  return operands.length === 1 && operands[0] !== undefined
    ? operands[0]
    : { kind: "or", operands, span: NOWHERE };
}

export function ifElse(condition: RowValue, value: RowValue, otherwise: RowValue): RowValue {
  return { kind: "case", branches: [{ condition, value }], otherwise, span: NOWHERE };
}

type FilterScalar = string | number | boolean | null;

/** A filter of a widget. */
export interface Filter {
  readonly field: string;
  /** =, !=, >, <, >=, <=, like, in, between; in any case. */
  readonly operator: string;
  readonly value: FilterScalar | readonly FilterScalar[];
}

const COMPARISONS = ["=", "!=", ">", "<", ">=", "<="] as const;
const OPERATORS = [...COMPARISONS, "like", "in", "between"];

/** The rows that pass all of these filters. */
export function filtersToQuery(filters: readonly Filter[]): RowQuery {
  const conditions = filters.map(conditionOf);
  return rowQuery({ where: conditions.length < 2 ? conditions[0] : both(...conditions) });
}

function conditionOf(filter: Filter): RowValue {
  const operator = filter.operator.trim().toLowerCase();
  const left = column(filter.field);
  const comparison = COMPARISONS.find((each) => each === operator);
  if (comparison !== undefined) return compare(left, comparison, onlyValue(filter));
  if (operator === "like") return like(left, onlyValue(filter));
  if (operator === "in") return among(left, valuesOf(filter));
  if (operator === "between") {
    const [low, high, ...more] = valuesOf(filter);
    if (low !== undefined && high !== undefined && more.length === 0) return between(left, low, high);
    const hint = 'Give the value as a list, such as ["2024-01-01", "2024-01-31"].';
    throw misfit(filter, "between takes two values", hint);
  }
  const meant = nearest(operator, OPERATORS);
  const known = `The operators are ${OPERATORS.join(", ")}.`;
  const hint = meant === undefined ? known : `Did you mean ${meant}? ${known}`;
  throw misfit(filter, `there is no operator "${filter.operator}"`, hint);
}

function misfit({ field }: Filter, problem: string, hint: string): AppError {
  return new AppError("bad_request", `Filter on "${field}": ${problem}.`, { hint });
}

function onlyValue(filter: Filter): RowValue {
  const [only, ...more] = [filter.value].flat();
  if (only !== undefined && more.length === 0) return filterValue(only);
  throw misfit(filter, `${filter.operator} takes one value`, "Use in for several values.");
}

/** Several values may also come as one text with commas. */
function valuesOf({ value }: Filter): RowValue[] {
  const all = typeof value === "string" ? value.split(",").map((part) => part.trim()) : [value].flat();
  return all.map(filterValue);
}

/** A text may be a variable: a date token or a parameter. */
function filterValue(value: FilterScalar): RowValue {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new AppError("bad_request", "A filter's number is not finite.");
  return (typeof value === "string" ? wholeVariable(value, NOWHERE) : undefined) ?? constant(value);
}
