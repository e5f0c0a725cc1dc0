import type { Answer } from "../answer.ts";
import { say } from "../explain/say.ts";
import { sentence, t } from "../explain/words.ts";
import { isIgnored } from "../phases/plan.ts";
import { chosenOf, isNumber, isSame, type Question, readQuestion } from "../phases/question.ts";
import { WHICH_READING } from "../phases/refuse.ts";
import type { Ask } from "../query/semantic-query.ts";
import type { Clarification, Understanding } from "../understand/reading.ts";
import { type Context, isCarried } from "./context.ts";
import { type Followed, isAnswer } from "./follow-up.ts";
import { isGoingOn, turnOf } from "./turn.ts";

interface Around {
  /** Answers a question as if it had been asked so, or as it was understood when it was asked about. */
  put: (question: Question, how?: { isConfirmed?: boolean; isLater?: boolean }) => Promise<Answer>;
  /** What a text means for itself. */
  read: (text: string) => Promise<Understanding>;
}

/**
 * What was asked back, put together with what is said now. What is no answer leaves it open; undefined where nothing was
 * asked, or something else is asked now.
 */
export async function answering(
  said: Question,
  waiting: readonly string[],
  { put, read }: Around,
): Promise<Answer | undefined> {
  let open: Answer | undefined;
  for (const { isLater, ...question } of await answeredQuestions(said, waiting, read)) {
    const earlier = question.answers.slice(0, -1);
    const asked = await put({ ...question, answers: earlier }, { isLater });
    if (asked.outcome !== "clarify") continue;
    const bare = said.text.replace(BY, "");
    const reply = replyTo(said.text, asked.questions, await read(bare));
    if (reply.k === "question") return undefined;
    // What was said in their own words and was of no use is something else, and not asked about again.
    if (reply.k !== "said") open ??= asked;
    if (reply.k === "open") continue;
    if (asked.questions.some(({ wants }) => wants === "yes"))
      return put({ ...question, answers: earlier }, { isConfirmed: true });
    const isNumber = asked.questions.some(({ wants }) => wants === "number");
    const text = reply.k === "chosen" ? reply.answer : isNumber ? bare : said.text;
    const used = earlier.filter((each) => !asked.questions.some(({ unused }) => unused === each));
    const answer = await put({ ...question, answers: [...used, text] }, { isConfirmed: true });
    if (answer.outcome === "answer" && !answer.caveats.some(isIgnored)) return answer;
    if (answer.questions.some(({ unused }) => unused === text)) continue;
    const isOther = JSON.stringify(asked.questions) !== JSON.stringify(answer.questions);
    if (answer.outcome === "clarify" && isOther) return answer;
  }
  return open;
}

/**
 * The questions that a text may be the answer to: the one that was asked back last, or an earlier one of which what came
 * since are answers as well, or were none.
 */
async function answeredQuestions(
  said: Question,
  waiting: readonly string[],
  read: Around["read"],
): Promise<(Question & { /** Whether another one was waiting when it was asked. */ isLater: boolean })[]> {
  if (!isAnswer(said.text)) return [];
  const isOwn = async (text = "") => !isAnswer(text) || isQuestion(text, await read(text));
  let first = Math.max(0, waiting.length - 1);
  // Whoever asked something else since has left what was asked before.
  while (first > 0 && !(await isOwn(waiting[first]))) first -= 1;
  return waiting.flatMap((text, i) => {
    if (i < first) return [];
    const since = waiting.slice(i + 1);
    const asked = readQuestion(text);
    const isForced = asked.isForced || said.isForced;
    const between = since.length === 0 ? [[]] : [since, []];
    return between.map((more) => ({
      ...asked,
      answers: [...asked.answers, ...more, ...said.answers, said.text],
      isForced,
      isLater: i > 0,
    }));
  });
}

/** "and the store?" after the region was chosen: another one of what was asked back before the last answer. */
export async function otherChoice(
  said: Question,
  asked: string | undefined,
  put: Around["put"],
): Promise<Answer | undefined> {
  const turn = turnOf(said.text);
  if (asked === undefined || !isGoingOn(turn) || turn.said.split(/\s+/).length > CHOICE_WORDS)
    return undefined;
  const question = readQuestion(asked);
  const { outcome, questions } = await put(question);
  const suggestions = questions.filter(({ wants }) => wants !== "number").flatMap((each) => each.suggestions);
  const other = outcome === "clarify" ? chosenOf(turn.said, suggestions) : undefined;
  if (other === undefined) return undefined;
  const answer = await put({ ...question, answers: [...question.answers, other] }, { isConfirmed: true });
  return answer.outcome === "answer" ? answer : undefined;
}

