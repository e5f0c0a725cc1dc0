import type { Grain } from "../shapes.ts";
import {
  autocorrelation,
  correlation,
  mean,
  median,
  type Noise,
  noiseOf,
  ranks,
  robustSd,
  twoSided,
} from "./statistics.ts";

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

/** A place where the level of a series becomes another. */
interface ChangePoint {
  /** The first value of the new level. */
  at: number;
  before: number;
  after: number;
  p: number;
}

/** Fewest values of a level. */
const LEAST = 4;
/** For each change, times the logarithm of the length and the variance of means. */
const PENALTY = 3;

/** Where the level changes: fewest changes that explain most (PELT: Killick, Fearnhead and Eckley 2012). */
function changePoints(values: readonly number[], noise: Noise): ChangePoint[] {
  const { longRunVariance } = noise;
  const n = values.length;
  if (n < 3 * LEAST || longRunVariance === 0) return [];
  const cost = squaredErrors(values);
  const penalty = PENALTY * Math.log(n) * longRunVariance;
  // The least cost of the values up to here, and where its last level began.
  const best: number[] = [-penalty];
  const from: number[] = [0];
  let starts: number[] = [];
  for (let end = LEAST; end <= n; end += 1) {
    if (best[end - LEAST] !== undefined) starts.push(end - LEAST);
    const costs = starts.map((start) => (best[start] ?? 0) + cost(start, end));
    const least = Math.min(...costs);
    best[end] = least + penalty;
    from[end] = starts[costs.indexOf(least)] ?? 0;
    // What is worse by more than a change costs will never be the best.
    starts = starts.filter((_, i) => (costs[i] ?? 0) <= least + penalty);
  }
  const ends: number[] = [];
  for (let at = from[n] ?? 0; at > 0; at = from[at] ?? 0) ends.unshift(at);
  return ends.map((at, i) => judged(values, ends[i - 1] ?? 0, at, ends[i + 1] ?? n, noise));
}

/** The sum of squared distances from the mean of a stretch, from sums that are made once. */
function squaredErrors(values: readonly number[]): (from: number, to: number) => number {
  const sums = [0];
  const squares = [0];
  for (const [i, value] of values.entries()) {
    sums.push((sums[i] ?? 0) + value);
    squares.push((squares[i] ?? 0) + value * value);
  }
  return (from, to) => {
    const sum = (sums[to] ?? 0) - (sums[from] ?? 0);
    return Math.max(0, (squares[to] ?? 0) - (squares[from] ?? 0) - (sum * sum) / (to - from));
  };
}

/** Its place was chosen among all, which its chance counts in. */
function judged(
  values: readonly number[],
  from: number,
  at: number,
  to: number,
  { longRunVariance }: Noise,
): ChangePoint {
  const [before, after] = [mean(values.slice(from, at)), mean(values.slice(at, to))];
  const spread = Math.sqrt(longRunVariance * (1 / (at - from) + 1 / (to - at)));
  const p = Math.min(1, twoSided((after - before) / spread) * values.length);
  return { at, before, after, p };
}

/** A value far from where it was to be expected. */
interface Outlier {
  at: number;
  expected: number;
  /** In standard deviations. */
  distance: number;
  p: number;
}

/** Values that stray from what is expected by more than the largest of so many normal ones would. */
function outliers(values: readonly number[], expected: readonly number[], widening = 1): Outlier[] {
  const strays = values.map((value, i) => value - (expected[i] ?? 0));
  const n = values.length;
  // Of few values the median distance is too small as often as too large, and too small does harm.
  const sd = robustSd(strays) * (1 + 5 / n) * widening;
  if (sd === 0) return [];
  const centre = median(strays);
  const least = Math.max(3.5, Math.sqrt(2 * Math.log(n)) + 1.5);
  return strays.flatMap((stray, at) => {
    const distance = (stray - centre) / sd;
    if (Math.abs(distance) < least) return [];
    return [{ at, expected: (expected[at] ?? 0) + centre, distance, p: Math.min(1, twoSided(distance) * n) }];
  });
}

