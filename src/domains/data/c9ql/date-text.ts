import type { Expression, ExpressionOf } from "./ast.ts";
import { calendarTime, type LocalTime } from "./local-time.ts";

export interface DateTextTime {
  time: LocalTime;
  hasClock: boolean;
}

const CLOCK =
  "(?:[ T](?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:\\.(?<fraction>\\d{1,9}))?)?)?";
const ZONE = "(?<zone>Z|[+-]\\d{2}:?\\d{2})?";

/** How dates may be written in a query. Month before day with slashes, day before month with dots. */
const SHAPES = [
  `(?<year>\\d{4})-(?<month>\\d{1,2})-(?<day>\\d{1,2})${CLOCK}\\s?${ZONE}`,
  `(?<year>\\d{4})/(?<month>\\d{1,2})/(?<day>\\d{1,2})${CLOCK}`,
  `(?<month>\\d{1,2})/(?<day>\\d{1,2})/(?<year>\\d{4})${CLOCK}`,
  `(?<day>\\d{1,2})\\.(?<month>\\d{1,2})\\.(?<year>\\d{4})${CLOCK}`,
  `(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})`,
  `(?<day>\\d{1,2})[ -](?<name>[A-Za-z]{3,9})[ -](?<year>\\d{4})${CLOCK}`,
  `(?<name>[A-Za-z]{3,9}) (?<day>\\d{1,2}),? (?<year>\\d{4})${CLOCK}`,
].map((shape) => new RegExp(`^${shape}$`, "i"));

/**
 * The same shapes for texts in the data, in DuckDB's patterns, by a sign that they contain (the last one by none). ISO
 * dates need none: a cast reads them.
 */
export const DATE_TEXT_FORMATS = {
  "/": ["%m/%d/%Y", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%Y/%m/%d", "%Y/%m/%d %H:%M", "%Y/%m/%d %H:%M:%S"],
  ".": ["%d.%m.%Y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S"],
  "": [
    "%d-%b-%Y",
    "%d %b %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%d %B %Y",
    "%d-%B-%Y",
    "%b %d %Y",
    "%Y%m%d",
    "%d-%b-%Y %H:%M",
    "%d-%b-%Y %H:%M:%S",
    "%d %b %Y %H:%M",
    "%d %b %Y %H:%M:%S",
  ],
} as const;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** A date as people write it; undefined when it is none. A zone in the text is turned into the wall clock's. */
export function readDateText(text: string, timezone: string): DateTextTime | undefined {
  const trimmed = text.trim();
  for (const shape of SHAPES) {
    const groups = shape.exec(trimmed)?.groups;
    if (groups === undefined) continue;
    const time = timeOf(groups);
    if (time === undefined) return undefined;
    const hasClock = groups.hour !== undefined;
    return groups.zone === undefined
      ? { time, hasClock }
      : { time: inZone(time, groups.zone, timezone), hasClock };
  }
  return undefined;
}

function timeOf(groups: Record<string, string | undefined>): LocalTime | undefined {
  const name = groups.name?.slice(0, 3).toLowerCase();
  const month = name === undefined ? Number(groups.month) : MONTHS.indexOf(name) + 1;
  const year = Number(groups.year);
  if (month < 1 || year < 1) return undefined;
  const fraction = (groups.fraction ?? "").padEnd(6, "0");
  return calendarTime({
    year,
    month,
    day: Number(groups.day),
    hour: Number(groups.hour ?? 0),
    minute: Number(groups.minute ?? 0),
    second: Number(groups.second ?? 0),
    millisecond: Number(fraction.slice(0, 3)),
    microsecond: Number(fraction.slice(3, 6)),
  });
}

function inZone(time: LocalTime, zone: string, timezone: string): LocalTime {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const offset = sign === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return time.toZonedDateTime("UTC").subtract({ minutes: offset }).withTimeZone(timezone).toPlainDateTime();
}

/**
 * Whether a text in a query says for certain that a date is meant. Eight digits may as well be a number of something.
 */
export function isDateText(text: string, timezone: string): boolean {
  return !/^\s*\d*\s*$/.test(text) && readDateText(text, timezone) !== undefined;
}

/**
 * The date that `10/15/2026` is where a date is expected. It reads as two divisions, because elsewhere it may be meant
 * so.
 */
export function writtenDate(node: Expression, timezone: string): DateTextTime | undefined {
  if (!isDivision(node) || !isDivision(node.left)) return undefined;
  const parts = [node.left.left, node.left.right, node.right];
  const digits = parts.map((part) => (part.kind === "number" ? part.text : ""));
  return readDateText(digits.join("/"), timezone);
}

function isDivision(node: Expression): node is ExpressionOf<"arithmetic"> {
  return node.kind === "arithmetic" && node.operator === "/";
}
