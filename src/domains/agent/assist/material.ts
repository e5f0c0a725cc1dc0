import { clip } from "../../../kernel/text.ts";
import type { FieldValues, Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import { sensesIn, weigh } from "../understand/candidates/said.ts";
import type { Language } from "../understand/languages/language.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { fold } from "../understand/languages/words.ts";
import type { Question } from "../understand/reading.ts";

/** What a language model is told beside the question. */
export interface Material {
  /** Values that the question may mean. */
  candidates: Candidate[];
  /** The model as this caller sees it. */
  digest: Record<string, unknown>;
}

/** Goes through all texts of a model and its values, so it is worked out in a thread. */
export function materialOf(question: Question, knowledge: Knowledge): Material {
  const [language] = languagesOf(question.text) as [Language];
  const { all, known, empty } = weigh(sensesIn(language, question, knowledge));
  const unknown = all.filter((_, i) => !known.has(i) && !empty.has(i)).map(({ text }) => text);
  return { candidates: candidatesIn(question.text, unknown, knowledge.values), digest: digestOf(knowledge) };
}

/** Fields with at most this many values are sent with them: they say what the field means, such as a status. */
const FEW_VALUES = 12;
const TEXT = 300;

/**
 * What a language model is told of a model, as this caller sees it: names, types, descriptions and formulas.
 * Of values only those that the question may mean, and those of fields that have few; never the names of entities.
 */
function digestOf(knowledge: Knowledge): Record<string, unknown> {
  const full = digest(knowledge, TEXT);
  if (JSON.stringify(full).length <= LIMITS.agent.digestCharacters) return full;
  return digest(knowledge, 0);
}

function digest({ model, schema, values }: Knowledge, most: number): Record<string, unknown> {
  const told = (text: string | null | undefined) =>
    most === 0 || text === null || text === undefined || text === "" ? {} : { about: clip(text, most) };
  const also = (synonyms: readonly string[]) =>
    synonyms.length === 0 ? {} : { also: synonyms.slice(0, 20) };
  return {
    name: model.name,
    ...told(model.description),
    ...(model.ai.instructions !== null && { instructions: clip(model.ai.instructions, most * 20) }),
    datasets: model.datasets.map((dataset) => ({
      name: dataset.name,
      ...told(dataset.description),
      ...also(dataset.ai.synonyms),
      fields: dataset.fields.map((field) => ({
        name: field.name,
        type: field.type,
        ...told(field.description),
        ...also(field.label === null ? field.ai.synonyms : [field.label, ...field.ai.synonyms]),
        ...fewValues(dataset.name, field.name, { schema, values }),
      })),
    })),
    relationships: model.relationships.map(({ name, from, to }) => ({ name, from, to })),
    metrics: model.metrics.map(({ name, description, ai, sql }) => ({
      name,
      sql: clip(sql, TEXT),
      ...told(description),
      ...also(ai.synonyms),
    })),
  };
}

function fewValues(
  ds: string,
  field: string,
  { schema, values }: Pick<Knowledge, "schema" | "values">,
): { values?: string[] } {
  const dataset = schema.datasets.get(ds);
  if (dataset === undefined || dataset.nameField === field || dataset.key.includes(field)) return {};
  const found = values.find((each) => each.ds === ds && each.field === field);
  const isFew = found !== undefined && !found.isCut && found.values.length <= FEW_VALUES;
  return isFew ? { values: found.values } : {};
}

export interface Candidate {
  dataset: string;
  field: string;
  value: string;
}

/** Values that the question names, or that a word of it which nothing is called by is a part of. */
function candidatesIn(
  question: string,
  unknown: readonly string[],
  all: readonly FieldValues[],
): Candidate[] {
  const said = ` ${plain(question)} `;
  const words = unknown.map(plain).filter((word) => word.length >= 4);
  const found: (Candidate & { isWhole: boolean })[] = [];
  for (const { ds, field, values } of all) {
    for (const value of values) {
      const key = plain(value);
      const isWhole = key !== "" && said.includes(` ${key} `);
      const isPart = words.some((word) => key.includes(word));
      if (isWhole || isPart) found.push({ dataset: ds, field, value, isWhole });
    }
  }
  return found
    .toSorted((a, b) => Number(b.isWhole) - Number(a.isWhole))
    .slice(0, LIMITS.agent.candidates)
    .map(({ isWhole: _, ...candidate }) => candidate);
}

/** Letters and digits alone, in small letters. */
function plain(text: string): string {
  return fold(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
