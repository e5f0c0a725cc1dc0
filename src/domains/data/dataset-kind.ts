import { AppError, plainToolNames } from "../../kernel/errors.ts";
import type { AssetKind } from "../../registry/asset-kind.ts";
import type { Caller } from "../../registry/caller.ts";
import { missingStatistics, StatisticsCache } from "./column-statistics.ts";
import type { Dataset } from "./dataset.ts";
import type { DatasetsStore } from "./datasets.store.ts";
import type { DataServices } from "./define.ts";
import { LIMITS } from "./limits.ts";
import { assertMayDestroy, restrictionFor } from "./policies.ts";
import { isWhole } from "./query-view.ts";
import { policyNotes, replacedOf } from "./replace-rows.ts";
import { SampleValues } from "./sample-values.ts";

/** Datasets, as tools that span slices see them. */
export function datasetKind({ data, datasets }: Pick<DataServices, "data" | "datasets">): AssetKind {
  const statistics = new StatisticsCache(data);
  const samples = new SampleValues(data);
  return {
    name: "dataset",
    idsFrom: "list_datasets",
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
        ...(mayRestore(caller, dataset) && { versions: await versionsFor(caller, dataset, datasets) }),
        ...(caller.permissions.includes("admin") && { policies: dataset.policies }),
      };
    },

    async rows(caller, id) {
      const dataset = await data.require(caller, id);
      return {
        name: dataset.name,
        hasColumns: dataset.columns.length > 0,
        read: (options) => data.read(caller, dataset, options),
        stream: (options) => data.stream(caller, dataset, options),
        count: (options) => data.count(caller, dataset, options),
      };
    },

    async delete(caller, id) {
      const mayDelete = (found: Dataset) => assertMayDestroy(caller, found, "delete it");
      if (await datasets.remove(caller.workspace.id, id, mayDelete)) return;
      throw new AppError("not_found", `There is no dataset with id ${id}.`);
    },

    async restore(caller, id) {
      const mayRestore = (found: Dataset) => assertMayDestroy(caller, found, "restore it");
      if (await datasets.restore(caller.workspace.id, id, mayRestore)) return;
      throw new AppError("not_found", `There is no deleted dataset with id ${id}.`, {
        hint: "To bring back rows that were replaced, say which version; {tool:get_details} lists them.",
      });
    },

    async search(workspaceId, caller) {
      const all = await datasets.searchable(workspaceId);
      if (caller !== undefined) await samples.fill(caller, all);
      return all.map((dataset) => ({
        id: dataset.id,
        title: dataset.name,
        body: dataset.description ?? "",
        content: [...openColumns(dataset), samples.of(dataset)].join(" "),
      }));
    },

    async restoreVersion(caller, id, version) {
      const { dataset, replaced } = await datasets.restoreVersion(caller.workspace.id, {
        id,
        version,
        userId: caller.user.id,
        mayChange: (found) => assertMayDestroy(caller, found, "restore it"),
      });
      const { condition } = restrictionFor(caller, dataset);
      const notes = policyNotes(dataset);
      return {
        version: dataset.version,
        total_rows: condition === null ? dataset.rowCount : null,
        replaced: replacedOf(caller, replaced, { dataset, say: plainToolNames }),
        ...(notes.length > 0 && { notes }),
      };
    },
  };
}

/** Columns that no policy hides from anybody. */
function openColumns({ columns, policies }: Dataset): string[] {
  const hidden = new Set(policies.flatMap(({ hide = [] }) => hide).map((each) => each.toLowerCase()));
  return columns.map(({ name }) => name).filter((name) => !hidden.has(name.toLowerCase()));
}

/** Only those who may bring rows back have a use for their list. */
function mayRestore({ permissions }: Caller, { policies }: Dataset): boolean {
  return permissions.includes(policies.length > 0 ? "admin" : "bi:write");
}

async function versionsFor(caller: Caller, dataset: Dataset, datasets: DatasetsStore): Promise<object[]> {
  const seesAll = isWhole(caller, dataset);
  const versions = await datasets.versions.list(dataset, LIMITS.data.listedVersions);
  return versions.map(({ version, rowCount, refreshedAt, refreshedBy, replacedAt, replacedBy }) => ({
    version,
    rows: seesAll ? rowCount : null,
    refreshed_at: refreshedAt.toISOString(),
    refreshed_by: refreshedBy,
    ...(replacedAt !== null && { replaced_at: replacedAt.toISOString(), replaced_by: replacedBy }),
  }));
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
