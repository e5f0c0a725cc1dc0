import type { Temporal } from "temporal-polyfill";
import { AppError } from "../../../kernel/errors.ts";
import { nearest } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";
import {
  childrenOf,
  type DateOffset,
  type DateTokenNode,
  type Expression,
  expressionsOf,
  NOWHERE,
  type OffsetUnit,
  type ParameterNode,
  type Query,
  queryError,
  type Span,
} from "./ast.ts";
import { numberIn } from "./coerce.ts";
import { type Environment, errorAt, type ParameterScalar, type ParameterValue } from "./scope.ts";
import { type Constant, type LocalTime, localTime } from "./value.ts";

/** A parameter that a query asks for. */
export interface ParameterSpec {
  readonly name: string;
  readonly fallback?: string;
  readonly label?: string;
}

/** The parameters of a query, each once, in the order of the text. */
export function parametersOf(query: Pick<Query, "statements">): ParameterSpec[] {
  const specs = new Map<string, ParameterSpec>();
  const visit = (node: Expression): void => {
    if (node.kind === "parameter") {
      const { name, fallback, label } = node;
      const known = specs.get(name.toLowerCase());
      specs.set(name.toLowerCase(), {
        name: known?.name ?? name,
        ...optional("fallback", known?.fallback ?? fallback),
        ...optional("label", known?.label ?? label),
      });
    }
    childrenOf(node).forEach(visit);
  };
  for (const statement of query.statements) expressionsOf(statement).forEach(visit);
  return [...specs.values()];
}

/** A value under a misspelt name would leave the default in its place without a word. */
export function refuseUnknownParameters(
  query: Pick<Query, "statements">,
  given: Readonly<Record<string, ParameterValue>>,
): void {
  const asked = parametersOf(query).map(({ name }) => name);
  const known = new Set(asked.map((name) => name.toLowerCase()));
  const unknown = Object.keys(given).find((name) => !known.has(name.toLowerCase()));
  if (unknown === undefined) return;
  throw new AppError("bad_request", `The C9QL query has no parameter "${unknown.slice(0, 100)}".`, {
    hint:
      asked.length === 0
        ? "Write $c9_name$ where the value of a parameter belongs."
        : `Its parameters are: ${asked.slice(0, 20).join(", ")}.`,
  });
}

function optional<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: string });
}

export type Argument =
  | { kind: "single"; value: Constant }
  | { kind: "list"; values: Constant[] }
  | { kind: "range"; from: Constant; to: Constant };

/** Value of a parameter in this run: the given one, else its default. */
export function argumentOf(node: ParameterNode, environment: Environment): Argument {
  const given = givenValue(node.name, environment.parameters);
  if (given !== undefined) return toArgument(node, given, environment);
  if (node.fallback !== undefined) return toArgument(node, node.fallback, environment);
  throw errorAt({ environment }, node.span, {
    message: `the parameter "${node.name}" has no value.`,
    hint: `Give a value for "${node.name}", or a default in the query: $c9_${node.name}$(default)$.`,
  });
}

function givenValue(
  name: string,
  parameters: Readonly<Record<string, ParameterValue>>,
): ParameterValue | undefined {
  if (Object.hasOwn(parameters, name)) return parameters[name];
  const key = Object.keys(parameters).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : parameters[key];
}

function toArgument(node: ParameterNode, value: ParameterValue, environment: Environment): Argument {
  const constant = (scalar: ParameterScalar) => toConstant(node, scalar, environment);
  if (Array.isArray(value)) {
    if (value.length > LIMITS.c9ql.parameterValues) throw tooMany(node, value.length);
    return { kind: "list", values: value.map(constant) };
  }
  if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    const range = value as { from: ParameterScalar; to: ParameterScalar };
    return { kind: "range", from: constant(range.from), to: constant(range.to) };
  }
  return { kind: "single", value: constant(value as ParameterScalar) };
}

function tooMany({ name }: ParameterNode, count: number): AppError {
  return new AppError("too_large", `The parameter "${name}" has ${count} values.`, {
    hint: `At most ${LIMITS.c9ql.parameterValues} are allowed.`,
  });
}

