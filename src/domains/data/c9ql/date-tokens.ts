import type { DateOffset, DateTokenNode, OffsetUnit } from "./ast.ts";
import { addMonths, addMs, DAY_MS, type LocalTime, startOfDay } from "./local-time.ts";

const HOUR_MS = 3_600_000;

function startOfWeek(now: LocalTime): LocalTime {
  const today = startOfDay(now);
  const sinceMonday = (new Date(today.ms).getUTCDay() + 6) % 7;
  return addMs(today, -sinceMonday * DAY_MS);
}

function startOfMonth(now: LocalTime): LocalTime {
  const today = startOfDay(now);
  return addMs(today, -(new Date(today.ms).getUTCDate() - 1) * DAY_MS);
}

function startOfQuarter(now: LocalTime): LocalTime {
  const month = startOfMonth(now);
  return addMonths(month, -(new Date(month.ms).getUTCMonth() % 3));
}

function startOfYear(now: LocalTime): LocalTime {
  const month = startOfMonth(now);
  return addMonths(month, -new Date(month.ms).getUTCMonth());
}

/** Each token as a moment on the wall clock; a period stands for its first day, a week begins on Monday. */
export const DATE_TOKENS: Readonly<Record<string, (now: LocalTime) => LocalTime>> = {
  now: (now) => now,
  today: startOfDay,
  yesterday: (now) => addMs(startOfDay(now), -DAY_MS),
  thisweek: startOfWeek,
  lastweek: (now) => addMs(startOfWeek(now), -7 * DAY_MS),
  thismonth: startOfMonth,
  lastmonth: (now) => addMonths(startOfMonth(now), -1),
  thisquarter: startOfQuarter,
  lastquarter: (now) => addMonths(startOfQuarter(now), -3),
  thisyear: startOfYear,
  lastyear: (now) => addMonths(startOfYear(now), -12),
};

const SHIFT: Readonly<Record<OffsetUnit, (time: LocalTime, amount: number) => LocalTime>> = {
  h: (time, amount) => addMs(time, amount * HOUR_MS),
  d: (time, amount) => addMs(time, amount * DAY_MS),
  w: (time, amount) => addMs(time, amount * 7 * DAY_MS),
  m: addMonths,
  q: (time, amount) => addMonths(time, amount * 3),
  y: (time, amount) => addMonths(time, amount * 12),
};

export interface TokenTime {
  time: LocalTime;
  /** Whether it has a time of day; otherwise it is a date. */
  hasClock: boolean;
}

export function tokenTime({ name, offsets }: DateTokenNode, now: LocalTime): TokenTime {
  const start = (DATE_TOKENS[name] as (now: LocalTime) => LocalTime)(now);
  const time = offsets.reduce((moved, { amount, unit }: DateOffset) => SHIFT[unit](moved, amount), start);
  return { time, hasClock: name === "now" || offsets.some(({ unit }) => unit === "h") };
}
