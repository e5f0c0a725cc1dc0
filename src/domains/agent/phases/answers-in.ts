import { t } from "../explain/words.ts";
import type { Clarification, Understanding } from "../understand/reading.ts";
import { answeredTexts } from "./answered.ts";
import { isNumber, isSame } from "./chosen.ts";
import { isOfTime, type Question } from "./question.ts";

/** A question with the answers in it that could be put there, and the others. */
export interface Taken {
  text: string;
  understood: Understanding;
  unused: readonly string[];
}

type Read = (text: string) => Promise<Understanding>;

/** Texts that are tried until each answer has its place. */
const MOST_READ = 60;

/** Puts each answer into the question, in whatever order they can be read: one word that is left over, and it is none. */
export async function answersIn(
  { text, answers, labels }: Question,
  understood: Understanding,
  read: Read,
): Promise<Taken> {
  let left = MOST_READ;
  const take = async (now: Taken): Promise<Taken> => {
    const carried: Taken[] = [];
    for (const answer of now.unused) {
      const unused = now.unused.filter((each) => each !== answer);
      for (const put of await textsWith(answer, labels?.get(answer), now, read)) {
        if (left === 0) break;
        left -= 1;
        const next = await read(put);
        if (isCarried(next)) carried.push({ text: put, understood: next, unused });
      }
    }
    // What says what is unclear comes first, so that the others are of the whole question.
    let best = now;
    for (const next of carried.toSorted((a, b) => openIn(a) - openIn(b))) {
      const taken = await take(next);
      if (openIn(taken) === 0) return taken;
      if (openIn(taken) < openIn(best)) best = taken;
    }
    return best;
  };
  return take({ text, understood, unused: [...new Set(answers)] });
}

/**
 * An answer where it can stand: with a label only a number, or what was suggested, says what is unclear. What the label
 * asks for may be said with it ("Group by: country").
 */
async function textsWith(
  answer: string,
  label: string | undefined,
  now: Taken,
  read: Read,
): Promise<string[]> {
  const { unclear } = now.understood;
  if (label === undefined) return answeredTexts(now.text, unclear, [answer]);
  const about = unclear.filter(
    ({ question, suggestions }) =>
      isSame(question, label) || suggestions.some((suggestion) => isSame(suggestion, answer)),
  );
  const bare = now.text.replace(/[?!.]\s*$/, "");
  if (about.length === 0 && isOfTime(label)) return [`${bare} ${answer}`];
  const meant = about.length > 0 ? about : isNumber(await read(answer)) ? unclear : [];
  return [...answeredTexts(now.text, meant, [answer]), `${bare} ${label} ${answer}`];
}

/** Whether each word has a place, though more may have to be asked. */
function isCarried({ readings, missing, unclear }: Understanding): boolean {
  return missing.length === 0 && readings.length + unclear.length > 0;
}

function openIn({ unused, understood }: Taken): number {
  return unused.length + understood.unclear.length;
}

/** Says of an answer that nobody could make use of it, and asks for another. */
export function notUnderstood(answer: string, labels: Question["labels"]): Clarification {
  const label = labels?.get(answer);
  const to = label === undefined ? "" : t` as an answer to "${label}"`;
  return {
    question: t`"${answer}" was not understood${to}. What is meant?`,
    suggestions: [],
    unused: answer,
  };
}

/** The same questions once more, the first of them with what was said and not understood. */
export function askedAgain(
  [first, ...others]: readonly Clarification[],
  unused: readonly string[],
  labels: Question["labels"],
): Clarification[] {
  if (first === undefined) return [];
  // Who was asked just that sees it from being asked again.
  const isNamed = (answer: string) => !isSame(labels?.get(answer) ?? first.question, first.question);
  const named = unused.filter(isNamed).map((answer) => `"${answer}"`);
  if (named.length === 0) return [first, ...others];
  const words = named.join(", ");
  const idle = named.length === 1 ? t`${words} was not understood.` : t`${words} were not understood.`;
  return [{ ...first, question: `${idle} ${first.question}` }, ...others];
}
