import type { Language } from "../languages/language.ts";
import { normsOf, phraseKey, type Word } from "../languages/words.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";
import { valueKey } from "../lexicon/values.ts";
import type { Borrowed } from "../reading.ts";
import type { Found } from "./candidates.ts";

/** Words that stand for a name or a value in this question, as if they were a synonym of it. */
export function borrowedEntries(
  words: readonly Word[],
  borrowed: readonly Borrowed[],
  { phrases, values }: Lexicon,
  language: Language,
): Found[] {
  return borrowed.flatMap(({ words: said, name, isValue, cost: doubt }): Found[] => {
    const length = said.split(" ").length;
    const entries =
      (isValue === true ? values.get(valueKey(name, language)) : phrases.get(phraseKey(name, language))) ??
      [];
    return [...words.keys()].flatMap((start) => {
      const end = start + length;
      if (normsOf(words.slice(start, end)) !== said) return [];
      return entries.map(({ sense, cost }) => ({ sense, start, end, cost: cost + doubt, borrowed: name }));
    });
  });
}
