import { z } from "zod";
import { defineTool } from "../define.ts";
import { runOf, runShape, visibleRun } from "../queries.ts";

/** Ends a run here and on the server of its datasource. */
export const cancelQueryRun = defineTool({
  name: "cancel_query_run",
  toolset: "datasources",
  title: "Cancel a run of a query",
  description:
    "Stops a run that is queued or running; the dataset stays as it was. One that has ended stays as it is.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({ run_id: z.int() }),
  output: runShape.extend({ cancelled: z.boolean() }),

  async run({ run_id }, { runs, queries, caller }) {
    const cancelled = await runs.cancel(await runs.require(caller, run_id));
    const run = await runs.require(caller, run_id);
    const view = await queries.view(caller, await queries.require(caller, run.queryId));
    return { ...runOf(visibleRun(run, view)), cancelled };
  },
});
