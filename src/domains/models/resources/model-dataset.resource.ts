import { stringify } from "yaml";
import { mapBounded } from "../../../kernel/concurrency.ts";
import { AppError } from "../../../kernel/errors.ts";
import { clip, nearest } from "../../../kernel/text.ts";
import { defineResource } from "../define.ts";
import { LIMITS } from "../limits.ts";
import type { VisibleDataset, VisibleField } from "../visible-model.ts";
import { beginningWith, requireModel, wordFor } from "./model.resource.ts";

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
