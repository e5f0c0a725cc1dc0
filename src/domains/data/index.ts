import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { LiveTable } from "../../platform/analytics/index.ts";
import type { ValuesOf } from "../../platform/settings/index.ts";
import { sweepLeftovers } from "../../platform/temp/index.ts";
import type { Engines, OpenSlice, SliceSpec } from "../../registry/slice.ts";
import type { Identity, JobOwner } from "../identity/index.ts";
import { Compaction } from "./compaction.job.ts";
import { createNetwork } from "./connectors/index.ts";
import { Data } from "./data.ts";
import type { Dataset } from "./dataset.ts";
import { DatasetsStore } from "./datasets.store.ts";
import { DatasourcesStore } from "./datasources.store.ts";
import { Datasources } from "./datasources.ts";
import type { DataServices } from "./define.ts";
import { openFileImports } from "./files/index.ts";
import { datasetKind, datasourceKind, queryKind } from "./kinds.ts";
import { LiveDatasets } from "./live/live-datasets.ts";
import { PushesStore } from "./pushes.store.ts";
import { QueriesStore } from "./queries.store.ts";
import { Queries } from "./queries.ts";
import { QueryRefresh } from "./runs/query-refresh.ts";
import { QueryRunsStore } from "./runs/query-runs.store.ts";
import { QueryRuns } from "./runs/query-runs.ts";
import { csvSniffer } from "./runs/spool.ts";
import type { DATA_SETTINGS } from "./settings.ts";
import { browseDatasource } from "./tools/browse-datasource.tool.ts";
import { cancelQueryRun } from "./tools/cancel-query-run.tool.ts";
import { createDatasource } from "./tools/create-datasource.tool.ts";
import { createLiveDataset } from "./tools/create-live-dataset.tool.ts";
import { createQuery } from "./tools/create-query.tool.ts";
import { getQueryRun } from "./tools/get-query-run.tool.ts";
import { importFile } from "./tools/import-file.tool.ts";
import { listDatasets } from "./tools/list-datasets.tool.ts";
import { listDatasources } from "./tools/list-datasources.tool.ts";
import { listQueries } from "./tools/list-queries.tool.ts";
import { previewFile } from "./tools/preview-file.tool.ts";
import { previewPolicies } from "./tools/preview-policies.tool.ts";
import { pushData } from "./tools/push-data.tool.ts";
import { setColumnAggregates } from "./tools/set-column-aggregates.tool.ts";
import { setDatasetPolicies } from "./tools/set-dataset-policies.tool.ts";
import { setDatasourceAccess } from "./tools/set-datasource-access.tool.ts";
import { setRefresh } from "./tools/set-refresh.tool.ts";

export {
  columnsOf,
  parametersOf,
  parse,
  parseCondition,
  print,
  printExpression,
  rowCondition,
} from "./c9ql/index.ts";
export type { Data } from "./data.ts";
export { DATASET_CHANGED, datasetChanged, QUERY_RUN_ENDED, queryRunEnded } from "./data-events.ts";
export {
  aggregateOf,
  asOf,
  assertName,
  type Column,
  type Dataset,
  type DatasetPolicy,
  isLiveDataset,
  rowsVersion,
} from "./dataset.ts";
export type { DatasetsStore } from "./datasets.store.ts";
export type { Datasource } from "./datasources.store.ts";
export { columnShape, type DataServices } from "./define.ts";
export { type ExportedFile, exportText, textOf, wholeParquet } from "./export.ts";
export type { FileOptions, ImportedFile } from "./files/index.ts";
export { allParts, checkableParts, datasetsWith, sampleOfParts, sha256Of } from "./parts.ts";
export { assertBoundsKnown, restrictionFor } from "./policies.ts";
export { isWhole, visibleRun } from "./queries.ts";
export { replaceRows } from "./replace-rows.ts";
export {
  between,
  both,
  call,
  column,
  compare,
  constant,
  countRows,
  dateToken,
  descending,
  either,
  filtersToQuery,
  following,
  ifElse,
  isNotNull,
  isNull,
  isOneOf,
  like,
  type RowQuery,
  type RowValue,
  resultColumns,
  rowQuery,
  selected,
  sumOverGroups,
  truncated,
} from "./row-query.ts";

type Settings = ValuesOf<typeof DATA_SETTINGS>;

