import { z } from "zod";
import { defineTool, modelName } from "../define.ts";
import { DIGEST_SCOPES, modelDigest } from "../digest.ts";

/** A model in as few tokens as possible: what a client reads before it writes SQL. */
export const getSemanticModel = defineTool({
  name: "get_semantic_model",
  toolset: "models",
  wire: { models: "get_semantic_model" },
  title: "Get semantic model",
  description:
    "Overview of a semantic model as a compact digest: its datasets with the table names to use in SQL, relationships and metrics. Use scope and page to go through one section of a large model, then get_datasets for fields.",
  permission: "ontologies:read",
  effect: "read",
  within: ["models"],
  input: z.strictObject({
    modelName,
    scope: z
      .enum(DIGEST_SCOPES)
      .optional()
      .describe("Section to retrieve independently. Omit for a full overview (first page of each section)."),
    page: z
      .int()
      .min(1)
      .optional()
      .describe("Page number within the scope (default 1). Only meaningful with scope."),
  }),
  output: z.object({ digest: z.string() }),
  content: ({ digest }) => digest,

  async run({ modelName, scope, page }, { models, modelsStore, caller }) {
    const model = await models.see(caller, await models.requirePublished(caller, { name: modelName }));
    const perPage = await modelsStore.itemsPerPage(caller.workspace.id);
    const options = { perPage, ...(scope !== undefined && { scope, page: page ?? 1 }) };
    return { digest: modelDigest(model, options).markdown };
  },
});
