import { MS } from "./clock.ts";
import { AppError } from "./errors.ts";

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
