import { AppError } from "../../kernel/errors.ts";
import type { AssetKind } from "../../registry/asset-kind.ts";
import type { Data } from "./data.ts";
import type { DatasetsStore } from "./datasets.store.ts";
import { restrictionFor } from "./policies.ts";

/** Datasets, as tools that span slices see them. */
export function datasetKind(data: Data, datasets: DatasetsStore): AssetKind {
  return {
    name: "dataset",
    can: async ({ workspace, permissions }, id, verb) =>
      permissions.includes(`bi:${verb}`) && (await datasets.find(workspace.id, id)) !== undefined,

    async describe(caller, id) {
      const dataset = await data.require(caller, id);
      const { columns } = restrictionFor(caller, dataset);
      return {
        id,
        name: dataset.name,
        description: dataset.description,
        columns,
        rows: dataset.rowCount,
        bytes: dataset.bytes,
        version: dataset.version,
        source: dataset.source,
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

    async delete({ workspace }, id) {
      await datasets.remove(workspace.id, id);
    },

    async restore({ workspace }, id) {
      if (await datasets.restore(workspace.id, id)) return;
      throw new AppError("not_found", `There is no deleted dataset with id ${id}.`);
    },
  };
}
