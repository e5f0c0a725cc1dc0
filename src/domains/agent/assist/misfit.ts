import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { nodesIn } from "../query/parts.ts";
import type { Ask, Comparison, Cond } from "../query/semantic-query.ts";
import { isTold } from "../understand/account/hold.ts";
import { unheldWords, unsaidWords } from "../understand/account/unsaid.ts";
import { sensesIn, type Weighed, weigh } from "../understand/candidates/said.ts";
import type { Language } from "../understand/languages/language.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { fold, range } from "../understand/languages/words.ts";
import type { Question } from "../understand/reading.ts";
import type { Sense } from "../understand/senses/fragment.ts";
import { addedTo } from "./added.ts";

/** From this on, what a word may mean is a guess. */
const GUESS = 0.6;

/**
 * Holds a query against the question itself, both ways: what the rules know for sure in the question has to be in it,
 * and what comes to it stands for a word that they do not know, or for how all of them stand together. Says
 * what is wrong; nothing where all fits.
 */
export function misfitOf(ask: Ask, question: Question, knowledge: Knowledge): string {
  const foreign = foreignValue(ask, question, knowledge);
  if (foreign !== undefined) return `${JSON.stringify(foreign)} is no value of the data.`;
  const said = saidIn(question, knowledge);
  const { all, found, grammar, known, empty } = said;
  const unsaid = unsaidWords(all, { found, leaves: [] }, ask, { knowledge, grammar });
  const sure = found.filter(({ cost }) => cost < GUESS).flatMap(({ start, end }) => range(start, end));
  const [missed] = [...sure.filter((i) => unsaid.has(i) && isTold(i, said)), ...unheldWords(all, ask, found)];
  if (missed !== undefined) return `it says nothing of "${all[missed]?.text}" in the question.`;
  const senses = found.map(({ sense }) => sense);
  const turned = turnedIn(ask, senses);
  if (turned !== undefined) return `the question does not compare with ${turned} in that way.`;
  const open = [...all.keys()].filter((i) => (unsaid.has(i) || !known.has(i)) && !empty.has(i));
  const added = addedTo(question.text, senses, ask, knowledge.schema);
  return added.length <= Math.max(1, open.length) ? "" : `the question has no words for ${added.join(", ")}.`;
}

/** A text that is no value of its field, or that nobody has said where its values are too many to be known. */
function foreignValue(ask: Ask, { text }: Question, { values }: Knowledge): string | undefined {
  const said = fold(text);
  const conds = nodesIn(ask).filter(({ k }) => k === "is") as unknown as Extract<Cond, { k: "is" }>[];
  for (const { key, values: wanted, match } of conds) {
    const known = values.find(({ ds, field }) => ds === key.ds && field === key.field);
    const isOne = (value: string) =>
      known?.values.some((each) => (match === "equal" ? each === value : fold(each).includes(fold(value))));
    const isSaid = (value: string) => known?.isCut !== false && said.includes(fold(value));
    const found = wanted.find((value) => typeof value === "string" && !isOne(value) && !isSaid(value));
    if (found !== undefined) return String(found);
  }
  return undefined;
}

/** A number that is compared with otherwise than the question says: less than 10 is not more than 10. */
function turnedIn(ask: Ask, senses: readonly Sense[]): number | undefined {
  const opsAt = (value: number) =>
    senses.flatMap((sense) => (sense.t === "quantity" && sense.value === value ? [sense.op] : []));
  return nodesIn(ask).flatMap(({ k, op, b }) => {
    const { v } = (b ?? {}) as { v?: unknown };
    const ops = k === "cmp" && typeof v === "number" ? opsAt(v) : [];
    return ops.length > 0 && !ops.includes(op as Comparison) ? [v as number] : [];
  })[0];
}

function saidIn(question: Question, knowledge: Knowledge): Weighed {
  const [language] = languagesOf(question.text) as [Language];
  return weigh(sensesIn(language, question, knowledge));
}
