/**
 * Queries on the rows of a dataset as values, which slices pass to each other. C9QL is the text of the same tree: what
 * people write is parsed into it once, and what slices ask for is built here, where names are columns and values are
 * values, so that nothing has to be quoted.
 */
import { type ComparisonOperator, type Expression, type Item, NOWHERE, type Query } from "./c9ql/ast.ts";

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
  return { kind: "in", negated: false, left, values: values.map(constant), span: NOWHERE };
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