/** A series that rises or falls all along. */
interface Trend {
  /** A step. */
  slope: number;
  /** Of the line, at the first value. */
  start: number;
  /** Over the whole length. */
  change: number;
  p: number;
}

const LEAST_POINTS = 12;
/** Over its whole length a trend goes this many times as far as values stray from it. */
const LEAST_STRAYS = 2;

/** The median of all slopes (Theil and Sen), believed by the test of Mann and Kendall as corrected by Hamed and Rao. */
function trendOf(values: readonly number[]): Trend | undefined {
  const n = values.length;
  if (n < LEAST_POINTS) return undefined;
  const slopes = new Float64Array((n * (n - 1)) / 2);
  let [concordance, pair] = [0, 0];
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) {
      const rise = (values[j] ?? 0) - (values[i] ?? 0);
      slopes[pair] = rise / (j - i);
      pair += 1;
      concordance += Math.sign(rise);
    }
  }
  const middle = slopes.sort().length >> 1;
  const slope = slopes[middle] ?? 0;
  const start = median(values.map((value, i) => value - slope * i));
  const strays = values.map((value, i) => value - start - slope * i);
  const change = slope * (n - 1);
  const variance = ((n * (n - 1) * (2 * n + 5)) / 18) * correctionOf(strays);
  const z = (concordance - Math.sign(concordance)) / Math.sqrt(variance);
  if (Math.abs(change) < LEAST_STRAYS * robustSd(strays)) return undefined;
  return { slope, start, change, p: twoSided(z) };
}

/** Values that are like those before them make a series look steadier than it is. */
function correctionOf(strays: readonly number[]): number {
  const n = strays.length;
  const ranked = ranks(strays);
  const bound = 1.96 / Math.sqrt(n);
  const { phi } = noiseOf(strays);
  let sum = 0;
  for (let lag = 1; lag < Math.max(LEAST_POINTS, n / 5); lag += 1) {
    const alike = autocorrelation(ranked, lag);
    if (Math.abs(alike) > bound) sum += (n - lag) * (n - lag - 1) * (n - lag - 2) * alike;
  }
  return Math.max((1 + phi) / (1 - phi), 1 + (2 / (n * (n - 1) * (n - 2))) * sum);
}

/** A pattern that comes again with the calendar. */
interface Season {
  /** Values of one round. */
  length: number;
  /** What each place in the round differs by; where it is relative, as a share of the level. */
  pattern: number[];
  isRelative: boolean;
  /** By how much values stray more than they seem to, for each place of the pattern is of few of them. */
  widening: number;
  p: number;
}

/** Rounds of the calendar that are short: of hours a day and a week, of days a week. */
const ROUNDS: Partial<Record<Grain, readonly number[]>> = { hour: [24, 168], day: [7] };
/** A year, and how many neighbours on each side a place shares its values with. */
const YEARS: Partial<Record<Grain, { length: number; neighbours: number }>> = {
  week: { length: 52, neighbours: 2 },
  month: { length: 12, neighbours: 0 },
  quarter: { length: 4, neighbours: 0 },
};
const LEAST_ROUNDS = 3;
const LEAST_YEARS = 2;
const LEAST_ALIKE = 0.3;
/** Of two years there is little to go by: they must be more alike. */
const LEAST_ALIKE_YEARS = 0.4;
/** No place is so low that what is left of it says nothing. */
const LOWEST = -0.9;

