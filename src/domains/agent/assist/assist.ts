import { isAppError } from "../../../kernel/errors.ts";
import type { Answer } from "../answer.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { isSame } from "../phases/chosen.ts";
import { fingerprint } from "../phases/execute.ts";
import { doYouMean } from "../phases/question.ts";
import { clarify } from "../phases/refuse.ts";
import { CERTAIN, type Helped, type Suggestion, suggestions, type Write } from "./suggest.ts";

/** What an answer to a language model's words is worth, where nobody has said that they are meant. */
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
 * Asks a language model how a question that the rules do not know can be said in the words of the semantic model, and
 * whoever asked whether they mean that: no number is ever given on the model's word. Whatever goes wrong, the rules'
 * answer stands, with a note.
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
    const found = await suggestions(helped, write);
    if (found === undefined)
      return noted(answer, `The ${name} was asked as well, and found nothing in the model for it.`);
    if (found.length === 0)
      return noted(
        answer,
        `The ${name} was asked as well, and what it made of the question did not hold, so that nothing of it was used.`,
      );
    const isMeant = ({ text }: Suggestion) => helped.question.answers.some((each) => isSame(each, text));
    const chosen = found.find(isMeant);
    if (chosen !== undefined) return chosen.answer;
    const others = different([answer, ...found.map((each) => each.answer)]).slice(1);
    const meant = found.filter((each) => others.includes(each.answer));
    const [first] = meant;
    if (first === undefined) return answer;
    if (helped.question.isForced) return taken(first, name);
    const own = answer.outcome === "answer" ? await sayable(answer, helped) : [];
    const missing = helped.understanding.missing.map(({ text }) => text);
    const asked = doYouMean([...own, ...meant.map(({ text }) => text)], missing);
    return noted(clarify([asked], knowledge), `The ${name} suggests to ask it so.`);
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

/** The rules' own reading, if it is a question by which they find the same. */
async function sayable(answer: Answer, { put }: Helped): Promise<string[]> {
  const text = answer.reading ?? "";
  const again = await put(text);
  return fingerprint(again.answer) === fingerprint(answer) ? [text] : [];
}

/** Whoever wants no questions gets an answer to the first suggestion, and is told so. */
function taken({ text, answer }: Suggestion, name: string): Answer {
  const note = `The rules did not understand the question. Assumed, as the ${name} suggests: ${text}`;
  const confidence = Math.min(answer.confidence ?? 0, UNCONFIRMED);
  return noted({ ...answer, confidence }, note);
}

function noted(answer: Answer, note: string): Answer {
  return { ...answer, caveats: [...answer.caveats, note] };
}
