import { AppError } from "../../kernel/errors.ts";
import type { AssetKind } from "../../registry/asset-kind.ts";
import type { Caller } from "../../registry/caller.ts";
import { missingStatistics, StatisticsCache } from "./column-statistics.ts";
import type { Data } from "./data.ts";
import type { Dataset } from "./dataset.ts";
import type { DatasetsStore } from "./datasets.store.ts";
import { restrictionFor } from "./policies.ts";
import { isWhole } from "./query-view.ts";

/** Datasets, as tools that span slices see them. */
export function datasetKind(data: Data, datasets: DatasetsStore): AssetKind {
  const statistics = new StatisticsCache(data);
  return {
    name: "dataset",
    can: async ({ workspace, permissions }, id, verb) =>
      permissions.includes(`bi:${verb}`) && (await datasets.find(workspace.id, id)) !== undefined,

    async describe(caller, id) {
      const dataset = await data.require(caller, id);
      return {
        id,
        name: dataset.name,
        description: dataset.description,
        ...(await contentsFor(caller, dataset, statistics)),
        version: dataset.version,
        created_at: dataset.createdAt.toISOString(),
        refreshed_at: dataset.refreshedAt.toISOString(),
        ...(caller.permissions.includes("admin") && { policies: dataset.policies }),
      };
    },

    async rows(caller, id, { limit, signal }) {
      const { columns, rows, totalRows } = await data.read(caller, await data.require(caller, id), {
        limit,
        signal,
      });
      return { columns, rows, totalRows };
    },

    /** Whoever could delete it and make it anew would be rid of its policies. */
    async delete(caller, id) {
      const { name, policies } = await data.require(caller, id);
      if (policies.length > 0 && !caller.permissions.includes("admin")) {
        throw new AppError("forbidden", `${name} has policies, so only an admin may delete it.`);
      }
      await datasets.remove(caller.workspace.id, id);
    },

    async restore({ workspace }, id) {
      if (await datasets.restore(workspace.id, id)) return;
      throw new AppError("not_found", `There is no deleted dataset with id ${id}.`);
    },
  };
}

/** Columns, sizes and lineage: all of it only as far as this caller may know. */
async function contentsFor(
  caller: Caller,
  dataset: Dataset,
  statistics: StatisticsCache,
): Promise<Record<string, unknown>> {
  const { columns } = restrictionFor(caller, dataset);
  const seesAll = isWhole(caller, dataset);
  // How a file was read names columns, and may name hidden ones.
  const source = seesAll ? dataset.source : { kind: dataset.source.kind };
  const sizes = seesAll ? { rows: dataset.rowCount, bytes: dataset.bytes } : {};
  if (columns.length === 0) return { columns, ...sizes, source };
  const counted = await statistics.of(caller, dataset).catch((error: unknown) => ({
    columns,
    note: missingStatistics(error),
  }));
  const { note, ...contents } = counted;
  return { ...contents, ...sizes, ...(note !== undefined && { statistics_note: note }), source };
}
