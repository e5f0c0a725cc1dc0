import type { Temporal } from "temporal-polyfill";
import { AppError } from "../../../kernel/errors.ts";
import type { DateTokenNode, OffsetUnit } from "./ast.ts";
import type { LocalTime } from "./local-time.ts";

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

export interface TokenTime {
  time: LocalTime;
  /** Whether it has a time of day; otherwise it is a date. */
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
