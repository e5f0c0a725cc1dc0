import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { sensesIn, weigh } from "../understand/candidates/said.ts";
import type { Language } from "../understand/languages/language.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import type { Question } from "../understand/reading.ts";
import { type Candidate, candidatesIn, digestOf } from "./digest.ts";

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
