import { z } from "zod";
import { isLiveDataset } from "../dataset.ts";
import { columnShape, defineTool } from "../define.ts";
import { restrictionFor } from "../policies.ts";

/** Where work with data begins: what is there, and what its columns are called. */
export const listDatasets = defineTool({
  name: "list_datasets",
  toolset: "data",
  title: "List datasets",
  description:
    "The datasets of this workspace with their numbers of rows. Filter by part of a name; get_details tells the columns of one.",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({
    query: z.string().max(200).optional().describe("Part of a name"),
    deleted: z.boolean().default(false).describe("Those that restore_asset brings back"),
    columns: z.boolean().default(false).describe("With the columns of each"),
    limit: z.int().min(1).max(200).default(50),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    total: z.int(),
    datasets: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        description: z.string().nullable(),
        rows: z.int().nullable().describe("Null where policies keep some from you, or it is live"),
        columns: z.array(columnShape).optional(),
        refreshed_at: z.string(),
      }),
    ),
  }),

  async run({ query, deleted, columns: withColumns, limit, offset }, { datasets, caller }) {
    const filter = { limit, offset, isDeleted: deleted, ...(query !== undefined && { query }) };
    const { total, items } = await datasets.list(caller.workspace.id, filter);
    return {
      total,
      datasets: items.map((dataset) => {
        const { columns, condition } = restrictionFor(caller, dataset);
        return {
          id: dataset.id,
          name: dataset.name,
          description: dataset.description,
          rows: condition === null && !isLiveDataset(dataset) ? dataset.rowCount : null,
          ...(withColumns && { columns: [...columns] }),
          refreshed_at: dataset.refreshedAt.toISOString(),
        };
      }),
    };
  },
});
