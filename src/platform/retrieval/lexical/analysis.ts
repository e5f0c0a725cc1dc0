import { LIMITS } from "../limits.ts";
import type { Recipe } from "../recipes.ts";
import type { Entry } from "../types.ts";
import { fold, isStop, isUnspaced, languageOf, stemOf, UNSPACED_RUN, withoutAsking } from "./languages.ts";
import { keptWeight } from "./postings.ts";

/** Another one whenever texts are analysed differently, so that indexes are built anew. */
export const ANALYSIS = 6;

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

/** Letters and digits, with the vowels that some scripts write as marks. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
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
      for (const part of partsOf(word)) terms.set(part, (terms.get(part) ?? 0) + weights[field]);
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
  const asked = text.slice(0, LIMITS.retrieval.queryCharacters);
  const told = wordsOf(withoutAsking(asked));
  const said = [...new Set(told.length > 0 ? told : wordsOf(asked))];
  const language = languageOf(said, languages) || languages[0] || "";
  const meant = said.filter((word) => !isStop(word, language));
  const words = (meant.length > 0 ? meant : said).slice(0, LIMITS.retrieval.queryWords);
  // Where entries of the question's own language have no parts, asking for them would only lower the scores of these.
  const isWhole = WITHOUT_GRAMS.has(language) && languages.includes(language);
  const hasParts = !isWhole && !languages.every((each) => WITHOUT_GRAMS.has(each));
  const seen = new Set<string>();
  const wanted = words.map((word): QueryWord => {
    const forms = all.map((each) => (isStop(word, each) ? word : stemOf(word, each)));
    const parts = hasParts && !isUnspaced(word) ? gramsOf(word).filter((gram) => !seen.has(gram)) : [];
    for (const part of parts) seen.add(part);
    return { terms: [...new Set([word, ...forms])], parts: [...new Set(parts)] };
  });
  return { words: wanted, said: new Set(said), language };
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
  return wordsIn(fold(text)).map((word) => word.slice(0, WORD_CHARACTERS));
}

/** The words of a text as they stand there. Where no spaces part them, each two characters stand for one. */
export function wordsIn(text: string): string[] {
  const words = text.match(WORD) ?? [];
  return words.flatMap((word) => (isUnspaced(word) ? runsOf(word).flatMap(pairsOf) : word));
}

/** What is written in two scripts, such as 2024年 or GPU를, is two words. */
function runsOf(word: string): string[] {
  return word.split(UNSPACED_RUN).filter((run) => run !== "");
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2 || !isUnspaced(run)) return [run];
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

/** By what it is found beside itself: of two characters that stand for a word each one, which may be a word as well. */
function partsOf(word: string): string[] {
  return isUnspaced(word) ? (word.length > 1 ? [...word] : []) : gramsOf(word);
}

function gramsOf(word: string): string[] {
  const grams: string[] = [];
  for (let at = 0; at + GRAM <= word.length; at++) grams.push(GRAM_MARK + word.slice(at, at + GRAM));
  return grams;
}
