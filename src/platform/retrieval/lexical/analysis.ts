import { LIMITS } from "../limits.ts";
import type { Recipe } from "../recipes.ts";
import type { Entry } from "../types.ts";
import { keptWeight } from "./postings.ts";

/** An entry as the index takes it. */
export interface AnalysedEntry {
  /** The weight of each term. */
  terms: Map<string, number>;
  length: number;
  language: string;
}

/** A word of the question: terms that stand for it, any of which counts. */
export interface QueryWord {
  terms: readonly string[];
  weight: number;
}

const WORD = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
/** Longer ones are no words that anybody looks for. */
const WORD_CHARACTERS = 40;

export function analyseEntry(entry: Entry, { weights }: Recipe): AnalysedEntry {
  const terms = new Map<string, number>();
  let length = 0;
  let left: number = LIMITS.retrieval.entryCharacters;
  for (const field of ["title", "context", "body"] as const) {
    const text = (entry[field] ?? "").slice(0, left);
    left -= text.length;
    for (const word of wordsOf(text)) {
      terms.set(word, (terms.get(word) ?? 0) + weights[field]);
      length += weights[field];
    }
  }
  for (const [term, weight] of terms) terms.set(term, keptWeight(weight));
  return { terms, length, language: entry.language ?? "" };
}

export function analyseQuery(text: string): QueryWord[] {
  const words = new Set(wordsOf(text.slice(0, LIMITS.retrieval.queryCharacters)));
  return [...words].slice(0, LIMITS.retrieval.queryWords).map((term) => ({ terms: [term], weight: 1 }));
}

function wordsOf(text: string): string[] {
  const folded = text.normalize("NFKD").replace(MARKS, "").toLowerCase();
  return (folded.match(WORD) ?? []).map((word) => word.slice(0, WORD_CHARACTERS));
}
