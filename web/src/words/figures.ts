import { locale, t } from "./words.ts";

/** To make one takes longer than to use it for a whole table. */
const formats = new Map<string, Intl.NumberFormat>();

/** A number as people read it, exact. */
export function number(value: number, digits = 2): string {
  const key = `${locale()} ${digits}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(locale(), { maximumFractionDigits: digits });
  formats.set(key, format);
  return format.format(value);
}

export function bytes(value: number): string {
  const steps = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  const at = Math.min(
    steps.length - 1,
    Math.max(0, Math.floor(Math.log(Math.max(value, 1)) / Math.log(1024))),
  );
  return new Intl.NumberFormat(locale(), {
    style: "unit",
    unit: steps[at] as string,
    unitDisplay: at === 0 ? "long" : "short",
    maximumFractionDigits: at === 0 ? 0 : 1,
  }).format(value / 1024 ** at);
}

export function exactTime(at: string | number | Date): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
}

export function day(at: string | number | Date): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: "medium" }).format(new Date(at));
}

const STEPS = [
  ["minute", 60],
  ["hour", 3_600],
  ["day", 86_400],
  ["week", 604_800],
  ["month", 2_629_800],
  ["year", 31_557_600],
] as const;

/** "3 hours ago". */
export function relativeTime(at: string | number | Date, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1_000;
  if (Math.abs(seconds) < 45) return t`just now`;
  const [unit, length] = STEPS.findLast(([, length]) => Math.abs(seconds) >= length) ?? STEPS[0];
  return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(
    Math.round(seconds / length),
    unit,
  );
}

/** A value of a table's cell. */
export function cell(value: unknown, type = ""): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return isId(type) ? String(value) : number(value, 6);
  if (typeof value === "boolean") return value ? t`yes` : t`no`;
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

export function isNumeric(type: string): boolean {
  return /INT|DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC/i.test(type);
}

function isId(type: string): boolean {
  return type === "ID";
}

/** What people call a type. */
export function typeName(type: string): string {
  if (/BOOL/i.test(type)) return t`yes/no`;
  if (/INT/i.test(type)) return t`whole number`;
  if (isNumeric(type)) return t`number`;
  if (/TIMESTAMP|DATETIME/i.test(type)) return t`time`;
  if (/DATE/i.test(type)) return t`date`;
  if (/VARCHAR|TEXT|CHAR/i.test(type)) return t`text`;
  return type.toLowerCase();
}
