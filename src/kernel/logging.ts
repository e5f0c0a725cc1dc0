import { messageOf } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import { maskText } from "./masking.ts";
import { MS } from "./time.ts";

/** Keys that are throttled at once; beyond them all are forgotten. */
const MAX_KEYS = 1_000;

/**
 * Log throttle: an outage fails every call for the same reason, and is logged when it begins and then once a minute,
 * with the number of lines that were suppressed.
 */
export class LogThrottle {
  readonly #logged = new Map<string, { atMs: number; suppressed: number }>();

  log(key: string, write: (facts: { timesSince?: number }) => void): void {
    const last = this.#logged.get(key);
    if (last !== undefined && performance.now() - last.atMs < MS.minute) {
      last.suppressed += 1;
      return;
    }
    if (this.#logged.size >= MAX_KEYS) this.#logged.clear();
    this.#logged.set(key, { atMs: performance.now(), suppressed: 0 });
    write(last === undefined || last.suppressed === 0 ? {} : { timesSince: last.suppressed });
  }

  /** It is over: the next one is logged at once. */
  forget(key: string): void {
    this.#logged.delete(key);
  }
}

/** What a log may say of an error. */
export interface Loggable {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: Loggable;
}

const CAUSES_DEEP = 5;

/**
 * Anything that was thrown, as plain data without the values of a query, masked and bounded. Only what is named
 * here gets through: errors of the database also carry rows (`detail`, `params`) beside their message.
 */
export function loggable(error: unknown, depth = 1): Loggable {
  if (!(error instanceof Error)) return { type: typeof error, message: bounded(messageOf(error)) };
  const { code } = error as { code?: unknown };
  return {
    type: error.constructor.name,
    message: bounded(messageOf(error)),
    ...(typeof code === "string" && { code: bounded(code) }),
    ...(error.stack !== undefined && { stack: bounded(stackOf(error, error.stack)) }),
    ...(error.cause !== undefined && depth < CAUSES_DEEP && { cause: loggable(error.cause, depth + 1) }),
  };
}

/** The stack repeats the message, which may be of many lines: it is replaced as a whole. */
function stackOf(error: Error, stack: string): string {
  const at = error.message === "" ? -1 : stack.indexOf(error.message);
  if (at === -1) return messageOf(stack);
  return stack.slice(0, at) + messageOf(error) + stack.slice(at + error.message.length);
}

function bounded(text: string): string {
  return maskText(text, LIMITS.log.stackCharacters);
}
