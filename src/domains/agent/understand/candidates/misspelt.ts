import { editDistance } from "../../../../kernel/text.ts";
import type { Language } from "../languages/language.ts";
import { range, type Word } from "../languages/words.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";
import type { Entry } from "../lexicon/values.ts";
import { type Found, oppositeOf } from "./candidates.ts";

/** Names of several words in which one is misspelt: "retrun rate". */
export function respelt(
  words: readonly Word[],
  found: readonly Found[],
  { phrases, words: { names }, longest }: Lexicon,
  language: Language,
): Found[] {
  const known = new Set(found.flatMap(({ start, end }) => range(start, end)));
  return words.flatMap((word, i): Found[] => {
    const isWord =
      /^\p{L}{5,}$/u.test(word.norm) && !language.fillers.has(word.norm) && !language.gloss.has(word.stem);
    if (known.has(i) || !isWord) return [];
    const near = [...names].filter((name) => name.length >= 4 && isMisspelt(word.stem, name));
    return near.flatMap((name) =>
      spansWith(i, words.length, longest).flatMap(([start, end]) => {
        const stems = range(start, end).map((at) => (at === i ? name : (words[at] as Word).stem));
        const entries = phrases.get(stems.join(" ")) ?? [];
        return entries.map(({ sense, cost }) => ({
          sense,
          start,
          end,
          cost: cost + 0.8 - 0.3 * (end - start - 1),
        }));
      }),
    );
  });
}

/** Stretches of several words that a word is in. */
function spansWith(at: number, words: number, longest: number): [number, number][] {
  return range(Math.max(0, at - longest + 1), at + 1).flatMap((start) =>
    range(Math.max(at + 1, start + 2), Math.min(words, start + longest) + 1).map((end): [number, number] => [
      start,
      end,
    ]),
  );
}

/** One letter more, less or different, or two that changed places. */
function isMisspelt(word: string, name: string): boolean {
  if (Math.abs(word.length - name.length) > 1) return false;
  if (editDistance(word, name) <= 1) return true;
  const i = [...word].findIndex((letter, at) => letter !== name[at]);
  return (
    word.length === name.length &&
    i !== -1 &&
    word === `${name.slice(0, i)}${name[i + 1] ?? ""}${name[i]}${name.slice(i + 2)}`
  );
}

/** Shorter values are too much alike. */
const MISSPELT_VALUE = 6;

/** Words that nothing was found for, read as the nearest word of the model, or as a part of a name. */
export function misspelt(
  words: readonly Word[],
  found: readonly Found[],
  lexicon: Lexicon,
  language: Language,
): Found[] {
  const known = new Set(found.flatMap(({ start, end }) => range(start, end)));
  return words.flatMap((word, i): Found[] => {
    const isWord = word.norm.length >= 5 && !/\d/.test(word.norm);
    if (known.has(i) || language.fillers.has(word.norm) || language.evaluative.has(word.norm) || !isWord)
      return [];
    const at = { start: i, end: i + 1 };
    const kin = akin(word.norm, lexicon);
    if (kin.length > 0) return kin.map(({ sense, cost }) => ({ ...at, sense, cost: cost + 0.7 }));
    if (language.gloss.has(word.stem)) return [];
    const beginning = [...lexicon.values].filter(
      ([key]) => key.startsWith(word.norm) && key.length <= word.norm.length + 2,
    );
    if (beginning.length === 1)
      return (beginning[0] as [string, Entry[]])[1].map(({ sense, cost }) => ({
        ...at,
        sense,
        cost: cost + 0.8,
      }));
    // "Bavarian"
    const places = ["n", "an", "ian", "ean", "ish", "ese", "er"]
      .filter((ending) => word.norm.endsWith(ending))
      .map((ending) => word.norm.slice(0, -ending.length));
    const people = places.flatMap((name) => (name.length < 4 ? [] : (lexicon.values.get(name) ?? [])));
    if (people.length > 0) return people.map(({ sense, cost }) => ({ ...at, sense, cost: cost + 0.6 }));
    const most = word.stem.length >= 8 ? 2 : 1;
    const near = [...lexicon.phrases].filter(
      ([key]) =>
        !/ing$/.test(word.norm) &&
        // What is "unsold" is not misspelt.
        oppositeOf(word.stem) !== key &&
        !key.includes(" ") &&
        key.length >= (key[0] === word.norm[0] ? 4 : 5) &&
        Math.abs(key.length - word.stem.length) <= most &&
        editDistance(key, word.stem) <= most,
    );
    const values = [...lexicon.values].filter(
      ([key]) => key.length >= MISSPELT_VALUE && key[0] === word.norm[0] && isMisspelt(word.norm, key),
    );
    // Hardly anybody gets the first letter wrong.
    const all = values.length === 1 ? [...near, ...values] : near;
    const begun = all.filter(([key]) => key[0] === word.norm[0]);
    if (all.length > 0)
      return (begun.length > 0 ? begun : all).flatMap(([, entries]) =>
        entries.map(({ sense, cost }) => ({ ...at, sense, cost: cost + 0.8 })),
      );
    const some = lexicon.valuesWith(word.norm);
    if (some !== undefined) return [{ ...at, ...some }];
    // "the Hallbach companies": those whose names have the word in them.
    if (!language.isMany(words[i + 1]?.norm ?? "")) return [];
    return lexicon.parts(word.norm).map(({ sense, cost }) => ({ ...at, sense, cost: cost + 1.2 }));
  });
}

/** "directed" is what a director did, "sunny" weather is sun: other forms of a name or of a value. */
function akin(norm: string, lexicon: Lexicon): Entry[] {
  const root = rootOf(norm);
  if (root === norm) return [];
  const known = roots.get(lexicon) ?? new Map<string, Entry[]>();
  if (!roots.has(lexicon))
    for (const [key, entries] of [...lexicon.phrases, ...lexicon.values]) {
      // What has a name of its own is called by that, and by no word that looks like it.
      const some = entries.filter(({ sense }) => sense.t === "field" || sense.t === "cond");
      if (key.includes(" ") || some.length === 0) continue;
      for (const form of new Set([key, rootOf(key)])) known.set(form, [...(known.get(form) ?? []), ...some]);
    }
  roots.set(lexicon, known);
  return known.get(root) ?? [];
}

/** Names and values of one word by their roots; made once for each model. */
const roots = new WeakMap<Lexicon, Map<string, Entry[]>>();

const LONG_ENDINGS = /(?:ations?|itions?|ions?|ments?|ings?|ors?|ers?|ed|als?|is|es|en|em|s|e)$/;

/** A word without what makes another kind of word of it. */
function rootOf(norm: string): string {
  const short = norm.replace(/y$/, "");
  const bare = short === norm ? norm.replace(LONG_ENDINGS, "") : short;
  if (bare.length < (short === norm ? 4 : 3)) return norm;
  return /([bdfglmnprt])\1$/.test(bare) ? bare.slice(0, -1) : bare;
}
