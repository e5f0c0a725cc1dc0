import type { JsonValue } from "../../../platform/analytics/index.ts";
import { numberIn } from "../explain/format.ts";

/** Gold rows are rounded to four decimals. */
const ABSOLUTE = 0.00006;
const RELATIVE = 0.001;

/** Numbers within rounding, texts whatever their case, periods however they are written. */
export function isSameValue(a: JsonValue, b: JsonValue): boolean {
  if (a === null || b === null) return a === b;
  const [dayA, dayB] = [dayIn(a), dayIn(b)];
  if (dayA !== undefined || dayB !== undefined) return (dayA ?? periodIn(a)) === (dayB ?? periodIn(b));
  const [x, y] = [numberIn(a), numberIn(b)];
  if (x !== undefined && y !== undefined) {
    return Math.abs(x - y) <= Math.max(ABSOLUTE, RELATIVE * Math.max(Math.abs(x), Math.abs(y)));
  }
  return textOf(a) === textOf(b);
}

function textOf(value: JsonValue): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).trim().toLowerCase();
}

function dayIn(value: JsonValue): string | undefined {
  const found =
    typeof value === "string" ? /^(\d{4}-\d\d-\d\d)(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?$/.exec(value) : null;
  return found?.[1];
}

/** The first day of `2025`, `2025-10` or `2025-Q4`. */
function periodIn(value: JsonValue): string | undefined {
  const [, year, quarter, month] = /^(\d{4})(?:-Q([1-4])|-(\d\d))?$/i.exec(String(value)) ?? [];
  if (year === undefined) return undefined;
  const first = quarter === undefined ? (month ?? "01") : String(Number(quarter) * 3 - 2).padStart(2, "0");
  return `${year}-${first}-01`;
}
