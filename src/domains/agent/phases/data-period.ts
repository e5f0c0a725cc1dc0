import type { Result } from "../answer.ts";
import { show } from "../explain/format.ts";
import type { View } from "../explain/view.ts";
import { calledIn, period, t } from "../explain/words.ts";
import { daysBy, type Knowledge } from "../knowledge/build-knowledge.ts";
import type { DataPeriod } from "../query/schema.ts";
import { type Grain, isKey, type Key, type Window } from "../query/semantic-query.ts";

/** Where a period lies outside of the data, they say so themselves. */
export function outside({ compiled }: Result, data: DataPeriod | undefined): string[] {
  const [used] = compiled.used.windows;
  return used === undefined || data === undefined ? [] : outsideOf(data, used.win);
}

function outsideOf(data: DataPeriod, { from, to }: Window): string[] {
  const name = calledIn(`${data.ds}.${data.field}`) ?? data.field.replaceAll("_", " ");
  if (from !== null && data.last < from.slice(0, 10))
    return [t`The data end on ${period(data.last)} (${name}).`];
  if (to !== null && data.first >= to.slice(0, 10))
    return [t`The data begin on ${period(data.first)} (${name}).`];
  return [];
}

/** What is said of periods that were before the data, or are still to come: of these nothing is known, not even none. */
export function unknownPeriods({ compiled }: Result, knowledge: Knowledge, now: string): string[] {
  return compiled.used.windows.flatMap(({ date, win }) => {
    const data = daysBy(date, knowledge);
    // Of a day after the data it is known that nothing happened, once it was there.
    const isKnown = win.to === null || (data !== undefined && data.first < win.to && (win.from ?? "") <= now);
    return data === undefined || isKnown ? [] : outsideOf(data, win);
  });
}

/** A period that the data cover in part: its numbers are smaller, and nothing went down. */
export function cutShort(
  { compiled }: Result,
  { columns, rows }: View,
  data: DataPeriod,
  now: string,
): string[] {
  const today = now.slice(0, 10);
  const name = calledIn(`${data.ds}.${data.field}`) ?? data.field.replaceAll("_", " ");
  const isCut = (from: string, to: string) => {
    // What is still to come is told as that.
    if (to > dayAfter(today, 1) || data.last < from || data.last >= to) return false;
    return days(data.last, to) - 1 > MISSING * days(from, to);
  };
  const time = columns.find(({ format }) => format.kind === "period");
  if (time?.format.kind === "period") {
    const { grain } = time.format;
    const starts = rows.map((row) => row[time.index]).filter((value) => typeof value === "string");
    const cut = starts.find((start) => isCut(start.slice(0, 10), periodEnd(start, grain)));
    const end =
      cut &&
      t`The data end on ${period(data.last)} (${name}): the numbers of ${show(cut, time.format)} are those until then.`;
    // Periods before the data are not among the rows.
    const from = compiled.used.windows[0]?.win.from?.slice(0, 10);
    const isLate = from !== undefined && starts.length > 0 && periodStart(data.first, grain) > from;
    return [
      ...(isLate ? [t`The data begin on ${period(data.first)} (${name}).`] : []),
      ...(end === undefined ? [] : [end]),
    ];
  }
  const { win } = compiled.used.windows[0] ?? {};
  const isPart = win?.from != null && win.to !== null && isCut(win.from.slice(0, 10), win.to.slice(0, 10));
  return isPart ? [t`The data end on ${period(data.last)} (${name}), before the period does.`] : [];
}

