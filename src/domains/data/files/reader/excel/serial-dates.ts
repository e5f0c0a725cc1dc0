import { KIND, type Kinds } from "../value-kinds.ts";
import type { CellFormat } from "./number-formats.ts";

const DAY_MS = 86_400_000;
/** The first day after the last that Excel can show. */
const END_OF_DAYS = 2_958_466;
/** Day 0, by which Excel counts from 1 March 1900 on; it believes in a 29 February before. */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
const DAYS_TO_1904 = 1_462;

export interface Value {
  kind: Kinds;
  /** As JSON has it; texts without quotes. */
  text: string;
}

/**
 * A number of days as what its format shows: `2024-02-29`, `2024-02-29 13:30:00`, `13:30:00`, `27:30:00`.
 * Undefined when it is no day at all, null for day 0, which is what an empty date turns into when it is copied.
 */
export function serialValue(serial: number, format: CellFormat, is1904: boolean): Value | null | undefined {
  if (format === "duration") return durationValue(serial);
  if (serial < 0 || serial >= END_OF_DAYS) return undefined;
  if (serial < 1 && format === "time") return timeValue(serial);
  const days = is1904 ? serial + DAYS_TO_1904 : serial;
  if (days < 1) return days === 0 ? null : timeValue(days);
  const isBeforeMarch1900 = days < 60;
  const iso = new Date(
    DAY_ZERO_MS + Math.round((isBeforeMarch1900 ? days + 1 : days) * DAY_MS),
  ).toISOString();
  const [day, rest] = [iso.slice(0, 10), iso.slice(11, 23)];
  const isMidnight = rest === "00:00:00.000";
  if (isMidnight && format === "date") return { kind: KIND.date, text: day };
  return { kind: KIND.timestamp, text: `${day} ${rest.replace(".000", "")}` };
}

function timeValue(serial: number): Value {
  return { kind: KIND.time, text: clock(Math.min(Math.round(serial * DAY_MS), DAY_MS - 1)) };
}

function durationValue(serial: number): Value | undefined {
  if (Math.abs(serial) >= END_OF_DAYS) return undefined;
  const text = clock(Math.round(Math.abs(serial) * DAY_MS));
  return { kind: KIND.duration, text: serial < 0 ? `-${text}` : text };
}

function clock(ms: number): string {
  const pad = (value: number, length = 2): string => String(value).padStart(length, "0");
  const fraction = ms % 1_000 === 0 ? "" : `.${pad(ms % 1_000, 3)}`;
  const seconds = Math.floor(ms / 1_000);
  return `${pad(Math.floor(seconds / 3_600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}${fraction}`;
}
