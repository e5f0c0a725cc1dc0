import { editDistance, nearest } from "../../../kernel/text.ts";
import { type Embedding, type Embeddings, MINILM_FINGERPRINT } from "../../../platform/embeddings/index.ts";
import type { Answer } from "../answer.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { fold, stem } from "../understand/languages/words.ts";
import type { Understanding } from "../understand/reading.ts";
import { offering } from "./refuse.ts";

/** Words that are put in the place of one that nothing is called by. */
const MOST_NAMES = 3;
/** A question with more of such words is another one. */
const MOST_MISSING = 2;
/** Questions that are tried, and that are offered. */
const MOST_TRIED = 6;
const MOST_OFFERED = 3;
/** Of less nothing is offered. */
const LEAST_CONFIDENCE = 0.75;

/** Names of a model whose meaning is near to that of some words, the nearest first. */
export type NamesNear = (words: string, knowledge: Knowledge) => Promise<string[]>;

interface Around {
  understood: Understanding;
  knowledge: Knowledge;
  near: NamesNear;
  put: (text: string) => Promise<{ answer: Answer }>;
}

/** A refusal with the nearest questions that can be answered instead. */
export async function withOffers(answer: Answer, text: string, around: Around): Promise<Answer> {
  if (answer.outcome !== "refuse") return answer;
  return offering(answer, await offers(text, around), around.understood);
}

/**
 * What is refused, with names of the model or values of the data in the place of words that nothing is called by. They
 * are only offered, so what is merely near will do.
 */
async function offers(
  text: string,
  { understood: { missing }, knowledge, near, put }: Around,
): Promise<string[]> {
  const unknown = [...new Set(missing.map((each) => each.text))].filter((word) => placeOf(word, text) !== -1);
  const isOpen = missing.every(({ isKnown, isAbsent }) => isKnown !== true && isAbsent !== true);
  if (!isOpen || unknown.length === 0 || unknown.length > MOST_MISSING) return [];
  let tries = [text];
  for (const word of unknown) {
    const names = await namesFor(word, knowledge, near);
    tries = tries.flatMap((each) => names.flatMap((name) => withName(each, word, name)));
  }
  const found = new Map<string, string>();
  for (const each of new Set(tries.slice(0, MOST_TRIED))) {
    const { outcome, confidence, reading, rows } = (await put(each)).answer;
    const isGood = outcome === "answer" && (confidence ?? 0) >= LEAST_CONFIDENCE && rows.length > 0;
    if (isGood && !found.has(reading ?? "")) found.set(reading ?? "", each);
  }
  return [...found.values()].slice(0, MOST_OFFERED);
}

async function namesFor(word: string, knowledge: Knowledge, near: NamesNear): Promise<Offered[]> {
  const like = nearestNames(word, knowledge);
  const names = like.length > 0 ? like : await near(word, knowledge);
  const fields = new Set(
    knowledge.model.datasets.flatMap(({ fields }) => fields.map(({ name }) => name.replaceAll("_", " "))),
  );
  const isValue = (name: string) => like.includes(name) && !fields.has(name);
  return names.slice(0, MOST_NAMES).map((name) => ({ name, isValue: isValue(name) }));
}

/** Where a word stands by itself; -1 where it does not. */
function placeOf(word: string, text: string): number {
  return text.search(wordIn(word));
}

