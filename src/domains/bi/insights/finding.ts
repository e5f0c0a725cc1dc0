/** What was found in the data, before it is known which findings hold together. */
export interface Finding {
  kind: "trend" | "change" | "outlier" | "season" | "missing" | "driver" | "concentration" | "correlation";
  sentence: string;
  numbers: Record<string, number | string>;
  /** The chance that noise looks like it; null for what simply is so. */
  p: number | null;
  /** How much it matters, from 0 to 1. */
  impact: number;
  /** What to look at next. */
  next: string;
}

/** A share of something, as far as it says anything: from 0 to 1. */
export function impactOf(change: number, base: number): number {
  const share = Math.abs(change) / Math.max(Math.abs(base), Number.MIN_VALUE);
  return Number.isFinite(share) ? share / (1 + share) : 1;
}

/** Impact times how sure it is. */
export function scoreOf({ p, impact }: Finding): number {
  return impact * (p === null ? 0.7 : Math.min(1, -Math.log10(Math.max(p, 1e-10)) / 5));
}