function toConstant(node: ParameterNode, value: ParameterScalar, environment: Environment): Constant {
  if (value === null) return { kind: "null" };
  if (typeof value === "boolean") return { kind: "boolean", value };
  if (typeof value === "string") return textConstant(value, environment);
  if (value instanceof Date && !Number.isNaN(value.getTime())) {
    return { kind: "moment", time: localTime(value, environment.timezone), hasClock: true };
  }
  const number = typeof value === "number" ? numberIn(String(value)) : undefined;
  if (number !== undefined) return number;
  throw errorAt({ environment }, node.span, {
    message: `the parameter "${node.name}" is neither text, number, date nor true or false.`,
  });
}

/** A value may itself be a date token: `$c9_today-7d`. */
function textConstant(value: string, environment: Environment): Constant {
  const variable = value.startsWith("$") || value.startsWith("{") ? wholeVariable(value, NOWHERE) : undefined;
  if (variable?.kind === "token" && variable.format === undefined) {
    return { kind: "moment", ...tokenTime(variable, environment.now), isStart: true };
  }
  return { kind: "text", value, bound: true };
}

/** $c9_region$(West)$[Region]$: the default value and the label may be left out. */
const PARAMETER = /\$c9_(\w{1,100})\$(?:\(([^)]{0,1000})\)\$?)?(?:\[([^\]]{0,200})\]\$?)?/y;
/** $c9_today-7d+1h */
const TOKEN = /\$c9_(\w+)((?:\s*[+-]\s*\d{1,6}[hdwmqy](?!\w))*)/iy;
/** {$c9_today-7d:yyyyMMdd} */
const BRACED = /\{\s*(\$c9_\w+[^:{}]{0,200}?)\s*(?::([^{}]{0,200}))?\}/iy;
const OFFSET = /([+-])\s*(\d+)([hdwmqy])/gi;

/** The date token or run-time parameter at an offset of the text. */
export function readVariable(text: string, offset: number): DateTokenNode | ParameterNode | undefined {
  const character = text[offset];
  if (character === "{") return readBraced(text, offset);
  if (character !== "$" || !/^\$c9_/i.test(text.slice(offset, offset + 4))) return undefined;
  return readParameter(text, offset) ?? readToken(text, offset);
}

