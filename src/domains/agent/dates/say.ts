import { DAY, dayOf, fiscalYearOf, monthOf, periodAround, weekOfYear, yearOf } from "./calendar.ts";
import type { Calendar } from "./profile.ts";
import type { Closed, Grain, Period, Shift, Span, Unit } from "./values.ts";

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** How a person would say a window back: its name if it has one, and its first and last day. */
export function sayWindow(span: Span, unit: Period["unit"], fiscal: boolean, calendar: Calendar): string {
  const { from, to } = span;
  if (from === null) return to === null ? "any time" : `up to ${sayMoment(last(to))}`;
  if (to === null) return `from ${sayMoment(from)} on`;
  const days = sayDays({ from, to });
  const name = nameOf({ from, to }, unit, fiscal, calendar);
  return name === undefined ? days : `${name} (${days})`;
}

export function sayGrain(grain: Grain, fiscal: boolean): string {
  return `by ${fiscal ? "fiscal " : ""}${grain}`;
}

/** Compared with so many periods before. */
export function sayShift({ grain, by }: Shift, series: boolean): string {
  if (series) return `each ${grain} compared with the one before`;
  return by === -1 ? `the ${grain} before` : `${-by} ${grain}s before`;
}

/** The last day that a half-open window has. */
function last(to: number): number {
  return to % DAY === 0 ? to - DAY : to;
}

function sayDays({ from, to }: Closed): string {
  const end = last(to);
  if (end === from) return sayMoment(from);
  const timed = from % DAY !== 0 || to % DAY !== 0;
  if (timed || yearOf(from) !== yearOf(end)) return `${sayMoment(from)} to ${sayMoment(end)}`;
  const month = monthOf(from) === monthOf(end) ? "" : ` ${shortMonth(from)}`;
  return `${dayOf(from)}${month} to ${sayMoment(end)}`;
}

function sayMoment(ms: number): string {
  const day = `${dayOf(ms)} ${shortMonth(ms)} ${yearOf(ms)}`;
  return ms % DAY === 0 ? day : `${day} ${new Date(ms).toISOString().slice(11, 16)}`;
}

function shortMonth(ms: number): string {
  return (MONTHS[monthOf(ms) - 1] as string).slice(0, 3);
}

const NAMED: readonly Unit[] = ["year", "half", "quarter", "month", "week"];

/** Whole years, quarters, months and weeks have names, unless they were said in other units. */
function nameOf(span: Closed, unit: Period["unit"], fiscal: boolean, calendar: Calendar): string | undefined {
  const name = NAMED.find((each) => {
    if (each !== unit) return false;
    const whole = periodAround(span.from, each, calendar, 0, fiscal);
    return whole.from === span.from && whole.to === span.to;
  });
  const start = periodAround(span.from, "year", calendar, 0, fiscal).from;
  const months = Math.round((span.from - start) / DAY / 30.4);
  const year = fiscal ? fiscalYearOf(span.from, calendar) : yearOf(span.from);
  const book = fiscal ? "fiscal " : "";
  switch (name) {
    case "month":
      return `${MONTHS[monthOf(span.from) - 1]} ${yearOf(span.from)}`;
    case "quarter":
      return `${book}Q${months / 3 + 1} ${year}`;
    case "half":
      return `${months === 0 ? "first" : "second"} half of ${book}${year}`;
    case "year":
      return fiscal ? `fiscal year ${year}` : String(year);
    case "week":
      return weekName(span.from, calendar);
    default:
      return undefined;
  }
}

function weekName(from: number, calendar: Calendar): string {
  // A week belongs to the year that has most of it.
  const year = yearOf(from + 3 * DAY);
  const n = Math.round((from - (weekOfYear(year, 1, calendar) as Closed).from) / (7 * DAY)) + 1;
  return `week ${n} of ${year}`;
}
