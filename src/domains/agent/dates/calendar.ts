import type { Calendar } from "./profile.ts";
import type { Closed, Step, Unit } from "./values.ts";

/** Arithmetic on wall-clock milliseconds; no time zone below this line. */
export const DAY = 86_400_000;
const HOUR = 3_600_000;

export function at(year: number, month = 1, day = 1): number {
  return Date.UTC(year, month - 1, day);
}

export function yearOf(ms: number): number {
  return new Date(ms).getUTCFullYear();
}

export function monthOf(ms: number): number {
  return new Date(ms).getUTCMonth() + 1;
}

export function dayOf(ms: number): number {
  return new Date(ms).getUTCDate();
}

export function weekdayOf(ms: number): number {
  return new Date(ms).getUTCDay();
}

/** The day, if there is one: no 30 February. */
export function dayAt(year: number, month: number, day: number): Closed | undefined {
  const from = at(year, month, day);
  return month >= 1 && month <= 12 && day >= 1 && dayOf(from) === day ? { from, to: from + DAY } : undefined;
}

const MONTHS: Partial<Record<Unit, number>> = {
  month: 1,
  quarter: 3,
  half: 6,
  year: 12,
  decade: 120,
  century: 1200,
};
const DAYS: Partial<Record<Unit, number>> = { day: 1, week: 7, weekend: 7, workweek: 7, fortnight: 14 };

export function shift(ms: number, { unit, n }: Step): number {
  const months = MONTHS[unit];
  if (months !== undefined) return addMonths(ms, months * n);
  if (unit === "hour") return ms + n * HOUR;
  if (unit === "workday") return addWorkdays(ms, n);
  return ms + (DAYS[unit] ?? 1) * n * DAY;
}

/** The last day of a month stays within the month that is reached. */
export function addMonths(ms: number, n: number): number {
  const first = at(yearOf(ms), monthOf(ms) + n);
  const days = Math.round((at(yearOf(first), monthOf(first) + 1) - first) / DAY);
  return first + (Math.min(dayOf(ms), days) - 1) * DAY + (ms - Math.floor(ms / DAY) * DAY);
}

function addWorkdays(ms: number, n: number): number {
  const weeks = Math.trunc(n / 5);
  let left = Math.abs(n - weeks * 5);
  let day = ms + weeks * 7 * DAY;
  for (const step = n < 0 ? -DAY : DAY; left > 0; left--) {
    day += step;
    while (isWeekend(n < 0 ? day : day - DAY)) day += step;
  }
  return day;
}

function isWeekend(ms: number): boolean {
  return weekdayOf(ms) === 0 || weekdayOf(ms) === 6;
}

export function weekStart(ms: number, calendar: Calendar): number {
  const day = Math.floor(ms / DAY) * DAY;
  return day - ((weekdayOf(day) - calendar.weekStart + 7) % 7) * DAY;
}

/** A day of the week that begins at a moment. */
export function weekdayIn(week: number, weekday: number, calendar: Calendar): Closed {
  const from = week + ((weekday - calendar.weekStart + 7) % 7) * DAY;
  return { from, to: from + DAY };
}

export function fiscalYearStart(year: number, { fiscalStart: { month, day, namedAfter } }: Calendar): number {
  const begins = namedAfter === "start" || (month === 1 && day === 1) ? year : year - 1;
  return at(begins, month, day);
}

export function fiscalYearOf(ms: number, calendar: Calendar): number {
  const year = yearOf(ms);
  return [year + 1, year, year - 1].find((each) => fiscalYearStart(each, calendar) <= ms) ?? year;
}

/** The calendar period of a kind that holds a moment, moved by so many of its kind. */
export function periodAround(ms: number, unit: Unit, calendar: Calendar, by = 0, fiscal = false): Closed {
  const from = shift(startOf(ms, unit, calendar, fiscal), { unit, n: by });
  if (unit === "weekend") return { from, to: from + 2 * DAY };
  if (unit === "workweek") return { from, to: from + 5 * DAY };
  return { from, to: shift(from, { unit, n: 1 }) };
}

function startOf(ms: number, unit: Unit, calendar: Calendar, fiscal: boolean): number {
  const day = Math.floor(ms / DAY) * DAY;
  const year = yearOf(ms);
  const months = MONTHS[unit];
  if (unit === "hour") return Math.floor(ms / HOUR) * HOUR;
  if (unit === "week" || unit === "fortnight") return weekStart(ms, calendar);
  if (unit === "workweek" || unit === "weekend") {
    const monday = day - ((weekdayOf(day) + 6) % 7) * DAY;
    return unit === "workweek" ? monday : monday + 5 * DAY;
  }
  if (months === undefined) return day;
  if (months > 12) return at(Math.floor(year / (months / 12)) * (months / 12));
  const start = fiscal ? fiscalYearStart(fiscalYearOf(ms, calendar), calendar) : at(year);
  let from = start;
  for (let n = 1; addMonths(start, n * months) <= ms && n * months < 12; n++)
    from = addMonths(start, n * months);
  return from;
}