/** The variable that a whole text consists of: in a text, `'$c9_today'` means the token too. */
export function wholeVariable(text: string, span: Span): DateTokenNode | ParameterNode | undefined {
  const trimmed = text.trim();
  if (!/^\{?\s*\$c9_\w/i.test(trimmed)) return undefined;
  const variable = readVariable(trimmed, 0);
  return variable?.span.end === trimmed.length ? { ...variable, span } : undefined;
}

function readParameter(text: string, offset: number): ParameterNode | undefined {
  PARAMETER.lastIndex = offset;
  const found = PARAMETER.exec(text);
  if (found === null) return undefined;
  const [written, name, fallback, label] = found;
  return {
    kind: "parameter",
    name: name as string,
    ...(fallback === undefined ? {} : { fallback }),
    ...(label === undefined ? {} : { label }),
    span: { start: offset, end: offset + written.length },
  };
}

function readToken(text: string, offset: number): DateTokenNode {
  TOKEN.lastIndex = offset;
  const found = TOKEN.exec(text);
  const span = { start: offset, end: offset + (found?.[0].length ?? 4) };
  const name = found?.[1]?.toLowerCase() ?? "";
  if (found === null || !Object.hasOwn(DATE_TOKENS, name)) {
    const meant = nearest(name, Object.keys(DATE_TOKENS));
    throw queryError(text, span, {
      message: `there is no date token $c9_${name}.`,
      hint:
        meant === undefined
          ? `A run-time parameter ends in a dollar sign: $c9_${name || "name"}$.`
          : `Did you mean $c9_${meant}?`,
    });
  }
  return { kind: "token", name, offsets: offsetsIn(found[2] ?? ""), span };
}

function readBraced(text: string, offset: number): DateTokenNode | undefined {
  BRACED.lastIndex = offset;
  const found = BRACED.exec(text);
  if (found === null) return undefined;
  const span = { start: offset, end: offset + found[0].length };
  const inside = found[1] as string;
  const token = readToken(inside, 0);
  if (token.span.end !== inside.length) {
    throw queryError(text, span, {
      message: "this is no date token with a format.",
      hint: "Write it like {$c9_today-7d:yyyyMMdd}.",
    });
  }
  const format = found[2]?.trim();
  return { ...token, ...(format === undefined || format === "" ? {} : { format }), span };
}

function offsetsIn(text: string): DateOffset[] {
  return [...text.matchAll(OFFSET)].map(([, sign, digits, unit]) => ({
    // Adding 0 makes 0 of -0.
    amount: (sign === "-" ? -1 : 1) * Number(digits) + 0,
    unit: (unit as string).toLowerCase() as OffsetUnit,
  }));
}

const startOfDay = (now: LocalTime): LocalTime => now.toPlainDate().toPlainDateTime();
const startOfWeek = (now: LocalTime): LocalTime => startOfDay(now).subtract({ days: now.dayOfWeek - 1 });
const startOfMonth = (now: LocalTime): LocalTime => startOfDay(now).with({ day: 1 });
const startOfYear = (now: LocalTime): LocalTime => startOfMonth(now).with({ month: 1 });
const startOfQuarter = (now: LocalTime): LocalTime =>
  startOfMonth(now).subtract({ months: (now.month - 1) % 3 });

/** Each token as a moment on the wall clock; a period stands for its first day, a week begins on Monday. */
export const DATE_TOKENS: Readonly<Record<string, (now: LocalTime) => LocalTime>> = {
  now: (now) => now,
  today: startOfDay,
  yesterday: (now) => startOfDay(now).subtract({ days: 1 }),
  thisweek: startOfWeek,
  lastweek: (now) => startOfWeek(now).subtract({ weeks: 1 }),
  thismonth: startOfMonth,
  lastmonth: (now) => startOfMonth(now).subtract({ months: 1 }),
  thisquarter: startOfQuarter,
  lastquarter: (now) => startOfQuarter(now).subtract({ months: 3 }),
  thisyear: startOfYear,
  lastyear: (now) => startOfYear(now).subtract({ years: 1 }),
};

const SHIFT: Readonly<Record<OffsetUnit, (amount: number) => Temporal.DurationLike>> = {
  h: (hours) => ({ hours }),
  d: (days) => ({ days }),
  w: (weeks) => ({ weeks }),
  m: (months) => ({ months }),
  q: (quarters) => ({ months: 3 * quarters }),
  y: (years) => ({ years }),
};

interface TokenTime {
  time: LocalTime;
  /** True for a timestamp; otherwise it is a date. */
  hasClock: boolean;
}

export function tokenTime({ name, offsets }: DateTokenNode, now: LocalTime): TokenTime {
  const time = moved(DATE_TOKENS[name]!(now), offsets);
  // DuckDB knows more years, but a query that means them is a slip.
  if (time === undefined || time.year < 1 || time.year > 9_999)
    throw new AppError("bad_request", "C9QL: a date token goes beyond the years 1 to 9999.");
  return { time, hasClock: name === "now" || offsets.some(({ unit }) => unit === "h") };
}

/** Undefined where no calendar has such a day. */
function moved(start: LocalTime, offsets: DateTokenNode["offsets"]): LocalTime | undefined {
  try {
    return offsets.reduce((time, { amount, unit }) => time.add(SHIFT[unit](amount)), start);
  } catch {
    return undefined;
  }
}

export const UNITS = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"] as const;
export type Unit = (typeof UNITS)[number];

const SHORT_UNITS: Readonly<Record<string, Unit>> = {
  s: "second",
  sec: "second",
  min: "minute",
  h: "hour",
  d: "day",
  w: "week",
  m: "month",
  mon: "month",
  q: "quarter",
  y: "year",
};

/** A unit by its name or its plural. */
export function unitWritten(word: string): Unit | undefined {
  const lower = word.trim().toLowerCase();
  return UNITS.find((each) => each === lower || `${each}s` === lower);
}

/** A unit by its name, its plural or its letter. */
export function unitIn(word: string): Unit | undefined {
  const lower = word.trim().toLowerCase();
  return unitWritten(lower) ?? (Object.hasOwn(SHORT_UNITS, lower) ? SHORT_UNITS[lower] : undefined);
}
