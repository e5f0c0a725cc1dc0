import type { Grain } from "../query/semantic-query.ts";

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
