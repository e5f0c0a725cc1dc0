import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import type { ListedQuery } from "../stored-queries.store.ts";

const { listedSqlCharacters, listedParamCharacters } = LIMITS.models;

/** One's own queries, to find again what was asked before. */
export const listStoredQueries = defineTool({
  name: "list_stored_queries",
  toolset: "models",
  title: "List stored queries",
  description:
    "Your stored queries, the last run first: id, model, SQL, parameters and name. An admin can list everyone's.",
  permission: "ontologies:read",
  effect: "read",
  within: ["models"],
  input: z.strictObject({
    named_only: z.boolean().default(false),
    everyone: z.boolean().default(false).describe("Those of all members; for admins"),
    limit: z.int().min(1).max(200).default(20),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    total: z.int(),
    queries: z.array(
      z.object({
        storedQueryId: z.string(),
        name: z.string().nullable(),
        modelName: z.string(),
        sql: z.string(),
        params: z.array(z.string()),
        clipped: z.literal(true).optional().describe("SQL or parameters are longer than shown here"),
        ran_at: z.string(),
      }),
    ),
  }),

  async run({ named_only, everyone, limit, offset }, { storedQueries, caller }) {
    if (everyone && !caller.permissions.includes("admin")) {
      throw new AppError("forbidden", "Only an admin can list the stored queries of everyone.");
    }
    const options = { everyone, namedOnly: named_only, limit, offset };
    const { total, items } = await storedQueries.list(caller, options);
    return {
      total,
      queries: items.map(({ id, name, model, params, ranAt, ...query }) => ({
        storedQueryId: id,
        name,
        modelName: model,
        sql: query.sql,
        params: params.map((value) => clip(value, listedParamCharacters)),
        ...(isLong({ params, ...query }) && { clipped: true as const }),
        ran_at: ranAt.toISOString(),
      })),
    };
  },
});

function isLong({ sqlCharacters, params }: Pick<ListedQuery, "sqlCharacters" | "params">): boolean {
  return sqlCharacters > listedSqlCharacters || params.some(({ length }) => length > listedParamCharacters);
}
