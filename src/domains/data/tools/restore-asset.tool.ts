import { z } from "zod";
import { defineTool } from "../define.ts";

/** Undo for delete_asset. */
export const restoreAsset = defineTool({
  name: "restore_asset",
  toolset: "data",
  title: "Restore an asset",
  description: "Brings back an asset that was deleted in the last 30 days.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({
    asset_type: z.string().describe("dataset, query, datasource or semantic_model"),
    asset_id: z.int(),
  }),
  output: z.object({ restored: z.literal(true), asset_type: z.string(), asset_id: z.int() }),

  async run({ asset_type, asset_id }, { assets, caller }) {
    await assets.require(asset_type, "restore").restore(caller, asset_id);
    return { restored: true as const, asset_type, asset_id };
  },
});
