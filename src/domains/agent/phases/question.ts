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
      answers.push(answer.trim());
      labels.set(answer.trim(), label);
      return " ";
    })
    .replaceAll(/\s+/g, " ")
    .trim();
  return { text, answers, labels, isForced };
}

/** Labels of answers to what is asked back most often. */
const SUBJECTS = {
  period: /\b(?:time|times|period|dates?|when|since|zeit|zeitraum|wann)\b/i,
  threshold: /threshold|high.?value|valuable|define|definition|schwelle|wertvoll/i,
  region: /region/i,
} as const;

/** The answers that may be about something: those whose labels say so first, and none whose label says another thing. */
export function answersAbout(subject: keyof typeof SUBJECTS, { answers, labels }: Question): string[] {
  const isAbout = (answer: string, pattern: RegExp) => pattern.test(labels?.get(answer) ?? "");
  const others = Object.values(SUBJECTS).filter((pattern) => pattern !== SUBJECTS[subject]);
  const own = answers.filter((answer) => isAbout(answer, SUBJECTS[subject]));
  const open = answers.filter(
    (answer) => !own.includes(answer) && !others.some((pattern) => isAbout(answer, pattern)),
  );
  return [...own, ...open];
}
