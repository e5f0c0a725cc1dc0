import type { Language } from "../languages/language.ts";
import type { Word } from "../languages/words.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";

/** Words of grammar that may be left over. */
const LIGHT: ReadonlySet<string> = new Set([
  "prep",
  "has",
  "and",
  "or",
  "but",
  "compare them",
  "how much",
  "where",
]);

/** From this on, a word that is left out is missed. */
export const LEFT_COST = 3;

/** And this much where nothing in the model is called so. */
const UNKNOWN_COST = 6;

/** A word that mostly says nothing, but also stands for something in this model. */
const FILLER_COST = 1;

/** Words that mostly say nothing still name something where a metric or a dataset is called so: "wins". */
function isNamed({ norm, stem }: Word, { phrases }: Lexicon, { grammar }: Language): boolean {
  return (
    !grammar.has(norm) &&
    (phrases.get(stem) ?? []).some(
      ({ sense, cost }) => cost <= NAMED_COST && (sense.t === "table" || sense.t === "rel"),
    )
  );
}

/** The most that a name given by the author costs. */
const NAMED_COST = 0.1;

export function skipCost(
  word: Word,
  { isKnown, isEmpty }: { isKnown: boolean; isEmpty: boolean },
  lexicon: Lexicon,
  language: Language,
): number {
  const { norm, stem } = word;
  const { grammar } = language;
  if (language.people.has(norm) && (isEmpty || norm !== "who")) return 0;
  if (isEmpty && !isNamed(word, lexicon, language)) return isKnown && !grammar.has(norm) ? FILLER_COST : 0;
  const said = grammar.get(norm) ?? grammar.get(stem);
  if (said !== undefined) return LIGHT.has(said.op) ? 0.5 : 3;
  return isKnown ? LEFT_COST : UNKNOWN_COST;
}
