import type { Answer, AskedQuery } from "../answer.ts";
import { t } from "../explain/words.ts";
import { GLOSSARY } from "../understand/languages/german/glossary.ts";
import { foldGerman, stemGerman } from "../understand/languages/german/stem.ts";
import { fold, stem } from "../understand/languages/words.ts";
import type { Clarification, Understanding } from "../understand/reading.ts";
import { answeredTexts } from "./answered.ts";

/** A question as it was sent, taken apart. */
export interface Question {
  /** Without what follows. */
  text: string;
  /** `[Time period: Current quarter]`: answers to what was asked back. */
  answers: string[];
  /** What each of them is an answer to, where that is said. */
  labels?: ReadonlyMap<string, string>;
  /** Whoever asks wants an answer with assumptions rather than to be asked back. */
  isForced: boolean;
}

const ANSWER = /\[([^[\]:]{1,200}):\s*([^[\]]{1,500})\]/g;
const PROCEED =
  /[[(]?\s*\b(?:please\s+)?(?:just\s+)?(?:proceed|continue|go ahead|mach(?:e)? weiter)\s+(?:anyway|regardless|with (?:your |reasonable )?assumptions|trotzdem)\b[.!]?\s*[\])]?/gi;

/** A question without those answers that are of use to somebody else. */
export function withoutAnswers(sent: string, isUsed: (answer: string) => boolean): string {
  return sent.replace(ANSWER, (whole, _label: string, answer: string) =>
    isUsed(answer.trim()) ? " " : whole,
  );
}

export function readQuestion(sent: string): Question {
  const answers: string[] = [];
  const labels = new Map<string, string>();
  const isForced = sent.search(PROCEED) !== -1;
  const text = sent
    .replace(PROCEED, " ")
    .replace(ANSWER, (_, label: string, answer: string) => {
      // Who says another period means that one.
      const before = answers.findIndex((each) => isOfTime(label) && labels.get(each) === label);
      if (before !== -1) answers.splice(before, 1);
      answers.push(answer.trim());
      labels.set(answer.trim(), label);
      return " ";
    })
    .replaceAll(/\s+/g, " ")
    .trim();
  return { text, answers, labels, isForced };
}

/** The same with further answers, each with the question that it is to. */
export function withAnswers(question: Question, more: readonly { label: string; text: string }[]): Question {
  const labels = new Map([
    ...(question.labels ?? []),
    ...more.map(({ label, text }) => [text, label] as const),
  ]);
  return { ...question, answers: [...question.answers, ...more.map(({ text }) => text)], labels };
}

/** Labels of answers to what is asked back most often. */
const SUBJECTS = {
  period: /\b(?:time|times|period|dates?|when|since|zeit|zeitraum|wann)\b/i,
  threshold: /threshold|high.?value|valuable|define|definition|schwelle|wertvoll/i,
  region: /region|is yours|ist ihr/i,
} as const;

/** Whether the label of an answer asks for a period. */
function isOfTime(label: string): boolean {
  return SUBJECTS.period.test(label);
}

/** The answers whose labels say that they are about something. */
export function labelled(subject: keyof typeof SUBJECTS, { answers, labels }: Question): string[] {
  return answers.filter((answer) => SUBJECTS[subject].test(labels?.get(answer) ?? ""));
}

/** The answers that may be about something: those whose labels say so first, and none whose label says another thing. */
export function answersAbout(subject: keyof typeof SUBJECTS, question: Question): string[] {
  const { answers, labels } = question;
  const isAbout = (answer: string, pattern: RegExp) => pattern.test(labels?.get(answer) ?? "");
  const others = Object.values(SUBJECTS).filter((pattern) => pattern !== SUBJECTS[subject]);
  const own = labelled(subject, question);
  const open = answers.filter(
    (answer) => !own.includes(answer) && !others.some((pattern) => isAbout(answer, pattern)),
  );
  return [...own, ...open];
}

