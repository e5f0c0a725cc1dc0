import { stringify } from "yaml";
import { mapBounded } from "../../../kernel/concurrency.ts";
import { AppError, isNotFound } from "../../../kernel/errors.ts";
import { clip, nearest } from "../../../kernel/text.ts";
import type { Caller, CallMeta } from "../../../registry/caller.ts";
import { defineResource } from "../define.ts";
import { LIMITS } from "../limits.ts";
import type { PublishedModel } from "../models.store.ts";
import type { Models } from "../models.ts";
import type { VisibleDataset, VisibleField } from "../visible-model.ts";

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

/** Name of a semantic model on this surface. */
function wordFor({ surface }: CallMeta): string {
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

function beginningWith(typed: string, values: readonly string[]): string[] {
  return values.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
}

/** The schema of one dataset of a model. */
export const modelDatasetResource = defineResource({
  uri: {
    agent: "knecta://ontologies/{id}/datasets/{name}",
    all: "kenning://models/{id}/datasets/{name}",
  },
  name: "dataset",
  title: "Dataset of a semantic model",
  description: "The schema of one dataset as YAML: all its fields with types, descriptions and expressions.",
  descriptions: { agent: "Get full YAML schema for a dataset" },
  mimeType: "text/yaml",
  permission: "ontologies:read",
  toolset: "models",
  within: ["models"],

  async list({ models, caller }) {
    const published = await models.published(caller);
    const seen = await mapBounded(published, LIMITS.models.seenAtOnce, (model) => models.see(caller, model));
    return seen.flatMap(({ id, name: model, datasets }) =>
      datasets.map(({ name, description }) => ({
        params: { id, name },
        name: `${model}: ${name}`,
        ...(description !== null && { description }),
      })),
    );
  },

  async complete(param, typed, known, { models, caller }) {
    const published = await models.published(caller);
    if (param === "id") {
      return beginningWith(
        typed,
        published.map(({ record }) => record.uuid),
      );
    }
    const wanted = known.id?.toLowerCase();
    const chosen = published.filter(
      ({ record }) => wanted === undefined || [record.uuid, record.name.toLowerCase()].includes(wanted),
    );
    const seen = await mapBounded(chosen, LIMITS.models.seenAtOnce, (model) => models.see(caller, model));
    return beginningWith(
      typed,
      seen.flatMap(({ datasets }) => datasets.map(({ name }) => name)),
    );
  },

  async read({ id = "", name = "" }, { models, caller, meta }) {
    const { datasets } = await models.see(caller, await requireModel({ models, caller, meta }, id));
    const dataset = datasets.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (dataset !== undefined) return { mimeType: "text/yaml", text: schemaOf(dataset) };
    const match = nearest(
      name,
      datasets.map((each) => each.name),
    );
    const model = wordFor(meta);
    throw new AppError("not_found", `Dataset not found in ${model}`, {
      hint: match === undefined ? `The ${model} itself names its datasets.` : `Did you mean ${match}?`,
      data: { datasetName: clip(name), ontologyId: clip(id), knectaCode: "DATASET_NOT_FOUND" },
    });
  },
});

function schemaOf({ name, description, source, fields }: VisibleDataset): string {
  const schema = { name, description, source: { table: source }, fields: fields.map(fieldOf) };
  return stringify(schema, { lineWidth: 0 });
}

function fieldOf({
  name,
  type,
  description,
  sql,
  distinctValues,
  ai,
}: VisibleField): Record<string, unknown> {
  return {
    name,
    type: plainType(type),
    ...(description !== null && { description }),
    ...(sql === null ? { source_column: name } : columnOrExpression(sql)),
    ...(distinctValues.length > 0 && { values: distinctValues }),
    ...(ai.synonyms.length > 0 && { synonyms: ai.synonyms }),
    ...(ai.instructions !== null && { instructions: ai.instructions }),
    ...(ai.examples.length > 0 && { examples: ai.examples }),
  };
}

function columnOrExpression(sql: string): { source_column: string } | { expression: string } {
  const quoted = /^"((?:[^"]|"")+)"$/.exec(sql)?.[1];
  return quoted === undefined ? { expression: sql } : { source_column: quoted.replaceAll('""', '"') };
}

function plainType(type: string): string {
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL.*|DOUBLE|FLOAT)$/.test(type)) return "number";
  if (/^(VARCHAR|UUID|ENUM)/.test(type)) return "string";
  if (type.startsWith("TIMESTAMP")) return "timestamp";
  return /^\w+$/.test(type) ? type.toLowerCase() : "json";
}
