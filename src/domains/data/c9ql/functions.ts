import type { AppError } from "../../../kernel/errors.ts";
import { nearest } from "../../../kernel/text.ts";
import type { CallNode } from "./ast.ts";
import {
  type Arguments,
  asNumber,
  extremeText,
  type Fragment,
  type FunctionSpec,
  taking,
  takingOne,
  unify,
} from "./coerce.ts";
import { DATE_FUNCTIONS, spanAt } from "./date-functions.ts";
import { errorAt, type Scope, sqlFunction } from "./scope.ts";
import { BIGINT, converted, DOUBLE, isNumber, NUMBER, TEXT, TIMESTAMP, type ValueType } from "./value.ts";

function ofNumber(name: string, sqlName: string, type: ValueType): FunctionSpec {
  return takingOne(`${name}(number)`, (args) => ({ sql: `${sqlName}(${args.number(0)})`, type }));
}

/** Sums have room for more digits than what is summed up. */
function sumType({ kind, sql }: ValueType): ValueType {
  if (kind === "float") return DOUBLE;
  if (kind === "integer" && sql !== undefined && sql !== "BIGNUM") return { kind: "integer", sql: "HUGEINT" };
  const scale = kind === "decimal" ? /^DECIMAL\(\d+,\s*(\d+)\)$/.exec(sql ?? "")?.[1] : undefined;
  return scale === undefined ? NUMBER : { kind: "decimal", sql: `DECIMAL(38,${scale})` };
}

function extreme(name: "min" | "max"): FunctionSpec {
  return takingOne(`${name}(field)`, (args) => {
    const { sql, type } = args.value(0);
    if (type.kind !== "text") return { sql: `${name}(${sql})`, type };
    const over = (window: string) => extremeText(name, args.nodeAt(0), sql, window);
    return { sql: over(""), type, over };
  });
}

function count(args: Arguments): Fragment {
  const isStar = args.nodeAt(0).kind === "star";
  return { sql: isStar ? "count(*)" : `count(${args.value(0).sql})`, type: BIGINT };
}

/** 95 is the 95th percentile, and so is 0.95. */
function percentile(args: Arguments): Fragment {
  const wanted = args.constantNumber(1, "the percentile");
  const share = wanted > 0 && wanted < 1 ? wanted : wanted / 100;
  if (!(share >= 0 && share <= 1)) {
    throw errorAt(args.scope, args.nodeAt(1).span, {
      message: "a percentile lies between 0 and 100.",
      hint: "Write percentile(field, 95).",
    });
  }
  return { sql: `quantile_cont(${args.number(0)}, ${Number(share.toFixed(12))})`, type: NUMBER };
}

/** All values of a group as a list. */
function array(args: Arguments): Fragment {
  const { sql, type } = args.value(0);
  const distinct = args.flag(1) ? "DISTINCT " : "";
  const filter = args.flag(2) ? ` FILTER (WHERE ${sql} IS NOT NULL)` : "";
  const list: ValueType = { kind: "list", element: type };
  return {
    sql: `list(${distinct}${sql})${filter}`,
    type: type.sql === undefined ? list : { ...list, sql: `${type.sql}[]` },
  };
}

const AGGREGATES: Readonly<Record<string, FunctionSpec>> = {
  count: takingOne("count(field) or count(*)", count),
  distinct: takingOne("distinct(field)", (args) => ({
    sql: `count(DISTINCT ${args.value(0).sql})`,
    type: BIGINT,
  })),
  sum: takingOne("sum(number)", (args) => {
    const number = args.numberValue(0);
    return { sql: `sum(${number.sql})`, type: sumType(number.type) };
  }),
  avg: ofNumber("avg", "avg", DOUBLE),
  min: extreme("min"),
  max: extreme("max"),
  sd: ofNumber("sd", "stddev_samp", DOUBLE),
  median: ofNumber("median", "median", NUMBER),
  percentile: taking([2, 2], "percentile(number, percent)", percentile),
  array: taking([1, 3], "array(field[, unique[, without nulls]])", array),
};

function numeric(name: string, type = DOUBLE): FunctionSpec {
  return takingOne(`${name}(number)`, (args) => ({ sql: `${name}(${args.number(0)})`, type }));
}

