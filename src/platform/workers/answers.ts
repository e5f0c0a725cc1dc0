import { parentPort, type Transferable } from "node:worker_threads";
import { type ErrorCode, isAppError } from "../../kernel/errors.ts";
import type { Calls } from "./thread-caller.ts";

/** Reply of a pool's worker thread to one question. */
export type Reply<Answer> =
  | { answer: Answer }
  | {
      refusal: { code: ErrorCode; message: string; hint: string | undefined; data: Record<string, unknown> };
    };

/** Runs in a thread of a `WorkerPool`: answers one question after the other, and tells expected failures as such. */
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

export type Answered =
  | { call: number; answer: unknown }
  | { call: number; failure: string }
  /** What was asked about is not there. */
  | { call: number; isLost: true };

/** Thrown in a thread by an answer about something that it does not hold. */
export class NotHeld extends Error {}

export type Answers<C extends Calls> = {
  [Name in keyof C]: (ask: C[Name]["ask"]) => C[Name]["answer"] | Promise<C[Name]["answer"]>;
};

/** Runs in a thread: answers the calls of its `ThreadCaller`. */
export function answerCalls<C extends Calls>(answers: Answers<C>): void {
  parentPort?.on("message", ({ call, name, ask }: { call: number; name: string; ask: never }) => {
    void answerTo(call, async () => await answers[name]!(ask));
  });
}

async function answerTo(call: number, work: () => Promise<unknown>): Promise<void> {
  let answered: Answered;
  try {
    answered = { call, answer: await work() };
  } catch (error) {
    if (error instanceof NotHeld) answered = { call, isLost: true };
    else
      answered = { call, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  parentPort?.postMessage(answered);
}
