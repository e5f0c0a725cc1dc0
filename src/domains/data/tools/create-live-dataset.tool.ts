import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { columnShape, defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** A dataset without a copy, for whoever wants less than all tables, or a SELECT of the database's own. */
export const createLiveDataset = defineTool({
  name: "create_live_dataset",
  toolset: "datasources",
  title: "Create a live dataset",
  description:
    "A dataset whose rows stay in the database: each use of it runs there. For a model of many tables, infer_semantic_model with datasource_id makes them by itself.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({
    name: z.string(),
    datasource_id: z.int(),
    table: z.string().min(1).max(500).optional().describe("Its name, with its schema if need be"),
    query: z.string().min(1).max(LIMITS.datasources.queryCharacters).optional().describe("Or one SELECT"),
    fresh_seconds: z.int().min(0).max(86_400).default(0).describe("How long an answer may be given again"),
    replace: z.boolean().default(false),
  }),
  output: z.object({ dataset_id: z.int(), name: z.string(), columns: z.array(columnShape) }),

  async run(
    { name, datasource_id, table, query, fresh_seconds: freshSeconds, replace },
    { live, datasets, datasources, caller, signal },
  ) {
    const datasource = await datasources.require(caller, datasource_id);
    if ((table === undefined) === (query === undefined))
      throw new AppError("bad_request", "Give either a table or a query.");
    if (!replace && (await datasets.findByName(caller.workspace.id, name)) !== undefined)
      throw new AppError("conflict", `There is already a dataset called ${name}.`, {
        hint: "Choose another name, or change a live one with replace.",
      });
    const named =
      table === undefined ? undefined : await live.tablesOf(caller, datasource, [table], { most: 1, signal });
    const from = named?.[0]?.from ?? { query: query ?? "" };
    const [made] = await live.register(caller, datasource, [{ name, from, freshSeconds }], signal);
    if (made === undefined) throw new Error("no dataset was made");
    return { dataset_id: made.id, name: made.name, columns: [...made.columns] };
  },
});
