import { unify } from "../coerce.ts";
import { complain } from "../scope.ts";
import { converted } from "../value.ts";
import { DOUBLE, NUMBER, TIMESTAMP, type ValueType } from "../value-type.ts";
import { sumType } from "./aggregates.ts";
import { spanAt } from "./dates.ts";
import type { Arguments, Fragment } from "./function-spec.ts";

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
  throw complain(args.scope, args.nodeAt(index).span, {
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

export const ROW_FUNCTIONS: Readonly<Record<string, RowFunctionSpec>> = {
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
