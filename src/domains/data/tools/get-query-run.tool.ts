import { z } from "zod";
import { defineTool } from "../define.ts";
import { runOf, runShape, visibleRun } from "../queries.ts";

/** For runs that take longer than a call. */
export const getQueryRun = defineTool({
  name: "get_query_run",
  toolset: "data",
  title: "Get a run of a query",
  description: "How far a run of a query is: status, rows so far, duration and error.",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({ run_id: z.int().describe("As run or create_query told it") }),
  output: runShape,

  async run({ run_id }, { runs, queries, caller }) {
    const run = await runs.require(caller, run_id);
    const view = await queries.view(caller, await queries.require(caller, run.queryId));
    return runOf(visibleRun(run, view));
  },
});
