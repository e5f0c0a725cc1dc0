import { z } from "zod";
import { RUN_STATES } from "../data.tables.ts";
import { isActive, type QueryRun } from "./query-runs.store.ts";

/** A run, as tools show it. */
export const runShape = z.object({
  run_id: z.int(),
  query_id: z.int(),
  status: z.enum(RUN_STATES),
  attempt: z.int(),
  rows: z.int().nullable(),
  truncated: z.string().nullable(),
  rejected_rows: z.int().nullable(),
  duration_ms: z.int().nullable(),
  error: z.string().nullable(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});

export function runOf(run: QueryRun): z.output<typeof runShape> {
  const { startedAt, finishedAt } = run;
  return {
    run_id: run.id,
    query_id: run.queryId,
    status: run.status,
    attempt: run.attempt,
    rows: run.rowCount,
    truncated: run.truncated,
    rejected_rows: run.rejectedRows,
    duration_ms: startedAt && finishedAt ? finishedAt.getTime() - startedAt.getTime() : null,
    error: run.error,
    started_at: startedAt?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
  };
}

/** What became of a run, and what to do next, in a sentence or two that name tools as `{tool:…}`. */
export function sentenceOf(run: QueryRun, dataset: string): string {
  if (isActive(run)) {
    const last = run.error === null ? "" : ` The last try failed: ${run.error}`;
    return `The run is ${run.status}.${last} Ask for it with {tool:get_query_run}, or see {tool:get_details} of the query.`;
  }
  switch (run.status) {
    case "succeeded": {
      const cut = run.truncated === null ? "" : ` The limit on ${run.truncated} cut the result off.`;
      return `The dataset ${dataset} has ${run.rowCount} rows.${cut}${rejectedSentence(run)}`;
    }
    case "cancelled":
      return "The run was cancelled. The dataset stays as it was.";
    default:
      return `The run failed: ${run.error} The dataset, if there is one, stays as it was.`;
  }
}

/** With a space before it; empty when no rows were left out. */
function rejectedSentence({ rejectedRows }: Pick<QueryRun, "rejectedRows">): string {
  if (rejectedRows === null || rejectedRows === 0) return "";
  const rows = rejectedRows === 1 ? "1 row" : `${rejectedRows} rows`;
  return ` ${rows} could not be read and ${rejectedRows === 1 ? "is" : "are"} left out.`;
}
