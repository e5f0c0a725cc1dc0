import { z } from "zod";
import { LIMITS as KERNEL } from "../../../kernel/limits.ts";
import { LIMITS } from "../../data/limits.ts";
import { adaptIds, defineTool, namedAsset } from "../define.ts";

const MOST_SECONDS = LIMITS.queries.waitMs / 1_000;

/** Fills the dataset of a query anew, or whatever else an asset does when it is told to. */
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
      adapt: ({ queryId, reportId }: { queryId?: number; reportId?: number }, assets) =>
        adaptIds({ queryId, reportId }, assets, "run"),
    },
  },
  title: "Run a query or a report",
  description:
    "Runs a query now and replaces the rows of its dataset, or makes a report and sends it. Short runs are answered with their result; a longer one goes on, and get_query_run tells how far it is. A run that is under way is not begun twice. A failed run leaves the dataset as it was.",
  permission: "bi:write",
  effect: "write",
  timeoutMs: LIMITS.queries.waitMs + KERNEL.call.defaultTimeoutMs,
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
  output: (assets) => assets.runAnswer(),

  async run({ query_id, report_id, wait_seconds }, { assets, caller, signal, client, say }) {
    const { type, id } = namedAsset(adaptIds({ query_id, report_id }, assets, "run"));
    const answer = await assets.require(type, "run").run.start(caller, id, {
      waitMs: wait_seconds * 1_000,
      signal,
      onRows: (rows) => client.progress(rows, { message: `${rows} rows` }),
    });
    return { ...answer, message: say(answer.message) };
  },
});
