import { z } from "zod";
import type { AssetKind } from "../../registry/asset-kind.ts";
import { assertMayQuery } from "./datasources.ts";
import type { DataServices } from "./define.ts";
import { LIMITS } from "./limits.ts";
import { seenRun, seenSentence } from "./query-view.ts";
import { isActive } from "./runs/query-runs.store.ts";
import { runOf, runShape } from "./runs/run-shape.ts";

type Parts = Pick<DataServices, "queries" | "queriesStore" | "datasourcesStore" | "datasets" | "runs">;

/** Queries, as tools that span slices see them. */
export function queryKind({ queries, queriesStore, datasourcesStore, datasets, runs }: Parts): AssetKind {
  return {
    name: "query",
    can: async ({ workspace, permissions }, id, verb) =>
      permissions.includes(`bi:${verb}`) && (await queriesStore.find(workspace.id, id)) !== undefined,

    async describe(caller, id) {
      const query = await queries.require(caller, id);
      const [view, datasource, dataset, latest] = await Promise.all([
        queries.view(caller, query),
        datasourcesStore.find(caller.workspace.id, query.datasourceId),
        query.datasetId === null ? undefined : datasets.find(caller.workspace.id, query.datasetId),
        runs.latest(id, LIMITS.queries.shownRuns),
      ]);
      const seen = latest.map((run) => seenRun(run, view));
      const { queryText, c9ql, parameters } = query;
      return {
        id,
        name: query.name,
        datasource: datasource && { id: datasource.id, name: datasource.name, type: datasource.type },
        ...(view.texts && { query: queryText, c9ql, parameters }),
        dataset: dataset && {
          id: dataset.id,
          name: dataset.name,
          version: dataset.version,
          refreshed_at: dataset.refreshedAt.toISOString(),
        },
        last_error: seen[0]?.error ?? null,
        runs: seen.map(runOf),
        created_at: query.createdAt.toISOString(),
      };
    },

    run: {
      answer: {
        query_id: z.int(),
        name: z.string(),
        dataset_id: z.int().nullable(),
        run: runShape,
        message: z.string(),
      },
      async start(caller, id, { waitMs, signal, onRows }) {
        const query = await queries.require(caller, id);
        const before = await queries.view(caller, query);
        const { run: begun } = await runs.start(caller, query);
        const ended = await runs.waitFor(begun, { waitMs, signal, ...(before.rows && { onRows }) });
        const after = await queries.require(caller, id);
        const view = await queries.view(caller, after);
        return {
          query_id: id,
          name: after.name,
          dataset_id: after.datasetId,
          run: runOf(seenRun(ended, view)),
          message: seenSentence(ended, after.name, view),
        };
      },
    },

    /** The dataset that it made stays, as it was last. */
    async delete(caller, id) {
      const { workspace } = caller;
      const { datasourceId } = await queries.require(caller, id);
      const datasource = await datasourcesStore.findAny(workspace.id, datasourceId);
      if (datasource !== undefined) assertMayQuery(caller, datasource);
      // First, so that no run begins after the one that is cancelled.
      await queriesStore.remove(workspace.id, id);
      const [last] = await runs.latest(id, 1);
      if (last !== undefined && isActive(last)) await runs.cancel(last);
    },

    restore: (caller, id) =>
      queriesStore.restore(caller.workspace.id, id, async ({ datasourceId }) => {
        const datasource = await datasourcesStore.findAny(caller.workspace.id, datasourceId);
        if (datasource !== undefined) assertMayQuery(caller, datasource);
      }),

    search: (workspaceId) => queriesStore.searchTexts(workspaceId),
  };
}
