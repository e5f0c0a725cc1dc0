import { languagesOf } from "../understand/languages/languages.ts";
import type { Clarification, Reading, Understanding } from "../understand/reading.ts";

/** Words for a number, in whose place the number stands; all others judge by one. */
const NOUN =
  /^(volume|performance|volumen|leistung|numbers|figures|results|kpis?|metrics|stats|statistics|kennzahl(en)?)$/i;
/** "Best customers" are more than one. */
const PLURAL = /^(?!this$|was$|has$|does$|des$|den$|in$).*(?:[^s]s|en|[kdu]te)$/i;
const SHOWN = 10;
/** "how do" of "how do Online and Store compare". */
const OPENING = /^\s*(?:how|what|wie|was)\s+\p{L}+\s+/iu;
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
  if (answer === undefined) return [plain];
  const bare = text.replace(/[?!.]\s*$/, "");
  if (word === undefined) return [plain, `${bare} ${answer}`, `${answer} for ${bare.replace(OPENING, "")}`];
  const put = (other: string) => text.replace(word, other).replace(/[?!.]\s*$/, "");
  const replaced = put(answer);
  if (isName === true) return [replaced];
  const [place, most] = LOW.test(word) ? ["bottom", "lowest"] : ["top", "highest"];
  const noun = /^\s+(\p{L}+)/u.exec(text.slice(text.indexOf(word) + word.length))?.[1] ?? "";
  const first = PLURAL.test(noun) ? `${place} ${SHOWN}` : place;
  const judged = [
    ...languagesOf(text).map(({ isForeign }) => `${put(first)} ${isForeign ? "nach" : "by"} ${answer}`),
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
  if (only === undefined || others.length > 0) return questions.map((each) => cut(each, each.suggestions));
  const suggestions: string[] = [];
  for (const suggestion of only.suggestions) {
    if (suggestions.length === SUGGESTED) break;
    const understood = await firstRead(answeredTexts(text, questions, [suggestion]), read);
    if (understood !== undefined && carries(understood.readings)) suggestions.push(suggestion);
  }
  // Where none can be read with the question, whoever is asked at least sees what there is.
  return [cut(only, suggestions.length > 0 ? suggestions : only.suggestions)];
}

const SUGGESTED = 5;

function cut(question: Clarification, suggestions: readonly string[]): Clarification {
  return { ...question, suggestions: suggestions.slice(0, SUGGESTED) };
}
