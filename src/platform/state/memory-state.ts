import { LIMITS } from "./limits.ts";
import { MemoryKv, type MemoryKvOptions } from "./memory-kv.ts";
import { MemoryLimiter } from "./memory-limiter.ts";
import type { RateLimiter, RateRule, SharedState } from "./shared-state.ts";

/** Shared state of a single process. */
export function createMemoryState(kvOptions: MemoryKvOptions = {}): SharedState {
  const kv = new MemoryKv(kvOptions);
  const limiters = new Map<string, MemoryLimiter>();

  const sweeper = setInterval(() => {
    kv.sweep();
    for (const limiter of limiters.values()) limiter.sweep();
  }, LIMITS.state.sweepMs);
  sweeper.unref();

  function limiterOf(name: string, rule: RateRule): RateLimiter {
    const known = limiters.get(name);
    if (known === undefined) {
      const limiter = new MemoryLimiter(rule);
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
    async ping() {},
    async close() {
      clearInterval(sweeper);
      kv.clear();
      for (const limiter of limiters.values()) await limiter.clear();
      limiters.clear();
    },
  };
}