/** What has more is no choice. */
const CHOICE_WORDS = 4;

/** What has to be asked about a follow-up: also of what it is said, where the question before was not answered. */
export function questionBack(
  followed: Followed,
  { isInterrupted }: { isInterrupted?: boolean | undefined },
): Clarification | undefined {
  if (followed.k === "asks") return followed.question;
  if (followed.k !== "follows" || isInterrupted !== true || followed.isSure === true) return undefined;
  const { said, ask } = followed.reading;
  return {
    question: t`The question before this one was not answered. Do you mean this?`,
    suggestions: [said === "" ? say(ask) : said],
    wants: "yes",
  };
}

/** What somebody says who was asked something. */
export type Reply =
  /** One of the suggestions. */
  | { k: "chosen"; answer: string }
  /** An answer in their own words. */
  | { k: "said" }
  /** A question of its own. */
  | { k: "question" }
  /** Neither: what was asked is still open. */
  | { k: "open" };

const YES =
  /^\s*(?:yes|yep|yeah|right|correct|exactly|sure|ok|okay|ja|genau|richtig|stimmt)\b[\s,]*(?:please|bitte|exactly|genau)?[\s.!]*$/i;

/** What has more, and means something by itself, is a question. */
const FRAGMENT_WORDS = 2;

export function replyTo(
  text: string,
  questions: readonly Clarification[],
  /** The text, read for itself. */
  alone: Understanding,
): Reply {
  const suggestions = questions.flatMap((each) => each.suggestions);
  const answer = YES.test(text) && suggestions.length === 1 ? suggestions[0] : chosenOf(text, suggestions);
  if (answer !== undefined) return { k: "chosen", answer };
  const wants = questions.map((each) => each.wants);
  if (wants.includes("number") && BY.test(text) && isNumber(alone)) return { k: "said" };
  if (isQuestion(text, alone)) return { k: "question" };
  if (wants.includes("yes")) return { k: "question" };
  if (wants.includes("choice")) return { k: "open" };
  return wants.includes("number") && !isNumber(alone) ? { k: "open" } : { k: "said" };
}

/** "by revenue in 2025": which number, and of when. */
const BY = /^(?:by|nach)\s+/i;

/** Whether it can stand for itself: it asks, or is long enough and means something, though not each of its words. */
function isQuestion(text: string, { readings: [best], missing, unclear }: Understanding): boolean {
  if (ASKS.test(text.trim())) return true;
  if (best === undefined || unclear.length > 0) return false;
  const { ask } = best;
  if (missing.length > 0) return ask.k === "table" && text.trim().split(/\s+/).length > FRAGMENT_WORDS;
  if (ask.k === "list" && ask.rel.k === "all") return false;
  // "revenue yesterday" says of what, and when.
  const isScoped = ask.k === "table" && (ask.by.length > 0 || ask.scope?.win !== undefined);
  return isScoped || text.trim().split(/\s+/).length > FRAGMENT_WORDS;
}

const ASKS =
  /^(?:how|what|which|who|whose|when|where|show|list|give|find|wie|was|welche[rnms]?|wer|wann|wo|zeige?|nenne)\b/i;

/** The one that was chosen, or the last where all give the same; else it is asked. */
export async function oneOfThem(
  all: readonly Ask[],
  { rows, knowledge, answers = [] }: Context,
): Promise<Ask | Clarification> {
  const carried = all.filter((ask) => isCarried(ask, knowledge));
  const chosen = carried.find((ask) => answers.some((answer) => isSame(answer, say(ask))));
  const last = carried.at(-1) ?? (all[0] as Ask);
  if (chosen !== undefined || carried.length < 2) return chosen ?? last;
  const results = await Promise.all(carried.map(async (ask) => JSON.stringify(await rows(ask))));
  const different = carried.filter((_, i) => results.indexOf(results[i] as string) === i);
  return different.length === 1
    ? last
    : { question: sentence(WHICH_READING), suggestions: different.map((ask) => say(ask)), wants: "choice" };
}

/** A reading that has to be confirmed. */
export function whether(ask: Ask, { answers = [] }: Context): Ask | Clarification {
  const isSaid = answers.some((answer) => isSame(answer, say(ask)));
  return isSaid ? ask : { question: t`Is this what you mean?`, suggestions: [say(ask)], wants: "choice" };
}
