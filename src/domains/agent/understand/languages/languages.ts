import { ENGLISH } from "./english/english.ts";
import { GERMAN } from "./german/german.ts";
import type { Language } from "./language.ts";
import { wordsOf } from "./words.ts";

const LANGUAGES = [ENGLISH, GERMAN] as const;

/** The languages that a question may be in, by its words of grammar: the likelier first; one, where it is sure. */
export function languagesOf(text: string): readonly Language[] {
  const words = wordsOf(text, GERMAN)
    .map(({ norm }) => norm)
    .filter((norm) => !BOTH.has(norm));
  const english = words.filter((norm) => isOf(ENGLISH, norm)).length;
  // The German tables have the English words as well.
  const german = words.filter((norm) => isOf(GERMAN, norm) && !isOf(ENGLISH, norm)).length;
  if (german > english) return [GERMAN];
  return english > german ? [ENGLISH] : LANGUAGES;
}

/** Marks and words that either language has. */
const BOTH = new Set(
  "? ! . , ; : ' \" ( ) & in an am so also was will her man per top median vs versus total euro us".split(
    " ",
  ),
);

function isOf({ fillers, grammar, quantities, superlatives, stem }: Language, norm: string): boolean {
  return [fillers, grammar, quantities, superlatives].some(
    (words) => words.has(norm) || words.has(stem(norm)),
  );
}
