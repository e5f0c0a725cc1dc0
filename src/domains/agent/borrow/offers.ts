import type { Answer } from "../answer.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { nearestNames } from "../phases/nearest-names.ts";
import { offering } from "../phases/refuse.ts";
import type { Understanding } from "../understand/reading.ts";
import { fitsName, type Offered } from "./name-place.ts";

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
