import { isAppError } from "../../../kernel/errors.ts";
import type { Answer, AskedQuery } from "../answer.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { fingerprint } from "../phases/execute.ts";
import { doYouMean, isSame } from "../phases/question.ts";
import { clarify } from "../phases/refuse.ts";
import { CERTAIN, type FilledIn, filledIn, type Helped, type Write } from "./fill-in.ts";

/** What an answer to a language model's query is worth, where the rules know each word of the question. */
const PUT_TOGETHER = 0.7;
/** And where it says what a word means that they do not know, and nobody has confirmed it. */
const UNCONFIRMED = 0.5;

/** What the rules have come to. */
export interface ByRules {
  answer: Answer;
  /** Only whoever asked can settle it: readings that are equally good give different rows, or it is settled already. */
  isTheirs: boolean;
}

export function needsHelp({ answer, isTheirs }: ByRules): boolean {
  if (isTheirs) return false;
  if (answer.outcome === "answer") return (answer.confidence ?? 0) < CERTAIN;
  // What the rules can ask themselves is for the person to say.
  return !answer.questions.some((each) => each.suggestions.length > 0);
}

/**
 * Lets a language model fill in the query of a question that the rules do not understand. Where they know each word, and
 * all of them are in the query, it has put together what they could not, and that is answered. Where it says what an
 * unknown word means, whoever asked says whether they mean that. Whatever goes wrong, the rules' answer stands, with a
 * note.
 */
export async function assist(
  { answer }: ByRules,
  helped: Helped,
  {
    write,
    name,
    knowledge,
  }: { write: Write /** What people call it. */; name: string; knowledge: Knowledge },
): Promise<Answer> {
  try {
    const found = await filledIn(helped, write);
    if (found === undefined)
      return noted(answer, `The ${name} was asked as well, and found nothing in the model for it.`);
    if (found.length === 0)
      return noted(
        answer,
        `The ${name} was asked as well, and what it made of the question did not hold, so that nothing of it was used.`,
      );
    const isMeant = ({ text }: FilledIn) => helped.question.answers.some((each) => isSame(each, text));
    const chosen = found.find(isMeant);
    if (chosen !== undefined) return chosen.answer;
    const own = answer.outcome === "answer" ? [answer] : [];
    const others = different([...own, ...found.map((each) => each.answer)]);
    const meant = found.filter((each) => others.includes(each.answer));
    const [first, ...more] = meant;
    if (first === undefined) return answer;
    const missing = helped.understanding.missing.map(({ text }) => text);
    const isOnly = more.length === 0 && own.length === 0;
    if (isOnly && missing.length === 0) return taken(first, PUT_TOGETHER, `Put together by the ${name}`);
    if (helped.question.isForced)
      return taken(first, UNCONFIRMED, `The rules did not understand the question. Assumed by the ${name}`);
    const queries = [...own, ...meant.map((each) => each.answer)].flatMap(({ query }) => query ?? []);
    const asked = asks(queries, missing, knowledge);
    return noted(asked, `The ${name} suggests it.`);
  } catch (error) {
    if (
      !isAppError(error) ||
      !["unavailable", "plan_limit", "bad_request", "forbidden", "too_large"].includes(error.code)
    )
      throw error;
    return noted(answer, `Answered by rules alone. ${error.message}`);
  }
}

/** The first of those with the same rows. */
function different(answers: readonly Answer[]): Answer[] {
  const seen = new Map(answers.toReversed().map((each) => [fingerprint(each), each]));
  return answers.filter((each) => seen.get(fingerprint(each)) === each);
}

function asks(queries: readonly AskedQuery[], missing: readonly string[], knowledge: Knowledge): Answer {
  const texts = queries.map(({ said }) => said);
  return { ...clarify([doYouMean(texts, missing)], knowledge), offered: [...queries] };
}

function taken({ text, answer }: FilledIn, most: number, by: string): Answer {
  return noted({ ...answer, confidence: Math.min(answer.confidence ?? 0, most) }, `${by}: ${text}.`);
}

function noted(answer: Answer, note: string): Answer {
  return { ...answer, caveats: [...answer.caveats, note] };
}