/** Where DuckDB would refuse the whole query, the value is null. */
function numericWhere(name: string, isDefined: (number: string) => string): FunctionSpec {
  return takingOne(`${name}(number)`, (args) => {
    const number = args.number(0);
    return { sql: `CASE WHEN ${isDefined(number)} THEN ${name}(${number}) END`, type: DOUBLE };
  });
}

/** DuckDB rounds decimals to a number of digits that it knows beforehand. */
function digitsAt(args: Arguments, index: number): number {
  const digits = args.constantNumber(index, "the digits");
  return Math.max(-38, Math.min(38, Math.trunc(digits)));
}

function round(args: Arguments): Fragment {
  const digits = args.count > 1 ? `, ${digitsAt(args, 1)}` : "";
  // Rounding a bare number to digits is only known for decimals and floats.
  const { type } = args.value(0);
  const number = isNumber(type) ? args.number(0) : `CAST(${args.number(0)} AS DOUBLE)`;
  return { sql: `round(${number}${digits})`, type: NUMBER };
}

/** Of a text that is no number, the second argument; without one, the query fails. */
function number(args: Arguments): Fragment {
  const otherwise = args.count > 1 ? args.numberValue(1) : undefined;
  const { sql, type } = asNumber(args.scope, args.nodeAt(0), args.value(0), otherwise);
  return { sql, type };
}

const NUMBER_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  abs: numeric("abs", NUMBER),
  acos: numericWhere("acos", (number) => `${number} BETWEEN -1 AND 1`),
  asin: numericWhere("asin", (number) => `${number} BETWEEN -1 AND 1`),
  atan: numeric("atan"),
  cbrt: numeric("cbrt"),
  ceil: numeric("ceil", NUMBER),
  cos: numeric("cos"),
  cosh: numeric("cosh"),
  floor: numeric("floor", NUMBER),
  number: taking([1, 2], "number(text[, otherwise])", number),
  round: taking([1, 2], "round(number[, digits])", round),
  sin: numeric("sin"),
  sqrt: numericWhere("sqrt", (number) => `${number} >= 0`),
  tan: numeric("tan"),
};

const TEXT_LIST = { kind: "list", sql: "VARCHAR[]", element: TEXT } as const;

function ofOneText(name: string): FunctionSpec {
  return takingOne(`${name}(text)`, (args) => ({ sql: `${name}(${args.text(0)})`, type: TEXT }));
}

function firstValue(args: Arguments): Fragment {
  const [values, type] = unify(args.scope, args.node.args, args.values);
  return { sql: `coalesce(${values.map(({ sql }) => sql).join(", ")})`, type };
}

function firstOf(name: string): FunctionSpec {
  return taking([2, 100], `${name}(value, value, …)`, firstValue);
}

const TEXT_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  upper: ofOneText("upper"),
  lower: ofOneText("lower"),
  trim: ofOneText("trim"),
  length: takingOne("length(text)", (args) => ({ sql: `length(${args.text(0)})`, type: BIGINT })),
  substring: taking([2, 3], "substring(text, start[, length])", (args) => {
    const length = args.count > 2 ? `, ${args.integer(2)}` : "";
    return { sql: `substring(${args.text(0)}, ${args.integer(1)}${length})`, type: TEXT };
  }),
  split: taking([2, 2], "split(text, separator)", (args) => ({
    sql: `string_split(${args.text(0)}, ${args.text(1)})`,
    type: TEXT_LIST,
  })),
  replace: taking([3, 3], "replace(text, part, replacement)", (args) => ({
    sql: `replace(${args.text(0)}, ${args.text(1)}, ${args.text(2)})`,
    type: TEXT,
  })),
  regex_replace: taking([3, 3], "regex_replace(text, pattern, replacement)", (args) => ({
    sql: `regexp_replace(${args.text(0)}, ${args.text(1)}, ${args.text(2)}, 'g')`,
    type: TEXT,
  })),
  concat: taking([1, 100], "concat(value, value, …)", (args) => {
    const parts = args.values.map((_, index) => args.text(index));
    return { sql: `concat(${parts.join(", ")})`, type: TEXT };
  }),
  ifnull: firstOf("ifnull"),
  coalesce: firstOf("coalesce"),
};

/** ` OVER (…)` of the groups of a call, in the order of the rows or in the order given. */
export type Over = (frame: string, order?: string) => string;

