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
  work: (question: Question) => Answer | Promise<Answer>,
  transferred: (answer: Answer) => readonly Transferable[] = () => [],
): void {
  parentPort?.on("message", async (question: Question) => {
    const reply = await replyTo(work, question);
    parentPort?.postMessage(reply, "answer" in reply ? [...transferred(reply.answer)] : []);
  });
}

async function replyTo<Question, Answer>(
  work: (question: Question) => Answer | Promise<Answer>,
  question: Question,
): Promise<Reply<Answer>> {
  try {
    return { answer: await work(question) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message, hint, data } = error;
    return { refusal: { code, message, hint, data } };
  }
}
