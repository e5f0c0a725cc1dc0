import { AppError } from "../../../kernel/errors.ts";

/**
 * A moment as a calendar and a clock on the wall show it, without a zone. Kept as the milliseconds that this wall
 * clock would have in UTC, which makes calendar arithmetic plain.
 */
export interface LocalTime {
  readonly ms: number;
  /** Below the millisecond; DuckDB counts microseconds. */
  readonly micros: number;
}

export const DAY_MS = 86_400_000;

const formatters = new Map<string, Intl.DateTimeFormat>();
/** Zones are few; the bound only keeps invented names from piling up. */
const KEPT_FORMATTERS = 100;

function formatterFor(timezone: string): Intl.DateTimeFormat {
  const kept = formatters.get(timezone);
  if (kept !== undefined) return kept;
  try {
    const formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    if (formatters.size >= KEPT_FORMATTERS) formatters.clear();
    formatters.set(timezone, formatter);
    return formatter;
  } catch (cause) {
    throw new AppError("bad_request", `There is no time zone "${timezone}".`, {
      hint: 'Use an IANA name such as "Europe/Berlin" or "UTC".',
      cause,
    });
  }
}

/** What the clock on the wall shows in a zone. */
export function localTime(instant: Date, timezone: string): LocalTime {
  return { ms: instant.getTime() + offsetMs(instant.getTime(), timezone), micros: 0 };
}

/** The moment at which the clock on the wall shows this. Of two, the first; in a gap, the time after it. */
export function instantOf(local: LocalTime, timezone: string): Date {
  const early = offsetMs(local.ms - DAY_MS, timezone);
  const late = offsetMs(local.ms + DAY_MS, timezone);
  const candidates = [...new Set([early, late])]
    .map((offset) => local.ms - offset)
    .filter((ms) => ms + offsetMs(ms, timezone) === local.ms)
    .sort((a, b) => a - b);
  return new Date(candidates[0] ?? local.ms - early);
}

function offsetMs(ms: number, timezone: string): number {
  const formatter = formatterFor(timezone);
  const parts = Object.fromEntries(formatter.formatToParts(ms).map(({ type, value }) => [type, value]));
  const year = parts.era === "BC" ? 1 - Number(parts.year) : Number(parts.year);
  const wall = utcMs(
    year,
    Number(parts.month),
    Number(parts.day),
    Number(parts.hour),
    Number(parts.minute),
    Number(parts.second),
  );
  return wall - Math.floor(ms / 1_000) * 1_000;
}

/** Like Date.UTC, but the years 0 to 99 are what they say. */
function utcMs(year: number, month: number, day: number, hour = 0, minute = 0, second = 0, ms = 0): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, ms);
  return date.getTime();
}

/** A calendar date with a time; undefined when there is no such day or time. */
export function calendarTime(fields: {
  year: number;
  month: number;
  day: number;
  hour?: number;
  minute?: number;
  second?: number;
  micros?: number;
}): LocalTime | undefined {
  const { year, month, day, hour = 0, minute = 0, second = 0, micros = 0 } = fields;
  const ms = utcMs(year, month, day, hour, minute, second, Math.floor(micros / 1_000));
  const date = new Date(ms);
  const isSame =
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  return isSame ? { ms, micros: micros % 1_000 } : undefined;
}

export function startOfDay({ ms }: LocalTime): LocalTime {
  return { ms: Math.floor(ms / DAY_MS) * DAY_MS, micros: 0 };
}

/** Months later or earlier; the 31st becomes the last day of a shorter month. */
export function addMonths({ ms, micros }: LocalTime, months: number): LocalTime {
  const date = new Date(ms);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(utcMs(date.getUTCFullYear(), date.getUTCMonth() + 2, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return { ms: date.getTime(), micros };
}

export function addMs({ ms, micros }: LocalTime, added: number): LocalTime {
  return { ms: ms + added, micros };
}

export function isMidnight({ ms, micros }: LocalTime): boolean {
  return micros === 0 && ((ms % DAY_MS) + DAY_MS) % DAY_MS === 0;
}

/** `2024-01-31`, as DuckDB reads it. */
export function dateText(local: LocalTime): string {
  const date = new Date(local.ms);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${String(date.getUTCFullYear()).padStart(4, "0")}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
}

/** `2024-01-31 10:00:00.123456`, as DuckDB reads it. */
export function timestampText(local: LocalTime): string {
  const date = new Date(local.ms);
  const clock = date.toISOString().slice(-13, -5);
  const micros = (((local.ms % 1_000) + 1_000) % 1_000) * 1_000 + local.micros;
  const fraction = micros === 0 ? "" : `.${String(micros).padStart(6, "0")}`;
  return `${dateText(local)} ${clock}${fraction}`;
}
