import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask } from "../query/semantic-query.ts";
import { isTold } from "../understand/account/hold.ts";
import { unheldWords, unsaidWords } from "../understand/account/unsaid.ts";
import { sensesIn, type Weighed, weigh } from "../understand/candidates/said.ts";
import type { Language } from "../understand/languages/language.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { range } from "../understand/languages/words.ts";
import type { Question } from "../understand/reading.ts";
import type { Sense } from "../understand/senses/fragment.ts";

/** Other words for a question, and the query that the rules read in them. */
export interface Reworded {
  text: string;
  ask: Ask;
}

/** From this on, what a word may mean is a guess. */
const GUESS = 0.6;

/**
 * Holds other words against the question itself, both ways: what the rules know for sure in the question has to be in
 * their query, and what comes to it stands for a word that they do not know, or for how all of them stand together. Says
 * what is wrong; nothing where all fits.
 */
export function misfitOf({ text, ask }: Reworded, question: Question, knowledge: Knowledge): string {
  const said = saidIn(question, knowledge);
  const { all, found, grammar, known, empty } = said;
  const unsaid = unsaidWords(all, { found, leaves: [] }, ask, { knowledge, grammar });
  const sure = found.filter(({ cost }) => cost < GUESS).flatMap(({ start, end }) => range(start, end));
  const [missed] = [...sure.filter((i) => unsaid.has(i) && isTold(i, said)), ...unheldWords(all, ask, found)];
  if (missed !== undefined) return `it says nothing of "${all[missed]?.text}" in the question.`;
  const open = [...all.keys()].filter((i) => (unsaid.has(i) || !known.has(i)) && !empty.has(i));
  const added = addedTo(said, saidIn({ ...question, text }, knowledge));
  return added.length <= Math.max(1, open.length) ? "" : `the question has no words for ${added.join(", ")}.`;
}

function saidIn(question: Question, knowledge: Knowledge): Weighed {
  const [language] = languagesOf(question.text) as [Language];
  return weigh(sensesIn(language, question, knowledge));
}

/** What other words name that no word of the question can mean. */
function addedTo({ all: asked, found: before }: Weighed, { all, found, empty }: Weighed): string[] {
  const stems = new Set(asked.map(({ stem }) => stem));
  const meant = new Set(before.map(({ sense }) => named(sense)));
  const added: string[] = [];
  for (let at = 0; at < all.length; ) {
    const here = found.filter(({ start, sense }) => start === at && sense.t !== "op" && sense.t !== "sup");
    const end = Math.max(at + 1, ...here.map((each) => each.end));
    const longest = here.filter((each) => each.end === end);
    const words = all.slice(at, end);
    const isSaid =
      words.every(({ stem }) => stems.has(stem)) || longest.some(({ sense }) => meant.has(named(sense)));
    if (longest.length > 0 && !isSaid && !empty.has(at)) added.push(words.map(({ text }) => text).join(" "));
    at = end;
  }
  return added;
}

/** The same text for a noun, whether there is one of it or more. */
function named(sense: Sense): string {
  return JSON.stringify(sense, (name, value: unknown) => (name === "isMany" ? undefined : value));
}
