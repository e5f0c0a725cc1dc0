import { Redis } from "ioredis";
import type { Logger } from "pino";
import { RateLimiterRedis } from "rate-limiter-flexible";
import { AppError, messageOf } from "../../kernel/errors.ts";
import { LIMITS } from "./limits.ts";
import { takePoints } from "./memory-state.ts";
import {
  assertKey,
  assertPrefix,
  type KeyValueState,
  prefixesOf,
  type RateLimiter,
  type RateRule,
  type RateVerdict,
  type SharedState,
  type StateRecord,
} from "./shared-state.ts";

const PREFIX = "kenning";

interface RedisStateOptions {
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

/** All use the clock of the server. */
const NOW = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)";
/** The keys below a prefix are in a set by the time at which they end, which lives as long as the last of them. */
const ENTER = `for i = 2, #KEYS do
  redis.call('ZADD', KEYS[i], now + ttl, ARGV[2])
  if redis.call('PTTL', KEYS[i]) < ttl then redis.call('PEXPIRE', KEYS[i], ttl) end
end`;
const LEAVE = "for i = 2, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end";
const SCRIPTS = {
  set: `${NOW} local ttl = tonumber(ARGV[1]) redis.call('SET', KEYS[1], ARGV[3], 'PX', ttl) ${ENTER} return 1`,
  touch: `${NOW} local ttl = tonumber(ARGV[1])
if redis.call('PEXPIRE', KEYS[1], ttl) == 0 then return 0 end ${ENTER} return 1`,
  delete: `local gone = redis.call('DEL', KEYS[1]) ${LEAVE} return gone`,
  take: `local value = redis.call('GET', KEYS[1]) redis.call('DEL', KEYS[1]) ${LEAVE} return value`,
  list: `${NOW} redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local found = {}
for _, key in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local value = redis.call('GET', ARGV[1] .. key)
  if value then
    table.insert(found, key) table.insert(found, value)
    table.insert(found, redis.call('PTTL', ARGV[1] .. key))
  end
end
return found`,
  count: `${NOW} redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now) return redis.call('ZCARD', KEYS[1])`,
} as const;

/** Records as JSON texts, each in one step with its place in the lists of its prefixes. */
class RedisKv implements KeyValueState {
  readonly #client: Redis;
  readonly #prefix: string;

  constructor(client: Redis, prefix: string) {
    this.#client = client;
    this.#prefix = `${prefix}:`;
  }

  async get(key: string): Promise<unknown> {
    const text = await this.#client.get(this.#prefix + key).catch(unreachable);
    return text === null ? undefined : JSON.parse(text);
  }

  async set(key: string, value: unknown, ttlMs: number): Promise<void> {
    assertKey(key);
    const json = JSON.stringify(value);
    if (json === undefined) throw new TypeError("shared state keeps JSON values only");
    const { valueBytes } = LIMITS.state;
    if (key.length + Buffer.byteLength(json) > valueBytes)
      throw new AppError("too_large", `A record of shared state is limited to ${valueBytes} bytes.`);
    await this.#run("set", this.#keysOf(key), [milliseconds(ttlMs), key, json]);
  }

  async touch(key: string, ttlMs: number): Promise<boolean> {
    return (await this.#run("touch", this.#keysOf(key), [milliseconds(ttlMs), key])) === 1;
  }

  async delete(key: string): Promise<boolean> {
    return (await this.#run("delete", this.#keysOf(key), [key])) === 1;
  }

  async take(key: string): Promise<unknown> {
    const text = await this.#run("take", this.#keysOf(key), [key]);
    return typeof text === "string" ? JSON.parse(text) : undefined;
  }

  async list(prefix: string): Promise<StateRecord[]> {
    assertPrefix(prefix);
    const found = (await this.#run("list", [this.#listOf(prefix)], [this.#prefix])) as (string | number)[];
    const records: StateRecord[] = [];
    for (let i = 0; i < found.length; i += 3)
      records.push({
        key: String(found[i]),
        value: JSON.parse(String(found[i + 1])),
        expiresInMs: Number(found[i + 2]),
      });
    return records;
  }

  async count(prefix: string): Promise<number> {
    assertPrefix(prefix);
    return Number(await this.#run("count", [this.#listOf(prefix)], []));
  }

  #keysOf(key: string): string[] {
    return [this.#prefix + key, ...prefixesOf(key).map((prefix) => this.#listOf(prefix))];
  }

  #listOf(prefix: string): string {
    return `${this.#prefix}/${prefix}`;
  }

  #run(name: keyof typeof SCRIPTS, keys: string[], args: (string | number)[]): Promise<unknown> {
    return this.#client.eval(SCRIPTS[name], keys.length, ...keys, ...args).catch(unreachable);
  }
}

function milliseconds(ttlMs: number): number {
  return Math.max(1, Math.round(ttlMs));
}

function unreachable(cause: unknown): never {
  throw new AppError("unavailable", "The state that servers share cannot be reached.", {
    hint: "Try again in a moment. Operators: check that the Redis of REDIS_URL is running.",
    cause,
  });
}