/** Week 1 is the one with the fourth day of January in it, as in ISO 8601. */
export function weekOfYear(year: number, n: number, calendar: Calendar): Closed | undefined {
  const from = weekStart(at(year, 1, 4), calendar) + (n - 1) * 7 * DAY;
  const next = weekStart(at(year + 1, 1, 4), calendar);
  return n >= 1 && from < next ? { from, to: from + 7 * DAY } : undefined;
}

/** Some of the periods that a longer one is made of: from the nth on, or the last ones if n is negative. */
export function partsOf(
  whole: Closed,
  unit: Unit,
  n: number,
  count: number,
  calendar: Calendar,
): Closed | undefined {
  const weekly = unit === "week";
  // A week belongs where most of its days are.
  const first = weekly ? weekStart(whole.from + 3 * DAY, calendar) : whole.from;
  const end = weekly ? weekStart(whole.to + 3 * DAY, calendar) : whole.to;
  const from = n > 0 ? shift(first, { unit, n: n - 1 }) : shift(end, { unit, n: -count });
  const to = n > 0 ? shift(first, { unit, n: n - 1 + count }) : end;
  return from >= first && to <= end && from < to ? { from, to } : undefined;
}

/** Fixed days as month and day, others as the nth weekday of a month, or days after Easter. */
const HOLIDAYS: Record<string, { words: string[]; day: (year: number) => number }> = {
  newYear: { words: ["new years day", "new year's day", "neujahr"], day: (y) => at(y, 1, 1) },
  valentine: { words: ["valentine's day", "valentines day", "valentinstag"], day: (y) => at(y, 2, 14) },
  easter: { words: ["easter", "easter sunday", "ostern", "ostersonntag"], day: easter },
  presidents: { words: ["presidents day", "presidents' day"], day: (y) => nthWeekday(y, 2, 1, 3) },
  king: { words: ["martin luther king day", "mlk day"], day: (y) => nthWeekday(y, 1, 1, 3) },
  mothers: { words: ["mother's day", "mothers day", "muttertag"], day: (y) => nthWeekday(y, 5, 0, 2) },
  memorial: { words: ["memorial day"], day: (y) => nthWeekday(y, 6, 1, 1) - 7 * DAY },
  fathers: { words: ["father's day", "fathers day"], day: (y) => nthWeekday(y, 6, 0, 3) },
  independence: { words: ["independence day"], day: (y) => at(y, 7, 4) },
  labor: { words: ["labor day", "labour day"], day: (y) => nthWeekday(y, 9, 1, 1) },
  columbus: { words: ["columbus day"], day: (y) => nthWeekday(y, 10, 1, 2) },
  halloween: { words: ["halloween"], day: (y) => at(y, 10, 31) },
  veterans: { words: ["veterans day"], day: (y) => at(y, 11, 11) },
  thanksgiving: { words: ["thanksgiving", "thanksgiving day"], day: (y) => nthWeekday(y, 11, 4, 4) },
  blackFriday: { words: ["black friday"], day: (y) => nthWeekday(y, 11, 4, 4) + DAY },
  cyberMonday: { words: ["cyber monday"], day: (y) => nthWeekday(y, 11, 4, 4) + 4 * DAY },
  christmasEve: { words: ["christmas eve", "heiligabend"], day: (y) => at(y, 12, 24) },
  christmas: { words: ["christmas", "christmas day", "xmas", "weihnachten"], day: (y) => at(y, 12, 25) },
  newYearsEve: { words: ["new year's eve", "new years eve", "silvester"], day: (y) => at(y, 12, 31) },
};

export const HOLIDAY_WORDS: readonly (readonly [name: string, words: string])[] = Object.entries(
  HOLIDAYS,
).flatMap(([name, { words }]) => words.map((each) => [name, each] as const));

export function holiday(name: string, year: number): Closed | undefined {
  const from = HOLIDAYS[name]?.day(year);
  return from === undefined ? undefined : { from, to: from + DAY };
}

function nthWeekday(year: number, month: number, weekday: number, n: number): number {
  const first = at(year, month);
  return first + (((weekday - weekdayOf(first) + 7) % 7) + (n - 1) * 7) * DAY;
}

/** Sunday after the first full moon of spring, by the Gregorian computus. */
function easter(year: number): number {
  const century = Math.floor(year / 100);
  const moon =
    (19 * (year % 19) + century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25) + 15) % 30;
  const correction = moon === 29 || (moon === 28 && year % 19 > 10) ? moon - 1 : moon;
  const full = at(year, 3, 21 + correction);
  return full + (7 - weekdayOf(full)) * DAY;
}
