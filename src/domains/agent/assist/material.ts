import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Window } from "../query/semantic-query.ts";
import { datesIn } from "../understand/candidates/dates.ts";
import { sensesIn } from "../understand/candidates/said.ts";
import type { Language } from "../understand/languages/language.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { type Word, wordsOf } from "../understand/languages/words.ts";
import type { Question } from "../understand/reading.ts";
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
  const content = contentWords(question, knowledge);
  return {
    content,
    candidates: candidatesIn(question.text, content, knowledge.values),
    digest: digestOf(knowledge),
    periods: periodsIn(question, knowledge),
  };
}

/** Words that mean something: neither of grammar, nor of time, nor numbers. */
function contentWords(question: Question, knowledge: Knowledge): string[] {
  const [language] = languagesOf(question.text) as [Language];
  const dates = datesIn(question, knowledge);
  return wordsOf(question.text, language)
    .filter(({ start, end }) => !dates.some((date) => date.start < end && start < date.end))
    .filter((word) => isContent(word, language))
    .map((word) => word.text);
}

export function isContent({ norm, stem }: Word, language: Language): boolean {
  if (!/\p{L}/u.test(norm) || /\d/.test(norm)) return false;
  const { fillers, evaluative, grammar, superlatives, comparatives, grains, scales, measures, how, numbers } =
    language;
  const plain = [
    fillers,
    evaluative,
    grammar,
    superlatives,
    comparatives,
    grains,
    scales,
    measures,
    how,
    numbers,
  ];
  return !plain.some((words) => words.has(norm) || words.has(stem));
}

/** The periods that a question names, as the rules read it: all that an answer to it can be about. */
export function periodsIn(question: Question, knowledge: Knowledge): Window[] {
  const [language] = languagesOf(question.text) as [Language];
  const read = sensesIn(language, question, knowledge).found.flatMap(({ sense }): Window[] => {
    if (sense.t === "window" || sense.t === "than") return sense.win === null ? [] : [sense.win];
    return sense.t === "windows" ? sense.wins : [];
  });
  const others = datesIn(question, knowledge).flatMap((each) =>
    "alternatives" in each ? (each.alternatives ?? []).map(({ window, said }) => ({ ...window, said })) : [],
  );
  return [...new Map([...others, ...read].map((win) => [`${win.from} ${win.to}`, win])).values()];
}
