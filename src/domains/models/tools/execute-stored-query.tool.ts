import { z } from "zod";
import { compactRows } from "../../../registry/compact-content.ts";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { queryParams, queryResult, resultOf } from "../query-result.ts";

/** A query once more, under the rights of whoever asks now and on the model as it is now. */
export const executeStoredQuery = defineTool({
  name: "execute_stored_query",
  toolset: "models",
  wire: { models: "execute_stored_query" },
  title: "Execute stored query",
  description:
    "Run a stored query again by its id, as returned by execute_query. Other parameter values can be given; without them the stored ones are used. Same result and limits as execute_query.",
  permission: "ontologies:read",
  effect: "read",
  within: ["models"],
  timeoutMs: LIMITS.models.queryMs + 35_000,
  input: z.strictObject({
    storedQueryId: z
      .string()
      .min(1)
      .max(100)
      .describe("The stored query ID returned by a previous execute_query call"),
    params: queryParams
      .optional()
      .describe("Override parameter values; if omitted, the original stored params are used"),
  }),
  output: queryResult,
  compact: compactRows,

  async run({ storedQueryId, params }, { models, storedQueries, caller, signal }) {
    const stored = await storedQueries.require(caller, storedQueryId);
    const model = await models.requirePublished(caller, { id: stored.modelId });
    const options = { sql: stored.sql, params: params ?? stored.params, signal };
    return resultOf(await models.query(caller, model, options));
  },
});
