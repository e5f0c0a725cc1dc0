import { compile } from "../compile/compile.ts";
import { ifCarried } from "../compile/paths.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { Ask } from "../query/semantic-query.ts";
import type { Question } from "../understand/reading.ts";
import { askOf } from "./ask-of.ts";
import { enumerate } from "./enumerate.ts";
import { type Linked, link } from "./link.ts";
import { type SlotModels, slotsOf } from "./models.ts";
import { type Known, knownOf, type Runnable } from "./rank.ts";
import { type LinkSchema, linkSchemaOf } from "./schema.ts";
import { readerModels } from "./weights.ts";
import { languageOfQuestion } from "./words.ts";

/** A query that the question may mean, ready to be run. */
export interface Proposal {
  ask: Ask;
  sql: string;
  known: Known;
}

export interface Proposals {
  proposals: Proposal[];
  /** Words that name nothing here. */
  unknown: string[];
}

/** What a question may mean, the likeliest first; nothing is run. */
export function propose({ text }: Pick<Question, "text">, knowledge: Knowledge): Proposals {
  const schema = linkSchemaOf(knowledge, languageOfQuestion(text));
  const linked = link(schema, text);
  return runnable(schema, linked, knowledge, readerModels().slots);
}

/** The likeliest queries that the model can carry, each statement once. */
export function runnable(
  schema: LinkSchema,
  linked: Linked,
  knowledge: Knowledge,
  models: SlotModels,
): Proposals {
  const slots = slotsOf(schema, linked, models);
  const found = new Map<string, Runnable & { ask: Ask }>();
  for (const candidate of enumerate(schema, linked, slots)) {
    if (found.size === LIMITS.agent.candidateQueries) break;
    const ask = askOf(schema, candidate.draft);
    const compiled = ask && ifCarried(() => compile(knowledge.schema, ask));
    if (ask === undefined || compiled === undefined || found.has(compiled.sql)) continue;
    found.set(compiled.sql, { ask, candidate, read: compiled.used.datasets });
  }
  const known = knownOf(schema, linked, slots, [...found.values()]);
  const proposals = [...found].map(([sql, { ask }], i) => ({ ask, sql, known: known[i] as Known }));
  return { proposals, unknown: [...slots.unknown] };
}
