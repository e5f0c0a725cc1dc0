import { z } from "zod";
import type { ReceivedFiles } from "../../platform/files/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { Identity } from "../identity/index.ts";
import type { Data } from "./data.ts";
import { type Dataset, isLiveDataset } from "./dataset.ts";
import type { DatasetsStore } from "./datasets.store.ts";
import type { Datasource, DatasourcesStore } from "./datasources.store.ts";
import type { Datasources } from "./datasources.ts";
import type { FileImports } from "./files/index.ts";
import type { LiveDatasets } from "./live/live-datasets.ts";
import { restrictionFor } from "./policies.ts";
import type { QueriesStore } from "./queries.store.ts";
import type { Queries } from "./queries.ts";
import type { QueryRefresh } from "./runs/query-refresh.ts";
import type { QueryRuns } from "./runs/query-runs.ts";

/** Services that the tools of this slice work with. */
export interface DataServices {
  data: Data;
  datasets: DatasetsStore;
  imports: FileImports;
  received: ReceivedFiles;
  datasources: Datasources;
  datasourcesStore: DatasourcesStore;
  queries: Queries;
  queriesStore: QueriesStore;
  runs: QueryRuns;
  refresh: QueryRefresh;
  live: LiveDatasets;
  /** Who is in a workspace, and what each may do. */
  members: Pick<Identity["users"], "list"> & Pick<Identity, "callerFor">;
}

export const defineTool = toolsOf<DataServices>();

export const columnShape = z.object({ name: z.string(), type: z.string() });

/** Access levels for querying a datasource, beside admins. */
export const QUERY_ACCESS = ["contributors", "groups", "admins"] as const;

/** The same, as tools tell of it. */
export function accessOf({ queryGroups }: Pick<Datasource, "queryGroups">) {
  const query_access: (typeof QUERY_ACCESS)[number] =
    queryGroups === null ? "contributors" : queryGroups.length === 0 ? "admins" : "groups";
  return { query_access, groups: [...(queryGroups ?? [])] };
}

/** A dataset after a change, as the tools that change one report it. */
export const changedDataset = z.object({
  dataset_id: z.int(),
  dataset_name: z.string(),
  version: z.int(),
  total_rows: z.int().nullable().describe("Null where policies keep some from you"),
  columns: z.array(columnShape),
});

/** The answer of such a tool, as far as the dataset's policies let this caller know it. */
export function changeOf(caller: Caller, dataset: Dataset): z.output<typeof changedDataset> {
  const { columns, condition } = restrictionFor(caller, dataset);
  return {
    dataset_id: dataset.id,
    dataset_name: dataset.name,
    version: dataset.version,
    total_rows: condition === null && !isLiveDataset(dataset) ? dataset.rowCount : null,
    columns: [...columns],
  };
}
