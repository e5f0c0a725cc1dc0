import { quoteText } from "../../../kernel/sql-text.ts";
import type { Expression } from "./ast.ts";
import { readDateText, writtenDate } from "./date-text.ts";
import { momentSql, numberSql } from "./read-text.ts";
import { complain, type Scope } from "./scope.ts";
import { type Constant, constantValue, converted, derived, type Value } from "./value.ts";
import {
  BOOLEAN,
  DATE,
  DOUBLE,
  describeKind,
  isMoment,
  isNested,
  isNumber,
  isOpaque,
  NUMBER,
  OTHER,
  TEXT,
  TIMESTAMP,
  type ValueType,
} from "./value-type.ts";

/** A plain number: what a text must look like to be taken for one. */
const NUMBER_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

export function numberIn(text: string): Constant | undefined {
  const trimmed = text.trim();
  if (!NUMBER_TEXT.test(trimmed) || !Number.isFinite(Number(trimmed))) return undefined;
  return { kind: "number", text: trimmed.replace(/^\+/, "").replace(/\.(?!\d)/, "") };
}

/**
 * The value as a number. A text that is none is an error, in the query and in the data, unless it is said what is meant
 * then.
 */
export function asNumber(scope: Scope, node: Expression, value: Value, otherwise?: Value): Value {
  const { type, constant } = value;
  if (isNumber(type) || isUnknown(type)) return value;
  // A bare NULL leaves DuckDB to guess which function is meant.
  if (type.kind === "null") return converted(value, `CAST(${value.sql} AS DOUBLE)`, DOUBLE);
  if (constant?.kind === "text") {
    const number = numberIn(constant.value);
    if (number !== undefined) return constantValue(number, scope.environment);
    if (otherwise !== undefined) return otherwise;
    throw complain(scope, node.span, {
      message: `"${constant.value}" is no number.`,
      hint: "To put texts together, use concat(a, b).",
    });
  }
  if (type.kind === "text" || type.kind === "json") {
    const parts = otherwise === undefined ? [value] : [value, otherwise];
    return derived(parts, numberSql(node, asText(value).sql, otherwise?.sql), DOUBLE);
  }
  if (type.kind === "boolean") return converted(value, `CAST(${value.sql} AS INTEGER)`, NUMBER);
  throw complain(scope, node.span, { message: `this is ${describeKind(type)}, but a number is needed.` });
}

export function asText(value: Value): Value {
  if (value.type.kind === "text") return value;
  if (value.type.kind === "json") return converted(value, jsonText(value), TEXT);
  return converted(value, `CAST(${value.sql} AS VARCHAR)`, TEXT);
}

/** JSON strings without their quotes. */
function jsonText({ sql }: Value): string {
  return `json_extract_string(${sql}, '$')`;
}

/** The value as a date or a timestamp on the wall clock of the query's time zone. */
export function asMoment(scope: Scope, node: Expression, value: Value): Value {
  const { type, constant } = value;
  if (type.kind === "date" || type.kind === "timestamp") return value;
  if (type.kind === "null") return converted(value, `CAST(${value.sql} AS TIMESTAMP)`, TIMESTAMP);
  if (type.kind === "timestamptz") {
    return converted(value, `timezone(${quoteText(scope.environment.timezone)}, ${value.sql})`, TIMESTAMP);
  }
  if (constant?.kind === "text")
    return constantValue(momentIn(scope, node, constant.value), scope.environment);
  if (type.kind === "text" || type.kind === "json") {
    return converted(value, momentSql(node, asText(value).sql), TIMESTAMP);
  }
  const written = isNumber(type) ? writtenDate(node, scope.environment.timezone) : undefined;
  if (written !== undefined) return constantValue({ kind: "moment", ...written }, scope.environment);
  if (isUnknown(type)) return converted(value, `TRY_CAST(${value.sql} AS TIMESTAMP)`, TIMESTAMP);
  throw complain(scope, node.span, {
    message: `this is ${describeKind(type)}, but a date is needed.`,
    hint: "Use str_to_date(text, 'yyyy-MM-dd') for dates in another form.",
  });
}

export function momentIn(scope: Scope, node: Expression, text: string): Constant {
  const read = readDateText(text, scope.environment.timezone);
  if (read !== undefined) return { kind: "moment", ...read };
  throw complain(scope, node.span, {
    message: `"${text}" is no date.`,
    hint: "Write dates like '2024-01-31' or '2024-01-31 10:00', or use a token such as $c9_today.",
  });
}

export function asCondition(scope: Scope, node: Expression, value: Value): Value {
  if (value.type.kind === "boolean" || value.type.kind === "null") return value;
  if (isUnknown(value.type)) return converted(value, `CAST(${value.sql} AS BOOLEAN)`, BOOLEAN);
  throw complain(scope, node.span, {
    message: `this is ${describeKind(value.type)}, not a condition.`,
    hint: "A condition compares: field = value, field > 10, field like text, field is not null.",
  });
}

/** Values that stand for each other (the branches of `case`, the arguments of `ifnull`), made the same kind. */
export function unify(
  scope: Scope,
  nodes: readonly Expression[],
  values: readonly Value[],
): [Value[], ValueType] {
  const types = values.filter(({ constant }) => constant?.kind !== "null").map(({ type }) => type);
  const first = types[0];
  if (first === undefined) return [[...values], { kind: "null" }];
  const same = sameType(types);
  if (same !== undefined) return [[...values], same];
  if (types.every(isNumber)) return [[...values], NUMBER];
  if (types.every(isUnknown)) return [[...values], OTHER];
  if (types.some(isMoment)) {
    const moments = values.map((value, index) => momentOrNothing(scope, nodes[index] as Expression, value));
    if (moments.every((moment) => moment !== undefined)) {
      return [moments, moments.every(({ type }) => type.kind === "date") ? DATE : TIMESTAMP];
    }
  }
  const isOneKind =
    types.every(({ kind }) => kind === first.kind) && !isNested(first) && first.kind !== "other";
  if (isOneKind) return [[...values], { kind: first.kind }];
  return [values.map((value) => (value.type.kind === "null" ? value : asText(value))), TEXT];
}

function momentOrNothing(scope: Scope, node: Expression, value: Value): Value | undefined {
  const { type, constant } = value;
  if (isMoment(type) || type.kind === "null") return asMoment(scope, node, value);
  const { timezone } = scope.environment;
  const isDate =
    constant?.kind === "text"
      ? readDateText(constant.value, timezone) !== undefined
      : isNumber(type) && writtenDate(node, timezone) !== undefined;
  return isDate ? asMoment(scope, node, value) : undefined;
}

function isUnknown(type: ValueType): boolean {
  return type.kind === "other" && !isOpaque(type);
}

function sameType(types: readonly ValueType[]): ValueType | undefined {
  const [first] = types;
  return types.every(({ sql }) => sql !== undefined && sql === first?.sql) ? first : undefined;
}
