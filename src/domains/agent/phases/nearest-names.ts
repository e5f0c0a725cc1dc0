import { nearest } from "../../../kernel/nearest.ts";
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
  const spelt = found.length > 0 ? undefined : nearest(word, fields);
  const near = [...found, ...(spelt === undefined ? [] : [spelt])].filter((name) => fold(name) !== word);
  return [...new Set(near)].slice(0, NEAREST);
}
