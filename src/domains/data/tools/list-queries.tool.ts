import { z } from "zod";
import { defineTool } from "../define.ts";
import { runOf, runShape, visibleRun } from "../queries.ts";
import { refreshOf, refreshShape } from "../runs/query-refresh.ts";

/** The queries and how their last runs went. */
export const listQueries = defineTool({
  name: "list_queries",
  toolset: "data",
  title: "List queries",
  description: "The queries of this workspace with their datasource, dataset and last run.",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({
    query: z.string().max(200).optional().describe("Part of a name"),
    datasource_id: z.int().optional().describe("Only those on this datasource"),
    limit: z.int().min(1).max(200).default(50),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    total: z.int(),
    queries: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        datasource_id: z.int(),
        dataset_id: z.int().nullable(),
        last_run: runShape.nullable(),
        refresh: refreshShape.nullable().describe("When it runs by itself"),
      }),
    ),
  }),

  async run(
    { query, datasource_id: datasourceId, limit, offset },
    { queries, queriesStore, runs, refresh, caller },
  ) {
    const { total, items } = await queriesStore.list(caller.workspace.id, {
      query,
      datasourceId,
      limit,
      offset,
    });
    const [last, views, next] = await Promise.all([
      runs.lastOf(items.map(({ id }) => id)),
      queries.views(caller, items),
      refresh.nextOf(items),
    ]);
    return {
      total,
      queries: items.map((item) => {
        const { id, name, datasourceId, datasetId } = item;
        const [run, view] = [last.get(id), views.get(id)];
        return {
          id,
          name,
          datasource_id: datasourceId,
          dataset_id: datasetId,
          last_run: run && view ? runOf(visibleRun(run, view)) : null,
          refresh: refreshOf(item, next.get(id), view),
        };
      }),
    };
  },
});
