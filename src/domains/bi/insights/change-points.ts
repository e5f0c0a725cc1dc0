import { mean, type Noise, twoSided } from "./statistics.ts";

/** A place where the level of a series becomes another. */
export interface ChangePoint {
  /** The first value of the new level. */
  at: number;
  before: number;
  after: number;
  p: number;
}

/** Fewest values of a level. */
const LEAST = 4;
/** For each change, times the logarithm of the length and the variance of means. */
export const PENALTY = 3;

/** Where the level changes: fewest changes that explain most (PELT: Killick, Fearnhead and Eckley 2012). */
export function changePoints(values: readonly number[], noise: Noise): ChangePoint[] {
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
export function squaredErrors(values: readonly number[]): (from: number, to: number) => number {
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
