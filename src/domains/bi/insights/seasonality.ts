import type { Grain } from "../shapes.ts";
import { autocorrelation, correlation, mean, median, noiseOf, twoSided } from "./statistics.ts";

/** A pattern that comes again with the calendar. */
export interface Season {
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
export function seasonOf(values: readonly number[], grain: Grain): Season | undefined {
  const year = YEARS[grain];
  if (year !== undefined) return yearOf(values, year);
  const found = (ROUNDS[grain] ?? []).flatMap((length) => {
    if (values.length < LEAST_ROUNDS * length) return [];
    const level = levelOf(values, length);
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
  const level = levelOf(values, length);
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
export function withoutSeason(values: readonly number[], season: Season | undefined): number[] {
  if (season === undefined) return [...values];
  return values.map((value, i) => {
    const part = season.pattern[i % season.length] ?? 0;
    return season.isRelative ? value / (1 + part) : value - part;
  });
}

/** The other way round. */
export function withSeason(values: readonly number[], season: Season | undefined): number[] {
  if (season === undefined) return [...values];
  return values.map((value, i) => {
    const part = season.pattern[i % season.length] ?? 0;
    return season.isRelative ? value * (1 + part) : value + part;
  });
}

/** The mean of one round around each value; at both ends the nearest that there is. */
function levelOf(values: readonly number[], length: number): number[] {
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
