import { MS } from "../../../kernel/time.ts";
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
