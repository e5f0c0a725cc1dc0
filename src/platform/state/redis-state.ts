import { Redis } from "ioredis";
import type { Logger } from "pino";
import { RateLimiterRedis } from "rate-limiter-flexible";
import { messageOf } from "../../kernel/errors.ts";
import { LIMITS } from "./limits.ts";
import { takePoints } from "./memory-limiter.ts";
import { RedisKv, unreachable } from "./redis-kv.ts";
import type { RateLimiter, RateRule, RateVerdict, SharedState } from "./shared-state.ts";

const PREFIX = "kenning";

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

  consume(key: string, cost = 1): Promise<RateVerdict> {
    return takePoints(this.#engine, key, cost);
  }
}
