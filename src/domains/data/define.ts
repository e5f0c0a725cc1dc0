import { z } from "zod";
import type { AssetKinds } from "../../registry/asset-kind.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { Data } from "./data.ts";
import type { DatasetsStore } from "./datasets.store.ts";
import type { FileImports } from "./files/index.ts";

/** What the tools of this slice work with. */
export interface DataServices {
  data: Data;
  datasets: DatasetsStore;
  imports: FileImports;
  /** Everything that details, deletion and export can be asked for, of whatever slice. */
  assets: AssetKinds;
}

export const defineTool = toolsOf<DataServices>();

export const columnShape = z.object({ name: z.string(), type: z.string() });

/** A dataset after a change, as the tools that change one report it. */
export const changedDataset = z.object({
  dataset_id: z.int(),
  dataset_name: z.string(),
  version: z.int(),
  total_rows: z.int(),
  columns: z.array(columnShape),
});
