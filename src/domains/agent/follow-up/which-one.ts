import { say } from "../explain/say.ts";
import { sentence, t } from "../explain/words.ts";
import { isSame } from "../phases/chosen.ts";
import { WHICH_READING } from "../phases/refuse.ts";
import type { Ask } from "../query/semantic-query.ts";
import type { Clarification } from "../understand/reading.ts";
import { type Context, isCarried } from "./context.ts";

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
