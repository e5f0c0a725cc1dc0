import { LIMITS } from "./limits.ts";

/**
 * What several servers must agree on and nobody misses after a restart: sessions, rate limits.
 * The memory implementation serves one process; another one serves many through this same interface
 * (`describeSharedState` is the test that every implementation passes).
 *
 * A key is made of parts joined by ":" (`session:agent:42:abc`). A prefix ends with ":" and stands for
 * whole parts, so that an implementation can keep an index instead of scanning.
 */
export interface SharedState {
  readonly kv: KeyValueState;

  /** A fixed window for each key. Limiters of one name share their counts and must have the same rule. */
  limiter(name: string, rule: RateRule): RateLimiter;

  /** Fails with `unavailable` when the state cannot be reached. */
  ping(): Promise<void>;

  close(): Promise<void>;
}

export interface KeyValueState {
  /** A copy of the value, or undefined when there is none or it has expired. Does not prolong its life. */
  get(key: string): Promise<unknown>;
  /** Puts a JSON value, replacing what was there. */
  set(key: string, value: unknown, ttlMs: number): Promise<void>;
  /** Gives an existing record a new time to live; false when there is none. */
  touch(key: string, ttlMs: number): Promise<boolean>;
  /** True when there was a record. */
  delete(key: string): Promise<boolean>;
  /** Gets and deletes in one step: of several callers exactly one receives the value. */
  take(key: string): Promise<unknown>;
  /** All records below a prefix, in no particular order. */
  list(prefix: string): Promise<StateRecord[]>;
  count(prefix: string): Promise<number>;
}

export interface StateRecord {
  key: string;
  value: unknown;
  expiresInMs: number;
}

export interface RateRule {
  points: number;
  windowMs: number;
}

export interface RateLimiter {
  /** Takes `cost` points (1). What is refused counts too, so that hammering does not pay. */
  consume(key: string, cost?: number): Promise<RateVerdict>;
}

export interface RateVerdict {
  allowed: boolean;
  /** 0 when allowed. */
  retryAfterMs: number;
}

/** Keys come from our own code, so a bad one is a bug and not an expected failure. */
export function assertKey(key: string): void {
  if (key === "" || key.endsWith(":") || key.length > LIMITS.state.keyCharacters) {
    throw new TypeError(`not a key of shared state: ${JSON.stringify(key.slice(0, 80))}`);
  }
}

export function assertPrefix(prefix: string): void {
  if (!prefix.endsWith(":") || prefix.length > LIMITS.state.keyCharacters) {
    throw new TypeError(`not a prefix of shared state: ${JSON.stringify(prefix.slice(0, 80))}`);
  }
}

/** `a:b:c` lies below `a:` and `a:b:`. */
export function prefixesOf(key: string): string[] {
  const prefixes: string[] = [];
  for (let colon = key.indexOf(":"); colon !== -1; colon = key.indexOf(":", colon + 1)) {
    prefixes.push(key.slice(0, colon + 1));
  }
  return prefixes;
}
