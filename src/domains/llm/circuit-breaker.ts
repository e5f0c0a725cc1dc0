import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../kernel/time.ts";
import { LIMITS } from "./limits.ts";

/** How a provider has been doing. */
export interface ProviderHealth {
  failuresInRow: number;
  lastFailure: string | null;
  /** Null where it is asked. */
  pausedUntil: Date | null;
}

interface Entry {
  failures: number;
  reason: string;
  pausedUntilMs: number;
  /** Somebody is finding out whether it is back. */
  isTried: boolean;
}

const WELL: ProviderHealth = { failuresInRow: 0, lastFailure: null, pausedUntil: null };

/**
 * A circuit breaker for each provider: one that failed again and again is not asked for a while, so that nobody waits
 * for it at every question. Then a single call (half-open) finds out if it is back. Each process has its own.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #failing = new Map<number, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  healthOf(providerId: number): ProviderHealth {
    const entry = this.#failing.get(providerId);
    if (entry === undefined) return WELL;
    const { failures, reason, pausedUntilMs } = entry;
    const isPaused = pausedUntilMs > this.#nowMs();
    return {
      failuresInRow: failures,
      lastFailure: reason,
      pausedUntil: isPaused ? new Date(pausedUntilMs) : null,
    };
  }

  /** Throws while it is left alone; afterwards for all but the one who finds out. */
  begin({ id, model }: { id: number; model: string }): void {
    const entry = this.#failing.get(id);
    if (entry === undefined || entry.failures < LIMITS.llm.failuresInRow) return;
    if (entry.pausedUntilMs > this.#nowMs() || entry.isTried) throw paused(model, entry, this.#nowMs());
    entry.isTried = true;
  }

  succeeded(providerId: number): void {
    this.#failing.delete(providerId);
  }

  failed(providerId: number, reason: string): void {
    const { failuresInRow, pauseMs, longestPauseMs } = LIMITS.llm;
    const failures = (this.#failing.get(providerId)?.failures ?? 0) + 1;
    const more = failures - failuresInRow;
    const ms = more < 0 ? 0 : Math.min(longestPauseMs, pauseMs * 2 ** Math.min(more, 10));
    const pausedUntilMs = this.#nowMs() + ms;
    this.#failing.set(providerId, { failures, reason, pausedUntilMs, isTried: false });
  }

  /** Neither: whoever asked went away. */
  gaveUp(providerId: number): void {
    const entry = this.#failing.get(providerId);
    if (entry !== undefined) entry.isTried = false;
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

function paused(model: string, { failures, pausedUntilMs }: Entry, nowMs: number): AppError {
  const seconds = Math.max(1, Math.ceil((pausedUntilMs - nowMs) / 1_000));
  const time = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return new AppError(
    "unavailable",
    `The language model ${model} is not asked for the next ${time}: it failed ${failures} times in a row.`,
    { hint: "Try again later; {tool:list_llm_providers} shows admins why.", data: { reason: "paused" } },
  );
}
