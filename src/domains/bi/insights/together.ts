import { correlation, differences, ranks, twoSided } from "./statistics.ts";

export interface Together {
  r: number;
  n: number;
  p: number;
}

const LEAST_POINTS = 24;
const LEAST_CORRELATION = 0.6;

/** Whether two series go up and down together: by the ranks of their steps, for two trends always agree. */
export function togetherOf(a: readonly number[], b: readonly number[]): Together | undefined {
  const [stepsA, stepsB] = [differences(a), differences(b)];
  const n = stepsA.length;
  if (n < LEAST_POINTS || n !== stepsB.length) return undefined;
  const r = correlation(ranks(stepsA), ranks(stepsB));
  if (Math.abs(r) < LEAST_CORRELATION) return undefined;
  const z = Math.atanh(Math.min(0.9999, Math.abs(r))) * Math.sqrt((n - 3) / 1.06);
  return { r, n, p: twoSided(z) };
}
