import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Window } from "../query/semantic-query.ts";
import type { Question } from "../understand/reading.ts";
import { contentWords, periodsIn } from "./coverage.ts";
import { type Candidate, candidatesIn, digestOf } from "./digest.ts";

/** What a language model is told beside the question, and what its plan is held against. */
export interface Material {
  /** Words of the question that mean something. */
  content: string[];
  /** Values that the question may mean. */
  candidates: Candidate[];
  /** The model as this caller sees it. */
  digest: Record<string, unknown>;
  /** The periods that the question names. */
  periods: Window[];
}

/** Goes through all texts of a model and its values, so it is worked out in a thread. */
export function materialOf(question: Question, knowledge: Knowledge): Material {
  const content = contentWords(question.text, question, knowledge);
  return {
    content,
    candidates: candidatesIn(question.text, content, knowledge.values),
    digest: digestOf(knowledge),
    periods: periodsIn(question, knowledge),
  };
}
