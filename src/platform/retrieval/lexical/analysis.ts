import { LIMITS } from "../limits.ts";
import type { Recipe } from "../recipes.ts";
import type { Entry } from "../types.ts";
import { fold, isStop, languageOf, stemOf } from "./languages.ts";
import { keptWeight } from "./postings.ts";

/** Another one whenever texts are analysed differently, so that indexes are built anew. */
export const ANALYSIS = 5;

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
  /** Parts of it that count beside it, each of which counts once in a question. */
  parts: readonly string[];
}

/** Letters and digits; of scripts that put no spaces between words, one run. */
const WORD = /[\p{L}\p{N}]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
/** Longer ones are no words that anybody looks for. */
const WORD_CHARACTERS = 40;
/** Words by which a language is told. */
const TOLD_BY = 200;
const GRAM = 4;
/** No word begins like it. */
const GRAM_MARK = "\u0002";
/** Their words have few forms and are seldom put together, so that parts of words find nothing more. */
const WITHOUT_GRAMS = new Set(["en"]);

export function analyseEntry(entry: Entry, { weights }: Recipe): AnalysedEntry {
  const fields = fieldsOf(entry);
  const language = entry.language ?? languageOf(fields.body.slice(0, TOLD_BY));
  const terms = new Map<string, number>();
  let length = 0;
  for (const field of ["title", "context", "body"] as const) {
    for (const word of fields[field]) {
      const isSmall = isStop(word, language);
      const term = isSmall ? word : stemOf(word, language);
      terms.set(term, (terms.get(term) ?? 0) + weights[field]);
      if (isSmall) continue;
      length += weights[field];
      if (WITHOUT_GRAMS.has(language)) continue;
      for (const gram of gramsOf(word)) terms.set(gram, (terms.get(gram) ?? 0) + weights[field]);
    }
  }
  for (const [term, weight] of terms) terms.set(term, keptWeight(weight));
  return { terms, length, language };
}

export interface AnalysedQuery {
  words: QueryWord[];
  /** As they stand in the question, folded. */
  said: ReadonlySet<string>;
  language: string;
}

/**
 * What to look for in a collection with many texts in these languages, the most frequent first, and some in `all` of
 * those: a word is looked for as each of them would shorten it, so that no text is lost among those of other languages.
 */
export function analyseQuery(
  text: string,
  languages: readonly string[],
  all: readonly string[] = languages,
): AnalysedQuery {
  const said = [...new Set(wordsOf(text.slice(0, LIMITS.retrieval.queryCharacters)))];
  const language = languageOf(said, languages) || languages[0] || "";
  const meant = said.filter((word) => !isStop(word, language));
  const words = (meant.length > 0 ? meant : said).slice(0, LIMITS.retrieval.queryWords);
  // Where entries of the question's own language have no parts, asking for them would only lower the scores of these.
  const isWhole = WITHOUT_GRAMS.has(language) && languages.includes(language);
  const hasParts = !isWhole && !languages.every((each) => WITHOUT_GRAMS.has(each));
  const seen = new Set<string>();
  const asked = words.map((word): QueryWord => {
    const forms = all.map((each) => (isStop(word, each) ? word : stemOf(word, each)));
    const parts = hasParts ? gramsOf(word).filter((gram) => !seen.has(gram)) : [];
    for (const part of parts) seen.add(part);
    return { terms: [...new Set([word, ...forms])], parts: [...new Set(parts)] };
  });
  return { words: asked, said: new Set(said), language };
}

function fieldsOf({ title = "", context = "", body }: Entry) {
  let left: number = LIMITS.retrieval.entryCharacters;
  const take = (text: string) => {
    const taken = text.slice(0, left);
    left -= taken.length;
    return wordsOf(taken);
  };
  return { title: take(title), context: take(context), body: take(body) };
}

function wordsOf(text: string): string[] {
  const words = fold(text).match(WORD) ?? [];
  return words.flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : word.slice(0, WORD_CHARACTERS)));
}

/** Where no spaces tell words, each two characters stand for one. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

function gramsOf(word: string): string[] {
  const grams: string[] = [];
  for (let at = 0; at + GRAM <= word.length; at++) grams.push(GRAM_MARK + word.slice(at, at + GRAM));
  return grams;
}
