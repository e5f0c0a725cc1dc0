import { formatter } from "../../../platform/drawing/index.ts";
import { type Column, column, isNotNull, rowQuery, truncated } from "../../data/index.ts";
import { momentOf, periodWriter } from "../query/axis.ts";
import { isAdditive, type Measure } from "../query/plan.ts";
import type { Source } from "../query/source.ts";
import type { Grain } from "../shapes.ts";
import { type Analysis, analyse } from "./analyse.ts";
import {
  beginning,
  type Finding,
  impactOf,
  isTotal,
  type Naming,
  NONE,
  partOf,
  relativeChange,
} from "./finding.ts";
import { LIMITS } from "./limits.ts";
import type { Series } from "./read-series.ts";
import { mean, robustSd } from "./statistics.ts";

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
function changeFindings(series: Series, analysis: Analysis, naming: Naming): Finding[] {
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

export function writers({ grain }: Pick<Series, "grain">, { format, locale, isPerPeriod }: Naming) {
  const full = formatter(format, "full", locale);
  // What was rounded has no cents.
  const number = (value: number) =>
    Math.abs(value) < 1_000 ? full(value) : full(value).replace(/[.,]00(?=\D*$)/, "");
  const share = formatter("percent", "full", locale);
  const signed = (value: number, write: (value: number) => string) =>
    `${value > 0 ? "+" : ""}${write(value)}`;
  return {
    number: (value: number) => number(rounded(value)),
    step: (value: number) => signed(rounded(value), number),
    share: (value: number) => signed(value, share),
    plainShare: share,
    /** So much in each period; an average is the same however long they are. */
    level: (value: number) => `about ${number(rounded(value))}${isPerPeriod ? ` a ${grain}` : ""}`,
    period: periodWriter(grain, locale),
    /** The period with the word that stands before it. */
    inPeriod: (start: number) => `${BEFORE_PERIOD[grain]} ${periodWriter(grain, locale)(start)}`,
  };
}

/** Three figures are enough for what was estimated. */
function rounded(value: number): number {
  return value === 0 || Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(3));
}

/** A line may end below zero where nothing ever is: then the least that there was is told. */
function possible({ values, missing }: Series, at: number): number {
  const least = Math.min(...values.filter((_, i) => !missing.includes(i)));
  return at < 0 && least >= 0 ? least : at;
}

/** Of what is both below and above zero, a share says nothing. */
function shareOf({ values }: Series, before: number, after: number): number | undefined {
  const isBothSides = values.some((value) => value < 0) && values.some((value) => value > 0);
  return isBothSides ? undefined : relativeChange(before, after);
}

