import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { nodesIn } from "../query/nodes.ts";
import type { Ask, Num, Window } from "../query/semantic-query.ts";
import { isTold } from "../understand/account/hold.ts";
import { unheldWords, unsaidWords } from "../understand/account/unsaid.ts";
import type { Found } from "../understand/candidates/candidates.ts";
import { type Said, sensesIn, type Weighed, weigh } from "../understand/candidates/said.ts";
import type { Language } from "../understand/languages/language.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { range } from "../understand/languages/words.ts";
import type { Question, Reading } from "../understand/reading.ts";
import { finished } from "../understand/readings/finish.ts";
import { understand } from "../understand/understand.ts";
import { askedConds, askedParts, meantIn } from "./asked-parts.ts";
import { checkedAsk, PlanProblem } from "./check-plan.ts";
import { Claims, plain } from "./claims.ts";
import { isContent, periodsIn } from "./material.ts";
import { type Part, partsOf } from "./parts.ts";
import type { ModelPlan } from "./plan-shape.ts";

/** A plan of a language model, and what there is to hold it against beside the question. */
export interface ToHold {
  plan: { query: Ask; words: ModelPlan["words"] };
  /** Answers to what was asked back. */
  answers: readonly string[];
  /** Periods that the rules' own readings have. */
  windows: readonly Window[];
}

/** A plan that holds. */
export interface HeldPlan {
  /** As the data write it. */
  ask: Ask;
  /** What of it hangs on the model's word. */
  assumed: string[];
  isDoubtful: boolean;
  /** What the rules read with the model's words; empty where they still read nothing. */
  byRules: Reading[];
}

export type Held = HeldPlan | { problem: string };

/** Holds a plan against the question, in both directions: nothing of it is left out, and nothing comes to it. */
export function holdPlan(held: ToHold, question: Question, knowledge: Knowledge): Held {
  try {
    return hold(held, question, knowledge);
  } catch (error) {
    if (error instanceof PlanProblem) return { problem: error.message };
    throw error;
  }
}

function hold({ plan, answers, windows }: ToHold, question: Question, knowledge: Knowledge): Held {
  const texts = [question.text, ...answers];
  const read = texts.map((text) => {
    const [language] = languagesOf(text) as [Language];
    const senses = sensesIn(language, { ...question, text }, knowledge);
    return weigh({ ...senses, found: meantIn(senses.found) });
  });
  const [asked] = read as [Weighed];
  const said = texts.join(" ");
  const periods = [...texts.flatMap((text) => periodsIn({ ...question, text }, knowledge)), ...windows];
  const ask = finished(checkedAsk(plan.query, { knowledge, question: said, periods }), question, knowledge);
  const unsaid = unsaidOf(ask, asked);
  const claims = new Claims(plan.words, said, (word) => isKnown(word, asked));
  requireAsked(ask, claims, { said, read, knowledge });
  requireRatios(ask, asked);
  requireCarried(unsaid, claims, asked);
  const byRules = answers.length > 0 ? [] : readWith(claims, question, knowledge);
  return {
    ask,
    assumed: claims.assumed,
    isDoubtful: claims.isDoubtful || byRules.length === 0,
    byRules,
  };
}

/** From this on, what a word may mean is a guess. */
const GUESS = 0.6;

/** Whether the rules are sure that a word means something here. */
function isKnown(text: string, { all, found }: Said): boolean {
  const words = plain(text).split(" ");
  const isOne = (i: number) => words.includes(plain(all[i]?.text ?? ""));
  return found.some(({ start, end, cost }) => cost < GUESS && range(start, end).some(isOne));
}

/** What the rules know for sure has to be in the query; gives the words that it says nothing of. */
function unsaidOf(ask: Ask, said: Weighed): ReadonlySet<number> {
  const { all, found, grammar, knowledge } = said;
  const unsaid = unsaidWords(all, { found, leaves: [] }, ask, { knowledge, grammar });
  const sure = found.filter(({ cost }) => cost < GUESS).flatMap(({ start, end }) => range(start, end));
  const [missed] = [...sure.filter((i) => unsaid.has(i) && isTold(i, said)), ...unheldWords(all, ask)];
  if (missed !== undefined)
    throw new PlanProblem(`The query says nothing of "${all[missed]?.text}" in the question.`);
  return unsaid;
}

