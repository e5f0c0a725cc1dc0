import { type Question, readQuestion } from "../phases/question.ts";
import { isAnswer } from "./follow-up.ts";

/**
 * The questions that a text may be the answer to: the one that was asked back last, or an earlier one of which what came
 * since are answers as well.
 */
export function answeredQuestions(said: Question, waiting: readonly string[]): Question[] {
  if (!isAnswer(said.text)) return [];
  return waiting.flatMap((text, i) => {
    const since = waiting.slice(i + 1);
    const asked = readQuestion(text);
    const answers = [...asked.answers, ...since, ...said.answers, said.text];
    return since.every(isAnswer) ? [{ ...asked, answers, isForced: asked.isForced || said.isForced }] : [];
  });
}
