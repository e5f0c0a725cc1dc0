/** Robust statistics of short series. Everything is a plain function of its numbers. */

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The standard deviation that normal values with this median distance would have: a few wild ones do not count. */
export function robustSd(values: readonly number[]): number {
  const centre = median(values);
  const sd = 1.4826 * median(values.map((value) => Math.abs(value - centre)));
  if (sd > 0) return sd;
  // More than half are the same: the others say how far values go.
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

export function differences(values: readonly number[]): number[] {
  return values.slice(1).map((value, i) => value - (values[i] ?? 0));
}

/** How much a value is like the one `lag` before it. */
export function autocorrelation(values: readonly number[], lag: number): number {
  const middle = mean(values);
  let [shared, all] = [0, 0];
  for (let i = 0; i < values.length; i += 1) {
    const stray = (values[i] ?? 0) - middle;
    all += stray * stray;
    if (i >= lag) shared += stray * ((values[i - lag] ?? 0) - middle);
  }
  return all === 0 ? 0 : shared / all;
}

/** The chance of a normal value this far from zero or further, on both sides (Abramowitz and Stegun 7.1.26). */
export function twoSided(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const polynomial =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.min(1, Math.max(0, polynomial * Math.exp(-x * x)));
}

/** Ranks from 1, equal values sharing theirs. */
export function ranks(values: readonly number[]): number[] {
  const order = values.map((value, i) => ({ value, i })).sort((a, b) => a.value - b.value);
  const result = new Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to + 1 < order.length && order[to + 1]?.value === order[from]?.value) to += 1;
    for (let at = from; at <= to; at += 1) result[order[at]?.i ?? 0] = (from + to) / 2 + 1;
    from = to + 1;
  }
  return result;
}

export function correlation(a: readonly number[], b: readonly number[]): number {
  const [middleA, middleB] = [mean(a), mean(b)];
  let [shared, allA, allB] = [0, 0, 0];
  for (const [i, value] of a.entries()) {
    const other = b[i] ?? 0;
    shared += (value - middleA) * (other - middleB);
    allA += (value - middleA) ** 2;
    allB += (other - middleB) ** 2;
  }
  return allA === 0 || allB === 0 ? 0 : shared / Math.sqrt(allA * allB);
}

/** Noise in which a value is like the one before it: how much, how wide, and how far means of it stray. */
export interface Noise {
  phi: number;
  sd: number;
  /** Variance of a mean of n values, times n. */
  longRunVariance: number;
}

/** Short series say little of how alike neighbours are: they are taken to be so by half, as much as this many values say. */
const [USUAL_PHI, USUAL_WEIGHT] = [0.5, 15];

/** Estimated from differences, which a step in the level hardly touches. */
export function noiseOf(values: readonly number[]): Noise {
  const steps = differences(values);
  const bound = 3 * robustSd(steps);
  const centre = median(steps);
  const tamed = steps.map((step) => Math.min(centre + bound, Math.max(centre - bound, step)));
  // Of an autoregressive series of first order, differences correlate by -(1 - phi) / 2.
  const seen = Math.min(0.8, Math.max(0, 1 + 2 * autocorrelation(tamed, 1)));
  const phi = (values.length * seen + USUAL_WEIGHT * USUAL_PHI) / (values.length + USUAL_WEIGHT);
  const spread = Math.sqrt(mean(tamed.map((step) => (step - centre) ** 2)));
  const sd = spread / Math.sqrt(2 * (1 - phi));
  return { phi, sd, longRunVariance: (sd * sd * (1 + phi)) / (1 - phi) };
}

/** Which of several tests hold together when one in twenty of those may be wrong (Benjamini and Hochberg). */
export function discoveries(chances: readonly number[], q = 0.05): boolean[] {
  const order = chances.map((p, i) => ({ p, i })).sort((a, b) => a.p - b.p);
  const last = order.findLastIndex(({ p }, at) => p <= (q * (at + 1)) / order.length);
  const held = new Set(order.slice(0, last + 1).map(({ i }) => i));
  return chances.map((_, i) => held.has(i));
}

interface Together {
  r: number;
  n: number;
  p: number;
}

const LEAST_POINTS = 24;
const LEAST_CORRELATION = 0.6;

/** True if two series go up and down together: by the ranks of their steps, for two trends always agree. */
export function significantCorrelation(a: readonly number[], b: readonly number[]): Together | undefined {
  const [stepsA, stepsB] = [differences(a), differences(b)];
  const n = stepsA.length;
  if (n < LEAST_POINTS || n !== stepsB.length) return undefined;
  const r = correlation(ranks(stepsA), ranks(stepsB));
  if (Math.abs(r) < LEAST_CORRELATION) return undefined;
  const z = Math.atanh(Math.min(0.9999, Math.abs(r))) * Math.sqrt((n - 3) / 1.06);
  return { r, n, p: twoSided(z) };
}
