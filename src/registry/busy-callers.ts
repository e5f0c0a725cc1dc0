import { AppError, isAppError } from "../kernel/errors.ts";
import { scopeOf } from "../kernel/fair-queue.ts";
import { LIMITS } from "../kernel/limits.ts";
import type { Caller } from "./caller.ts";

/** People, and operations of theirs, that are told apart; whoever comes after them takes the whole way. */
const KNOWN = 10_000;

interface Refusal {
  error: AppError;
  /** How often it was given since it was new. */
  count: number;
  untilMs: number;
}

/**
 * Somebody who was refused because too many calls of his wait already is refused for a moment without a look at what he
 * sends: to find out that there is still no room takes nearly as long as to answer. Whoever goes on and on is refused
 * at the door, whatever he wants.
 */
export class BusyCallers {
  readonly #refusals = new Map<string, Refusal>();

  /** Throws what somebody's calls were refused with just now, if it was given too often. */
  assertMayEnter(caller: Caller): void {
    const refusal = this.#recent(scopeOf(caller));
    if (refusal !== undefined && refusal.count >= LIMITS.call.refusalsInARow) throw refusal.error;
  }

  /** Throws what the last call of this operation was refused with, if that was just now. */
  assertMayCall(operation: { name: string }, caller: Caller): void {
    const refusal = this.#recent(keyOf(operation, caller));
    if (refusal === undefined) return;
    this.#keep(scopeOf(caller), refusal.error);
    throw refusal.error;
  }

  /** Told what an operation failed with. */
  note(operation: { name: string }, caller: Caller, thrown: unknown): void {
    if (!isAppError(thrown) || thrown.code !== "rate_limited") return;
    const { message, hint, data } = thrown;
    if (data.retryAfterMs === undefined) return;
    // Without the stack of a call that is over.
    const error = new AppError("rate_limited", message, { ...(hint !== undefined && { hint }), data });
    this.#keep(keyOf(operation, caller), error);
    this.#keep(scopeOf(caller), error);
  }

  /** Forgets those whose moment is over. */
  async sweep(): Promise<void> {
    for (const key of this.#refusals.keys()) this.#recent(key);
  }

  #recent(key: string): Refusal | undefined {
    const refusal = this.#refusals.get(key);
    if (refusal === undefined || performance.now() < refusal.untilMs) return refusal;
    this.#refusals.delete(key);
    return undefined;
  }

  #keep(key: string, error: AppError): void {
    const known = this.#recent(key);
    if (known !== undefined) known.count += 1;
    else if (this.#refusals.size < KNOWN) {
      this.#refusals.set(key, { error, count: 1, untilMs: performance.now() + LIMITS.call.refusedAgainMs });
    }
  }
}

function keyOf({ name }: { name: string }, caller: Caller): string {
  return `${scopeOf(caller)} ${name}`;
}
