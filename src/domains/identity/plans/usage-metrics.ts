/** What is metered, and how long its count runs: what is kept counts for ever, what is done counts by month. */
export const METRICS = {
  memories: "total",
  agent_calls: "month",
  llm_calls: "month",
  llm_tokens: "month",
} as const;

export function periodOf(metric: string, now: Date): string {
  const isKept = Object.hasOwn(METRICS, metric) && METRICS[metric as keyof typeof METRICS] === "total";
  return isKept ? "total" : now.toISOString().slice(0, 7);
}
