import type { Slice } from "../../registry/registry.ts";
import type { AssetsServices } from "./define.ts";
import { deleteAsset } from "./tools/delete-asset.tool.ts";
import { exportData } from "./tools/export-data.tool.ts";
import { getData } from "./tools/get-data.tool.ts";
import { getDetails } from "./tools/get-details.tool.ts";
import { restoreAsset } from "./tools/restore-asset.tool.ts";
import { run } from "./tools/run.tool.ts";

/** What spans slices. It knows assets by their kinds only, so it needs no change when a slice brings more of them. */
export function assetsSlice(services: AssetsServices): Slice<AssetsServices> {
  return { services, tools: [getData, getDetails, exportData, deleteAsset, restoreAsset, run] };
}
