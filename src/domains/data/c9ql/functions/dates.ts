import type { AppError } from "../../../../kernel/errors.ts";
import { quoteText } from "../../../../kernel/sql-text.ts";
import { nearest } from "../../../../kernel/text.ts";
import { javaPattern } from "../java-pattern.ts";
import { complain } from "../scope.ts";
import { UNITS, type Unit, unitIn } from "../time-units.ts";
import { constantValue } from "../value.ts";
import { BIGINT, DATE, TEXT, TIMESTAMP } from "../value-type.ts";
import { type Arguments, type Fragment, type FunctionSpec, taking, takingOne } from "./function-spec.ts";

function unitNamed(args: Arguments, index: number, word: string): Unit {
  const unit = unitIn(word);
  if (unit !== undefined) return unit;
  const meant = nearest(word.trim().toLowerCase(), UNITS);
  throw complain(args.scope, args.nodeAt(index).span, {
    message: `"${word}" is no unit of time.`,
    hint: meant === undefined ? `The units are ${UNITS.join(", ")}.` : `Did you mean ${meant}?`,
  });
}

function unitAt(args: Arguments, index: number): Unit {
  return unitNamed(args, index, args.constantText(index, "the unit"));
}

function formatAt(args: Arguments, index: number): string {
  const pattern = javaPattern(args.constantText(index, "the pattern"));
  if (pattern.ok) return quoteText(pattern.format);
  throw complain(args.scope, args.nodeAt(index).span, { message: pattern.problem });
}

/** Part of a date as a number. */
function part(name: string, sqlName = name): FunctionSpec {
  return takingOne(`${name}(date)`, (args) => ({ sql: `${sqlName}(${args.moment(0).sql})`, type: BIGINT }));
}

function truncate(args: Arguments): Fragment {
  const unit = unitAt(args, 1);
  const { sql } = args.moment(0);
  const truncated = `date_trunc('${unit}', ${sql})`;
  const hasClock = unit === "second" || unit === "minute" || unit === "hour";
  return hasClock ? { sql: truncated, type: TIMESTAMP } : { sql: `CAST(${truncated} AS DATE)`, type: DATE };
}

/** `date_add(d, 2, 'months')` or `date_add(d, '2m')`. */
function add(args: Arguments): Fragment {
  const { amount, unit } =
    args.count > 2 ? { amount: args.integer(1), unit: unitAt(args, 2) } : amountWithUnit(args);
  const moment = args.moment(0);
  const quarters =
    unit === "quarter" ? { amount: `(3 * ${amount})`, unit: "month" as const } : { amount, unit };
  const moved = `(${moment.sql} + to_${quarters.unit}s(${quarters.amount}))`;
  const staysDate = moment.type.kind === "date" && !["second", "minute", "hour"].includes(unit);
  return staysDate ? { sql: `CAST(${moved} AS DATE)`, type: DATE } : { sql: moved, type: TIMESTAMP };
}

function amountWithUnit(args: Arguments): { amount: string; unit: Unit } {
  const { constant } = args.value(1);
  if (constant?.kind !== "text") return { amount: args.integer(1), unit: "day" };
  const [, sign, digits, word] = /^\s*([+-]?)\s*(\d{1,9})\s*([a-z]+)\s*$/i.exec(constant.value) ?? [];
  if (digits === undefined || word === undefined) {
    throw noSpan(args, 1, "Write date_add(date, '2d') or date_add(date, 2, 'days').");
  }
  const amount = sign === "-" ? `(-${digits})` : digits;
  return { amount, unit: unitNamed(args, 1, word) };
}

function noSpan(args: Arguments, index: number, hint: string): AppError {
  const { constant } = args.value(index);
  const written = constant?.kind === "text" ? `"${constant.value}"` : "this";
  return complain(args.scope, args.nodeAt(index).span, { message: `${written} is no span of time.`, hint });
}

/** `7d` or `month` as an interval; a bare number is so many days. */
export function spanAt(args: Arguments, index: number): string {
  const { constant } = args.value(index);
  const text = constant?.kind === "text" ? constant.value : constant?.kind === "number" ? constant.text : "";
  const [, digits = "1", word] = /^\s*(\d{1,6})?\s*([a-z]*)\s*$/i.exec(text) ?? [];
  if (word === undefined || text.trim() === "" || Number(digits) === 0) {
    throw noSpan(args, index, `Write ${args.node.name}(number, date, 7d), with s, min, h, d, w, m, q or y.`);
  }
  const unit = word === "" ? "day" : unitNamed(args, index, word);
  return unit === "quarter" ? `to_months(${Number(digits) * 3})` : `to_${unit}s(${Number(digits)})`;
}

function delta(args: Arguments): Fragment {
  const unit = args.count > 2 ? unitAt(args, 2) : "day";
  return { sql: `date_sub('${unit}', ${args.moment(0).sql}, ${args.moment(1).sql})`, type: BIGINT };
}

function now({ scope: { environment } }: Arguments): Fragment {
  const { sql, type } = constantValue({ kind: "moment", time: environment.now, hasClock: true }, environment);
  return { sql, type };
}

export const DATE_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  now: taking([0, 0], "now()", now),
  date: takingOne("date(date)", (args) => ({ sql: `CAST(${args.moment(0).sql} AS DATE)`, type: DATE })),
  str_to_date: taking([2, 2], "str_to_date(text, pattern)", (args) => ({
    sql: `try_strptime(${args.text(0)}, ${formatAt(args, 1)})`,
    type: TIMESTAMP,
  })),
  date_format: taking([2, 2], "date_format(date, pattern)", (args) => ({
    sql: `strftime(${args.moment(0).sql}, ${formatAt(args, 1)})`,
    type: TEXT,
  })),
  date_trunc: taking([2, 2], "date_trunc(date, unit)", truncate),
  date_add: taking([2, 3], "date_add(date, amount[, unit])", add),
  date_delta: taking([2, 3], "date_delta(from, to[, unit])", delta),
  year: part("year"),
  quarter: part("quarter"),
  month: part("month"),
  week: part("week"),
  day: part("day"),
  day_of_week: part("day_of_week", "isodow"),
  hour: part("hour"),
  minute: part("minute"),
  second: part("second"),
};
