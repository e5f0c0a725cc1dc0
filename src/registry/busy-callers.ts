import { AppError, isAppError } from "../kernel/errors.ts";
import { LIMITS } from "../kernel/limits.ts";
import { scopeOf } from "../kernel/scope.ts";
import type { Caller } from "./caller.ts";

/** People and operations that are told apart; the others take the whole way. */
const KNOWN = 10_000;

interface Refusal {
  error: AppError;
  untilMs: number;
}

/**
 * Somebody who was refused because too many calls of his wait already is refused for a moment without a look at what he
 * sends: to find out that there is still no room takes as much time as to answer.
 */
export class BusyCallers {
  readonly #refusals = new Map<string, Refusal>();

  /** Throws what the last call of this operation was refused with, if that was just now. */
  assertNotBusy(operation: { name: string }, caller: Caller): void {
    const key = keyOf(operation, caller);
    const refusal = this.#refusals.get(key);
    if (refusal === undefined) return;
    if (performance.now() < refusal.untilMs) throw refusal.error;
    this.#refusals.delete(key);
  }

  /** Told what an operation failed with. */
  note(operation: { name: string }, caller: Caller, thrown: unknown): void {
    if (!isAppError(thrown) || thrown.code !== "rate_limited" || this.#refusals.size >= KNOWN) return;
    const { message, hint, data } = thrown;
    const error = new AppError("rate_limited", message, { ...(hint !== undefined && { hint }), data });
    this.#refusals.set(keyOf(operation, caller), {
      error,
      untilMs: performance.now() + LIMITS.call.refusedAgainMs,
    });
  }

  /** Forgets those whose moment is over. */
  async sweep(): Promise<void> {
    const nowMs = performance.now();
    for (const [key, { untilMs }] of this.#refusals) if (untilMs <= nowMs) this.#refusals.delete(key);
  }
}

function keyOf({ name }: { name: string }, caller: Caller): string {
  return `${scopeOf(caller)} ${name}`;
}
