import { z } from "zod";
import { COLUMN_AGGREGATES } from "../dataset.ts";
import { defineTool } from "../define.ts";

/** Whether a column is summed up or averaged is guessed from its name; its author knows better. */
export const setColumnAggregates = defineTool({
  name: "set_column_aggregates",
  toolset: "dashboards",
  title: "Set how columns are put together",
  description:
    "How numbers of a dataset are put together where a chart, an insight or an inferred model does not say it: sum, avg, or none for numbers that only name something, which are counted. get_details shows what holds.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({
    dataset_id: z.int(),
    aggregates: z
      .record(z.string(), z.enum(COLUMN_AGGREGATES))
      .describe("By column; the others stay as they are"),
  }),
  output: z.object({
    dataset_id: z.int(),
    aggregates: z.record(z.string(), z.enum(COLUMN_AGGREGATES)),
  }),

  async run({ dataset_id, aggregates }, { data, caller }) {
    return { dataset_id, aggregates: await data.setAggregates(caller, dataset_id, aggregates) };
  },
});