/** The engine's processes start when they are first needed. */
async function openData(
  engines: Engines,
  { identity }: { identity: Pick<Identity, "callerFor" | "users"> },
  settings: Settings,
): Promise<OpenSlice<DataServices>> {
  const { home, catalog, claim, fetch, jobs, blobs, received, analytics, clock, log } = engines;
  const imports = await openFileImports({ analytics, blobs, fetch, tempFolder: join(home, "imports"), log });
  const datasets = new DatasetsStore(catalog, clock, claim);
  const compaction = new Compaction({ datasets, jobs, log });
  const onDamage = (blobKey: string) => log.error({ blobKey }, "a file of a dataset is not what was written");
  const pushes = new PushesStore(catalog, clock);
  const onPush = (dataset: Dataset) => compaction.note(dataset);
  // Live datasets are asked for by nobody before all is open.
  const liveTable = (dataset: Dataset): Promise<LiveTable> => asked.live.tableOf(dataset);
  const data = new Data({ datasets, analytics, blobs, clock, pushes, liveTable, onDamage, onPush });
  compaction.begin(data);
  const callerFor = (owner: JobOwner) => identity.callerFor(owner);
  const asked = await openQueries(engines, { data, datasets, callerFor }, settings);
  const { datasourcesStore, runs } = asked;
  const sweep = async (signal?: AbortSignal) => {
    const sweeps = [
      () => data.sweep(signal),
      () => datasourcesStore.forget(),
      () => runs.sweep(),
      () => compaction.sweep(),
    ];
    // One sweep's failure does not keep the others from running.
    for (const one of sweeps)
      await one().catch((error) => log.warn({ err: error }, "sweep failed; trying again later"));
  };
  const members = { list: identity.users.list, callerFor };
  const services = { data, datasets, imports, received, members, ...asked };
  return {
    services,
    start: sweep,
    hasContent: (workspaceId) => datasets.hasAny(workspaceId),
    sweep: () => sweep(),
    close: () => imports.close(),
  };
}

type DatasourceServices = Pick<
  DataServices,
  "datasources" | "datasourcesStore" | "queries" | "queriesStore" | "runs" | "refresh" | "live"
>;

/** Datasources, the queries on them and their runs. */
async function openQueries(
  { home, catalog, fetch, jobs, schedules, vault, allowPrivate, analytics, blobs, clock, log }: Engines,
  {
    data,
    datasets,
    callerFor,
  }: Pick<DataServices, "data" | "datasets"> & { callerFor: Identity["callerFor"] },
  { storage: { fileFolders } }: Settings,
): Promise<DatasourceServices> {
  const tempFolder = await ownFolder(join(home, "runs"));
  const sandboxFolder = await ownFolder(join(home, "connectors"));
  const datasourcesStore = new DatasourcesStore(catalog, vault, clock);
  const newPartKey = () => data.newPartKey();
  const sniffCsv = csvSniffer({ analytics, blobs, newPartKey });
  const network = createNetwork({ allow: allowPrivate });
  const options = { fetch, network, fileFolders, sandboxFolder, sniffCsv, log };
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
  const refresh = new QueryRefresh({
    store: queriesStore,
    datasources,
    runs,
    jobs,
    schedules,
    callerFor,
    log,
  });
  const live = new LiveDatasets({ datasources, store: datasourcesStore, datasets });
  return { datasources, datasourcesStore, queries, queriesStore, runs, refresh, live };
}

/** A folder for temporary files: what a killed process left there is gone. */
async function ownFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  // Sandboxed processes step through it to theirs, without being able to see what else is there.
  await chmod(path, 0o711);
  await sweepLeftovers(path);
  return path;
}

export const dataSlice: SliceSpec<
  "data",
  DataServices,
  { identity: Pick<Identity, "callerFor" | "users"> },
  Settings
> = {
  name: "data",
  open: openData,
  tools: [
    listDatasets,
    pushData,
    importFile,
    setDatasetPolicies,
    previewPolicies,
    previewFile,
    setColumnAggregates,
    setDatasourceAccess,
    createDatasource,
    listDatasources,
    browseDatasource,
    createLiveDataset,
    createQuery,
    listQueries,
    getQueryRun,
    cancelQueryRun,
    setRefresh,
  ],
  assetKinds: [datasetKind, queryKind, datasourceKind],
};