/** The round in which values are most like those of the round before, if there is one. */
function seasonOf(values: readonly number[], grain: Grain): Season | undefined {
  const year = YEARS[grain];
  if (year !== undefined) return yearOf(values, year);
  const found = (ROUNDS[grain] ?? []).flatMap((length) => {
    if (values.length < LEAST_ROUNDS * length) return [];
    const level = movingMean(values, length);
    const strays = values.map((value, i) => value - (level[i] ?? 0));
    const alike = autocorrelation(strays, length);
    const near = Math.max(autocorrelation(strays, length - 1), autocorrelation(strays, length + 1));
    if (alike < LEAST_ALIKE || alike <= near) return [];
    // What values have in common at shorter distances widens what is chance at this one (Bartlett).
    let shorter = 0;
    for (let lag = 1; lag < length; lag += 1) shorter += autocorrelation(strays, lag) ** 2;
    const spread = Math.sqrt((1 + 2 * shorter) / values.length);
    const pattern = patternOf(strays, length, 0);
    return [{ length, pattern, isRelative: false, widening: 1, p: twoSided(alike / spread), alike }];
  });
  const [best] = found.sort((a, b) => b.alike - a.alike);
  return best;
}

/**
 * A year is smooth, so that neighbouring weeks are as alike as those a year apart: it is believed if its first two
 * harmonics are larger than noise makes them, and the same weeks of different years agree.
 */
function yearOf(
  values: readonly number[],
  { length, neighbours }: { length: number; neighbours: number },
): Season | undefined {
  if (values.length < LEAST_YEARS * length) return undefined;
  const level = movingMean(values, length);
  const isRelative = values.every((value) => value >= 0) && level.every((each) => each > 0);
  const strays = values.map((value, i) => {
    const usual = level[i] ?? 0;
    return isRelative ? value / usual - 1 : value - usual;
  });
  if (correlation(strays.slice(length), strays.slice(0, -length)) < LEAST_ALIKE_YEARS) return undefined;
  const pattern = patternOf(strays, length, neighbours);
  const rounds = values.length / length;
  return {
    length,
    pattern: isRelative ? pattern.map((each) => Math.max(LOWEST, each)) : pattern,
    isRelative,
    widening: 1 + 2 / (rounds * (2 * neighbours + 1)),
    p: chanceOf(strays, length),
  };
}

/** That noise with these neighbours has first two harmonics as large: each part is the square of a normal value. */
function chanceOf(strays: readonly number[], length: number): number {
  const { longRunVariance } = noiseOf(strays);
  const n = strays.length;
  if (longRunVariance === 0) return 0;
  let power = 0;
  for (const harmonic of [1, 2]) {
    const turn = (2 * Math.PI * harmonic) / length;
    const along = (wave: (angle: number) => number) =>
      strays.reduce((sum, stray, i) => sum + stray * wave(turn * i), 0);
    power += (2 / n) * (along(Math.cos) ** 2 + along(Math.sin) ** 2);
  }
  const half = power / longRunVariance / 2;
  return Math.exp(-half) * (1 + half);
}

/** The values without their season, at the level that they have over the year. */
function withoutSeason(values: readonly number[], season: Season | undefined): number[] {
  if (season === undefined) return [...values];
  return values.map((value, i) => {
    const part = season.pattern[i % season.length] ?? 0;
    return season.isRelative ? value / (1 + part) : value - part;
  });
}

/** The other way round. */
function withSeason(values: readonly number[], season: Season | undefined): number[] {
  if (season === undefined) return [...values];
  return values.map((value, i) => {
    const part = season.pattern[i % season.length] ?? 0;
    return season.isRelative ? value * (1 + part) : value + part;
  });
}

/** The mean of one round around each value; at both ends the nearest that there is. */
function movingMean(values: readonly number[], length: number): number[] {
  const half = Math.floor(length / 2);
  const level = values.map((_, i) => {
    const from = Math.min(Math.max(0, i - half), values.length - length);
    return mean(values.slice(from, from + length));
  });
  return level;
}

/** Medians, so that one year in which something else happened does not count. */
function patternOf(strays: readonly number[], length: number, neighbours: number): number[] {
  const places = Array.from({ length }, (_, place) =>
    median(
      strays.filter((_, i) => {
        const apart = Math.abs((i % length) - place);
        return Math.min(apart, length - apart) <= neighbours;
      }),
    ),
  );
  const middle = mean(places);
  return places.map((place) => place - middle);
}
