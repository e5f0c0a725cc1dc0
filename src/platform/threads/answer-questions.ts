import { parentPort, type Transferable } from "node:worker_threads";
import { type ErrorCode, isAppError } from "../../kernel/errors.ts";

/** What a thread says to what it was asked. */
export type Reply<Answer> =
  | { answer: Answer }
  | {
      refusal: { code: ErrorCode; message: string; hint: string | undefined; data: Record<string, unknown> };
    };

/** Runs in a thread: answers one question after the other, and tells expected failures as such. */
export function answerQuestions<Question, Answer>(
  work: (question: Question) => Answer,
  transferred: (answer: Answer) => readonly Transferable[] = () => [],
): void {
  parentPort?.on("message", (question: Question) => {
    const reply = replyTo(work, question);
    parentPort?.postMessage(reply, "answer" in reply ? [...transferred(reply.answer)] : []);
  });
}

function replyTo<Question, Answer>(work: (question: Question) => Answer, question: Question): Reply<Answer> {
  try {
    return { answer: work(question) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message, hint, data } = error;
    return { refusal: { code, message, hint, data } };
  }
}
