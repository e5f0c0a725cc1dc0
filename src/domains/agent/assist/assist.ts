import { isAppError } from "../../../kernel/errors.ts";
import type { Answer, Result } from "../answer.ts";
import { isSame } from "../phases/chosen.ts";
import { fingerprint } from "../phases/execute.ts";
import { clarify, WHICH_READING } from "../phases/refuse.ts";
import { type Helped, readByModel, type Write } from "./read-by-model.ts";

/** An answer of the rules below this is shown to a language model, where there is one. */
const CERTAIN = 0.6;
/** From here on a reading by rules is strong enough to stand beside one of a language model. */
const STRONG = 0.4;

/** What the rules have come to. */
export interface ByRules {
  answer: Answer;
  /** Only whoever asked can settle it: readings that are equally good give different rows, or it is settled already. */
  isTheirs: boolean;
}

export function needsHelp({ answer, isTheirs }: ByRules): boolean {
  if (answer.outcome === "answer") return !isTheirs && (answer.confidence ?? 0) < CERTAIN;
  return !isTheirs;
}

/** Tells of a result in words, charts and lineage. */
type Tell = (result: Result, notes: readonly string[]) => Promise<Answer>;

/**
 * Asks a language model about what the rules do not know. Whatever goes wrong, the rules' answer stands, with a note:
 * a model can only add an answer, never take one away.
 */
export async function assist(
  { answer }: ByRules,
  helped: Helped,
  { write, tell, name }: { write: Write; tell: Tell /** What people call it. */; name: string },
): Promise<Answer> {
  try {
    const read = await readByModel(helped, write);
    if (read.k === "nothing") return noted(answer, `The ${name} was asked as well, and ${read.why}.`);
    const { result } = read;
    const note = `The question was read by the ${name}; rules alone did not understand it.`;
    if (answer.outcome !== "answer") return await tell(result, [note]);
    if (fingerprint(result) === fingerprint(answer)) return answer;
    const isChosen = helped.question.answers.some((chosen) => isSame(chosen, result.reading.said));
    if (isChosen || (answer.confidence ?? 0) < STRONG) return await tell(result, [note]);
    return clarify(
      [
        {
          question: WHICH_READING,
          suggestions: [answer.reading ?? "", result.reading.said],
        },
      ],
      helped.knowledge,
    );
  } catch (error) {
    if (
      !isAppError(error) ||
      !["unavailable", "plan_limit", "bad_request", "forbidden", "too_large"].includes(error.code)
    )
      throw error;
    return noted(answer, `Answered by rules alone. ${error.message}`);
  }
}

function noted(answer: Answer, note: string): Answer {
  return { ...answer, caveats: [...answer.caveats, note] };
}
