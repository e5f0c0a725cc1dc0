import { defineResource } from "../define.ts";
import { beginningWith, requireModel } from "./resource-names.ts";

/** One model with its datasets. */
export const modelResource = defineResource({
  uri: { agent: "knecta://ontologies/{id}", all: "kenning://models/{id}" },
  name: "semantic_model",
  names: { agent: "ontology" },
  title: "Semantic model",
  description:
    "One semantic model (ontology): its name and description, and its datasets with their sources.",
  descriptions: { agent: "Get ontology metadata and datasets" },
  mimeType: "application/json",
  permission: "ontologies:read",
  toolset: "models",
  within: ["models"],

  async list({ models, caller }) {
    const published = await models.published(caller);
    return published.map(({ record, document }) => ({
      params: { id: record.uuid },
      name: document.name,
      ...(document.description !== null && { description: document.description }),
    }));
  },

  async complete(_, typed, __, { models, caller }) {
    const published = await models.published(caller);
    return beginningWith(
      typed,
      published.map(({ record }) => record.uuid),
    );
  },

  async read({ id = "" }, { models, caller, meta }) {
    const published = await requireModel({ models, caller, meta }, id);
    const { id: uuid, name, description, datasets } = await models.see(caller, published);
    const text = JSON.stringify({
      ontology: { id: uuid, name, description },
      datasets: datasets.map((dataset) => ({
        name: dataset.name,
        description: dataset.description,
        source: dataset.source,
      })),
    });
    return { mimeType: "application/json", text };
  },
});
