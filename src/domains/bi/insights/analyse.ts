import type { Grain } from "../shapes.ts";
import { type ChangePoint, changePoints, PENALTY, squaredErrors } from "./change-points.ts";
import { type Outlier, outliers } from "./outliers.ts";
import { type Season, seasonOf, withoutSeason, withSeason } from "./seasonality.ts";
import { median, type Noise, noiseOf } from "./statistics.ts";
import { type Trend, trendOf } from "./trend.ts";

/** What there is in a series, each with the chance that noise looks like it. */
export interface Analysis {
  season: Season | undefined;
  changes: ChangePoint[];
  /** Of the last level, from `trendFrom` on. */
  trend: Trend | undefined;
  trendFrom: number;
  outliers: Outlier[];
  /** What each value was to be by season, level and trend. */
  expected: number[];
}

const SURE = 0.01;
/** Neighbours on each side, and how far a value may be from their median before it is taken for wild. */
const NEIGHBOURS = 3;
const WILD_SDS = 4;

/**
 * First what comes again with the calendar, then changes of the level, then a trend within the last one, then what is
 * left over: each would look like the next if it were still in. `usual` is the season of the whole, for a part that
 * shows none of its own.
 */
export function analyse(values: readonly number[], grain: Grain, usual?: Season): Analysis {
  const found = seasonOf(values, grain);
  const season = found !== undefined && found.p < SURE ? found : undefined;
  const removed = season ?? (usual?.isRelative ? usual : undefined);
  const widening = removed?.widening ?? 1;
  const plain = withoutSeason(values, removed);
  const noise = widened(noiseOf(plain), widening);
  const tamed = withoutWild(plain, noise.sd);
  const steps = changePoints(tamed, noise).filter(({ p }) => p < 1);
  const line = trendOf(tamed);
  const isLine =
    line !== undefined &&
    line.p < SURE &&
    costOfLine(tamed, line) <= costOfSteps(tamed, steps, noise.longRunVariance);
  const levels = isLine ? [] : steps;
  const year = YEAR[grain];
  const changes =
    year === undefined
      ? levels
      : removed?.length === year
        ? levels.filter(isMoreThanSeason)
        : withoutTurns(levels, year);
  const trendFrom = levels.at(-1)?.at ?? 0;
  const last = trendFrom === 0 ? line : trendOf(tamed.slice(trendFrom));
  const trend = last !== undefined && last.p < SURE ? last : undefined;
  const level = levelOf(tamed, levels, trend, trendFrom);
  const far = outliers(plain, level, widening);
  const expected = withSeason(level, removed);
  const told = far.map((outlier) => ({ ...outlier, expected: expected[outlier.at] ?? 0 }));
  return { season, changes, trend, trendFrom, outliers: told, expected };
}

/** Few years do not say what a season is any better than this share of the level. */
const LEAST_SHIFT = 0.1;

function isMoreThanSeason({ before, after }: ChangePoint): boolean {
  return Math.abs(after - before) >= LEAST_SHIFT * Math.max(Math.abs(before), Math.abs(after));
}

function widened({ phi, sd, longRunVariance }: Noise, by: number): Noise {
  return { phi, sd: sd * by, longRunVariance: longRunVariance * by * by };
}

/** Periods of a year, where seasons of a year can be seen. */
export const YEAR: Partial<Record<Grain, number>> = { day: 365, week: 52, month: 12, quarter: 4 };
/** A way back this large undoes the way there. */
const LEAST_BACK = 0.5;
/** What is undone sooner than in this part of a year is an event. */
const LONGEST_EVENT = 1 / 8;

/** Up and down again within a year may be a season of which too little is known: neither is news. */
function withoutTurns(steps: readonly ChangePoint[], year: number): ChangePoint[] {
  const sizeOf = ({ before, after }: ChangePoint) => after - before;
  const isUndone = (one: ChangePoint, other: ChangePoint | undefined) => {
    if (other === undefined) return false;
    const back = -sizeOf(other) / sizeOf(one);
    const apart = Math.abs(other.at - one.at);
    return back >= LEAST_BACK && back <= 1 / LEAST_BACK && apart > year * LONGEST_EVENT && apart <= year;
  };
  return steps.filter((step, i) => !isUndone(step, steps[i - 1]) && !isUndone(step, steps[i + 1]));
}

/** A single wild value must not pass for a level of its own. */
function withoutWild(values: readonly number[], sd: number): number[] {
  if (sd === 0) return [...values];
  return values.map((value, i) => {
    const near = median(values.slice(Math.max(0, i - NEIGHBOURS), i + NEIGHBOURS + 1));
    return Math.min(near + WILD_SDS * sd, Math.max(near - WILD_SDS * sd, value));
  });
}

function costOfLine(values: readonly number[], { start, slope }: Trend): number {
  return values.reduce((sum, value, i) => sum + (value - start - slope * i) ** 2, 0);
}

/** A step costs as much as it does where steps are looked for; the line costs one. */
function costOfSteps(
  values: readonly number[],
  steps: readonly ChangePoint[],
  longRunVariance: number,
): number {
  const cost = squaredErrors(values);
  const bounds = [0, ...steps.map(({ at }) => at), values.length];
  const errors = bounds.slice(1).reduce((sum, to, i) => sum + cost(bounds[i] ?? 0, to), 0);
  return errors + (steps.length - 1) * PENALTY * Math.log(values.length) * longRunVariance;
}

function levelOf(
  values: readonly number[],
  changes: readonly ChangePoint[],
  trend: Trend | undefined,
  trendFrom: number,
): number[] {
  const bounds = [0, ...changes.map(({ at }) => at), values.length];
  return bounds.slice(1).flatMap((to, i) => {
    const from = bounds[i] ?? 0;
    const middle = median(values.slice(from, to));
    const isTrending = trend !== undefined && from === trendFrom;
    return Array.from({ length: to - from }, (_, at) =>
      isTrending ? trend.start + trend.slope * at : middle,
    );
  });
}
