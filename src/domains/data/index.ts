import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Clock } from "../../kernel/clock.ts";
import { type Analytics, openAnalytics } from "../../platform/analytics/index.ts";
import { type FolderBlobStore, openFolderBlobs } from "../../platform/blobs/index.ts";
import type { Catalog } from "../../platform/catalog/index.ts";
import type { GuardedFetch } from "../../platform/guarded-fetch/index.ts";
import type { Jobs } from "../../platform/jobs/index.ts";
import { accountOf } from "../../platform/sandbox/index.ts";
import { sweepLeftovers } from "../../platform/temp/index.ts";
import type { Vault } from "../../platform/vault/index.ts";
import { AssetKinds } from "../../registry/asset-kind.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Slice } from "../../registry/registry.ts";
import type { JobOwner } from "../identity/index.ts";
import type { StorageClaim } from "./append-at-once.ts";
import { Compaction } from "./compaction.job.ts";
import { createNetwork } from "./connectors/index.ts";
import { Data } from "./data.ts";
import { datasetKind } from "./dataset-kind.ts";
import { DatasetsStore } from "./datasets.store.ts";
import { datasourceKind } from "./datasource-kind.ts";
import { DatasourcesStore } from "./datasources.store.ts";
import { Datasources } from "./datasources.ts";
import type { DataServices } from "./define.ts";
import { openFileImports } from "./files/index.ts";
import { QueriesStore } from "./queries.store.ts";
import { Queries } from "./queries.ts";
import { queryKind } from "./query-kind.ts";
import { csvDescriber } from "./runs/describe-csv.ts";
import { QueryRunsStore } from "./runs/query-runs.store.ts";
import { QueryRuns } from "./runs/query-runs.ts";
import { browseDatasource } from "./tools/browse-datasource.tool.ts";
import { cancelQueryRun } from "./tools/cancel-query-run.tool.ts";
import { createDatasource } from "./tools/create-datasource.tool.ts";
import { createQuery } from "./tools/create-query.tool.ts";
import { deleteAsset } from "./tools/delete-asset.tool.ts";
import { exportData } from "./tools/export-data.tool.ts";
import { getData } from "./tools/get-data.tool.ts";
import { getDetails } from "./tools/get-details.tool.ts";
import { getQueryRun } from "./tools/get-query-run.tool.ts";
import { importFile } from "./tools/import-file.tool.ts";
import { listDatasets } from "./tools/list-datasets.tool.ts";
import { listDatasources } from "./tools/list-datasources.tool.ts";
import { listQueries } from "./tools/list-queries.tool.ts";
import { pushData } from "./tools/push-data.tool.ts";
import { restoreAsset } from "./tools/restore-asset.tool.ts";
import { run } from "./tools/run.tool.ts";
import { setDatasetPolicies } from "./tools/set-dataset-policies.tool.ts";

export type { StorageClaim } from "./append-at-once.ts";
export { assertName, type Data } from "./data.ts";
export { DATASET_CHANGED, datasetChanged, QUERY_RUN_ENDED, queryRunEnded } from "./data-events.ts";
export type { Column, Dataset, DatasetPolicy } from "./dataset.ts";
export type { DatasetsStore } from "./datasets.store.ts";
export type { DataServices } from "./define.ts";
export { textOf } from "./export.ts";
export type { FileOptions, ImportedFile, ImportProgress } from "./files/index.ts";
export { restrictionFor } from "./policies.ts";
export { replaceRows } from "./replace-rows.ts";
export { allParts, datasetsWith, sampleOfParts } from "./stored-parts.ts";

