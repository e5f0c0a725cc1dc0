/** How long the count of a metered thing runs: things that are kept count for ever, things that are done count by month. */
const KEPT_METRICS: ReadonlySet<string> = new Set(["memories", "documents", "datasets"]);

export function periodOf(metric: string, now: Date): string {
  return KEPT_METRICS.has(metric) ? "total" : now.toISOString().slice(0, 7);
}
