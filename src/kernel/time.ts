import { AppError, isAppError } from "./errors.ts";

/** Injected clock, so that expiry can be tested without waiting. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

const UNIT_MS = {
  s: MS.second,
  m: MS.minute,
  h: MS.hour,
  d: MS.day,
  w: 7 * MS.day,
  y: 365 * MS.day,
} as const;

const LONGEST_MS = 100 * UNIT_MS.y;

/** Reads `3600s`, `30m`, `12h`, `90d`, `2w` or `1y` (365 days) as milliseconds. */
export function parseDuration(text: string): number {
  const match = /^\s*(\d{1,12})\s*([smhdwy])\s*$/i.exec(text);
  const unit = match?.[2]?.toLowerCase() as keyof typeof UNIT_MS | undefined;
  if (match === null || unit === undefined) {
    throw new AppError("bad_request", `"${text.slice(0, 40)}" is not a duration.`, {
      hint: "Write a whole number and a unit, such as 3600s, 30m, 12h, 90d, 2w or 1y.",
    });
  }
  const durationMs = Number(match[1]) * UNIT_MS[unit];
  if (durationMs < 1 || durationMs > LONGEST_MS) {
    throw new AppError("bad_request", `"${text.trim()}" is not between one second and 100 years.`);
  }
  return durationMs;
}

/** IANA time zones only: an offset knows nothing of summer time. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return !/^[+-]/.test(name);
  } catch {
    return false;
  }
}

/** Cache: making a formatter takes longer than using it. Bounded by the number of time zones. */
const FORMATTERS = new Map<string, Intl.DateTimeFormat>();

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-CA", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}

/** Local time in a time zone: `2026-11-17T03:08:00`. */
export function wallClock(at: Date, timeZone: string): string {
  const formatter = FORMATTERS.get(timeZone) ?? formatterFor(timeZone);
  FORMATTERS.set(timeZone, formatter);
  const parts = formatter.formatToParts(at);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}:${part("second")}`;
}

/** Timeout as a signal, which says in its reason how long it was. */
export function timeLimit(ms: number, what = "This"): AbortSignal {
  const controller = new AbortController();
  const late = () =>
    controller.abort(
      new AppError("timeout", `${what} took longer than ${Math.round(ms / 100) / 10} s.`, {
        hint: "Ask for less, or try again when there is less to do.",
        data: { timeoutMs: ms },
      }),
    );
  setTimeout(late, ms).unref();
  return controller.signal;
}

/** Reason of an abort: a timeout says so itself, anything else is a cancellation. */
export function abortError(signal: AbortSignal | undefined, what = "The call"): AppError {
  const reason: unknown = signal?.reason;
  if (isAppError(reason)) return reason;
  if (reason instanceof DOMException && reason.name === "TimeoutError")
    return new AppError("timeout", `${what} took too long.`);
  return new AppError("cancelled", `${what} was cancelled.`);
}

/** Timeout of a promise: rejects as `unavailable` after it; the work itself goes on unobserved. */
export async function withTimeout<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const hint = "Try again in a moment.";
  const timer = setTimeout(() => reject(new AppError("unavailable", message, { hint })), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
