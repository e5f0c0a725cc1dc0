import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool } from "../define.ts";

const confirm = z.boolean().describe("Must be true to confirm deletion");

/** The only tool that destroys something, and it says so. */
export const deleteAsset = defineTool({
  name: "delete_asset",
  toolset: "data",
  wire: {
    bi: {
      name: "knowi_delete",
      description: "Delete an asset. This is the only tool that performs destructive operations.",
      input: z.strictObject({
        assetType: z.string().describe("Type of asset: dashboard, widget, dataset, report, alert"),
        assetId: z.int().describe("ID of the asset to delete"),
        confirm,
      }),
      adapt: ({ assetType, assetId, confirm }: { assetType: string; assetId: number; confirm: boolean }) => ({
        asset_type: assetType,
        asset_id: assetId,
        confirm,
      }),
    },
  },
  title: "Delete an asset",
  description:
    "Deletes an asset. A datasource that queries use is refused; the dataset of a deleted query stays. All but drafts can be brought back for 30 days with restore_asset.",
  permission: "bi:write",
  effect: "destroy",
  input: (assets) =>
    z.strictObject({ asset_type: z.string().describe(assets.listed("delete")), asset_id: z.int(), confirm }),
  output: z.object({
    deleted: z.literal(true),
    asset_type: z.string(),
    asset_id: z.int(),
    message: z.string(),
  }),

  async run({ asset_type, asset_id, confirm }, { assets, caller, say }) {
    if (!confirm)
      throw new AppError("bad_request", "confirm must be true.", {
        hint: "Ask the person first, then call again.",
      });
    const kind = assets.require(asset_type, "delete");
    await assets.admit(caller, asset_type, asset_id, "write");
    await kind.delete(caller, asset_id);
    const undo =
      kind.restore === undefined
        ? "This cannot be undone."
        : say("{tool:restore_asset} brings it back within 30 days.");
    const message = `The ${asset_type} ${asset_id} is deleted. ${undo}`.trim();
    return { deleted: true as const, asset_type, asset_id, message };
  },
});
