import { z } from "zod";
import { AppError, plainToolNames } from "../../kernel/errors.ts";
import type { AssetKind } from "../../registry/asset-kind.ts";
import type { Caller } from "../../registry/caller.ts";
import { missingStatistics, SampleValues, StatisticsCache } from "./column-statistics.ts";
import { type Dataset, isLiveDataset, knownAggregate } from "./dataset.ts";
import type { DatasetsStore } from "./datasets.store.ts";
import { assertMayQuery, mayQuery, toldOf } from "./datasources.ts";
import { accessOf, type DataServices } from "./define.ts";
import { LIMITS } from "./limits.ts";
import { assertMayDestroy, restrictionFor } from "./policies.ts";
import { isWhole, runOf, runShape, visibleRun, visibleSentence } from "./queries.ts";
import { policyNotes, replacedOf } from "./replace-rows.ts";
import { refreshOf } from "./runs/query-refresh.ts";
import { isActive } from "./runs/query-runs.store.ts";

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
  // What is asked of the database is told to those who may write queries, as that of a query is.
  const isTold = seesAll && (!isLiveDataset(dataset) || caller.permissions.includes("bi:write"));
  const source = isTold ? dataset.source : { kind: dataset.source.kind };
  const sizes = seesAll && !isLiveDataset(dataset) ? { rows: dataset.rowCount, bytes: dataset.bytes } : {};
  if (columns.length === 0) return { columns, ...sizes, source };
  const counted = await statistics.of(caller, dataset).catch((error: unknown) => ({
    columns,
    note: missingStatistics(error),
  }));
  const { note, ...contents } = counted;
  const told = contents.columns.map((column) => ({ ...column, ...knownAggregate(column) }));
  return {
    ...contents,
    columns: told,
    ...sizes,
    ...(note !== undefined && { statistics_note: note }),
    source,
  };
}

/** Datasources, as tools that span slices see them: settings, never secrets. */
export function datasourceKind({
  datasources,
  datasourcesStore: store,
  queriesStore: queries,
}: Pick<DataServices, "datasources" | "datasourcesStore" | "queriesStore">): AssetKind {
  return {
    name: "datasource",
    async can(caller, id, verb) {
      const found = await store.find(caller.workspace.id, id);
      if (found === undefined || !caller.permissions.includes(`bi:${verb}`)) return false;
      return verb === "read" || mayQuery(caller, found);
    },

    async describe(caller, id) {
      const datasource = await datasources.require(caller, id);
      const { name, type, hasSecrets, createdAt } = datasource;
      const filter = { limit: LIMITS.data.listed, offset: 0, datasourceId: id };
      const { items, total } = await queries.list(caller.workspace.id, filter);
      return {
        id,
        name,
        type,
        has_secrets: hasSecrets,
        ...accessOf(datasource),
        ...toldOf(caller, datasource),
        queries: items.map((query) => ({ id: query.id, name: query.name })),
        query_count: total,
        created_at: createdAt.toISOString(),
      };
    },

    delete: ({ workspace }, id) => store.remove(workspace.id, id),
    restore: (caller, id) => store.restore(caller.workspace.id, id, (found) => assertMayQuery(caller, found)),
  };
}

type Parts = Pick<
  DataServices,
  "queries" | "queriesStore" | "datasourcesStore" | "datasets" | "runs" | "refresh"
>;

/** Queries, as tools that span slices see them. */
export function queryKind(parts: Parts): AssetKind {
  const { queries, queriesStore, datasourcesStore, datasets, runs, refresh } = parts;
  return {
    name: "query",
    can: async ({ workspace, permissions }, id, verb) =>
      permissions.includes(`bi:${verb}`) && (await queriesStore.find(workspace.id, id)) !== undefined,

    async describe(caller, id) {
      const query = await queries.require(caller, id);
      const [view, datasource, dataset, latest, next] = await Promise.all([
        queries.view(caller, query),
        datasourcesStore.find(caller.workspace.id, query.datasourceId),
        query.datasetId === null ? undefined : datasets.find(caller.workspace.id, query.datasetId),
        runs.latest(id, LIMITS.queries.shownRuns),
        refresh.nextOf([query]),
      ]);
      const seen = latest.map((run) => visibleRun(run, view));
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
        refresh: refreshOf(query, next.get(id), view),
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
          run: runOf(visibleRun(ended, view)),
          message: visibleSentence(ended, after.name, view),
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
