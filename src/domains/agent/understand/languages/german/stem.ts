import { type Folding, fold } from "../words.ts";

/** `Geschaeft` and `Geschäft` are the same; in `neue` and `Quelle` the letters are two. */
export function foldGerman(text: string): string {
  return fold(text).replace(/(?<![aeiouq])([aou])e/g, "$1");
}

export const GERMAN_FORMS: Folding = { fold: foldGerman, stem: (norm) => stemGerman(norm) };

const VOWEL = /[aeiouy]/;
/** No word is longer; compounds are tried at each of their letters. */
const LONGEST_WORD = 80;

/**
 * The German stemmer of the Snowball project (snowballstem.org) for words without umlauts; beside it, female forms
 * stand for the male ones and English plurals for their singular.
 */
export function stemGerman(norm: string): string {
  if (norm.length <= 3 || norm.length > LONGEST_WORD || /\d/.test(norm)) return norm;
  const word = norm
    .replace(/(?<=..)ies$/, "y")
    .replace(/erin(nen)?$/, "er")
    .replace(/eln$/, "el");
  const r1 = Math.max(3, regionAfter(word, 0));
  const r2 = regionAfter(word, regionAfter(word, 0));
  const bare = withoutDegree(withoutCase(word, r1), r1);
  return withoutDerivation(bare, r2);
}

/** Where the part begins that follows the first consonant after a vowel. */
function regionAfter(word: string, start: number): number {
  for (let i = start + 1; i < word.length; i += 1) {
    if (VOWEL.test(word[i - 1] as string) && !VOWEL.test(word[i] as string)) return i + 1;
  }
  return word.length;
}

function withoutCase(word: string, r1: number): string {
  const ending = /(ern|em|er|en|es|e|(?<=[bcdfghklmnoprtwy])s)$/.exec(word)?.[0];
  if (ending === undefined || word.length - ending.length < r1) return word;
  return word.slice(0, -ending.length).replace(/niss$/, "nis");
}

function withoutDegree(word: string, r1: number): string {
  const ending = /(est|en|er|(?<=...[bdfghklmnt])st)$/.exec(word)?.[0];
  return ending === undefined || word.length - ending.length < r1 ? word : word.slice(0, -ending.length);
}

function withoutDerivation(word: string, r2: number): string {
  const ending = /((?<!e)ig|end|ung|(?<!e)ik|(?<!e)isch|lich|heit|keit)$/.exec(word)?.[0];
  return ending === undefined || word.length - ending.length < r2 ? word : word.slice(0, -ending.length);
}
