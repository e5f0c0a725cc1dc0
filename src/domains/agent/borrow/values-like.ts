import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Language } from "../understand/languages/language.ts";
import type { Word } from "../understand/languages/words.ts";
import type { Borrowed } from "../understand/reading.ts";
import { isWhole, partsOf } from "./likeness.ts";
import { codesOf } from "./place-codes.ts";

/** Of so many values people know the words. */
const FEW_VALUES = 200;
const COST = 0.9;
const UNSAID = 0.3;

/** Values that are written otherwise: the Damenfahrrad of "Damenräder", and the MA of Massachusetts. */
export function valuesLike(
  words: readonly Word[],
  { values: all }: Knowledge,
  language: Language,
): Borrowed[] {
  const said = words.map(({ norm }) => norm).join(" ");
  return all.flatMap(({ values }) => {
    if (values.length > FEW_VALUES) return [];
    const coded = codesOf(values).get(said);
    if (coded !== undefined) return [{ words: said, name: coded, isValue: true as const, cost: COST }];
    return values.flatMap((value): Borrowed[] => {
      const parts = partsOf(value);
      const isSaid = words.every(({ norm }) =>
        parts.some((part) => norm.length >= 4 && isWhole(norm, part, language)),
      );
      const cost = COST + UNSAID * (parts.length - words.length);
      return isSaid && parts.length <= words.length + 1
        ? [{ words: said, name: value, isValue: true, cost }]
        : [];
    });
  });
}
