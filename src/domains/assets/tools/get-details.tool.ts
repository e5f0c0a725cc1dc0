import { z } from "zod";
import { defineTool } from "../define.ts";

/** One tool for the details of every sort of asset, so that a model need not know where it is kept. */
export const getDetails = defineTool({
  name: "get_details",
  toolset: "data",
  wire: {
    bi: {
      name: "knowi_get_details",
      description: "Get full details for any asset.",
      input: z.strictObject({
        assetType: z
          .string()
          .describe("Type of asset: dashboard, widget, dataset, query, report, alert, datasource"),
        assetId: z.int().describe("ID of the asset"),
      }),
      adapt: ({ assetType, assetId }: { assetType: string; assetId: number }) => ({
        asset_type: assetType,
        asset_id: assetId,
      }),
    },
  },
  title: "Get details",
  description:
    "All that is known about one asset: columns of a dataset (with NULLs, different values, smallest and largest), its freshness and versions, the last runs of a query, the settings of a datasource (never its secrets).",
  permission: "bi:read",
  effect: "read",
  input: (assets) => z.strictObject({ asset_type: z.string().describe(assets.listed()), asset_id: z.int() }),
  output: z.object({ asset_type: z.string(), details: z.record(z.string(), z.unknown()) }),

  async run({ asset_type, asset_id }, { assets, caller }) {
    const kind = await assets.admit(caller, asset_type, asset_id, "read");
    return { asset_type, details: await kind.describe(caller, asset_id) };
  },
});
