import { Temporal } from "temporal-polyfill";
import { AppError } from "../../../kernel/errors.ts";
import { quoteText } from "../../../kernel/sql-text.ts";
import { LIMITS } from "../limits.ts";
import type { Expression } from "./ast.ts";
import type { Environment } from "./scope.ts";

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

/** Kind of an expression's value, as far as C9QL treats kinds differently. */
type Kind =
  | "text"
  | "integer"
  | "decimal"
  | "float"
  | "boolean"
  | "date"
  | "timestamp"
  | "timestamptz"
  | "time"
  | "json"
  | "list"
  | "struct"
  | "map"
  /** The type of a bare `null`. */
  | "null"
  /** A type without rules of its own (an interval, a UUID, an enum), or none that is known. */
  | "other";

export interface ValueType {
  readonly kind: Kind;
  /** DuckDB's name of the type, where it is known exactly. */
  readonly sql?: string;
  /** Of a list, or the values of a map. */
  readonly element?: ValueType;
  readonly fields?: readonly { readonly name: string; readonly type: ValueType }[];
}

export const TEXT: ValueType = { kind: "text", sql: "VARCHAR" };
export const BIGINT: ValueType = { kind: "integer", sql: "BIGINT" };
export const DOUBLE: ValueType = { kind: "float", sql: "DOUBLE" };
export const BOOLEAN: ValueType = { kind: "boolean", sql: "BOOLEAN" };
export const DATE: ValueType = { kind: "date", sql: "DATE" };
export const TIMESTAMP: ValueType = { kind: "timestamp", sql: "TIMESTAMP" };
export const JSON_VALUE: ValueType = { kind: "json", sql: "JSON" };
const NULL: ValueType = { kind: "null" };
export const OTHER: ValueType = { kind: "other" };
/** A number whose exact type is left to DuckDB. */
export const NUMBER: ValueType = { kind: "decimal" };

const SIMPLE: Readonly<Record<string, Kind>> = {
  VARCHAR: "text",
  TEXT: "text",
  STRING: "text",
  CHAR: "text",
  BPCHAR: "text",
  TINYINT: "integer",
  SMALLINT: "integer",
  INTEGER: "integer",
  INT: "integer",
  BIGINT: "integer",
  HUGEINT: "integer",
  UTINYINT: "integer",
  USMALLINT: "integer",
  UINTEGER: "integer",
  UBIGINT: "integer",
  UHUGEINT: "integer",
  BIGNUM: "integer",
  FLOAT: "float",
  REAL: "float",
  DOUBLE: "float",
  DECIMAL: "decimal",
  NUMERIC: "decimal",
  BOOLEAN: "boolean",
  BOOL: "boolean",
  DATE: "date",
  TIMESTAMP: "timestamp",
  DATETIME: "timestamp",
  TIMESTAMP_S: "timestamp",
  TIMESTAMP_MS: "timestamp",
  TIMESTAMP_NS: "timestamp",
  TIMESTAMPTZ: "timestamptz",
  "TIMESTAMP WITH TIME ZONE": "timestamptz",
  TIME: "time",
  JSON: "json",
};

/** Deeper types are kept by name only. */
const KNOWN_DEPTH = 32;

/** The kind of a DuckDB type, from its name: `BIGINT`, `STRUCT(a INTEGER, "b c" VARCHAR)[]`. */
export function valueType(name: string, depth = 0): ValueType {
  const sql = name.trim();
  if (depth > KNOWN_DEPTH || sql === "") return sql === "" ? OTHER : { kind: "other", sql };
  const list = /^(.*)\[\d*\]$/s.exec(sql);
  if (list !== null) return { kind: "list", sql, element: valueType(list[1] as string, depth + 1) };
  const nested = /^(STRUCT|MAP)\s*\((.*)\)$/is.exec(sql);
  if (nested !== null) return nestedType(nested[1] as string, nested[2] as string, sql, depth);
  const simple = sql.replace(/\s*\(.*\)$/s, "").toUpperCase();
  return { kind: Object.hasOwn(SIMPLE, simple) ? (SIMPLE[simple] as Kind) : "other", sql };
}