function wordIn(word: string): RegExp {
  const plain = word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${plain}(?![\\p{L}\\p{N}])`, "iu");
}

/** Nothing where the name does not fit. */
function withName(text: string, word: string, offered: Offered): string[] {
  const found = wordIn(word).exec(text);
  if (found === null) return [];
  const at = { start: found.index, end: found.index + found[0].length };
  return fitsName(text, at, offered) ? [text.slice(0, at.start) + offered.name + text.slice(at.end)] : [];
}

/** Behind these stands what is counted, measured or told apart. */
const BEFORE_NAMES =
  /^(?:by|per|each|every|which|what|whose|of|the|our|all|average|avg|mean|median|total|sum|number|highest|lowest|largest|smallest|biggest|most|least|nach|pro|je|jede[mnrs]?|welche[mnrs]?|der|die|das|den|unsere?[mnrs]?|durchschnittliche[mnrs]?|gesamte?[mnrs]?|höchste[mnrs]?|niedrigste[mnrs]?|meisten|anzahl|summe)$/iu;
/** Behind these stands a value. */
const BEFORE_VALUES = /^(?:in|for|from|at|of|with|is|are|was|were|im|für|aus|bei|von|mit|ist|sind)$/iu;
/** Before these a noun is whole, and belongs to no other one. */
const AFTER_NAMES =
  /^(?:of|in|on|at|by|for|from|per|with|without|to|this|last|next|since|during|between|before|after|and|or|is|are|was|were|do|does|did|has|have|had|we|there|than|over|under|above|below|who|that|which|\d.*|von|im|am|pro|je|nach|für|aus|seit|letzte[mnrs]?|diese[mnrs]?|und|oder|ist|sind|war|waren|haben|hat|hatten|wir|mit|der|des)$/iu;
/** Verbs and adverbs, which no name can stand for. */
const NO_NOUN = /(?:ed|ing|ly)$/i;
/** Words on each side that a name may not repeat. */
const BESIDE = 3;

/** Whether a name can take the place of a word: that of a noun, which is not said beside it already. */
export function fitsName(
  text: string,
  at: { start: number; end: number },
  { name, isValue }: Offered,
): boolean {
  const before = wordsIn(text.slice(0, at.start));
  const after = wordsIn(text.slice(at.end));
  const [last, next] = [before.at(-1), after[0]];
  const isPlace = last === undefined || (isValue ? BEFORE_VALUES : BEFORE_NAMES).test(last);
  const isWhole = next === undefined || /^\s*[,;:?!.]/.test(text.slice(at.end)) || AFTER_NAMES.test(next);
  if (!isPlace || !isWhole || NO_NOUN.test(text.slice(at.start, at.end))) return false;
  const beside = new Set(
    [...before.slice(-BESIDE), ...after.slice(0, BESIDE)].map((each) => stem(fold(each))),
  );
  return !wordsIn(name).some((each) => beside.has(stem(fold(each))));
}

export interface Offered {
  name: string;
  /** One of the data, and no name of the model. */
  isValue: boolean;
}

function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** From this on, and so far before all others, a name is near enough to be offered. */
const OFFERED = { least: 0.4, margin: 0.1 };
/** Names that are compared. */
const MOST_EMBEDDED = 200;

/** Compares words with names by what they mean; only by the model that comes with Kenning, whose scale is known. */
export class Meanings {
  readonly #embeddings: Embeddings;

  constructor(embeddings: Embeddings) {
    this.#embeddings = embeddings;
  }

  /** Names of numbers and columns that are near enough to be offered, the nearest first. */
  async offered(words: string, { model, schema }: Knowledge): Promise<string[]> {
    if (this.#embeddings.fingerprint !== MINILM_FINGERPRINT) return [];
    const isKey = (ds: string, field: string) => schema.datasets.get(ds)?.key.includes(field) === true;
    const fields = model.datasets.flatMap(({ name: ds, fields }) =>
      fields.flatMap(({ name }) => (isKey(ds, name) ? [] : [name])),
    );
    const names = [...new Set([...model.metrics.map(({ name }) => name), ...fields])]
      .slice(0, MOST_EMBEDDED)
      .map((name) => name.replaceAll("_", " "));
    const [said, ...vectors] = (await this.#embeddings.embed([words, ...names])) as [
      Embedding,
      ...Embedding[],
    ];
    const scored = names
      .map((name, i) => ({ name, score: cosine(said, vectors[i] as Embedding) }))
      .toSorted((a, b) => b.score - a.score);
    const [best] = scored;
    if (best === undefined || best.score < OFFERED.least) return [];
    // "price" and "average price" are one to choose from.
    const own = best.name.split(" ");
    const isAkin = ({ name }: { name: string }) => name.split(" ").some((part) => own.includes(part));
    const other = scored.find((each) => !isAkin(each));
    if (other !== undefined && best.score - other.score < OFFERED.margin) return [];
    return scored.filter((each) => isAkin(each) && each.score >= OFFERED.least).map(({ name }) => name);
  }
}

function cosine(a: Embedding, b: Embedding): number {
  const [one, other] = [Int8Array.from(a.vector), Int8Array.from(b.vector)];
  let [both, ones, others] = [0, 0, 0];
  for (const [i, x] of one.entries()) {
    const y = other[i] ?? 0;
    both += x * y;
    ones += x * x;
    others += y * y;
  }
  return both / Math.sqrt(ones * others || 1);
}

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
