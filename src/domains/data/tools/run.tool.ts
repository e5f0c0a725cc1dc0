import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import { defineTool } from "../define.ts";
import { seenRun, seenSentence } from "../query-view.ts";
import { runOf, runShape } from "../runs/run-shape.ts";

const MOST_SECONDS = LIMITS.queries.waitMs / 1_000;

/** Fills the dataset of a query anew. */
export const run = defineTool({
  name: "run",
  toolset: "data",
  wire: {
    bi: {
      name: "knowi_run",
      description: "Trigger execution of a query or report. One of queryId or reportId is required.",
      input: z.strictObject({
        queryId: z.int().optional().describe("Query to execute"),
        reportId: z.int().optional().describe("Report to trigger"),
      }),
      adapt: ({ queryId, reportId }: { queryId?: number; reportId?: number }) => {
        assertOne({ queryId, reportId });
        return { query_id: queryId, report_id: reportId };
      },
    },
  },
  title: "Run a query",
  description:
    "Runs a query now and replaces the rows of its dataset. Short runs are answered with their result; a longer one goes on, and get_query_run tells how far it is. A run that is under way is not begun twice. A failed run leaves the dataset as it was.",
  permission: "bi:write",
  effect: "write",
  timeoutMs: LIMITS.queries.waitMs + LIMITS.call.defaultTimeoutMs,
  input: z.strictObject({
    query_id: z.int().optional().describe("Query to run"),
    report_id: z.int().optional().describe("Report to run"),
    wait_seconds: z
      .number()
      .min(0)
      .max(MOST_SECONDS)
      .default(MOST_SECONDS)
      .describe("How long to wait for its end"),
  }),
  output: z.object({
    query_id: z.int(),
    name: z.string(),
    dataset_id: z.int().nullable(),
    run: runShape,
    message: z.string(),
  }),

  async run({ query_id, report_id, wait_seconds }, { queries, runs, caller, signal, client, say }) {
    assertOne({ query_id, report_id });
    if (query_id === undefined)
      throw new AppError("unsupported", "Reports are not available yet.", { hint: "Run a query." });
    const query = await queries.require(caller, query_id);
    const before = await queries.view(caller, query);
    const { run: begun } = await runs.start(caller, query);
    const onRows = (rows: number) => client.progress(rows, { message: `${rows} rows` });
    const ended = await runs.waitFor(begun, {
      waitMs: wait_seconds * 1_000,
      signal,
      ...(before.rows && { onRows }),
    });
    const after = await queries.require(caller, query_id);
    const view = await queries.view(caller, after);
    return {
      query_id,
      name: after.name,
      dataset_id: after.datasetId,
      run: runOf(seenRun(ended, view)),
      message: say(seenSentence(ended, after.name, view)),
    };
  },
});

/** The error has the names by which the surface knows them. */
function assertOne(ids: Record<string, number | undefined>): void {
  if (Object.values(ids).filter((id) => id !== undefined).length === 1) return;
  const names = Object.keys(ids).join(" or ");
  throw new AppError("bad_request", `One of ${names} is required, and only one.`);
}