export interface DataSlice {
  services: DataServices;
  /** The engine, for slices that stand on this one; rows come from `Data.relation` all the same. */
  analytics: Analytics;
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface DataParts {
  home: string;
  catalog: Catalog;
  claim?: StorageClaim;
  fetch: GuardedFetch;
  /** What the slice does in the background is defined here; whoever starts and stops it is the composer. */
  jobs: Jobs;
  vault: Vault;
  /** The caller that a job acts for, with the power its owner has now. */
  callerFor(owner: JobOwner): Promise<Caller>;
  /** Private addresses that datasources may have. */
  allowPrivate: readonly string[];
  /** Folders below which SQLite and DuckDB files may lie. */
  fileFolders: readonly string[];
  clock: Clock;
  log: Logger;
}

/** The files of a home. The engine's processes read parts, and can write none. */
export function openBlobs(home: string): Promise<FolderBlobStore> {
  const readerGid = accountOf("engine", 0)?.gid;
  return openFolderBlobs({ folder: join(home, "blobs"), ...(readerGid !== undefined && { readerGid }) });
}

/** Opens what the slice keeps in the data folder. The engine's processes start when they are first needed. */
export async function openData(parts: DataParts): Promise<DataSlice> {
  const { home, catalog, claim, fetch, jobs, clock, log } = parts;
  const blobs = await openBlobs(home);
  const analytics = await openAnalytics({ blobs, tempFolder: join(home, "engine"), log });
  const imports = await openFileImports({ analytics, blobs, fetch, tempFolder: join(home, "imports"), log });
  const datasets = new DatasetsStore(catalog, clock, claim);
  const compaction = new Compaction({ datasets, jobs, log });
  const data = new Data({ datasets, analytics, blobs, clock, onPush: (dataset) => compaction.note(dataset) });
  compaction.begin(data);
  const asked = await openQueries(parts, { data, datasets, analytics, blobs });
  const { datasources, datasourcesStore, queries, queriesStore, runs } = asked;
  const assets = new AssetKinds()
    .add(datasetKind(data, datasets))
    .add(datasourceKind(datasources, datasourcesStore, queriesStore))
    .add(queryKind({ queries, queriesStore, datasourcesStore, datasets, runs }));
  return {
    services: { data, datasets, imports, assets, ...asked },
    analytics,
    async sweep() {
      const sweeps = [
        () => data.sweep(),
        () => datasourcesStore.forget(),
        () => runs.sweep(),
        () => compaction.sweep(),
      ];
      // What one of them meets does not keep the others from their work.
      for (const sweep of sweeps)
        await sweep().catch((error) => log.warn({ err: error }, "sweep failed; trying again later"));
    },
    async close() {
      await imports.close();
      await analytics.close();
    },
  };
}

type Asked = Pick<DataServices, "datasources" | "datasourcesStore" | "queries" | "queriesStore" | "runs">;

/** Datasources, the queries on them and their runs. */
async function openQueries(
  { home, catalog, fetch, jobs, vault, callerFor, allowPrivate, fileFolders, clock, log }: DataParts,
  { data, datasets, analytics, blobs }: Pick<DataServices, "data" | "datasets"> & Engines,
): Promise<Asked> {
  const tempFolder = await ownFolder(join(home, "runs"));
  const sandboxFolder = await ownFolder(join(home, "connectors"));
  const datasourcesStore = new DatasourcesStore(catalog, vault, clock);
  const newPartKey = () => data.newPartKey();
  const describeCsv = csvDescriber({ analytics, blobs, newPartKey });
  const network = createNetwork({ allow: allowPrivate });
  const options = { fetch, network, fileFolders, sandboxFolder, describeCsv, log };
  const datasources = new Datasources(datasourcesStore, options);
  const queriesStore = new QueriesStore(catalog, clock);
  const runsStore = new QueryRunsStore(catalog, clock);
  const execution = { datasources, analytics, blobs, clock, tempFolder, newPartKey };
  const runs = new QueryRuns({
    store: runsStore,
    queries: queriesStore,
    data,
    jobs,
    execution,
    callerFor,
    log,
  });
  const queries = new Queries({ store: queriesStore, datasources, datasets });
  return { datasources, datasourcesStore, queries, queriesStore, runs };
}

interface Engines {
  analytics: Analytics;
  blobs: FolderBlobStore;
}

/** A folder for temporary files: what a killed process left there is gone. */
async function ownFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  // Sandboxed processes step through it to theirs, without being able to see what else is there.
  await chmod(path, 0o711);
  await sweepLeftovers(path);
  return path;
}

export function dataSlice(services: DataServices): Slice<DataServices> {
  return {
    services,
    tools: [
      listDatasets,
      getData,
      pushData,
      importFile,
      getDetails,
      exportData,
      deleteAsset,
      restoreAsset,
      setDatasetPolicies,
      createDatasource,
      listDatasources,
      browseDatasource,
      createQuery,
      listQueries,
      run,
      getQueryRun,
      cancelQueryRun,
    ],
  };
}
