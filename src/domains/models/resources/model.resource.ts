import { AppError, isNotFound } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import type { Caller, CallMeta } from "../../../registry/caller.ts";
import { defineResource } from "../define.ts";
import type { PublishedModel } from "../models.store.ts";
import type { Models } from "../models.ts";

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

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A model in an address: by its id, or by its name. */
function modelKey(id: string): { uuid: string } | { name: string } {
  return UUID.test(id) ? { uuid: id } : { name: id };
}

/** What a semantic model is called on this surface. */
export function wordFor({ surface }: CallMeta): string {
  return surface === "agent" ? "ontology" : "semantic model";
}

/** The published model of an address, or the contract's error. */
export async function requireModel(
  { models, caller, meta }: { models: Models; caller: Caller; meta: CallMeta },
  id: string,
): Promise<PublishedModel> {
  try {
    return await models.requirePublished(caller, modelKey(id));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const isAgent = meta.surface === "agent";
    const message = isAgent ? "Ontology not found or not ready" : "Semantic model not found or not published";
    const list = `The list of ${isAgent ? "ontologies" : "semantic models"} shows what there is.`;
    throw new AppError("not_found", message, {
      // Other hints are about tools, which this surface may not have.
      hint: error.hint?.startsWith("Did you mean") ? error.hint : list,
      data: { ontologyId: clip(id), knectaCode: "ONTOLOGY_NOT_FOUND" },
    });
  }
}

export function beginningWith(typed: string, values: readonly string[]): string[] {
  return values.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
}
