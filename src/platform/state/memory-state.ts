import { LIMITS } from "./limits.ts";
import { MemoryKv, type MemoryKvOptions } from "./memory-kv.ts";
import { MemoryLimiter } from "./memory-limiter.ts";
import { MemoryLocks } from "./memory-locks.ts";
import type { RateLimiter, RateRule, SharedState } from "./shared-state.ts";

export interface MemoryStateOptions extends MemoryKvOptions {
  maxLimiterKeys?: number;
  sweepMs?: number;
}

/** Shared state of a single process. */
export function createMemoryState({
  maxLimiterKeys = LIMITS.state.limiterKeys,
  sweepMs = LIMITS.state.sweepMs,
  ...kvOptions
}: MemoryStateOptions = {}): SharedState {
  const kv = new MemoryKv(kvOptions);
  const locks = new MemoryLocks();
  const limiters = new Map<string, MemoryLimiter>();

  const sweeper = setInterval(() => {
    kv.sweep();
    for (const limiter of limiters.values()) limiter.sweep();
  }, sweepMs);
  sweeper.unref();

  function limiterOf(name: string, rule: RateRule): RateLimiter {
    const known = limiters.get(name);
    if (known === undefined) {
      const limiter = new MemoryLimiter(rule, maxLimiterKeys);
      limiters.set(name, limiter);
      return limiter;
    }
    if (known.rule.points !== rule.points || known.rule.windowMs !== rule.windowMs) {
      throw new TypeError(`the rate limit "${name}" already has another rule`);
    }
    return known;
  }

  return {
    kv,
    limiter: limiterOf,
    lock: (name, ttlMs, work, options) => locks.run(name, ttlMs, work, options),
    async ping() {},
    async close() {
      clearInterval(sweeper);
      kv.clear();
      for (const limiter of limiters.values()) await limiter.clear();
      limiters.clear();
    },
  };
}
