import type { Grain } from "../shapes.ts";
import { autocorrelation, mean, median, twoSided } from "./statistics.ts";

/** A pattern that comes again with the calendar. */
export interface Season {
  /** Values of one round. */
  length: number;
  /** What each place in the round differs by. */
  pattern: number[];
  p: number;
}

/** Rounds of the calendar: of hours a day and a week, of days a week, of months a year. */
const ROUNDS: Partial<Record<Grain, readonly number[]>> = {
  hour: [24, 168],
  day: [7],
  week: [52],
  month: [12],
  quarter: [4],
};
const LEAST_ROUNDS = 3;
const LEAST_ALIKE = 0.3;

/** The round in which values are most like those of the round before, if there is one. */
export function seasonOf(values: readonly number[], grain: Grain): Season | undefined {
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
    return [{ length, pattern: patternOf(strays, length), p: twoSided(alike / spread), alike }];
  });
  const [best] = found.sort((a, b) => b.alike - a.alike);
  return best;
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

function patternOf(strays: readonly number[], length: number): number[] {
  const places = Array.from({ length }, (_, place) => median(strays.filter((_, i) => i % length === place)));
  const middle = mean(places);
  return places.map((place) => place - middle);
}
