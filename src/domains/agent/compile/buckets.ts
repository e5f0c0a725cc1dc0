import { periodStart } from "../phases/periods.ts";
import type { Schema } from "../query/schema.ts";
import type { Grain } from "../query/semantic-query.ts";

/** Days by which weeks begin before Monday. */
const EARLIER = { monday: 0, sunday: 1, saturday: 2 } as const;

/** SQL of the first day of the period that a date lies in. */
export function bucketStart(
  { fiscalMonth, weekStart = "monday" }: Pick<Schema, "fiscalMonth" | "weekStart">,
  date: string,
  { grain, isFiscal }: { grain: Grain; isFiscal: boolean },
): string {
  const months = isFiscal && (grain === "year" || grain === "quarter") ? fiscalMonth - 1 : 0;
  const days = grain === "week" ? EARLIER[weekStart] : 0;
  if (months === 0 && days === 0) return `date_trunc('${grain}', ${date})`;
  const [to, back, shift] = days === 0 ? ["-", "+", `${months} MONTH`] : ["+", "-", `${days} DAY`];
  return `date_trunc('${grain}', ${date} ${to} INTERVAL ${shift}) ${back} INTERVAL ${shift}`;
}

/** The same of a day that is known. */
export function startOf(
  { fiscalMonth, weekStart = "monday" }: Pick<Schema, "fiscalMonth" | "weekStart">,
  day: string,
  { grain, isFiscal }: { grain: Grain; isFiscal: boolean },
): string {
  const months = isFiscal && (grain === "year" || grain === "quarter") ? fiscalMonth - 1 : 0;
  const days = grain === "week" ? EARLIER[weekStart] : 0;
  const moved = (from: string, by: 1 | -1) => {
    const date = new Date(`${from.slice(0, 10)}T00:00:00Z`);
    if (months > 0) date.setUTCMonth(date.getUTCMonth() - by * months, 1);
    date.setUTCDate(date.getUTCDate() + by * days);
    return date.toISOString().slice(0, 10);
  };
  return moved(periodStart(moved(day, 1), grain), -1);
}