function nestedType(word: string, inside: string, sql: string, depth: number): ValueType {
  const parts = splitParts(inside);
  if (word.toUpperCase() === "MAP") {
    return { kind: "map", sql, element: valueType(parts[1] ?? "", depth + 1) };
  }
  const fields = parts.map((part) => {
    const [, quoted, plain, type] = /^\s*(?:"((?:[^"]|"")*)"|(\S+))\s+(.*)$/s.exec(part) ?? [];
    return { name: quoted?.replaceAll('""', '"') ?? plain ?? "", type: valueType(type ?? "", depth + 1) };
  });
  return { kind: "struct", sql, fields };
}

/** The parts between the commas that stand in no bracket and no quotes. */
function splitParts(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let open = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === "(") open += 1;
    if (character === ")") open -= 1;
    if (character === "," && open === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

export function isNumber({ kind }: ValueType): boolean {
  return kind === "integer" || kind === "decimal" || kind === "float";
}

/** A calendar date, with or without a time. */
export function isMoment({ kind }: ValueType): boolean {
  return kind === "date" || kind === "timestamp" || kind === "timestamptz";
}

export function isNested({ kind }: ValueType): boolean {
  return kind === "list" || kind === "struct" || kind === "map";
}

/** Neither text, number, date nor truth: it is compared as a text, or with its like. */
export function isOpaque({ kind, sql }: ValueType): boolean {
  return kind === "other" && sql !== undefined;
}

/** How the kind is called in errors. */
export function describeKind(type: ValueType): string {
  if (isNumber(type)) return "a number";
  if (isMoment(type)) return "a date";
  const words: Partial<Record<Kind, string>> = {
    text: "a text",
    boolean: "true or false",
    time: "a time of day",
    json: "JSON",
    list: "a list",
    struct: "a nested object",
    map: "a nested object",
    null: "null",
  };
  return words[type.kind] ?? "a value of another kind";
}

/** A moment as a calendar and a clock on the wall show it, without a zone. */
export type LocalTime = Temporal.PlainDateTime;

/** Wall-clock time in a time zone. */
export function localTime(instant: Date, timezone: string): LocalTime {
  try {
    return Temporal.Instant.fromEpochMilliseconds(instant.getTime())
      .toZonedDateTimeISO(timezone)
      .toPlainDateTime();
  } catch (cause) {
    throw new AppError("bad_request", `There is no time zone "${timezone}".`, {
      hint: 'Use an IANA name such as "Europe/Berlin" or "UTC".',
      cause,
    });
  }
}

/** The moment at which the clock on the wall shows this. Of two, the first; in a gap, the time after it. */
export function instantOf(local: LocalTime, timezone: string): Temporal.Instant {
  return local.toZonedDateTime(timezone).toInstant();
}

/** A calendar date with a time; undefined when there is no such day or time. */
export function calendarTime(fields: Temporal.PlainDateTimeLike): LocalTime | undefined {
  try {
    return Temporal.PlainDateTime.from(fields, { overflow: "reject" });
  } catch {
    return undefined;
  }
}

export function isMidnight(local: LocalTime): boolean {
  return local.toPlainTime().equals(new Temporal.PlainTime());
}

/** `2024-01-31`, as DuckDB reads it, which writes years of five digits without a sign. */
export function dateText(local: LocalTime): string {
  return local.toPlainDate().toString().replace(/^\+0/, "");
}

/** `2024-01-31 10:00:00.123456`, as DuckDB reads it. */
export function timestampText(local: LocalTime): string {
  const isWhole = local.millisecond === 0 && local.microsecond === 0;
  const clock = local.toPlainTime().toString({ fractionalSecondDigits: isWhole ? 0 : 6 });
  return `${dateText(local)} ${clock}`;
}
