import { html } from "hono/html";
import { MS } from "../../kernel/clock.ts";
import type { Html } from "../oauth/pages/page.ts";

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * MS.day],
  ["month", 30 * MS.day],
  ["day", MS.day],
  ["hour", MS.hour],
  ["minute", MS.minute],
];

/** A day in words; the exact time is in the element, for programs. */
export function calendarDay(at: Date): Html {
  return html`<time datetime="${at.toISOString()}">${day.format(at)}</time>`;
}

/** "3 hours ago": the server does not know the reader's time zone, and this needs none. */
export function timeAgo(at: Date, now: Date): string {
  const agoMs = now.getTime() - at.getTime();
  const [unit, unitMs] = UNITS.find(([, ms]) => agoMs >= ms) ?? [];
  if (unit === undefined || unitMs === undefined) return "just now";
  return relative.format(-Math.floor(agoMs / unitMs), unit);
}
