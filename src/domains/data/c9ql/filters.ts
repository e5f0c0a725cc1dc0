import { AppError } from "../../../kernel/errors.ts";
import { nearest } from "../../../kernel/text.ts";
import { type Expression, NOWHERE, type Query } from "./ast.ts";
import { print } from "./print.ts";
import { wholeVariable } from "./variables.ts";

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

/** The filters as one condition, or undefined when there are none. */
export function filtersToCondition(filters: readonly Filter[]): Expression | undefined {
  const conditions = filters.map(toCondition);
  if (conditions.length < 2) return conditions[0];
  return { kind: "and", operands: conditions, span: NOWHERE };
}

/** The filters as a query that selects all columns. */
export function filtersToQuery(filters: readonly Filter[]): Query {
  const where = filtersToCondition(filters);
  const statement = {
    distinct: false,
    items: [{ kind: "all" as const, span: NOWHERE }],
    ...(where === undefined ? {} : { where }),
    groupBy: [],
    orderBy: [],
    span: NOWHERE,
  };
  return { text: "", statements: [statement] };
}

/** The filters as text, to be shown, kept and changed by hand. */
export function filtersToC9ql(filters: readonly Filter[]): string {
  return print(filtersToQuery(filters));
}

function toCondition(filter: Filter): Expression {
  const operator = filter.operator.trim().toLowerCase();
  const left: Expression = { kind: "name", text: filter.field, exact: true, span: NOWHERE };
  const comparison = COMPARISONS.find((each) => each === operator);
  if (comparison !== undefined) {
    return { kind: "comparison", operator: comparison, left, right: single(filter), span: NOWHERE };
  }
  switch (operator) {
    case "like":
      return { kind: "like", negated: false, left, pattern: single(filter), span: NOWHERE };
    case "in":
      return { kind: "in", negated: false, left, values: several(filter).map(literal), span: NOWHERE };
    case "between": {
      const [low, high, ...more] = several(filter).map(literal);
      if (low === undefined || high === undefined || more.length > 0) {
        throw misfit(
          filter,
          "between takes two values",
          'Give the value as a list, such as ["2024-01-01", "2024-01-31"].',
        );
      }
      return { kind: "between", negated: false, left, low, high, span: NOWHERE };
    }
    default: {
      const meant = nearest(operator, OPERATORS);
      const known = `The operators are ${OPERATORS.join(", ")}.`;
      throw misfit(
        filter,
        `there is no operator "${filter.operator}"`,
        meant === undefined ? known : `Did you mean ${meant}? ${known}`,
      );
    }
  }
}

function misfit({ field }: Filter, problem: string, hint: string): AppError {
  return new AppError("bad_request", `Filter on "${field}": ${problem}.`, { hint });
}

function single(filter: Filter): Expression {
  const { value, operator } = filter;
  if (!isList(value)) return literal(value);
  const [only] = value;
  if (value.length === 1 && only !== undefined) return literal(only);
  throw misfit(filter, `${operator} takes one value`, "Use in for several values.");
}

function isList(value: Filter["value"]): value is readonly FilterScalar[] {
  return Array.isArray(value);
}

/** Several values may also come as one text with commas. */
function several({ value }: Filter): readonly FilterScalar[] {
  if (isList(value)) return value;
  if (typeof value !== "string") return [value];
  return value.split(",").map((part) => part.trim());
}

function literal(value: FilterScalar): Expression {
  if (value === null) return { kind: "null", span: NOWHERE };
  if (typeof value === "boolean") return { kind: "boolean", value, span: NOWHERE };
  if (typeof value === "string")
    return wholeVariable(value, NOWHERE) ?? { kind: "text", value, span: NOWHERE };
  if (!Number.isFinite(value)) throw new AppError("bad_request", "A filter's number is not finite.");
  const number: Expression = { kind: "number", text: String(Math.abs(value)), span: NOWHERE };
  return value < 0 ? { kind: "negate", operand: number, span: NOWHERE } : number;
}
