import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { Logger } from "pino";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { AppError, messageOf } from "../../kernel/errors.ts";
import { LIMITS } from "./limits.ts";
import { MemoryLocks } from "./memory-locks.ts";
import { RedisKv, unreachable } from "./redis-kv.ts";
import type { LockOptions, RateLimiter, RateRule, RateVerdict, SharedState } from "./shared-state.ts";

const PREFIX = "kenning";
/** Where another process has the lock, it is asked for again so often. */
const LOCK_POLL_MS = 25;
const UNLOCK = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

export interface RedisStateOptions {
  url: string;
  log: Pick<Logger, "warn">;
}

/** Shared state of all processes that name the same Redis. It connects when it is first asked. */
export function createRedisState({ url, log }: RedisStateOptions): SharedState {
  const { redisMs } = LIMITS.state;
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: redisMs,
    commandTimeout: redisMs,
    // Whoever waits is told soon; connecting goes on.
    maxRetriesPerRequest: 1,
    retryStrategy: (times) => Math.min(times * 100, redisMs),
  });
  client.on("error", (error) => log.warn({ reason: messageOf(error) }, "Redis cannot be reached"));
  const locks = new MemoryLocks();
  const limiters = new Map<string, RedisLimiter>();

  return {
    kv: new RedisKv(client, `${PREFIX}:kv`),
    limiter(name, rule) {
      const known = limiters.get(name) ?? new RedisLimiter(client, name, rule);
      if (known.rule.points !== rule.points || known.rule.windowMs !== rule.windowMs)
        throw new TypeError(`the rate limit "${name}" already has another rule`);
      limiters.set(name, known);
      return known;
    },
    // Turns are given in order among those of a process; among processes, to whoever asks first.
    lock: (name, ttlMs, work, options) =>
      locks.run(name, ttlMs, (signal) => locked(client, name, { ttlMs, signal, ...options }, work), options),
    async ping() {
      await client.ping().catch(unreachable);
    },
    async close() {
      client.disconnect();
    },
  };
}

class RedisLimiter implements RateLimiter {
  readonly rule: RateRule;
  readonly #engine: RateLimiterRedis;

  constructor(storeClient: Redis, name: string, rule: RateRule) {
    this.rule = rule;
    const duration = Math.ceil(rule.windowMs / 1_000);
    const keyPrefix = `${PREFIX}:rate:${name}`;
    this.#engine = new RateLimiterRedis({ storeClient, keyPrefix, points: rule.points, duration });
  }

  async consume(key: string, cost = 1): Promise<RateVerdict> {
    try {
      return verdictOf(await this.#engine.consume(key, cost), true);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return verdictOf(refused, false);
    }
  }
}

function verdictOf({ remainingPoints, msBeforeNext }: RateLimiterRes, allowed: boolean): RateVerdict {
  return {
    allowed,
    remaining: remainingPoints,
    retryAfterMs: allowed ? 0 : msBeforeNext,
    resetMs: msBeforeNext,
  };
}

async function locked<T>(
  client: Redis,
  name: string,
  { ttlMs, waitMs = ttlMs, signal }: LockOptions & { ttlMs: number; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const key = `${PREFIX}:lock:${name}`;
  const holder = randomUUID();
  const until = performance.now() + waitMs;
  while ((await client.set(key, holder, "PX", ttlMs, "NX").catch(unreachable)) === null) {
    if (performance.now() > until)
      throw new AppError("conflict", `Something else is working on "${name}".`, {
        hint: "Try again in a moment.",
      });
    await sleep(LOCK_POLL_MS, undefined, { signal });
  }
  try {
    return await work(signal);
  } finally {
    // Where it cannot be given back, its time ends it.
    await client.eval(UNLOCK, 1, key, holder).catch(() => undefined);
  }
}
