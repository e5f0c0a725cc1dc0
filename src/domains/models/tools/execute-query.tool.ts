import { z } from "zod";
import { LIMITS as ENGINE } from "../../../platform/analytics/limits.ts";
import { compactRows } from "../../../registry/compact-content.ts";
import { defineTool, modelName, queryParams, queryResult, resultOf } from "../define.ts";
import { LIMITS } from "../limits.ts";

const { queryRows, queryMs } = LIMITS.models;

const WHAT =
  'Run a read-only SQL query scoped to a semantic model. The engine is DuckDB: use its SQL. Write bare dataset names (FROM "orders"), no schema or catalog. One SELECT, WITH or EXPLAIN; $1, $2, … stand for params.';

/** What the contract gives it. */
const given = {
  modelName: modelName.describe("The semantic model to query against"),
  sql: z
    .string()
    .max(ENGINE.analytics.sqlCharacters)
    .describe("DuckDB SQL using bare dataset names, with $1, $2, … placeholders"),
  params: queryParams.default([]).describe("Parameter values for positional placeholders"),
  store: z
    .boolean()
    .default(true)
    .describe(
      "When true (default), the query is stored and a storedQueryId comes back, for execute_stored_query",
    ),
};

/** SQL over the views of one model; what it may be is decided by the guard, what it sees by the caller's rights. */
export const executeQuery = defineTool({
  name: "execute_query",
  toolset: "models",
  wire: {
    models: {
      name: "execute_query",
      description: `${WHAT} At most ${queryRows.toLocaleString("en")} rows (truncated: true when there are more) and ${queryMs / 1000} seconds, so aggregate in SQL.`,
      input: z.strictObject(given),
      adapt: (args: z.output<z.ZodObject<typeof given>>) => ({ ...args, limit: queryRows }),
    },
  },
  title: "Execute query",
  description: `${WHAT} At most limit rows (truncated: true when there are more) and ${queryMs / 1000} seconds, so aggregate in SQL.`,
  permission: "ontologies:read",
  effect: "read",
  within: ["models"],
  timeoutMs: queryMs + 35_000,
  input: z.strictObject({
    ...given,
    limit: z.int().min(1).max(queryRows).default(LIMITS.models.shownRows).describe("Rows to return"),
  }),
  output: queryResult.extend({ storedQueryId: z.string().optional() }),
  compact: compactRows,

  async run({ modelName, sql, params, store, limit }, { models, storedQueries, caller, meta, signal }) {
    const model = await models.requirePublished(caller, { name: modelName });
    const answer = await models.query(caller, model, { sql, params, signal, rows: limit });
    const result = resultOf(answer, meta);
    // A token that may change nothing leaves nothing behind either.
    if (!store || caller.token.limits.readOnly) return result;
    const storedQueryId = await storedQueries.keep(caller, { modelId: model.record.id, text: sql, params });
    return { ...result, storedQueryId };
  },
});
