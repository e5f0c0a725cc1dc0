import type { Column } from "../../analytics-options.ts";

/** An expression in a dialect, with its type in DuckDB's words; "" where it is not known. */
export interface Printed {
  sql: string;
  type: string;
  /** Of a span of time: its parts, for dialects that have no values of that kind. */
  span?: readonly SpanPart[];
  /** Of the difference of two moments: these. */
  between?: readonly [Printed, Printed];
  /** What it is, where that is written in the statement. */
  constant?: unknown;
}

export type SpanUnit = "MONTH" | "DAY" | "MICROSECOND" | "SECOND" | "MINUTE" | "HOUR";

export interface SpanPart {
  /** SQL of a whole number. */
  n: string;
  unit: SpanUnit;
}

/** How a function is called there: SQL with `$1`, `$2` and `$*` for its arguments, or what makes it. */
export type FunctionText = string | ((args: readonly Printed[], dialect: Dialect) => string | undefined);

export interface Order {
  key: Printed;
  isDescending: boolean;
  isNullsFirst: boolean;
}

/** How one kind of database writes what DuckDB's tree says. */
export interface Dialect {
  title: string;
  quoteName(name: string): string;
  quoteText(text: string): string;
  /** The name of a type in a CAST. */
  typeName(type: string): string | undefined;
  /** A column of a table, where it has the type `native`, as the type that it is told as. */
  column(column: Column, native: string): string;
  cast(value: Printed, type: string): string | undefined;
  /** By their names, with the number of arguments behind a slash where that matters. */
  functions: Readonly<Record<string, FunctionText>>;
  /** Text that is compared and ordered by its bytes, as DuckDB does. */
  binary(sql: string): string;
  divide(a: Printed, b: Printed): string;
  addSpan(moment: Printed, span: readonly SpanPart[], sign: "+" | "-"): string;
  /** A span of time as a value; undefined where there are none. */
  span?(span: readonly SpanPart[]): string;
  /** Days from one date to another. */
  daysBetween(from: Printed, to: Printed): string;
  order(order: Order): string;
  /** Whether two values are the same or both missing. */
  isSame(a: string, b: string): string;
  /** An aggregate of the rows for which a condition holds; undefined: its arguments are made NULL for the others. */
  filter?(call: string, condition: string): string;
  /** A SELECT of known values as one column. */
  unnest(values: readonly unknown[], type: string, name: string): string;
  /** Behind a subquery, so that no condition from outside is tried on rows that it leaves out. */
  barrier: string;
  /** Behind GROUP BY: whether sets of groups can be named. */
  hasGroupingSets: boolean;
  hasFullJoin: boolean;
  /** Before a statement that asks for its plan. */
  explain: string;
}