/** Asks whether other words are meant, and says which words are not understood. */
export function doYouMean(suggestions: readonly string[], missing: readonly string[]): Clarification {
  const words = [...new Set(missing)]
    .slice(0, NAMED)
    .map((word) => `"${word}"`)
    .join(", ");
  const idle = missing.length === 1 ? t` (${words} was not understood)` : t` (${words} were not understood)`;
  const question = suggestions.length === 1 ? t`Do you mean this?` : t`Do you mean one of these?`;
  return {
    question: `${question}${words === "" ? "" : idle}`,
    suggestions: [...suggestions],
    wants: "choice",
  };
}

const SUGGESTS = /^(?:do you mean|meinen sie)/i;
/** Words that are named there. */
const NAMED = 3;

/** Whether something that was asked, or the label of an answer to it, is about other words for the whole question. */
export function isSuggestion(label: string | undefined): boolean {
  return label !== undefined && SUGGESTS.test(label);
}

/** Other words for a question, and the query that they say where it was not read in them. */
export interface Suggested {
  text: string;
  query?: AskedQuery;
}

/** Other words for a question that whoever asked it is asked about. */
export function suggestedIn({ questions, offered = [] }: Pick<Answer, "questions" | "offered">): Suggested[] {
  const texts = questions.flatMap(({ question, suggestions }) => (isSuggestion(question) ? suggestions : []));
  return texts.map((text) => {
    const query = offered.find(({ said }) => said === text);
    return { text, ...(query !== undefined && { query }) };
  });
}

/** The question with other words in its place that somebody has said they mean; undefined where nobody has. */
export function confirmed(question: Question): Question | undefined {
  const { answers, labels } = question;
  const text = answers.find((answer) => isSuggestion(labels?.get(answer)));
  return text === undefined
    ? undefined
    : { ...question, text, answers: answers.filter((each) => each !== text) };
}

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

/** Whether an answer is what was suggested. */
export function isSame(a: string, b: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  return plain(a) === plain(b);
}

/** The one suggestion that has all words that were said; those that every suggestion has tell nothing apart. */
export function chosenOf(text: string, suggestions: readonly string[]): string | undefined {
  const same = suggestions.find((each) => isSame(each, text));
  if (same !== undefined) return same;
  const place = PLACES.findIndex((pattern) => pattern.test(text.trim()));
  if (place !== -1) return suggestions.at(place === PLACES.length - 1 ? -1 : place);
  const said = formsIn(text);
  const fits = suggestions.filter((each) => {
    const stems = new Set(formsIn(each).flat());
    return said.length > 0 && said.every((forms) => forms.some((form) => stems.has(form)));
  });
  return fits.length === 1 ? fits[0] : undefined;
}

/** "the second one": its place among the suggestions; the last pattern is of the last one. */
const PLACES = ["first|1(?:st)?|erste[rns]?", "second|2(?:nd)?|zweite[rns]?", "third|3(?:rd)?|dritte[rns]?"]
  .concat("last|letzte[rns]?")
  .map((word) => new RegExp(`^(?:the |die |der |das |den )?(?:${word})(?: one| reading)?[.!]?$`, "i"));

/** The words that mean something, each in the forms in which a suggestion or a name may have it. */
export function formsIn(text: string): string[][] {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter((word) => !FILLERS.has(word.toLowerCase()))
    .map((word) => {
      const german = stemGerman(foldGerman(word));
      const english = (GLOSSARY.get(german) ?? []).flatMap(({ norms }) => norms.split(" ").map(stem));
      return [stem(fold(word)), german, ...english];
    });
}

const FILLERS = new Set(
  "the a an by as of for in from with at who lives living based one ones whole entire please i we mean meant is it its that this to and just sorry yes nach die der das den dem des ein eine einen von aus mit bei im zum zur als bitte ich wir meine meinte meinen es ist ja also".split(
    " ",
  ),
);

/** "revenue", or "by revenue in 2025": a number and nothing else, but when. */
export function isNumber({ readings: [best], missing }: Understanding): boolean {
  if (best === undefined || missing.length > 0) return false;
  const { ask } = best;
  return ask.k === "table" && ask.by.length === 0 && ask.scope?.if === undefined;
}
