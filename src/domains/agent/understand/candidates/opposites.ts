import { opposite } from "../../query/parts.ts";
import type { Language } from "../languages/language.ts";
import { type Word, wordsOf } from "../languages/words.ts";
import type { Entry } from "../lexicon/entry.ts";
import type { Sense } from "../senses/fragment.ts";
import { type Found, isOver, type Stretch } from "./candidates.ts";

/** "in" makes an opposite of few words, and begins many others. */
const PREFIX = /^(?:un|non-?|nicht-?|in(?=activ|aktiv|complet|valid|eligib))(?=\p{L}{3})/u;

/** What a word says the opposite of: the "paid" of "unpaid". */
export function oppositeOf(norm: string): string | undefined {
  const rest = norm.replace(PREFIX, "");
  return rest === norm ? undefined : rest;
}

/** "unpaid invoices", "ungelöste Tickets": words that nothing is called by, and the rest of which is known. */
export function opposites(
  words: readonly Word[],
  found: readonly Found[],
  entriesOf: (stretch: Stretch) => readonly Entry[],
  language: Language,
): Found[] {
  return words.flatMap(({ norm }, start): Found[] => {
    const rest = oppositeOf(norm);
    if (rest === undefined || found.some((each) => isOver(each, start))) return [];
    const span = wordsOf(rest, language);
    const [own] = span;
    if (own === undefined) return [];
    const stretch = { words: span, start: 0, end: 1, span, stems: own.stem, norms: own.norm, bonus: 0 };
    return entriesOf(stretch).flatMap(({ sense, cost }) => {
      const other = negated(sense);
      return other === undefined ? [] : [{ sense: other, start, end: start + 1, cost }];
    });
  });
}

function negated(sense: Sense): Sense | undefined {
  if (sense.t === "cond") return { ...sense, cond: opposite(sense.cond) };
  if (sense.t !== "field" || sense.isDone !== true) return undefined;
  const { key } = sense;
  return { t: "cond", ds: key.ds, cond: { k: "null", key } };
}