/** Where each period of a result begins that is not whole: what was asked for, the data or the past end within it. */
export function cutPeriods(
  { compiled }: Result,
  { keys, rows }: View,
  data: DataPeriod | undefined,
  now: string,
): ReadonlySet<string> {
  const time = keys.find(({ format }) => format.kind === "period");
  if (time?.format.kind !== "period") return new Set();
  const { grain } = time.format;
  const { win } = compiled.used.windows[0] ?? {};
  const isCut = (from: string, to: string) => {
    const spare = MISSING * days(from, to);
    const isInside = (day: string | null | undefined) => day != null && from < day && day < to;
    return (
      [win?.from?.slice(0, 10), win?.to?.slice(0, 10), dayAfter(now.slice(0, 10), 1)].some(isInside) ||
      (data !== undefined && isInside(data.first) && days(from, data.first) > spare) ||
      (data !== undefined && isInside(data.last) && days(data.last, to) - 1 > spare)
    );
  };
  const starts = rows.map((row) => row[time.index]).filter((value) => typeof value === "string");
  return new Set(starts.filter((start) => isCut(start.slice(0, 10), periodEnd(start, grain))));
}

/** Periods of which only a part was asked for; that one is not over is told as that. */
export function askedInPart(
  { compiled }: Result,
  { keys }: View,
  cut: ReadonlySet<string>,
  now: string,
): string[] {
  const time = keys.find(({ format }) => format.kind === "period");
  const { win } = compiled.used.windows[0] ?? {};
  if (time?.format.kind !== "period" || win === undefined) return [];
  const { grain } = time.format;
  const [from, to] = [win.from, win.to].map((day) => day?.slice(0, 10));
  const around = (day: string) =>
    [...cut].find((start) => start.slice(0, 10) < day && day < periodEnd(start, grain));
  const first = from === undefined ? undefined : around(from);
  const last = to === undefined ? undefined : around(to);
  const isOver = last !== undefined && periodEnd(last, grain) <= now.slice(0, 10);
  return [
    ...(first === undefined
      ? []
      : [t`The numbers of ${show(first, time.format)} are those from ${period(from ?? "")} on.`]),
    ...(isOver && to !== undefined
      ? [t`The numbers of ${show(last, time.format)} are those until ${period(dayAfter(to, -1))}.`]
      : []),
  ];
}

/** Until when a period that is not over has numbers: today, unless the data end well before. */
export function lastDay(
  { from, to, today }: { from: string; to: string; today: string },
  data: DataPeriod | undefined,
): string {
  const missing = data === undefined ? 0 : days(data.last, today);
  const isFar = missing > MISSING * days(from.slice(0, 10), to.slice(0, 10));
  return data !== undefined && isFar ? t`${period(data.last)}, where the data end` : period(today);
}

/** The days of the rows by the date that a result goes by, if it goes by one. */
export function periodOf({ compiled }: Result, knowledge: Knowledge): DataPeriod | undefined {
  const bucketed = compiled.columns.map(({ of }) => of).find((of) => isKey(of) && of.bucket !== undefined);
  return daysBy(compiled.used.windows[0]?.date ?? (bucketed as Key | undefined), knowledge);
}

/** What may be missing at the end of a period before it is spoken of: nobody sells on every day. */
export const MISSING = 0.1;

/** The day after the last one of a period that begins on this day. */
export function periodEnd(start: string, grain: Grain): string {
  const day = new Date(`${start.slice(0, 10)}T00:00:00Z`);
  if (grain === "day") day.setUTCDate(day.getUTCDate() + 1);
  else if (grain === "week") day.setUTCDate(day.getUTCDate() + 7);
  else day.setUTCMonth(day.getUTCMonth() + { month: 1, quarter: 3, year: 12 }[grain]);
  return day.toISOString().slice(0, 10);
}

/** The first day of the period that a day is in. */
export function periodStart(of: string, grain: Grain): string {
  const day = new Date(`${of.slice(0, 10)}T00:00:00Z`);
  if (grain === "week") day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  else if (grain !== "day") day.setUTCDate(1);
  if (grain === "quarter") day.setUTCMonth(day.getUTCMonth() - (day.getUTCMonth() % 3));
  if (grain === "year") day.setUTCMonth(0);
  return day.toISOString().slice(0, 10);
}

/** The last day of a period that ends before this moment. */
export function lastDayBefore(end: string): string {
  const isMidnight = !/T(?!00:00(:00)?)/.test(end);
  const day = new Date(`${end.slice(0, 10)}T00:00:00Z`);
  if (isMidnight) day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}

export function days(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

export function dayAfter(day: string, by: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10);
}
