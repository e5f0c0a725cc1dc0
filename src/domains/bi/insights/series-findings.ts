import { formatter } from "../../../platform/drawing/index.ts";
import { periodWriter } from "../query/periods.ts";
import type { Grain } from "../shapes.ts";
import type { Analysis } from "./analyse.ts";
import { type Finding, impactOf } from "./finding.ts";
import type { Series } from "./read-series.ts";
import { mean, robustSd } from "./statistics.ts";

/** How the number is called and written. */
export interface Naming {
  label: string;
  format: string;
  locale: string;
}

const MOST_OUTLIERS = 3;
const MANY_TIMES = 4;

/** What the analysis of a series says, in sentences. */
export function seriesFindings(series: Series, analysis: Analysis, naming: Naming): Finding[] {
  const { outliers } = analysis;
  const far = outliers
    .toSorted((a, b) => Math.abs(b.distance) - Math.abs(a.distance))
    .slice(0, MOST_OUTLIERS);
  return [
    ...missingOf(series, naming),
    ...(analysis.season === undefined ? [] : seasonFindings(series, analysis.season, naming)),
    ...changeFindings(series, analysis, naming),
    ...far.flatMap((outlier, i) => outlierFindings(series, outlier, { isFarthest: i === 0, ...naming })),
  ];
}

/** As many steps in one direction are a way, and are told as one. */
const LEAST_STAIRS = 2;

/** Changes of the level and the trend within the last. */
export function changeFindings(series: Series, analysis: Analysis, naming: Naming): Finding[] {
  const { changes, trend } = analysis;
  const [first, last] = [changes[0], changes.at(-1)];
  const directions = new Set([
    ...changes.map(({ before, after }) => Math.sign(after - before)),
    ...(trend === undefined ? [] : [Math.sign(trend.change)]),
  ]);
  if (first !== undefined && last !== undefined && changes.length >= LEAST_STAIRS && directions.size === 1) {
    const end = trend === undefined ? last.after : trend.start + trend.change;
    const change = end - first.before;
    const way = {
      start: first.before,
      change,
      slope: change / (series.values.length - first.at),
      p: first.p,
    };
    return trendFindings(series, { trend: way, trendFrom: first.at }, naming);
  }
  return [
    ...changes.flatMap((each, i) => changesToTell(series, each, changes[i + 1]?.at, naming)),
    ...(trend === undefined ? [] : trendFindings(series, analysis, naming)),
  ];
}

const BEFORE_PERIOD: Record<Grain, string> = {
  hour: "on",
  day: "on",
  week: "in the week of",
  month: "in",
  quarter: "in",
  year: "in",
};

export function writers({ grain }: Pick<Series, "grain">, { format, locale }: Naming) {
  const number = formatter(format, "full", locale);
  const share = formatter("percent", "full", locale);
  const signed = (value: number, write: (value: number) => string) =>
    `${value > 0 ? "+" : ""}${write(value)}`;
  return {
    number: (value: number) => number(rounded(value)),
    step: (value: number) => signed(rounded(value), number),
    share: (value: number) => signed(value, share),
    plainShare: share,
    period: periodWriter(grain, locale),
    /** The period with the word that stands before it. */
    inPeriod: (start: number) => `${BEFORE_PERIOD[grain]} ${periodWriter(grain, locale)(start)}`,
  };
}

/** Three figures are enough for what was estimated. */
function rounded(value: number): number {
  return value === 0 || Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(3));
}

function missingOf({ periods, missing, grain }: Series, naming: Naming): Finding[] {
  if (missing.length === 0) return [];
  const { period } = writers({ grain }, naming);
  const named = missing.slice(0, 3).map((at) => period(periods[at] ?? 0));
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
  const noun = missing.length === 1 ? grain : `${grain}s`;
  return [
    {
      kind: "missing",
      sentence: `There are no rows for ${missing.length} of ${periods.length} ${noun}: ${named.join(", ")}${more}.`,
      numbers: { missing: missing.length, periods: periods.length },
      p: null,
      impact: missing.length / periods.length,
      next: "Check whether data was lost, or whether nothing happened then.",
      at: periods[missing.at(-1) ?? 0] ?? null,
      change: -missing.length,
    },
  ];
}

/** Numbers that are written alike differ in nothing that a reader sees, and are not told. */
function changesToTell(
  series: Series,
  { at, before, after, p }: Analysis["changes"][number],
  next: number | undefined,
  naming: Naming,
): Finding[] {
  const { number, plainShare, period, inPeriod } = writers(series, naming);
  const start = series.periods[at] ?? 0;
  const [from, when] = [period(start), inPeriod(start)];
  if (number(after) === number(before)) return [];
  const by = before === 0 ? "" : ` by ${plainShare(Math.abs((after - before) / before))}`;
  const verb = after > before ? "rose" : "fell";
  const stayed =
    next === undefined ? "stayed there" : `stayed there until ${period(series.periods[next] ?? 0)}`;
  return [
    {
      kind: "change",
      sentence: `${naming.label} ${verb}${by} ${when} and ${stayed}: about ${number(after)} a ${series.grain}, where it was about ${number(before)} before.`,
      numbers: { from, before, after, change: after - before },
      p,
      impact: impactOf(after - before, before),
      next: `Look at what else changed ${when}.`,
      at: start,
      change: after - before,
    },
  ];
}

