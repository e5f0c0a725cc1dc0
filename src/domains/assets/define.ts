import type { AssetKinds } from "../../registry/asset-kind.ts";
import { resourcesOf } from "../../registry/define-resource.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { AuditSink } from "../../registry/ports.ts";
import type { Data } from "../data/index.ts";
import type { AssetSearch } from "./asset-search.ts";
import type { StoredExports } from "./stored-exports.ts";

/** What the tools of this slice work with. */
export interface AssetsServices {
  /** Everything that these tools can be asked for, of whatever slice. */
  assets: AssetKinds;
  /** Writes Parquet files. */
  data: Pick<Data, "require" | "tableView" | "withParquet" | "exportParquet">;
  /** Keeps files that are too large for an answer. */
  exports: StoredExports;
  /** Whether files of the contract have formulas made harmless. */
  escapeFormulas: boolean;
  search: AssetSearch;
  audit: Pick<AuditSink, "record">;
}

export const defineTool = toolsOf<AssetsServices>();
export const defineResource = resourcesOf<AssetsServices>();
