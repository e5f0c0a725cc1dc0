import { autocorrelation, median, noiseOf, ranks, robustSd, twoSided } from "./statistics.ts";

/** A series that rises or falls all along. */
export interface Trend {
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
export function trendOf(values: readonly number[]): Trend | undefined {
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
