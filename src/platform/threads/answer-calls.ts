import { parentPort } from "node:worker_threads";
import type { Calls } from "./caller.ts";

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
