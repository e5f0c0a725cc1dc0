import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import {
  aggregateOf,
  COLUMN_AGGREGATES,
  type Column,
  type ColumnAggregate,
  type Dataset,
} from "../dataset.ts";
import { defineTool } from "../define.ts";
import { assertMayAdd, restrictionFor } from "../policies.ts";

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

  async run({ dataset_id, aggregates }, { data, datasets, caller }) {
    const dataset = await data.require(caller, dataset_id);
    const numbers = restrictionFor(caller, dataset).columns.filter((column) => aggregateOf(column));
    const said = new Map<string, ColumnAggregate>();
    for (const [name, aggregate] of Object.entries(aggregates)) {
      const found = numbers.find((column) => column.name.toLowerCase() === name.toLowerCase());
      if (found === undefined) throw noNumber(name, dataset, numbers);
      said.set(found.name, aggregate);
    }
    // Rows stay what they are, but a caller who may not add to them does not say what they mean.
    const mayChange = (found: Dataset) => assertMayAdd(caller, found, [...said.keys()]);
    const changed = await datasets.setAggregates(caller.workspace.id, dataset_id, said, mayChange);
    const known = restrictionFor(caller, changed).columns.flatMap((column): [string, ColumnAggregate][] => {
      const aggregate = aggregateOf(column);
      return aggregate === undefined ? [] : [[column.name, aggregate]];
    });
    return { dataset_id, aggregates: Object.fromEntries(known) };
  },
});

function noNumber(column: string, { name }: Dataset, numbers: readonly Column[]): AppError {
  return new AppError("bad_request", `${name} has no column of numbers called ${clip(column)}.`, {
    hint: `Its columns of numbers are ${clip(numbers.map((each) => each.name).join(", ") || "none", 500)}.`,
  });
}
