import {
  addMonths,
  at,
  DAY,
  dayAt,
  fiscalYearOf,
  fiscalYearStart,
  holiday,
  monthOf,
  periodAround,
  weekdayIn,
  weekdayOf,
  weekOfYear,
  weekStart,
  yearOf,
} from "./calendar.ts";
import type { Calendar } from "./profile.ts";
import type { Closed, Part, Period, Span, Unit, Window } from "./values.ts";

/** Cycles that are tried on each side of today: 29 February may be eight years away. */
const CYCLES = 8;

export function lacksYear(period: Period): boolean {
  return period.fixed === undefined && period.year === undefined;
}

/** A day of any month, as "the 18th". */
export function lacksMonth(period: Period): boolean {
  return lacksYear(period) && period.unit === "day" && period.day !== undefined && period.month === undefined;
}

/** The period with its year, and without its part ("the end of"). */
export function inYear(period: Period, year: number, calendar: Calendar): Closed | undefined {
  const { unit, n = 1, month = 1, day = 1, fiscal } = period;
  if (period.holiday !== undefined) return holiday(period.holiday, year);
  const start = fiscal === true ? fiscalYearStart(year, calendar) : at(year);
  if (unit === "year") return { from: start, to: addMonths(start, 12) };
  if (unit === "half") return months(start, 6, n, 2);
  if (unit === "quarter") return months(start, 3, n, 4);
  if (unit === "month") return months(at(year), 1, month, 12);
  if (unit === "week") return weekOfYear(year, n, calendar);
  // Three whole months each; winter begins in December.
  if (unit === "season") return months(at(year, 3), 3, n, 4);
  return dayAt(year, month, day);
}

function months(start: number, length: number, n: number, count: number): Closed | undefined {
  if (n < 1 || n > count) return undefined;
  return { from: addMonths(start, (n - 1) * length), to: addMonths(start, n * length) };
}

/** The period in the present cycle (year, month or week) or so many cycles from it. */
function inCycle(period: Period, cycle: number, calendar: Calendar): Closed | undefined {
  const { today } = calendar;
  if (period.fixed !== undefined) return cycle === 0 ? period.fixed : undefined;
  if (period.year !== undefined) return cycle === 0 ? inYear(period, period.year, calendar) : undefined;
  if (period.weekday !== undefined)
    return weekdayIn(weekStart(today, calendar) + cycle * 7 * DAY, period.weekday, calendar);
  if (lacksMonth(period)) {
    const first = at(yearOf(today), monthOf(today) + cycle);
    return dayAt(yearOf(first), monthOf(first), period.day ?? 1);
  }
  const year = period.fiscal === true ? fiscalYearOf(today, calendar) : yearOf(today);
  return inYear(period, year + cycle, calendar);
}

/** The first one that fits, cycle by cycle. */
function search(
  period: Period,
  [first, step]: readonly [first: number, step: 1 | -1],
  calendar: Calendar,
  fits: (span: Closed) => boolean,
): Closed | undefined {
  for (let i = 0; i <= 2 * CYCLES; i++) {
    const span = inCycle(period, first + i * step, calendar);
    if (span !== undefined && fits(span)) return span;
  }
  return undefined;
}

const BACKWARD = [1, -1] as const;
const FORWARD = [-1, 1] as const;

/** The last one that has begun, which is what a question about the past means; then the next one. */
export function readings(period: Period, calendar: Calendar): Closed[] {
  // A week that is named by its number alone is one of this year.
  const isOne = !lacksYear(period) || (period.unit === "week" && !calendar.business);
  const spans = isOne
    ? [inCycle(period, 0, calendar)]
    : [
        search(period, BACKWARD, calendar, ({ from }) => from <= calendar.today),
        search(period, FORWARD, calendar, ({ from }) => from > calendar.today),
      ];
  return spans.filter((span) => span !== undefined);
}

/** The first one that begins after a moment. */
function firstAfter(period: Period, moment: number, calendar: Calendar): Closed | undefined {
  if (!lacksYear(period)) return inCycle(period, 0, calendar);
  const years = yearOf(moment) - yearOf(calendar.today);
  const cycle = lacksMonth(period)
    ? years * 12 + monthOf(moment) - monthOf(calendar.today)
    : period.weekday !== undefined
      ? Math.floor((moment - weekStart(calendar.today, calendar)) / (7 * DAY))
      : years;
  return search(period, [cycle - 1, 1], calendar, ({ from }) => from > moment);
}

/** With the part that was said ("early", "the end of") cut out. */
export function cut(whole: Closed, period: Period, calendar: Calendar): Closed {
  if (period.part === undefined) return whole;
  const { early, late } = borders(whole, period, calendar);
  const [from, to] = middle(whole, period, calendar);
  const cuts: Record<Part, Closed> = {
    early: { from: whole.from, to: early },
    start: { from: whole.from, to: early },
    mid: { from, to },
    late: { from: late, to: whole.to },
    end: { from: late, to: whole.to },
  };
  return cuts[period.part];
}

