import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";

const { hits: MOST } = LIMITS.search;
const query = z.string().min(1).max(2_000).describe("Search query");
/** Kinds that the contract names; those that there are none of yet are not found, and no mistake. */
const OF_CONTRACT = ["dashboard", "widget", "dataset", "query", "report", "alert"];

/** Finds assets, of whatever kind. */
export const searchAssets = defineTool({
  name: "search_assets",
  toolset: "dashboards",
  wire: {
    bi: {
      name: "knowi_search",
      description: "Search across all assets using keyword or semantic search.",
      input: z.strictObject({
        query,
        assetType: z
          .string()
          .optional()
          .describe(`Filter by type: ${OF_CONTRACT.join(", ")}`),
        limit: z.int().min(1).default(20).describe("Maximum number of results to return"),
      }),
      adapt: ({ query, assetType, limit }: { query: string; assetType?: string; limit: number }) => ({
        query,
        asset_type: assetType,
        // The contract knows no largest limit, and fewer than were asked for are no mistake.
        limit: Math.min(limit, MOST),
      }),
    },
  },
  title: "Search",
  description: "Dashboards, widgets, datasets and queries by words and meaning.",
  permission: "bi:read",
  effect: "read",
  isMetered: true,
  input: (assets) =>
    z.strictObject({
      query: z.string().min(1).max(2_000),
      asset_type: z.string().optional().describe(assets.listed("search")),
      limit: z.int().min(1).max(MOST).default(20),
    }),
  output: z.object({
    message: z.string(),
    results: z.array(z.object({ asset_type: z.string(), id: z.int(), name: z.string(), score: z.number() })),
  }),

  async run({ query, asset_type: type, limit }, { assets, search, caller }) {
    const known = assets.names("search");
    if (type !== undefined && !known.includes(type) && !OF_CONTRACT.includes(type))
      throw new AppError("bad_request", `Assets of type ${type} are not searched.`, {
        hint: `Use one of: ${known.join(", ")}.`,
      });
    const found = await search.search(caller, { query, type, limit });
    return {
      message: `Found ${found.length} ${found.length === 1 ? "asset" : "assets"}`,
      results: found.map(({ type, id, name, score }) => ({
        asset_type: type,
        id,
        name,
        score: Math.round(score * 1_000) / 1_000,
      })),
    };
  },
});