function trendFindings(
  series: Series,
  { trend, trendFrom }: Pick<Analysis, "trend" | "trendFrom">,
  naming: Naming,
): Finding[] {
  const { start, change, slope, p } = trend!;
  const { number, share, step, period } = writers(series, naming);
  const [from, to] = [period(series.periods[trendFrom] ?? 0), period(series.periods.at(-1) ?? 0)];
  // From next to nothing, a share says nothing.
  const relative = Math.abs(start) < Math.abs(change) / 100 ? [] : [share(change / Math.abs(start))];
  // A pace that is written as 0 says nothing either.
  const pace = /[1-9]/.test(step(slope)) ? [`${step(slope)} a ${series.grain}`] : [];
  const how = [...relative, ...pace].join(", ");
  const verb = change > 0 ? "rises" : "falls";
  if (number(start) === number(start + change)) return [];
  return [
    {
      kind: "trend",
      sentence: `${naming.label} ${verb} from ${from} to ${to}: from about ${number(start)} to about ${number(start + change)}${how === "" ? "" : ` (${how})`}.`,
      numbers: { from, to, start, end: start + change, slope },
      p,
      impact: impactOf(change, start),
      next:
        change > 0
          ? "Plan for more of it, and see which parts rise."
          : "See which parts fall, before it goes on.",
      at: series.periods.at(-1) ?? null,
      change,
    },
  ];
}

function outlierFindings(
  series: Series,
  { at, expected, distance, p }: Analysis["outliers"][number],
  { isFarthest, ...naming }: Naming & { isFarthest: boolean },
): Finding[] {
  const { number, plainShare, period, inPeriod } = writers(series, naming);
  const start = series.periods[at] ?? 0;
  const [when, value] = [period(start), series.values[at] ?? 0];
  if (number(value) === number(expected)) return [];
  const [more, farther] = distance > 0 ? ["more", "higher"] : ["less", "lower"];
  // Beyond some hundred percent people speak of times.
  const isTimes = expected > 0 && value >= MANY_TIMES * expected;
  const far = expected === 0 ? more : `${plainShare(Math.abs((value - expected) / expected))} ${more}`;
  const by = isTimes ? `${Math.round(value / expected).toLocaleString(naming.locale)} times` : `${far} than`;
  const { grain, periods } = series;
  const rank = isFarthest ? `, farther from what is usual than any other of ${periods.length} ${grain}s` : "";
  return [
    {
      kind: "outlier",
      sentence: `${naming.label} was ${number(value)} ${inPeriod(start)}, ${farther} than usual: ${by} the about ${number(expected)} to be expected${rank}.`,
      numbers: { period: when, value, expected, distance: Number(distance.toFixed(2)) },
      p,
      impact: impactOf(value - expected, expected) * 0.8,
      next: `Look at the rows of ${when}: an error in the data, or an event?`,
      at: start,
      change: value - expected,
    },
  ];
}

/** How often a season comes again. */
const EVERY: Partial<Record<Grain, (length: number) => string>> = {
  hour: (length) => (length === 24 ? "day" : "week"),
  day: () => "week",
};

function seasonFindings(
  series: Series,
  { length, pattern: own, isRelative, p }: NonNullable<Analysis["season"]>,
  naming: Naming,
): Finding[] {
  const { share, step } = writers(series, naming);
  const level = mean(series.values);
  const pattern = isRelative ? own.map((part) => part * level) : own;
  const [high, low] = [pattern.indexOf(Math.max(...pattern)), pattern.indexOf(Math.min(...pattern))];
  const name = (place: number) => placeName(series, place, naming.locale);
  const far = (value: number) => (level > 0 ? share(value / level) : step(value));
  const [highest, lowest] = [pattern[high] ?? 0, pattern[low] ?? 0];
  // A season that nobody could see in what is written of it is none.
  if (high === low || ![highest, lowest].some((value) => /[1-9]/.test(far(value)))) return [];
  const every = EVERY[series.grain]?.(length) ?? "year";
  return [
    {
      kind: "season",
      sentence: `${naming.label} has the same ups and downs every ${every}: highest ${name(high)} (${far(highest)} against an average ${series.grain}), lowest ${name(low)} (${far(lowest)}).`,
      numbers: { length, highest: name(high), lowest: name(low), highest_by: highest, lowest_by: lowest },
      p,
      impact: impactOf(highest - lowest, level) * Math.min(1, robustSd(pattern) === 0 ? 0.2 : 0.8),
      next: `Compare with the same time of the ${every} before, not with the ${series.grain} before.`,
      at: null,
      change: 0,
    },
  ];
}

const PLACES: Partial<Record<Grain, Intl.DateTimeFormatOptions>> = {
  hour: { weekday: "long", hour: "2-digit" },
  day: { weekday: "long" },
  month: { month: "long" },
};

function placeName({ periods, grain }: Series, place: number, locale: string): string {
  const at = periods[place] ?? 0;
  const format = PLACES[grain];
  if (format !== undefined)
    return `on ${new Intl.DateTimeFormat(locale, { ...format, timeZone: "UTC" }).format(at)}`.replace(
      /^on (?=\p{Lu}\p{L}+$)/u,
      grain === "month" ? "in " : "on ",
    );
  const date = new Date(at);
  if (grain === "quarter") return `in Q${Math.floor(date.getUTCMonth() / 3) + 1}`;
  return `in week ${Math.ceil((at - Date.UTC(date.getUTCFullYear(), 0, 1)) / (7 * 86_400_000)) + 1}`;
}
