import type { AssetKinds } from "../../registry/asset-kind.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { Data } from "../data/index.ts";
import type { AssetSearch } from "./asset-search.ts";

/** What the tools of this slice work with. */
export interface AssetsServices {
  /** Everything that these tools can be asked for, of whatever slice. */
  assets: AssetKinds;
  /** Writes Parquet files. */
  data: Pick<Data, "exportParquet">;
  search: AssetSearch;
}

export const defineTool = toolsOf<AssetsServices>();
