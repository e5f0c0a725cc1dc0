import { html } from "hono/html";
import { MS } from "../../kernel/time.ts";
import type { Html } from "../oauth/pages/page.ts";
import type { Words } from "../oauth/pages/words.ts";

const LOCALES = { en: "en-GB", de: "de-DE" } as const;

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * MS.day],
  ["month", 30 * MS.day],
  ["day", MS.day],
  ["hour", MS.hour],
  ["minute", MS.minute],
];

/** A day in words; the exact time is in the element, for programs. */
export function calendarDay({ language }: Words, at: Date): Html {
  const day = new Intl.DateTimeFormat(LOCALES[language], { dateStyle: "medium", timeZone: "UTC" });
  return html`<time datetime="${at.toISOString()}">${day.format(at)}</time>`;
}

/** "3 hours ago": the server does not know the reader's time zone, and this needs none. */
export function timeAgo(t: Words, at: Date, now: Date): Html {
  const agoMs = now.getTime() - at.getTime();
  const [unit, unitMs] = UNITS.find(([, ms]) => agoMs >= ms) ?? [];
  if (unit === undefined || unitMs === undefined) return t`just now`;
  const relative = new Intl.RelativeTimeFormat(LOCALES[t.language], { numeric: "auto" });
  return html`${relative.format(-Math.floor(agoMs / unitMs), unit)}`;
}
