import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "./errors.ts";
import { LIMITS } from "./limits.ts";

/** As long as this, steps follow each other in one turn of the event loop. */
const TURN_MS = 5;
/** A refused request is worth another try after about this time. */
const RETRY_MS = 2_000;

/**
 * Who may use the event loop next. Steps of one line follow each other, and the lines take turns, so that somebody with
 * a thousand steps delays another one by one step. Between turns everything else is served that the loop waits for.
 */
export class Turns {
  /** Those that wait, in the order in which their lines have their turns. */
  readonly #lines = new Map<string, (() => void)[]>();
  /** When the present turn of the event loop began to serve steps. */
  #sinceMs: number | undefined;

  /** Resolves when the next step of this line may be done. */
  async take(line: string): Promise<void> {
    if (this.#sinceMs === undefined) {
      this.#sinceMs = performance.now();
      void this.#serve();
      return;
    }
    if (this.#lines.size === 0 && performance.now() - this.#sinceMs < TURN_MS) return;
    await new Promise<void>((resolve) => {
      const waiting = this.#lines.get(line);
      if (waiting === undefined) this.#lines.set(line, [resolve]);
      else waiting.push(resolve);
    });
  }

  /** Throws when so many steps of this line wait that no further request is taken. */
  assertRoom(line: string): void {
    if ((this.#lines.get(line)?.length ?? 0) < LIMITS.request.waitingPerToken) return;
    throw new AppError("rate_limited", "Too many requests of this token are waiting for their turn.", {
      hint: "Wait for the answers of those that are under way, then send this one again.",
      data: { retryAfterMs: RETRY_MS },
    });
  }

  async #serve(): Promise<void> {
    do {
      await nextTurn();
      this.#sinceMs = performance.now();
      while (performance.now() - this.#sinceMs < TURN_MS && this.#grant()) await stepDone();
    } while (this.#lines.size > 0);
    this.#sinceMs = undefined;
  }

  #grant(): boolean {
    const [first] = this.#lines;
    if (first === undefined) return false;
    const [line, waiting] = first;
    const resolve = waiting.shift();
    this.#lines.delete(line);
    if (waiting.length > 0) this.#lines.set(line, waiting);
    resolve?.();
    return true;
  }
}

/** Node comes to it when everything has been done that can be done without waiting for the outside. */
function stepDone(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

/** There is one event loop. */
export const turns = new Turns();
