import { mapBounded } from "../../../kernel/concurrency.ts";
import { defineResource } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** All published models, as a client lists them before it picks one. */
export const modelsResource = defineResource({
  uri: { agent: "knecta://ontologies", all: "kenning://models" },
  name: "semantic_models",
  names: { agent: "Available Ontologies" },
  title: "Semantic models",
  description:
    "All published semantic models (ontologies): id, name, description, numbers of datasets and fields.",
  descriptions: { agent: "List all ready ontologies" },
  mimeType: "application/json",
  permission: "ontologies:read",
  toolset: "models",
  within: ["models"],

  async read(_, { models, caller }) {
    const published = await models.published(caller);
    const seen = await mapBounded(published, LIMITS.models.seenAtOnce, (model) => models.see(caller, model));
    const list = seen.map(({ id, name, description, datasets }) => ({
      id,
      name,
      description,
      datasetCount: datasets.length,
      fieldCount: datasets.reduce((sum, { fields }) => sum + fields.length, 0),
    }));
    return { mimeType: "application/json", text: JSON.stringify(list) };
  },
});