/** Each part of the query is asked for by a word, by what the rules know or by what the model says that it stands for. */
function requireAsked(
  ask: Ask,
  claims: Claims,
  { said, read, knowledge }: { said: string; read: readonly Said[]; knowledge: Knowledge },
): void {
  const found: Found[] = read.flatMap((each) => each.found);
  const asked = new Set(read.flatMap((each) => [...askedParts(each.found, knowledge)]));
  const typed = ` ${plain(said)} `;
  const isTyped = ({ kind, names: [value = ""] }: Part) =>
    kind === "value" &&
    plain(value) !== "" &&
    typed.includes(` ${plain(value)} `) &&
    // Of a value that the rules know, they know the fields.
    ![...asked].some((part) => part.startsWith(`the value "${value}" of `));
  const open = partsOf(ask, knowledge.schema, askedConds(found)).filter(
    (part) => !asked.has(part.said) && !isTyped(part),
  );
  for (const part of new Map(open.map((each) => [each.said, each])).values())
    if (!claims.take(part))
      throw new PlanProblem(
        `No word of the question asks for ${part.said}: leave it out, or name in "words" the word that does.`,
      );
}

/** What stands before "per" is divided by what stands behind it. */
function requireRatios(ask: Ask, { found, knowledge }: Said): void {
  const per = found.find(({ sense }) => sense.t === "op" && sense.op === "by" && sense.arg === "per");
  if (per === undefined) return;
  const asked = (isThere: (each: Found) => boolean) => askedParts(found.filter(isThere), knowledge);
  const [before, behind] = [asked(({ end }) => end <= per.start), asked(({ start }) => start >= per.end)];
  const isOf = (num: Num, here: ReadonlySet<string>, there: ReadonlySet<string>) =>
    partsOf({ k: "table", by: [], cols: [num] }, knowledge.schema, new Set()).some(
      ({ said, kind }) => kind === "name" && here.has(said) && !there.has(said),
    );
  for (const node of nodesIn(ask)) {
    const { k, op, a, b } = node as unknown as Extract<Num, { k: "calc" }>;
    if (k === "calc" && op === "/" && (isOf(a, behind, before) || isOf(b, before, behind)))
      throw new PlanProblem('Of "x per y", x is "a" and y is "b".');
  }
}

/** And each word that the rules know nothing for stands for a part that no other word asks for. */
function requireCarried(
  unsaid: ReadonlySet<number>,
  claims: Claims,
  { all, empty, known, language, question }: Weighed,
): void {
  const typed = ` ${plain(question.text)} `;
  for (const [i, word] of all.entries()) {
    const isOpen = (unsaid.has(i) || !known.has(i)) && typed.includes(` ${plain(word.text)} `);
    if (isOpen && !empty.has(i) && isContent(word, language) && !claims.carries(word.text))
      throw new PlanProblem(
        `The word "${word.text}" of the question is carried by nothing: name in "words" the dataset, field, metric, relationship, value or operation of the query that stands for it and for no other word, or answer with query null.`,
      );
  }
}

/** What a reading by rules costs at most to be trusted more than a language model. */
const TRUSTED = 3;

/** The rules' own readings, with what the model says that words stand for in their place. */
function readWith(claims: Claims, question: Question, knowledge: Knowledge): Reading[] {
  const text = claims.reworded(question.text);
  // What they make of the question as it is stands beside the plan anyway.
  if (text === undefined || text === question.text) return [];
  const { readings, missing, unclear } = understand({ ...question, text }, knowledge);
  const isRead = missing.length === 0 && unclear.length === 0 && (readings[0]?.cost ?? TRUSTED) < TRUSTED;
  return isRead ? readings : [];
}
