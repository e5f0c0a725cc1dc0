import { MS } from "../../../kernel/time.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import { GRAINS, type Grain } from "../shapes.ts";

/** Points of a time axis at most, when nobody says how fine it is to be. */
const MOST_DAYS: Record<Grain, number> = {
  hour: 3,
  day: 62,
  week: 200,
  month: 100 * 30,
  quarter: 100 * 91,
  year: Number.POSITIVE_INFINITY,
};
/** Gaps are filled up to this many periods. */
const MOST_PERIODS = 1_000;

/** A date or time of the engine as milliseconds, its own clock being taken for UTC. */
export function momentOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  // The end of a plain date looks like a zone.
  const [, day, time = "00:00:00"] =
    /^(\d{4,6}-\d\d-\d\d)(?:[ T]([\d:.]+)(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/.exec(value) ?? [];
  const ms = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

export function grainFor(from: number, to: number, hasHours: boolean): Grain {
  const days = (to - from) / MS.day;
  return GRAINS.find((grain) => days <= MOST_DAYS[grain] && (grain !== "hour" || hasHours)) ?? "year";
}

/** The start of the next period. */
export function nextPeriod(start: number, grain: Grain): number {
  if (grain === "hour") return start + MS.hour;
  if (grain === "day" || grain === "week") return start + MS.day * (grain === "day" ? 1 : 7);
  const date = new Date(start);
  const months = grain === "month" ? 1 : grain === "quarter" ? 3 : 12;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}

/** All periods from the first to the last, so that gaps can be seen; the given ones if they are too many. */
export function allPeriods(known: readonly number[], grain: Grain): number[] {
  const [from, to] = [known[0], known.at(-1)];
  if (from === undefined || to === undefined) return [];
  const all: number[] = [];
  for (let at = from; at <= to; at = nextPeriod(at, grain)) {
    all.push(at);
    if (all.length > MOST_PERIODS) return [...known];
  }
  return all;
}

const FORMATS: Record<Exclude<Grain, "quarter">, Intl.DateTimeFormatOptions> = {
  hour: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
  day: { year: "numeric", month: "short", day: "numeric" },
  week: { year: "numeric", month: "short", day: "numeric" },
  month: { year: "numeric", month: "short" },
  year: { year: "numeric" },
};

/** Writes the start of a period as people of a language do. */
export function periodWriter(grain: Grain, locale: string): (start: number) => string {
  if (grain === "quarter") {
    return (start) =>
      `Q${Math.floor(new Date(start).getUTCMonth() / 3) + 1} ${new Date(start).getUTCFullYear()}`;
  }
  const format = new Intl.DateTimeFormat(locale, { ...FORMATS[grain], timeZone: "UTC" });
  return (start) => format.format(start);
}

/** What comes along an axis: a period by its start, or any other value as text. */
export type Key = { period: number } | { text: string };

export interface Points {
  keys: Key[];
  grain: Grain | undefined;
  series: { label: string; data: (number | null)[] }[];
  /** What the numbers are, and how they read. */
  label: string;
  format: string;
  notes: string[];
}

export interface Row {
  x: JsonValue;
  g: JsonValue;
  values: (number | null)[];
}

export const OTHER = "Other";
/** What has no value. */
export const NONE = "(empty)";

/** A number of a chart, with what has to be known of it when it is drawn. */
interface Drawn {
  label: string;
  format: string;
  isAdditive: boolean;
}

interface Arrangement {
  grain: Grain | undefined;
  numbers: readonly Drawn[];
  isGrouped: boolean;
  /** Along the axis as they come, or else the largest first. */
  isOrdered: boolean;
  /** The place of each value where neither is wanted. */
  order?: ReadonlyMap<string, number>;
}

/** Rows that have been put together, as series along an axis. */
export function pointsOf(
  rows: readonly Row[],
  { grain, numbers, isGrouped, isOrdered, order }: Arrangement,
): Points {
  const known = grain === undefined ? textKeys(rows, isOrdered) : periodKeys(rows, grain);
  const keys = order === undefined ? known : inOrder(known, order);
  const [first] = numbers as [Drawn];
  const missing = grain !== undefined && first.isAdditive ? 0 : null;
  const ofGroup = (name: string) => rows.filter(({ g }) => textOf(g) === name);
  const series = isGrouped
    ? groupsOf(rows).map((label) => ({ label, data: along(keys, ofGroup(label), 0, missing) }))
    : numbers.map(({ label }, i) => ({ label, data: along(keys, rows, i, missing) }));
  const label = !isGrouped && numbers.length > 1 ? "" : first.label;
  return { keys, grain, series, label, format: first.format, notes: [] };
}

/** What has no place stays behind. */
function inOrder(keys: readonly Key[], order: ReadonlyMap<string, number>): Key[] {
  const at = (key: Key) => ("text" in key ? order.get(key.text) : undefined) ?? order.size * keys.length;
  return keys.toSorted((a, b) => at(a) - at(b));
}

/** The different values of a key, those with the largest numbers first. */
export function ranked(rows: readonly Row[], key: "x" | "g"): JsonValue[] {
  const sums = new Map<JsonValue, number>();
  for (const row of rows) sums.set(row[key], (sums.get(row[key]) ?? 0) + Math.abs(row.values[0] ?? 0));
  return [...sums].toSorted((a, b) => b[1] - a[1]).map(([value]) => value);
}

export function textOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return NONE;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function groupsOf(rows: readonly Row[]): string[] {
  return byCalendar(otherLast(ranked(rows, "g").map(textOf)));
}

function otherLast(names: readonly string[]): string[] {
  return [...new Set(names.filter((name) => name !== OTHER)), ...(names.includes(OTHER) ? [OTHER] : [])];
}

/** Largest first, or in their own order: numbers by size, months and days of the week as they follow each other. */
function textKeys(rows: readonly Row[], isOrdered: boolean): Key[] {
  const names = isOrdered ? rows.map(({ x }) => x) : ranked(rows, "x");
  return byCalendar(otherLast(names.map(textOf))).map((text) => ({ text }));
}

/** Months and days of the week as they follow each other, in full or cut off; anything else as it comes. */
export function byCalendar(names: readonly string[]): string[] {
  for (const calendar of CALENDARS) {
    const at = (name: string) => {
      const word = name.toLowerCase().replace(/\.$/, "");
      return word.length < 2 ? -1 : calendar.findIndex((each) => each.startsWith(word));
    };
    if (names.every((name) => at(name) >= 0)) return names.toSorted((a, b) => at(a) - at(b));
  }
  return [...names];
}

const CALENDARS = [
  "january february march april may june july august september october november december",
  "januar februar märz april mai juni juli august september oktober november dezember",
  "monday tuesday wednesday thursday friday saturday sunday",
  "montag dienstag mittwoch donnerstag freitag samstag sonntag",
].map((names) => names.split(" "));

function periodKeys(rows: readonly Row[], grain: Grain): Key[] {
  const known = [...new Set(rows.flatMap(({ x }) => momentOf(x) ?? []))].toSorted((a, b) => a - b);
  return allPeriods(known, grain).map((period) => ({ period }));
}

function along(
  keys: readonly Key[],
  rows: readonly Row[],
  measure: number,
  missing: number | null,
): (number | null)[] {
  const values = new Map(rows.map(({ x, values }) => [momentOf(x) ?? textOf(x), values[measure] ?? null]));
  const byText = new Map(rows.map(({ x, values }) => [textOf(x), values[measure] ?? null]));
  return keys.map((key) =>
    "period" in key ? (values.get(key.period) ?? missing) : (byText.get(key.text) ?? null),
  );
}
