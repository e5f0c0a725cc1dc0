import { z } from "zod";
import { defineTool, modelName } from "../define.ts";
import { datasetsDigest } from "../digest.ts";
import { LIMITS } from "../limits.ts";

/** The fields of some datasets of a model, several in one call to save round trips. */
export const getDatasets = defineTool({
  name: "get_datasets",
  toolset: "models",
  wire: { models: "get_datasets" },
  title: "Get datasets of a model",
  description:
    "One or more datasets of a semantic model with all their fields as compact lists: types, enums, examples, synonyms, instructions. Pass up to 10 datasets in one call; each has its own page of fields.",
  permission: "ontologies:read",
  effect: "read",
  within: ["models"],
  input: z.strictObject({
    modelName,
    datasets: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(200).describe("Dataset name within the model"),
          page: z.int().min(1).optional().describe("Page number of this dataset's fields (default 1)"),
        }),
      )
      .min(1)
      .max(LIMITS.models.datasetsPerCall)
      .describe("Datasets to retrieve (1–10), each with an optional page"),
  }),
  output: z.object({ digest: z.string() }),
  content: ({ digest }) => digest,

  async run({ modelName, datasets }, { models, modelsStore, caller }) {
    const model = await models.see(caller, await models.requirePublished(caller, { name: modelName }));
    const perPage = await modelsStore.itemsPerPage(caller.workspace.id);
    const wanted = datasets.map(({ name, page = 1 }) => ({ name, page }));
    return { digest: datasetsDigest(model, wanted, { perPage }).markdown };
  },
});