/** Where the early part ends and the late one begins. */
function borders(whole: Closed, period: Period, calendar: Calendar): { early: number; late: number } {
  const { unit } = period;
  if (unit === "year" && (calendar.business || period.fixed === undefined))
    return { early: addMonths(whole.from, 4), late: addMonths(whole.from, 8) };
  if (unit === "month" && calendar.business)
    return { early: whole.from + 10 * DAY, late: whole.from + 20 * DAY };
  if (unit === "quarter") return { early: addMonths(whole.from, 1), late: addMonths(whole.from, 2) };
  const half = halfOf(whole, unit);
  return { early: half, late: half };
}

export function halfOf({ from, to }: Closed, unit: Period["unit"]): number {
  if (unit === "year") return addMonths(from, 6);
  if (unit === "month") return from + 15 * DAY;
  if (unit === "week") return from + 3 * DAY;
  return from + Math.floor((to - from) / 2 / DAY) * DAY;
}

function middle(whole: Closed, period: Period, calendar: Calendar): [number, number] {
  if (period.unit === "month" && !calendar.business) return [whole.from + 9 * DAY, whole.from + 20 * DAY];
  const { early, late } = borders(whole, period, calendar);
  return early < late ? [early, late] : [early - DAY, late + DAY];
}

/** Both ends of "X to Y", where each may give the other what it lacks. */
export function pair(a: Period, b: Period, calendar: Calendar): [Closed, Closed] | undefined {
  const [first, second] = shareMonth(a, b);
  if (lacksYear(first) && !lacksYear(second)) {
    const to = readings(second, calendar)[0];
    if (to === undefined) return undefined;
    const from = lastBefore(first, to.from, calendar);
    return from === undefined ? undefined : [from, to];
  }
  const from = readings(first, calendar)[0];
  if (from === undefined) return undefined;
  const to = firstAfter(second, from.from, calendar);
  return to === undefined ? undefined : [from, to];
}

/** The ninth to the seventeenth of April: both are in April. */
function shareMonth(a: Period, b: Period): [Period, Period] {
  if (!lacksMonth(a) || b.month === undefined || b.day === undefined || (a.day ?? 0) >= b.day) return [a, b];
  return [{ ...a, month: b.month, ...(b.year !== undefined && { year: b.year }) }, b];
}

/** The last one that began before a moment. */
export function lastBefore(period: Period, moment: number, calendar: Calendar): Closed | undefined {
  return readings(period, { ...calendar, today: Math.floor((moment - 1) / DAY) * DAY })[0];
}

/** The weekend of a holiday lasts from or to the holiday if that is the day before or after. */
export function weekendAround(day: Closed, calendar: Calendar): Closed {
  const weekday = weekdayOf(day.from);
  if (weekday === 1 || weekday === 2) return { from: day.from - (weekday + 1) * DAY, to: day.to };
  const weekend = periodAround(day.from, "weekend", calendar);
  return weekday === 4 || weekday === 5 ? { from: day.from, to: weekend.to } : weekend;
}

/** This, last or next March: in this year, or on the other side of today. */
export function swung(period: Period, by: -1 | 0 | 1, calendar: Calendar): Closed | undefined {
  if (by === 0 || !calendar.business) return inCycle(period, by, calendar);
  return by < 0
    ? search(period, BACKWARD, calendar, ({ to }) => to <= calendar.today)
    : search(period, FORWARD, calendar, ({ from }) => from > calendar.today);
}

/** Something that is computed from a period. */
export function derived(
  time: Period,
  unit: Period["unit"],
  calendar: Calendar,
  make: (whole: Closed) => Closed | undefined,
): Period | undefined {
  const [whole] = readings(time, calendar);
  const fixed = whole && make(whole);
  return fixed && period(unit, { fixed });
}

/** The period of a kind that today is in. */
export function present(unit: Unit, calendar: Calendar, fiscal = false, by = 0): Period {
  return period(unit, {
    fixed: periodAround(unit === "hour" ? calendar.now : calendar.today, unit, calendar, by, fiscal),
    away: { unit, n: by },
    ...(fiscal && { fiscal }),
  });
}

/** The same as something that is surely a date. */
export function sure({ latent: _latent, weak: _weak, ...period }: Period): Period {
  return period;
}

export function windowOf(unit: Period["unit"], span: Span, rest: Partial<Window> = {}): Window {
  return { t: "window", unit, span, ...rest };
}

export function period(unit: Period["unit"], rest: Partial<Period>): Period {
  return { t: "time", unit, ...rest };
}
