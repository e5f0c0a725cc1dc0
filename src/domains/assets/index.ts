import type { ValuesOf } from "../../platform/settings/index.ts";
import type { SliceSpec } from "../../registry/slice.ts";
import type { DataServices } from "../data/index.ts";
import type { Identity } from "../identity/index.ts";
import type { IDENTITY_SETTINGS } from "../identity/settings.ts";
import { AssetSearch } from "./asset-search.ts";
import type { AssetsServices } from "./define.ts";
import { exportResource } from "./export.resource.ts";
import type { ASSETS_SETTINGS } from "./settings.ts";
import { StoredExports } from "./stored-exports.ts";
import { deleteAsset } from "./tools/delete-asset.tool.ts";
import { exportData } from "./tools/export-data.tool.ts";
import { fetch } from "./tools/fetch.tool.ts";
import { getData } from "./tools/get-data.tool.ts";
import { getDetails } from "./tools/get-details.tool.ts";
import { restoreAsset } from "./tools/restore-asset.tool.ts";
import { run } from "./tools/run.tool.ts";
import { search } from "./tools/search.tool.ts";
import { searchAssets } from "./tools/search-assets.tool.ts";

export type { AssetsServices } from "./define.ts";

/** What spans slices. It knows assets by their kinds only, so it needs no change when a slice brings more of them. */
export const assetsSlice: SliceSpec<
  "assets",
  AssetsServices,
  { data: Pick<DataServices, "data">; identity: Pick<Identity, "authorizer" | "limiter" | "audit"> },
  ValuesOf<typeof ASSETS_SETTINGS & typeof IDENTITY_SETTINGS>
> = {
  name: "assets",
  open(
    { registry, admission, retrieval, embeddings, blobs, vault, clock, appUrl, log },
    { data: { data }, identity: { authorizer, limiter, audit } },
    { exports: { escapeFormulas }, storage },
  ) {
    const { assets } = registry;
    const auditsValues = storage.auditArguments === "values";
    const ports = { admission, authorizer, limiter, audit, log, auditsValues };
    const search = new AssetSearch({ assets, retrieval, embeddings, log });
    const exports = new StoredExports({ blobs, vault, clock, appUrl });
    return {
      services: { assets, data, search, exports, escapeFormulas, audit, registry, ports, appUrl },
      sweep: () => exports.sweep(),
    };
  },
  resources: [exportResource],
  tools: [search, fetch, getData, getDetails, searchAssets, exportData, deleteAsset, restoreAsset, run],
};
