import type { Clarification, Reading, Understanding } from "../understand/reading.ts";

/** Words for a number, in whose place the number stands; all others judge by one. */
const NOUN = /^(volume|performance|volumen|leistung)$/i;
/** "Best customers" are more than one. */
const PLURAL = /^(?!this$|was$|has$|does$|des$|den$|in$).*(?:[^s]s|en)$/i;
const SHOWN = 10;
const LOW = /^(worst|bad|worse|weak|schlecht|schwach)/i;

/**
 * The question with an answer to what was unclear in it, in the ways that people would have said it at once:
 * "best customers" by revenue are the top customers by revenue, and "volume" may be units sold.
 */
export function answeredTexts(
  text: string,
  unclear: readonly Clarification[],
  answers: readonly string[],
): string[] {
  const plain = `${text} ${answers.join(" ")}`;
  const [{ word, isName } = { word: undefined, isName: undefined }] = unclear;
  const [answer] = answers;
  if (word === undefined || answer === undefined) return [plain];
  const put = (other: string) => text.replace(word, other).replace(/[?!.]\s*$/, "");
  const replaced = put(answer);
  if (isName === true) return [replaced];
  const [place, most] = LOW.test(word) ? ["bottom", "lowest"] : ["top", "highest"];
  const noun = /^\s+(\p{L}+)/u.exec(text.slice(text.indexOf(word) + word.length))?.[1] ?? "";
  const first = PLURAL.test(noun) ? `${place} ${SHOWN}` : place;
  const judged = [
    `${put(first)} by ${answer}`,
    `${put(first)} nach ${answer}`,
    put(`${most} ${answer}`),
    `${put("")} with the ${most} ${answer}`,
  ];
  const isNoun = NOUN.test(word) || answer.includes(word);
  return isNoun ? [replaced, plain, ...judged] : [...judged, plain, replaced];
}

/** The first text that can be read whole; undefined when none can. */
export async function firstRead(
  texts: readonly string[],
  read: (text: string) => Promise<Understanding>,
): Promise<Understanding | undefined> {
  for (const text of texts) {
    const understood = await read(text);
    const { readings, missing, unclear } = understood;
    if (readings.length > 0 && missing.length === 0 && unclear.length === 0) return understood;
  }
  return undefined;
}

/** What is asked back, without suggestions that the model cannot carry: whoever took one would be refused. */
export async function withCarried(
  questions: readonly Clarification[],
  text: string,
  {
    read,
    carries,
  }: { read: (text: string) => Promise<Understanding>; carries: (readings: readonly Reading[]) => boolean },
): Promise<Clarification[]> {
  const [only, ...others] = questions;
  // Of several questions none can be read before all are answered.
  if (only === undefined || others.length > 0) return [...questions];
  const suggestions: string[] = [];
  for (const suggestion of only.suggestions) {
    const understood = await firstRead(answeredTexts(text, questions, [suggestion]), read);
    if (understood !== undefined && carries(understood.readings)) suggestions.push(suggestion);
  }
  return [{ ...only, suggestions }];
}
