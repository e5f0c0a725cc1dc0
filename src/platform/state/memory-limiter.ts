import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { LIMITS } from "./limits.ts";
import type { RateLimiter, RateRule, RateVerdict } from "./shared-state.ts";

/** The engine sets one timer for each key, and a timer cannot be longer than this. */
const LONGEST_WINDOW_MS = 2 ** 31 - 1;

/**
 * The engine has no bound on its keys, and an attacker may have many addresses: the keys are kept in the
 * order in which their windows opened, and beyond the bound the oldest window is forgotten.
 */
export class MemoryLimiter implements RateLimiter {
  readonly rule: RateRule;
  readonly #engine: RateLimiterMemory;
  readonly #windowEndsMs = new Map<string, number>();
  readonly #maxKeys: number;

  constructor(rule: RateRule, maxKeys: number = LIMITS.state.limiterKeys) {
    if (!(rule.points >= 1 && rule.windowMs >= 1 && rule.windowMs <= LONGEST_WINDOW_MS)) {
      throw new TypeError(`not a rate limit: ${rule.points} in ${rule.windowMs} ms`);
    }
    this.rule = rule;
    this.#maxKeys = maxKeys;
    this.#engine = new RateLimiterMemory({ points: rule.points, duration: rule.windowMs / 1_000 });
  }

  async consume(key: string, cost = 1): Promise<RateVerdict> {
    const taken = await takePoints(this.#engine, key, cost);
    if (taken.isFirst) await this.#remember(key);
    return taken;
  }

  get size(): number {
    return this.#windowEndsMs.size;
  }

  sweep(): void {
    const nowMs = performance.now();
    for (const [key, endsMs] of this.#windowEndsMs) {
      if (endsMs > nowMs) return;
      this.#windowEndsMs.delete(key);
    }
  }

  async clear(): Promise<void> {
    for (const key of this.#windowEndsMs.keys()) await this.#engine.delete(key);
    this.#windowEndsMs.clear();
  }

  async #remember(key: string): Promise<void> {
    this.#windowEndsMs.delete(key);
    this.#windowEndsMs.set(key, performance.now() + this.rule.windowMs);
    if (this.#windowEndsMs.size <= this.#maxKeys) return;
    const [oldest] = this.#windowEndsMs.keys();
    if (oldest === undefined) return;
    this.#windowEndsMs.delete(oldest);
    await this.#engine.delete(oldest);
  }
}

/** The engine throws what it refuses. */
export async function takePoints(
  engine: RateLimiterAbstract,
  key: string,
  cost: number,
): Promise<RateVerdict & { isFirst: boolean }> {
  try {
    const { isFirstInDuration } = await engine.consume(key, cost);
    return { allowed: true, retryAfterMs: 0, isFirst: isFirstInDuration };
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    return { allowed: false, retryAfterMs: refused.msBeforeNext, isFirst: refused.isFirstInDuration };
  }
}
