import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Window } from "../query/semantic-query.ts";
import { unsaidWords } from "../understand/account/unsaid.ts";
import { sensesIn } from "../understand/candidates/said.ts";
import type { Language } from "../understand/languages/language.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { range } from "../understand/languages/words.ts";
import type { Question } from "../understand/reading.ts";
import { finished } from "../understand/readings/finish.ts";
import type { Sense } from "../understand/senses/fragment.ts";
import { Account } from "./account.ts";
import { checkedAsk, PlanProblem } from "./check-plan.ts";
import { Claims, plain } from "./claims.ts";
import { isContent, periodsIn } from "./coverage.ts";
import type { ModelPlan } from "./plan-shape.ts";

/** A plan of a language model, and what there is to hold it against beside the question. */
export interface ToHold {
  plan: { query: Ask; words: ModelPlan["words"] };
  /** Answers to what was asked back. */
  answers: readonly string[];
  /** Periods that the rules' own readings have. */
  windows: readonly Window[];
}

export type Held =
  /** The query as the data write it, and what of it hangs on the model's word. */
  { ask: Ask; assumed: string[]; isDoubtful: boolean } | { problem: string };

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
    return sensesIn(language, { ...question, text }, knowledge);
  });
  const [asked] = read as [(typeof read)[number]];
  const said = texts.join(" ");
  const periods = [...texts.flatMap((text) => periodsIn({ ...question, text }, knowledge)), ...windows];
  const ask = finished(checkedAsk(plan.query, { knowledge, question: said, periods }), question, knowledge);
  const claims = new Claims(plan.words, { question: said, isKnown: (word) => isKnown(word, asked) });
  requireCoverage(ask, claims, { ...asked, question, knowledge });
  const typed = ` ${plain(said)} `;
  const account = new Account({
    senses: read.flatMap(({ found }) => found.map(({ sense }) => sense)),
    claims,
    numbers: new Set(read.flatMap(({ found }) => numbersOf(found))),
    isTyped: (text) => plain(text) !== "" && typed.includes(` ${plain(text)} `),
    knowledge,
    grammar: asked.grammar,
  });
  account.require(ask);
  return { ask, assumed: claims.assumed, isDoubtful: claims.isDoubtful };
}

type Read = ReturnType<typeof sensesIn> & { language: Language };

/** From this on, what a word may mean is a guess. */
const GUESS = 0.6;

/** Whether the rules are sure that a word means something here. */
function isKnown(text: string, { all, found }: Pick<Read, "all" | "found">): boolean {
  const words = plain(text).split(" ");
  const isOne = (i: number) => words.includes(plain(all[i]?.text ?? ""));
  return found.some(({ start, end, cost }) => cost < GUESS && range(start, end).some(isOne));
}

/** The numbers that are said as such, and not as a part of a period: 2025 is no factor. */
function numbersOf(found: Read["found"]): number[] {
  const periods = found.filter(({ sense }) => isOfPeriod(sense));
  return found.flatMap(({ sense, start, end }) => {
    const isInside = periods.some((period) => period.start <= start && start < period.end);
    if (sense.t === "quantity" && typeof sense.value === "number")
      return [sense.value, sense.value * 100, ...(sense.upTo === undefined ? [] : [sense.upTo])];
    if (sense.t !== "number" || (isInside && end > start)) return [];
    return [sense.value, sense.value * 100];
  });
}

function isOfPeriod({ t }: Sense): boolean {
  return t === "window" || t === "windows" || t === "than";
}

/**
 * Each word of the question has to be in the query: by what the rules know that it means or, where they know nothing
 * for it, by what the model says that it stands for.
 */
function requireCoverage(
  ask: Ask,
  claims: Claims,
  { all, found, language, grammar, question, knowledge }: Read & { question: Question; knowledge: Knowledge },
): void {
  const unsaid = unsaidWords(all, { found, leaves: [] }, ask, { knowledge, grammar });
  const sure = new Set(
    found.filter(({ cost }) => cost < GUESS).flatMap(({ start, end }) => range(start, end)),
  );
  const known = new Set(found.flatMap(({ start, end }) => range(start, end)));
  const parts = new Set(textsOf(ask).map((text) => plain(text) || text));
  const sent = ` ${plain(question.text)} `;
  for (const [i, word] of all.entries()) {
    const isTold =
      (!language.fillers.has(word.norm) || language.grammar.has(word.norm)) &&
      !language.people.has(word.norm);
    if (unsaid.has(i) && sure.has(i) && isTold)
      throw new PlanProblem(`The query says nothing of "${word.text}" in the question.`);
    const isOpen = unsaid.has(i) || !known.has(i);
    if (!isOpen || !isContent(word, language) || !sent.includes(` ${plain(word.text)} `)) continue;
    if (!claims.for(word.text, (means) => parts.has(plain(means) || means.trim())))
      throw new PlanProblem(
        `The word "${word.text}" of the question is carried by nothing: name in "words" the dataset, field, metric, relationship, value or operation of the query that stands for it, or answer with query null.`,
      );
  }
}

/** Every name, value and operation in a query. */
function textsOf(node: unknown): string[] {
  if (typeof node === "string") return [node];
  if (Array.isArray(node)) return node.flatMap(textsOf);
  if (typeof node !== "object" || node === null) return [];
  const { ds, field } = node as { ds?: string; field?: string };
  const both = ds === undefined || field === undefined ? [] : [`${ds}.${field}`];
  const entries = Object.entries(node).filter(([name]) => !PLAIN_PARTS.has(name));
  return [
    ...both,
    ...("top" in node ? ["top"] : []),
    ...entries.flatMap(([name, value]) =>
      name === "k" || name === "op" || name === "fn"
        ? OPERATIONS.has(String(value))
          ? [String(value)]
          : []
        : textsOf(value),
    ),
  ];
}

const OPERATIONS = new Set(["top", "growth", "lag", "/", "-", "+", "running", "not", "avg", "median"]);

/** Parts whose texts are neither names nor values. */
const PLAIN_PARTS = new Set(["dir", "ties", "match", "grain", "bucket", "win", "said"]);