/** A function that looks along the rows, in their order. Each is made of window functions. */
export interface RowFunctionSpec {
  readonly usage: string;
  readonly atLeast: number;
  readonly atMost: number;
  /** From which argument on they are groups, in each of which it begins anew. */
  readonly groupsFrom?: number;
  compile(args: Arguments, over: Over): Fragment;
}

/** All rows up to this one. */
const SO_FAR = "ROWS UNBOUNDED PRECEDING";

/** Most fields that a call may group by. */
const GROUPS = 20;

function grouped(
  groupsFrom: number,
  usage: string,
  compile: (args: Arguments, over: Over) => Fragment,
): RowFunctionSpec {
  const usageWithGroups = usage.replace(")", "[, group, …])");
  return { usage: usageWithGroups, atLeast: groupsFrom, atMost: groupsFrom + GROUPS, groupsFrom, compile };
}

/** The number of a row and of the one before. */
function step(args: Arguments, over: Over): { now: string; before: string; type: ValueType } {
  const { sql, type } = args.numberValue(0);
  return { now: sql, before: `lag(${sql})${over("")}`, type };
}

function growth(args: Arguments, over: Over): Fragment {
  const { now, before } = step(args, over);
  // Of a negative number as of a positive one: what grew has a plus.
  const share = `(CAST(${now} AS DOUBLE) - ${before}) / abs(${before}) * 100`;
  return { sql: `CASE WHEN ${before} <> 0 THEN ${share} END`, type: DOUBLE };
}

function wholeNumber(args: Arguments, index: number, what: string, least: number): number {
  const number = args.constantNumber(index, what);
  if (Number.isInteger(number) && number >= least && number <= 1_000_000_000) return number;
  throw errorAt(args.scope, args.nodeAt(index).span, {
    message: `${args.node.name} takes ${what} as a whole number from ${least} on.`,
  });
}

function lag(args: Arguments, over: Over): Fragment {
  const offset = args.count > 1 ? wholeNumber(args, 1, "how many rows back", 0) : 1;
  if (args.count < 3) {
    const { sql, type } = args.value(0);
    return { sql: `lag(${sql}, ${offset})${over("")}`, type };
  }
  const [values, type] = unify(args.scope, [args.nodeAt(0), args.nodeAt(2)], [args.value(0), args.value(2)]);
  return { sql: `lag(${values[0]?.sql}, ${offset}, ${values[1]?.sql})${over("")}`, type };
}

/** Of a window of seven days, the first does not belong to the one that a week ago ended with. */
function timeAverage(args: Arguments, over: Over): Fragment {
  const moment = args.moment(1);
  const { sql: date } = converted(moment, `CAST(${moment.sql} AS TIMESTAMP)`, TIMESTAMP);
  const frame = `RANGE BETWEEN ${spanAt(args, 2)} - to_microseconds(1) PRECEDING AND CURRENT ROW`;
  return { sql: `avg(${args.number(0)})${over(frame, date)}`, type: DOUBLE };
}

/** The point above a date or a number on the straight line that fits all rows of the group best. */
function trend(args: Arguments, over: Over): Fragment {
  const { kind } = args.value(1).type;
  const isMoment = ["date", "timestamp", "timestamptz"].includes(kind);
  const x = isMoment ? `(epoch(${args.moment(1).sql}) / 86400)` : args.number(1);
  const of = (name: string) => `${name}(${args.number(0)}, ${x})${over("", "")}`;
  return { sql: `(${of("regr_intercept")} + ${of("regr_slope")} * ${x})`, type: DOUBLE };
}

