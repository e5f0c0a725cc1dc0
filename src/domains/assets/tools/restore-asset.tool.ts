import { z } from "zod";
import { defineTool } from "../define.ts";

/** Undo for delete_asset and import_file. */
export const restoreAsset = defineTool({
  name: "restore_asset",
  toolset: "data",
  title: "Restore an asset",
  description:
    "Brings back an asset deleted in the last 30 days, or the rows a dataset had in an earlier version.",
  permission: "bi:write",
  effect: "destroy",
  input: (assets) =>
    z.strictObject({
      asset_type: z.string().describe(assets.listed("restore")),
      asset_id: z.int(),
      version: z.int().optional().describe("See get_details"),
    }),
  // What else became of a version is told as import_file tells it; its schema would cost every client 100 tokens.
  output: z.looseObject({ restored: z.literal(true), asset_type: z.string(), asset_id: z.int() }),

  async run({ asset_type, asset_id, version }, { assets, caller }) {
    if (version !== undefined) {
      const kind = assets.require(asset_type, "restoreVersion");
      const became = await kind.restoreVersion(caller, asset_id, version);
      return { restored: true as const, asset_type, asset_id, ...became };
    }
    await assets.require(asset_type, "restore").restore(caller, asset_id);
    return { restored: true as const, asset_type, asset_id };
  },
});
