/** A question as it was sent, taken apart. */
export interface Question {
  /** Without what follows. */
  text: string;
  /** `[Time period: Current quarter]`: answers to what was asked back. */
  answers: string[];
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
  const isForced = sent.search(PROCEED) !== -1;
  const text = sent
    .replace(PROCEED, " ")
    .replace(ANSWER, (_, _label: string, answer: string) => {
      answers.push(answer.trim());
      return " ";
    })
    .replaceAll(/\s+/g, " ")
    .trim();
  return { text, answers, isForced };
}