const ROW_FUNCTIONS: Readonly<Record<string, RowFunctionSpec>> = {
  accumulate: grouped(1, "accumulate(number)", (args, over) => {
    const { sql, type } = args.numberValue(0);
    // The engine makes sums exact that are no windows.
    const sum = type.kind === "float" ? "fsum" : "sum";
    return { sql: `${sum}(${sql})${over(SO_FAR)}`, type: sumType(type) };
  }),
  delta: grouped(1, "delta(number)", (args, over) => {
    const { now, before, type } = step(args, over);
    return { sql: `(${now} - ${before})`, type: type.kind === "float" ? DOUBLE : NUMBER };
  }),
  growth: grouped(1, "growth(number)", growth),
  cma: grouped(1, "cma(number)", (args, over) => ({
    sql: `avg(${args.number(0)})${over(SO_FAR)}`,
    type: DOUBLE,
  })),
  sma: grouped(2, "sma(number, rows)", (args, over) => {
    const rows = wholeNumber(args, 1, "the number of rows", 1);
    return { sql: `avg(${args.number(0)})${over(`ROWS ${rows - 1} PRECEDING`)}`, type: DOUBLE };
  }),
  tma: grouped(3, "tma(number, date, span)", timeAverage),
  linear_regression: grouped(2, "linear_regression(number, date)", trend),
  lag: { usage: "lag(field[, rows[, otherwise]])", atLeast: 1, atMost: 3, compile: lag },
};

/**
 * Functions that C9QL knows and Kenning does not have yet. They are read like any other, so that whoever adds one
 * moves its line from here into the table of its kind.
 */
export const UNAVAILABLE: Readonly<Record<string, string>> = {
  forecast: "a forecast",
  arima: "a forecast",
};

/** Functions that make rows, and so stand alone in their select. */
export const EXPANSIONS = [
  "expand",
  "expand_arrays",
  "expand_arrays_with_defaults",
  "transpose",
  "reverse_transpose",
] as const;

const SCALARS = new Map(Object.entries({ ...NUMBER_FUNCTIONS, ...TEXT_FUNCTIONS, ...DATE_FUNCTIONS }));
const AGGREGATE_MAP = new Map(Object.entries(AGGREGATES));
const ROW_MAP = new Map(Object.entries(ROW_FUNCTIONS));

/** The names of all functions, as the reference lists them. */
export const FUNCTION_NAMES: readonly string[] = [
  ...SCALARS.keys(),
  ...AGGREGATE_MAP.keys(),
  ...ROW_MAP.keys(),
  ...EXPANSIONS,
];

type FoundFunction =
  | { kind: "scalar" | "aggregate"; spec: FunctionSpec }
  | { kind: "rows"; spec: RowFunctionSpec };

export function findFunction(scope: Scope, node: CallNode): FoundFunction {
  const found = functionNamed(node.name);
  if (found === undefined) throw unknownFunction(scope, node);
  const { atLeast, atMost, usage } = found.spec;
  if (node.args.length < atLeast || node.args.length > atMost) {
    throw errorAt(scope, node.span, {
      message: `${node.name} was given ${node.args.length} arguments.`,
      hint: `Write ${usage}.`,
    });
  }
  return found;
}

function functionNamed(name: string): FoundFunction | undefined {
  const rows = ROW_MAP.get(name);
  if (rows !== undefined) return { kind: "rows", spec: rows };
  const aggregate = AGGREGATE_MAP.get(name);
  if (aggregate !== undefined) return { kind: "aggregate", spec: aggregate };
  const scalar = SCALARS.get(name);
  return scalar && { kind: "scalar", spec: scalar };
}

export function isRowFunction({ name }: CallNode): boolean {
  return ROW_MAP.has(name);
}

export function isAggregateCall({ name }: CallNode): boolean {
  return AGGREGATE_MAP.has(name);
}

function unknownFunction(scope: Scope, node: CallNode): AppError {
  if (Object.hasOwn(UNAVAILABLE, node.name)) {
    return errorAt(scope, node.span, {
      code: "unsupported",
      message: `${node.name} (${UNAVAILABLE[node.name]}) is not available yet.`,
      hint: "linear_regression(number, date) gives the straight line through the rows that there are.",
    });
  }
  if (EXPANSIONS.some((name) => name === node.name)) {
    return errorAt(scope, node.span, {
      message: `${node.name} stands alone in its select.`,
      hint: `Write select ${node.name}(field); and go on in a next statement.`,
    });
  }
  const meant =
    sqlFunction(node.name) ?? (node.name.length > 100 ? undefined : nearest(node.name, FUNCTION_NAMES));
  return errorAt(scope, node.span, {
    message: `there is no function ${node.name.slice(0, 100)}.`,
    hint:
      meant === undefined
        ? `The functions are ${FUNCTION_NAMES.join(", ")}. A field with brackets in its name goes in double quotes.`
        : `Did you mean ${meant}?`,
  });
}
