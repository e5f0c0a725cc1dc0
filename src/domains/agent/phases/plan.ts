import { inTheirWords } from "../explain/say.ts";
import { t, word } from "../explain/words.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { Ask } from "../query/semantic-query.ts";
import type { Clarification, Reading, Understanding } from "../understand/reading.ts";
import type { Reader } from "../understand/threads/reading-threads.ts";
import { answeredTexts, firstRead } from "./answered.ts";
import { answersIn, askedAgain, chosenOf, isSame, notUnderstood, type Question } from "./question.ts";

/**
 * Readings that cost at most this much more than the best one are its rivals. Names show by themselves what they are
 * a list of; of a number nobody sees that other rows were meant.
 */
const MARGIN: Readonly<Record<Ask["k"], number>> = { table: 0.2, list: 0.05 };

/** Gives the readings of a question: rules, or whoever else fills the same structure. */
export type Understand = (
  question: { text: string } & Moment,
  knowledge: Knowledge,
  reader: Reader,
) => Promise<Understanding>;

export interface Moment {
  /** ISO 8601, without an offset: what clocks show in the time zone. */
  now: string;
  timeZone: string;
}

type Read = (text: string) => Promise<Understanding>;

export type Plan =
  /** The best first; those behind it are tried only where the model cannot carry it. */
  | { k: "run"; readings: Reading[]; isSettled: boolean; notes: string[] }
  | { k: "clarify"; questions: Clarification[] }
  | { k: "refuse"; missing: Understanding["missing"] };

const IGNORED = /^(?:These answers could not be used|Diese Antworten waren nicht zu gebrauchen)/;

/** Whether a note says that an answer to what was asked back was of no use. */
export function isIgnored(note: string): boolean {
  return IGNORED.test(note);
}

/** The Planner: what the question means, or what has to be known before it means something. */
export async function plan(question: Question, read: Read): Promise<Plan> {
  const plain = await read(question.text);
  const { answers, labels, isForced } = question;
  if (answers.length === 0) return decide(plain, question, read);
  const choices = answers.filter((answer) => chosenReading(plain.readings, [answer]) !== undefined);
  const others = answers.filter((answer) => !choices.includes(answer));
  const { text, understood, unused } = await answersIn({ ...question, answers: others }, plain, read);
  const chosen = chosenReading(understood.readings, choices);
  if (chosen !== undefined && understood.missing.length === 0 && unused.length === 0)
    return { k: "run", readings: [chosen], isSettled: true, notes: [] };
  const decided = await decide(understood, { ...question, text }, read);
  const idle = chosen === undefined ? [...choices, ...unused] : unused;
  if (idle.length === 0 || decided.k === "refuse") return decided;
  if (decided.k === "clarify")
    return { k: "clarify", questions: askedAgain(decided.questions, unused, labels) };
  // One of several people of a name is chosen when these are known.
  if (!isForced && !idle.every((answer) => NAMESAKE.test(answer)))
    return { k: "clarify", questions: idle.map((answer) => notUnderstood(answer, labels)) };
  return { ...decided, notes: [...decided.notes, t`These answers could not be used: ${idle.join("; ")}.`] };
}

const NAMESAKE = /: .+ (?:with|mit) \p{L}/u;

/** The reading that was chosen of those that were offered, by its words or by some that only it has. */
function chosenReading(readings: readonly Reading[], answers: readonly string[]): Reading | undefined {
  const all = inTheirWords(readings);
  const offered = rivalsOf(all).map(({ said }) => said);
  const chosen = answers.map((answer) => (offered.length > 1 ? chosenOf(answer, offered) : answer));
  return all.find(({ said }) => chosen.some((answer) => answer !== undefined && isSame(answer, said)));
}

async function decide(
  { missing, unclear, readings }: Understanding,
  { text, isForced }: Question,
  read: Read,
): Promise<Plan> {
  if (missing.length > 0) return { k: "refuse", missing };
  if (unclear.length > 0 && !isForced) {
    return { k: "clarify", questions: unclear.slice(0, LIMITS.agent.clarifications) };
  }
  if (unclear.length > 0) return assume(unclear, text, readings, read);
  if (readings.length === 0) return { k: "refuse", missing: [] };
  return { k: "run", readings, isSettled: isForced, notes: isForced ? othersOf(readings) : [] };
}

/** Whoever wants no questions gets the first suggestion for each, and is told so. */
async function assume(
  unclear: readonly Clarification[],
  text: string,
  readings: readonly Reading[],
  read: Read,
): Promise<Plan> {
  const first = unclear.flatMap(({ suggestions }) => suggestions.slice(0, 1));
  const assumed = unclear.flatMap(({ question, suggestions: [choice] }) =>
    choice === undefined ? [] : [{ at: null, choice: `${choice} (${question})`, others: [] }],
  );
  const run = (all: readonly Reading[]): Plan => ({
    k: "run",
    readings: all.map((each) => ({ ...each, assumptions: [...assumed, ...each.assumptions] })),
    isSettled: true,
    notes: [],
  });
  const settled = await firstRead(answeredTexts(text, unclear, first), read);
  if (settled !== undefined) return run(settled.readings);
  if (readings.length > 0) return run(readings);
  return { k: "clarify", questions: unclear.slice(0, LIMITS.agent.clarifications) };
}

function othersOf(readings: readonly Reading[]): string[] {
  const [best, ...others] = rivalsOf(inTheirWords(readings));
  if (best === undefined || others.length === 0) return [];
  return [t`Assumed: ${best.said} (and not ${others.map(({ said }) => said).join(`, ${word("or")} `)})`];
}

/** The best reading, and those that are nearly as good. */
export function rivalsOf(readings: readonly Reading[]): Reading[] {
  const [best] = readings;
  if (best === undefined) return [];
  // Sums of the same costs in another order differ in their last digit.
  const most = best.cost + MARGIN[best.ask.k] + 1e-9;
  return readings.filter(({ cost }) => cost <= most).slice(0, LIMITS.agent.rivals);
}
