import { AppError } from "../../../kernel/errors.ts";
import { quoteText } from "../../../kernel/sql-text.ts";
import { LIMITS } from "../limits.ts";
import type { Expression } from "./ast.ts";
import { dateText, instantOf, type LocalTime, timestampText } from "./local-time.ts";
import type { Environment } from "./scope.ts";
import { BOOLEAN, DATE, NULL, NUMBER, TEXT, TIMESTAMP, type ValueType } from "./value-type.ts";

/** A value that is known before the query runs, so that it can be fitted to what it is compared with. */
export type Constant =
  /** `bound`: it came in as a parameter and goes to DuckDB as one. */
  | { readonly kind: "text"; readonly value: string; readonly bound?: true }
  /** Digits as DuckDB reads them. */
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "boolean"; readonly value: boolean }
  /** `isStart`: a token, which is the moment that its period begins with. A date that was written is a whole day. */
  | { readonly kind: "moment"; readonly time: LocalTime; readonly hasClock: boolean; readonly isStart?: true }
  | { readonly kind: "null" };

/** An expression in SQL, and what the rest of the compiler needs to know of it. */
export interface Value {
  readonly sql: string;
  readonly type: ValueType;
  readonly constant?: Constant;
  /** The first field that is read outside of an aggregate and is not grouped by. */
  readonly free?: Expression;
  readonly readsColumns: boolean;
  readonly hasAggregate: boolean;
  readonly hasWindow: boolean;
  /** It looks at other rows in their order. */
  readonly alongRows?: true;
}

/** A value made of others. Some appear more than once in it, so nested ones would grow without end. */
export function derived(parts: readonly Value[], sql: string, type: ValueType): Value {
  refuseLarge(sql);
  const free = parts.find((part) => part.free !== undefined)?.free;
  return {
    sql,
    type,
    ...(free === undefined ? {} : { free }),
    readsColumns: parts.some((part) => part.readsColumns),
    hasAggregate: parts.some((part) => part.hasAggregate),
    hasWindow: parts.some((part) => part.hasWindow),
    ...(parts.some((part) => part.alongRows) && { alongRows: true }),
  };
}

/** The same value in another form. */
export function converted(value: Value, sql: string, type: ValueType): Value {
  return derived([value], sql, type);
}

export function constantValue(constant: Constant, environment: Environment): Value {
  const [sql, type] = constantSql(constant, environment);
  return { sql, type, constant, readsColumns: false, hasAggregate: false, hasWindow: false };
}

function constantSql(constant: Constant, environment: Environment): [sql: string, type: ValueType] {
  switch (constant.kind) {
    case "text":
      return [constant.bound === true ? environment.bind(constant.value) : quoteText(constant.value), TEXT];
    case "number":
      return [numberSql(constant.text), NUMBER];
    case "boolean":
      return [constant.value ? "TRUE" : "FALSE", BOOLEAN];
    case "moment":
      return constant.hasClock
        ? [timestampSql(constant.time), TIMESTAMP]
        : [`DATE '${dateText(constant.time)}'`, DATE];
    case "null":
      return ["NULL", NULL];
  }
}

/** A sign after a minus would start a comment. */
function numberSql(text: string): string {
  return text.startsWith("-") ? `(${text})` : text;
}

export function timestampSql(time: LocalTime): string {
  return `TIMESTAMP '${timestampText(time)}'`;
}

export function timestamptzSql(time: LocalTime, timezone: string): string {
  return `TIMESTAMPTZ '${timestampText(instantOf(time, timezone).toZonedDateTimeISO("UTC").toPlainDateTime())}+00'`;
}

export function refuseLarge(sql: string): void {
  if (sql.length <= LIMITS.c9ql.sqlCharacters) return;
  throw new AppError("too_large", "The C9QL query is too large when all fields are written out.", {
    hint: "Select fewer fields, or use fewer statements.",
  });
}
