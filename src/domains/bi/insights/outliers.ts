import { median, robustSd, twoSided } from "./statistics.ts";

/** A value far from where it was to be expected. */
export interface Outlier {
  at: number;
  expected: number;
  /** In standard deviations. */
  distance: number;
  p: number;
}

/** Values that stray from what is expected by more than the largest of so many normal ones would. */
export function outliers(values: readonly number[], expected: readonly number[], widening = 1): Outlier[] {
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
