/** Runs in a thread of its own and plans instructions, one at a time. None of its imports may load a whole slice. */
import type { MessagePort } from "node:worker_threads";
import { AppError, type ErrorCode } from "../../kernel/errors.ts";
import { answerQuestions } from "../../platform/workers/index.ts";
import type { Plan } from "./plan.ts";
import { type Instruction, planByRules } from "./planner.ts";
import { Inventory } from "./references.ts";
import type { Aliases } from "./words.ts";

export interface ToPlan {
  given: Instruction;
  /** Where what there is can be asked for, as the giver of the instruction sees it. */
  port: MessagePort;
}

/** One look at what there is: a call of a tool that reads, or the words of the models' authors. */
export type Look = { number: number } & ({ tool: string; args: object } | { aliases: true });

export type Seen = { number: number } & (
  | { answer: unknown }
  | { refusal: { code: ErrorCode; message: string; hint: string | undefined } }
);

answerQuestions<ToPlan, Plan>(async ({ given, port }) => {
  const look = lookThrough(port);
  const inventory = new Inventory(
    <T>(tool: string, args: object) => look({ tool, args }) as Promise<T>,
    () => look({ aliases: true }) as Promise<ReadonlyMap<string, Aliases>>,
  );
  try {
    return await planByRules(given, inventory);
  } finally {
    port.close();
  }
});

type Wanted<T> = T extends unknown ? Omit<T, "number"> : never;

function lookThrough(port: MessagePort): (wanted: Wanted<Look>) => Promise<unknown> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  port.on("message", (seen: Seen) => {
    const asked = waiting.get(seen.number);
    waiting.delete(seen.number);
    if ("answer" in seen) asked?.resolve(seen.answer);
    else {
      const { code, message, hint } = seen.refusal;
      asked?.reject(new AppError(code, message, { ...(hint !== undefined && { hint }) }));
    }
  });
  return (wanted) => {
    last += 1;
    const asked = Promise.withResolvers<unknown>();
    waiting.set(last, asked);
    port.postMessage({ number: last, ...wanted });
    return asked.promise;
  };
}
