import { withoutFloatNoise } from "../../../kernel/values.ts";
import type { JsonValue } from "../analytics-options.ts";

/**
 * A value of another database as DuckDB's results show one of the type that DuckDB gives the same expression
 * (`query/result-reader.ts`): sums are whole where they are whole there, and moments are written in one way.
 */
export function liveConverter(type: string, isComputed: boolean): (value: unknown) => JsonValue {
  const convert = converterOf(type, isComputed);
  return (value) => (value === null || value === undefined ? null : convert(value));
}

function converterOf(type: string, isComputed: boolean): (value: unknown) => JsonValue {
  if (type === "BOOLEAN") return (value) => value === true || /^(?:t|true|1)$/i.test(String(value));
  if (/^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/.test(type)) return wholeNumber;
  const [, scale] = /^DECIMAL\(\d+,\s*(\d+)\)$/.exec(type) ?? [];
  if (scale !== undefined) return (value) => decimal(String(value), Number(scale));
  if (type === "DOUBLE" || type === "FLOAT") return (value) => double(value, isComputed);
  if (type === "DATE") return (value) => String(value).slice(0, 10);
  if (/^TIMESTAMP/.test(type))
    return (value) => moment(String(value), type.includes("ZONE") || type === "TIMESTAMPTZ");
  if (type === "INTERVAL") return (value) => isoSpan(String(value));
  if (type === "VARCHAR")
    return (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));
  return (value) => value as JsonValue;
}

/** Also where the database counts with decimals, or says 1 for true. */
function wholeNumber(value: unknown): JsonValue {
  if (typeof value === "number") return Number.isInteger(value) ? value : Math.round(value);
  if (typeof value === "boolean") return Number(value);
  const digits = String(value).replace(/\.0*$/, "");
  if (!/^-?\d+$/.test(digits)) return Math.round(Number(value));
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : digits;
}

const EXACT_DIGITS = 15;

function decimal(value: string, scale: number): JsonValue {
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(value) ?? [];
  if (!/^-?\d+(?:\.\d*)?$/.test(value)) return Number(Number(value).toFixed(scale));
  const digits = `${whole}${fraction.padEnd(scale, "0").slice(0, scale)}`.replace(/^0+(?=\d)/, "");
  const isUp = (fraction[scale] ?? "0") >= "5";
  const units = BigInt(digits) + (isUp ? 1n : 0n);
  const padded = String(units).padStart(scale + 1, "0");
  const text = `${sign}${padded.slice(0, padded.length - scale)}${scale === 0 ? "" : `.${padded.slice(-scale)}`}`;
  return String(units).length <= EXACT_DIGITS ? Number(text) : text;
}

function double(value: unknown, isComputed: boolean): JsonValue {
  const number = typeof value === "number" ? value : Number(value);
  if (!Number.isFinite(number)) return String(number);
  return isComputed ? withoutFloatNoise(number) : number;
}

function moment(value: string, isZoned: boolean): string {
  if (/^-?infinity$/.test(value)) return value;
  const [, day, time = "00:00:00", fraction = ""] =
    /^(\d{4,}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?)?/.exec(value) ?? [];
  if (day === undefined) return value;
  const rest = fraction.replace(/0+$/, "");
  return `${day}T${time}${rest === "" ? "" : `.${rest}`}${isZoned ? "Z" : ""}`;
}

const SPAN =
  /^(?:(-?\d+) years? ?)?(?:(-?\d+) mon(?:th)?s? ?)?(?:(-?\d+) days? ?)?(?:(-?)(\d+):(\d\d):(\d\d(?:\.\d+)?))?$/;

/** As PostgreSQL writes it: `1 year 2 months -3 days 04:05:06.789`. */
function isoSpan(value: string): string {
  const match = SPAN.exec(value);
  if (match === null) return value;
  const [, years = "0", months = "0", days = "0", sign = "", hours = "0", minutes = "0", seconds = "0"] =
    match;
  const part = (count: number | string, unit: string) =>
    Number(count) === 0 ? "" : `${sign}${Number(count)}${unit}`;
  const date = [`${Number(years) || ""}`, `${Number(months) || ""}`, `${Number(days) || ""}`]
    .map((count, i) => (count === "" ? "" : `${count}${"YMD"[i]}`))
    .join("");
  const time = `${part(hours, "H")}${part(minutes, "M")}${part(seconds, "S")}`;
  if (time === "") return `P${date === "" ? "0D" : date}`;
  return `P${date}T${time}`;
}
