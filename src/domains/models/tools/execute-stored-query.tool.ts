import { z } from "zod";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { compactRows } from "../../../registry/compact-content.ts";
import { defineTool, queryParams, queryResult, resultOf } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** What the contract gives it. */
const given = {
  storedQueryId: z
    .string()
    .min(1)
    .max(100)
    .describe("The stored query ID returned by a previous execute_query call"),
  params: queryParams
    .optional()
    .describe("Override parameter values; if omitted, the original stored params are used"),
};

/** A query once more, under the rights of whoever asks now and on the model as it is now. */
export const executeStoredQuery = defineTool({
  name: "execute_stored_query",
  toolset: "models",
  wire: {
    models: {
      name: "execute_stored_query",
      input: z.strictObject(given),
      adapt: (args: z.output<z.ZodObject<typeof given>>) => ({ ...args, limit: LIMITS.models.queryRows }),
    },
  },
  title: "Execute stored query",
  description:
    "Run a stored query again by its id, as returned by execute_query. Other parameter values can be given; without them the stored ones are used. Same result and limits as execute_query.",
  permission: "ontologies:read",
  effect: "read",
  within: ["models"],
  timeoutMs: LIMITS.models.queryMs + 35_000,
  input: z.strictObject({
    ...given,
    limit: z.int().min(1).max(LIMITS.models.queryRows).default(LIMITS.models.shownRows),
  }),
  output: queryResult,
  compact: compactRows,

  async run({ storedQueryId, params, limit }, { models, storedQueries, caller, meta, signal }) {
    const stored = await storedQueries.require(caller, storedQueryId);
    const model = await models.requirePublished(caller, { id: stored.modelId });
    const options = { sql: stored.sql, params: params ?? stored.params, signal, rows: limit };
    const query = models.query(caller, model, options).catch((error: unknown) => {
      throw stored.ownerId === caller.user.id ? error : untold(error);
    });
    return resultOf(await query, meta);
  },
});

/** What is wrong with another's query would tell how it was written, and of which columns that are hidden. */
function untold(error: unknown): unknown {
  if (!isAppError(error) || !["bad_request", "not_found", "forbidden"].includes(error.code)) return error;
  return new AppError(error.code, "This query of somebody else's cannot be run on what you may see.", {
    hint: "Ask whoever wrote it, or write one of your own with {tool:execute_query}.",
    cause: error,
  });
}
