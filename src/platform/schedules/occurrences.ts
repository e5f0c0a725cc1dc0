import { Temporal } from "temporal-polyfill";
import { z } from "zod";
import { isTimeZone, MS } from "../../kernel/time.ts";
import { LIMITS } from "./limits.ts";

/**
 * Every occurrence is computed from the anchor, never from the one before, so nothing drifts. A time that the clocks
 * leave out happens as much later as they jump; one that they show twice happens the first time.
 */

/** Occurrences by their number: of days, weeks and months one each step, of minutes and hours a day's worth. */
interface Series {
  /** The moment with this number, in milliseconds since the epoch. */
  at(n: number): number;
  /** A number whose moment is not after this one, and at most a few steps too low. */
  guess(ms: number): number;
}

/** The first occurrence after this moment. */
export function nextAfter(rule: Rule, after: Date): Date {
  const stepMs = elapsingStep(rule);
  if (stepMs === undefined) {
    const days = wallSeries(rule);
    return new Date(days.at(lastUpTo(days, after.getTime()) + 1));
  }
  if (MS.day % stepMs !== 0) {
    const start = wallSeries({ ...rule, unit: "days", every: 1 }).at(0);
    const n = Math.max(0, Math.floor((after.getTime() - start) / stepMs) + 1);
    return new Date(start + n * stepMs);
  }
  const days = wallSeries({ ...rule, unit: "days", every: 1 });
  const day = lastUpTo(days, after.getTime());
  if (day < 0) return new Date(days.at(0));
  const begun = days.at(day);
  const inDay = begun + (Math.floor((after.getTime() - begun) / stepMs) + 1) * stepMs;
  return new Date(Math.min(inDay, days.at(day + 1)));
}

interface Overdue {
  occurrence: Date;
  missed: number;
}

/** What of a schedule came due: the newest occurrence up to now, and how many there were before it since `from`. */
export function dueSince(rule: Rule, from: Date, now: Date): Overdue {
  const due = newestUpTo(rule, from, now);
  // Rules of time zones change: what was due by the former ones is still due, and nothing before it is.
  return due.occurrence < from ? { occurrence: from, missed: 0 } : due;
}

function newestUpTo(rule: Rule, from: Date, now: Date): Overdue {
  const [first, last] = [from.getTime(), now.getTime()];
  const stepMs = elapsingStep(rule);
  if (stepMs !== undefined && MS.day % stepMs !== 0) {
    const steps = Math.floor((last - first) / stepMs);
    return { occurrence: new Date(first + steps * stepMs), missed: steps };
  }
  if (stepMs === undefined) {
    const days = wallSeries(rule);
    const n = lastUpTo(days, last);
    return { occurrence: new Date(days.at(n)), missed: n - lastUpTo(days, first) };
  }
  const days = wallSeries({ ...rule, unit: "days", every: 1 });
  const [firstDay, lastDay] = [lastUpTo(days, first), lastUpTo(days, last)];
  const begun = days.at(lastDay);
  const inDay = Math.floor((last - begun) / stepMs);
  let missed = inDay;
  for (let day = firstDay; day < lastDay; day += 1)
    missed += Math.ceil((days.at(day + 1) - days.at(day)) / stepMs);
  missed -= Math.floor((first - days.at(firstDay)) / stepMs);
  return { occurrence: new Date(begun + inDay * stepMs), missed };
}

/** Milliseconds between two occurrences that go by elapsed time; undefined where they go by the calendar. */
function elapsingStep({ unit, every }: Rule): number | undefined {
  if (unit === "minutes") return every * MS.minute;
  return unit === "hours" ? every * MS.hour : undefined;
}

function wallSeries(rule: Rule): Series {
  const { unit, every, zone } = rule;
  const time = Temporal.PlainTime.from(rule.time);
  const first = firstDate(rule);
  const instant = (date: Temporal.PlainDate): number =>
    date.toZonedDateTime({ timeZone: zone, plainTime: time }).epochMilliseconds;
  if (unit === "months") {
    const monthday = rule.monthday ?? first.day;
    const month = first.toPlainYearMonth();
    const dayOf = (n: number) => month.add({ months: n * every }).toPlainDate({ day: 1 });
    return {
      // A day that the month does not have becomes its last one.
      at: (n) => instant(dayOf(n).with({ day: monthday })),
      guess: (ms) => Math.floor((ms - instant(first)) / (31 * every * MS.day)) - 2,
    };
  }
  const days = every * (unit === "weeks" ? 7 : 1);
  return {
    at: (n) => instant(first.add({ days: n * days })),
    guess: (ms) => Math.floor((ms - instant(first)) / (days * MS.day)) - 2,
  };
}

/** The day that is counted from: the anchor's own, or for weeks the first one after it with that name. */
function firstDate({ unit, zone, anchor, weekday }: Rule): Temporal.PlainDate {
  const date = Temporal.Instant.fromEpochMilliseconds(anchor.getTime())
    .toZonedDateTimeISO(zone)
    .toPlainDate();
  if (unit !== "weeks" || weekday === undefined) return date;
  return date.add({ days: (weekday - date.dayOfWeek + 7) % 7 });
}

/** The number of the last occurrence that is not after this moment; -1 before the first one. */
function lastUpTo(series: Series, ms: number): number {
  let n = Math.max(-1, series.guess(ms));
  while (series.at(n + 1) <= ms) n += 1;
  return n;
}

const UNITS = ["minutes", "hours", "days", "weeks", "months"] as const;
export type Unit = (typeof UNITS)[number];

/** When something is to happen again and again. Days, weeks and months go by what clocks in the zone show. */
export interface Rule {
  unit: Unit;
  every: number;
  /** `HH:mm`; minutes and hours are counted from it. */
  time: string;
  /** IANA name. */
  zone: string;
  /** 1 is Monday; of weeks only. The anchor's day if it is left out. */
  weekday?: number | undefined;
  /** Of months only; in a month without that day it is its last one. The anchor's day if it is left out. */
  monthday?: number | undefined;
  /** Where counting begins: every occurrence is a number of steps from its day. */
  anchor: Date;
}

export const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 08:00");

export const timeZoneName = z
  .string()
  .refine(isTimeZone, "must be the IANA name of a time zone, such as Europe/Berlin");

export const ruleShape = z.strictObject({
  unit: z.enum(UNITS),
  every: z.int().min(1).max(LIMITS.schedules.every),
  time: timeOfDay,
  zone: timeZoneName,
  weekday: z.int().min(1).max(7).optional(),
  monthday: z.int().min(1).max(31).optional(),
  anchor: z.date(),
});