function missingOf({ periods, missing, grain }: Series, naming: Naming): Finding[] {
  if (missing.length === 0) return [];
  const { period } = writers({ grain }, naming);
  const named = missing.slice(0, 3).map((at) => period(periods[at] ?? 0));
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
  return [
    {
      kind: "missing",
      sentence: `There are no rows for ${missing.length} of ${periods.length} ${grain}s: ${named.join(", ")}${more}.`,
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
  const { number, level, plainShare, period, inPeriod } = writers(series, naming);
  const start = series.periods[at] ?? 0;
  const [from, when] = [period(start), inPeriod(start)];
  if (number(after) === number(before)) return [];
  const relative = shareOf(series, before, after);
  const by = relative === undefined ? "" : ` by ${plainShare(Math.abs(relative))}`;
  const [verb, way] = after > before ? ["rose", "up"] : ["fell", "down"];
  const stayed =
    next === undefined ? "stayed there" : `stayed there until ${period(series.periods[next] ?? 0)}`;
  return [
    {
      kind: "change",
      sentence: `${beginning(naming.name)} ${verb}${by} ${when} and ${stayed}: ${level(after)}, ${way} from about ${number(before)}.`,
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
  const { slope, p } = trend!;
  const [start, end] = [trend!.start, trend!.start + trend!.change].map((at) => possible(series, at)) as [
    number,
    number,
  ];
  const change = end - start;
  const { number, share, step, period, inPeriod } = writers(series, naming);
  const [first, last] = [series.periods[trendFrom] ?? 0, series.periods.at(-1) ?? 0];
  const [from, to] = [period(first), period(last)];
  const relative = shareOf(series, start, end);
  // A pace that is written as 0 says nothing.
  const pace = step(slope / series.every);
  const how = [
    ...(relative === undefined ? [] : [share(relative)]),
    ...(/[1-9]/.test(pace) ? [`${pace} a ${series.grain}`] : []),
  ].join(", ");
  const verb = change > 0 ? "rose" : "fell";
  if (number(start) === number(end)) return [];
  return [
    {
      kind: "trend",
      sentence: `${beginning(naming.name)} ${verb} from about ${number(start)} ${inPeriod(first)} to about ${number(end)} ${inPeriod(last)}${how === "" ? "" : ` (${how})`}.`,
      numbers: { from, to, start, end, slope: slope / series.every },
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
  const relative = shareOf(series, expected, value);
  const far = relative === undefined ? more : `${plainShare(Math.abs(relative))} ${more}`;
  const by = isTimes ? `${Math.round(value / expected).toLocaleString(naming.locale)} times` : `${far} than`;
  const { grain, periods } = series;
  const rank = isFarthest ? `, farther from what is usual than any other of ${periods.length} ${grain}s` : "";
  return [
    {
      kind: "outlier",
      sentence: `${beginning(naming.name)} stood at ${number(value)} ${inPeriod(start)}, ${farther} than usual: ${by} the about ${number(expected)} to be expected${rank}.`,
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
  const far = (value: number) => {
    const relative = shareOf(series, level, level + value);
    return relative === undefined ? step(value) : share(relative);
  };
  const [highest, lowest] = [pattern[high] ?? 0, pattern[low] ?? 0];
  // A season that nobody could see in what is written of it is none.
  if (high === low || ![highest, lowest].some((value) => /[1-9]/.test(far(value)))) return [];
  const every = EVERY[series.grain]?.(length) ?? "year";
  return [
    {
      kind: "season",
      sentence: `Every ${every} has the same ups and downs of ${naming.name}: highest ${name(high)} (${far(highest)} against an average ${series.grain}), lowest ${name(low)} (${far(lowest)}).`,
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

/** A part matters from this share of the whole on, over the whole time or in the end. */
const LEAST_SHARE = 0.03;
/** In the end: the last values of a series. */
const END = 12;

/**
 * What happened to parts of a number: one may be lost while others grow, and the whole shows nothing of it. Each is
 * judged by its own season, or else by that of the whole.
 */
export async function partFindings(
  source: Source,
  { time, measure, fields }: { time: Column; measure: Measure; fields: readonly Column[] },
  { series, analysis }: { series: Series; analysis: Analysis },
  naming: Naming,
): Promise<Finding[]> {
  if (!isAdditive(measure)) return [];
  const found: Finding[] = [];
  for (const field of fields)
    for (const { name: value, values } of await partsOf(source, { time, measure, field }, series)) {
      const name = `${naming.name} for ${partOf(field, value)}`;
      const own = { ...series, values, missing: [] };
      const told = changeFindings(own, analyse(values, series.grain, analysis.season), { ...naming, name });
      found.push(
        ...told.map((finding) => ({
          ...finding,
          numbers: { ...finding.numbers, field: field.name, value },
          part: `${field.name} ${value}`,
        })),
      );
    }
  return found;
}

async function partsOf(
  source: Source,
  { time, measure, field }: { time: Column; measure: Measure; field: Column },
  { grain, periods, values: whole }: Series,
): Promise<{ name: string; values: number[] }[]> {
  const x = column(time.name);
  const { segments, points, parts } = LIMITS.insights;
  const query = rowQuery({
    select: [
      ["k9s", column(field.name)],
      ["k9x", truncated(x, grain)],
      ["k9v", measure.value],
    ],
    where: isNotNull(x),
    groupBy: 2,
  });
  const { rows } = await source.read(query, segments * points);
  const places = new Map(periods.map((period, i) => [period, i]));
  const all = new Map<string, number[]>();
  for (const row of rows) {
    const at = places.get(momentOf(row.k9x) ?? Number.NaN);
    if (at === undefined) continue;
    const name = String(row.k9s ?? NONE);
    if (isTotal(name)) continue;
    const values = all.get(name) ?? new Array<number>(periods.length).fill(0);
    values[at] = Number(row.k9v ?? 0);
    all.set(name, values);
  }
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const shareOf = (values: readonly number[]) =>
    Math.max(sum(values) / sum(whole), sum(values.slice(-END)) / sum(whole.slice(-END)));
  return [...all]
    .map(([name, values]) => ({ name, values, share: shareOf(values) }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((a, b) => b.share - a.share)
    .slice(0, parts);
}
