import type { Answer, AskedQuery } from "../answer.ts";
import { t } from "../explain/words.ts";
import type { Clarification } from "../understand/reading.ts";

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
export function isOfTime(label: string): boolean {
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
