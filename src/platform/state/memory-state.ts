import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "./limits.ts";
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

interface Entry {
  json: string;
  expiresAtMs: number;
}

interface MemoryKvOptions {
  maxEntries?: number;
  maxTotalBytes?: number;
}

/**
 * Values are kept as JSON text: nobody can change a record through a reference, and what works here
 * works over a wire. The map is ordered by last use, so its first entry is the one that makes room.
 */
export class MemoryKv implements KeyValueState {
  readonly #entries = new Map<string, Entry>();
  readonly #index = new Map<string, Set<string>>();
  readonly #maxEntries: number;
  readonly #maxTotalBytes: number;
  #totalBytes = 0;

  constructor({
    maxEntries = LIMITS.state.entries,
    maxTotalBytes = LIMITS.state.totalBytes,
  }: MemoryKvOptions = {}) {
    this.#maxEntries = maxEntries;
    this.#maxTotalBytes = maxTotalBytes;
  }

  async get(key: string): Promise<unknown> {
    const entry = this.#live(key);
    return entry === undefined ? undefined : JSON.parse(entry.json);
  }

  async set(key: string, value: unknown, ttlMs: number): Promise<void> {
    assertKey(key);
    const json = JSON.stringify(value);
    if (json === undefined) throw new TypeError("shared state keeps JSON values only");
    if (sizeOf(key, json) > LIMITS.state.valueBytes) {
      throw new AppError(
        "too_large",
        `A record of shared state is limited to ${LIMITS.state.valueBytes} bytes.`,
      );
    }
    this.#put(key, { json, expiresAtMs: performance.now() + ttlMs });
    this.#makeRoom();
  }

  async touch(key: string, ttlMs: number): Promise<boolean> {
    const entry = this.#live(key);
    if (entry === undefined) return false;
    entry.expiresAtMs = performance.now() + ttlMs;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return true;
  }

  async delete(key: string): Promise<boolean> {
    return this.#live(key) !== undefined && this.#remove(key);
  }

  async take(key: string): Promise<unknown> {
    const entry = this.#live(key);
    if (entry === undefined) return undefined;
    this.#remove(key);
    return JSON.parse(entry.json);
  }

  async list(prefix: string): Promise<StateRecord[]> {
    const nowMs = performance.now();
    const records: StateRecord[] = [];
    for (const key of this.#keysBelow(prefix)) {
      const { json, expiresAtMs } = this.#entries.get(key)!;
      if (expiresAtMs > nowMs)
        records.push({ key, value: JSON.parse(json), expiresInMs: expiresAtMs - nowMs });
    }
    return records;
  }

  async count(prefix: string): Promise<number> {
    const nowMs = performance.now();
    let count = 0;
    for (const key of this.#keysBelow(prefix)) {
      if (this.#entries.get(key)!.expiresAtMs > nowMs) count += 1;
    }
    return count;
  }

  get size(): number {
    return this.#entries.size;
  }

  sweep(): void {
    const nowMs = performance.now();
    for (const [key, entry] of this.#entries) {
      if (entry.expiresAtMs <= nowMs) this.#remove(key);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#index.clear();
    this.#totalBytes = 0;
  }

  #live(key: string): Entry | undefined {
    assertKey(key);
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expiresAtMs > performance.now()) return entry;
    this.#remove(key);
    return undefined;
  }

  #keysBelow(prefix: string): Iterable<string> {
    assertPrefix(prefix);
    return this.#index.get(prefix) ?? [];
  }

  #makeRoom(): void {
    if (!this.#isFull()) return;
    for (const key of this.#entries.keys()) {
      this.#remove(key);
      if (!this.#isFull()) return;
    }
  }

  #isFull(): boolean {
    return this.#entries.size > this.#maxEntries || this.#totalBytes > this.#maxTotalBytes;
  }

  #put(key: string, entry: Entry): void {
    const replaced = this.#entries.get(key);
    if (replaced === undefined) this.#addToIndex(key);
    else this.#totalBytes -= sizeOf(key, replaced.json);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#totalBytes += sizeOf(key, entry.json);
  }

  #addToIndex(key: string): void {
    for (const prefix of prefixesOf(key)) {
      const keys = this.#index.get(prefix);
      if (keys === undefined) this.#index.set(prefix, new Set([key]));
      else keys.add(key);
    }
  }

  #remove(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    this.#totalBytes -= sizeOf(key, entry.json);
    for (const prefix of prefixesOf(key)) {
      const keys = this.#index.get(prefix);
      keys?.delete(key);
      if (keys?.size === 0) this.#index.delete(prefix);
    }
    return true;
  }
}

/** Two bytes a character: an upper bound of what V8 keeps. */
function sizeOf(key: string, json: string): number {
  return 2 * (key.length + json.length);
}

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
