import { join } from "node:path";
import type { Logger } from "pino";
import type { Clock } from "../../kernel/clock.ts";
import { openAnalytics } from "../../platform/analytics/index.ts";
import { openFolderBlobs } from "../../platform/blobs/index.ts";
import type { Catalog } from "../../platform/catalog/index.ts";
import type { GuardedFetch } from "../../platform/guarded-fetch/index.ts";
import { AssetKinds } from "../../registry/asset-kind.ts";
import type { Slice } from "../../registry/registry.ts";
import { Data } from "./data.ts";
import { datasetKind } from "./dataset-kind.ts";
import { DatasetsStore } from "./datasets.store.ts";
import type { DataServices } from "./define.ts";
import { openFileImports } from "./files/index.ts";
import { deleteAsset } from "./tools/delete-asset.tool.ts";
import { exportData } from "./tools/export-data.tool.ts";
import { getData } from "./tools/get-data.tool.ts";
import { getDetails } from "./tools/get-details.tool.ts";
import { importFile } from "./tools/import-file.tool.ts";
import { listDatasets } from "./tools/list-datasets.tool.ts";
import { pushData } from "./tools/push-data.tool.ts";
import { restoreAsset } from "./tools/restore-asset.tool.ts";
import { setDatasetPolicies } from "./tools/set-dataset-policies.tool.ts";

export type { DataServices } from "./define.ts";

export interface DataSlice {
  services: DataServices;
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** The gid under which the engine's processes read parts; they can write none. */
const ENGINE_GID = 65_531;

/** Opens what the slice keeps in the data folder. The engine's processes start when they are first needed. */
export async function openData(parts: {
  home: string;
  catalog: Catalog;
  fetch: GuardedFetch;
  clock: Clock;
  log: Logger;
}): Promise<DataSlice> {
  const { home, catalog, fetch, clock, log } = parts;
  const isRoot = process.getuid?.() === 0;
  const blobs = await openFolderBlobs({
    folder: join(home, "blobs"),
    ...(isRoot && { readerGid: ENGINE_GID }),
  });
  const analytics = await openAnalytics({ blobs, tempFolder: join(home, "engine"), log });
  const imports = await openFileImports({ analytics, blobs, fetch, tempFolder: join(home, "imports"), log });
  const datasets = new DatasetsStore(catalog, clock);
  const data = new Data({ datasets, analytics, blobs, clock });
  const assets = new AssetKinds().add(datasetKind(data, datasets));
  return {
    services: { data, datasets, imports, assets },
    sweep: () => data.sweep(),
    async close() {
      await imports.close();
      await analytics.close();
    },
  };
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
    ],
  };
}
