import { editDistance, nearest } from "../../../kernel/text.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { fold, stem } from "../understand/languages/words.ts";

/** Suggestions for one word. */
const NEAREST = 3;
/** Letters by which a word and a name begin alike: "directed" and "director". */
const SHARED = 5;

/** Fields that have the word in their names or begin like it, values with it, and what is spelt nearly so. */
export function nearestNames(text: string, { model, values }: Knowledge): string[] {
  const word = fold(text);
  if (word.length < 3) return [];
  const begins = word.length > SHARED ? word.slice(0, SHARED) : stem(word);
  const isLike = (other: string) =>
    stem(other) === stem(word) || (word.length > SHARED && other.length > SHARED && other.startsWith(begins));
  const has = (name: string) => {
    const folded = fold(name);
    return folded.includes(begins) && folded.split(/[^\p{L}\p{N}]+/u).some(isLike);
  };
  const fields = model.datasets.flatMap((dataset) =>
    dataset.fields.map(({ name }) => name.replaceAll("_", " ")),
  );
  // One of few values is more likely meant than one of a thousand titles.
  const few = values.toSorted((a, b) => a.values.length - b.values.length);
  const found = [...fields.filter(has), ...few.flatMap((each) => each.values.filter(has).slice(0, NEAREST))];
  const field = found.length > 0 ? undefined : nearest(word, fields);
  const isNew = found.length === 0 && field === undefined;
  const spelt = isNew
    ? speltLike(
        word,
        few.flatMap((each) => each.values),
      )
    : [field ?? []].flat();
  const near = [...found, ...spelt].filter((name) => fold(name) !== word);
  return [...new Set(near)].slice(0, NEAREST);
}

/** Names that are compared by their letters: a refusal has to be there at once. */
const MOST_COMPARED = 5_000;
/** Letters of a word in which one may be wrong twice. */
const LONG = 8;

/** The names of which one word is written nearly as this one, or sounds like it: "Alfa" and Alpha, "Kargo" and Cargo bikes. */
function speltLike(word: string, names: readonly string[]): string[] {
  const wordsOf = (name: string) =>
    fold(name)
      .split(/[^\p{L}\p{N}]+/u)
      .map(sound);
  const sounds = new Map(names.slice(0, MOST_COMPARED).map((name) => [name, wordsOf(name)]));
  const [long = "", ...others] = word.split(/[^\p{L}\p{N}]+/u).map(sound);
  const like = others.length > 0 ? undefined : nearest(long, [...new Set([...sounds.values()].flat())]);
  // Of the many words of values some are always a little alike.
  const isFar = like === undefined || editDistance(long, like) > (long.length < LONG ? 1 : 2);
  return isFar ? [] : names.filter((name) => sounds.get(name)?.includes(like)).slice(0, NEAREST);
}

/** Letters that people take for each other. */
function sound(word: string): string {
  return word
    .replaceAll("ph", "f")
    .replaceAll(/ck|c(?![hei])/g, "k")
    .replaceAll(/(\p{L})\1+/gu, "$1");
}
