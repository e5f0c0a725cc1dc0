import { LIMITS } from "../limits.ts";

interface Entry<T> {
  value: T;
  freshUntilMs: number;
}

interface CacheOptions {
  entries?: number;
  ttlMs?: number;
  /** Milliseconds that only go forward, whatever happens to the wall clock. */
  nowMs?: () => number;
}

/**
 * Remembers for a short time what the catalog said, and joins equal questions that are asked at once.
 *
 * What was read before a change must not be kept after it: each change starts a new era, and an answer
 * is only kept when it was asked for in the era that is still running.
 */
export class GrantCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #asked = new Map<string, Promise<T | null>>();
  readonly #limit: number;
  readonly #ttlMs: number;
  readonly #nowMs: () => number;
  #era = 0;
  #open = false;

  constructor({
    entries = LIMITS.identity.cachedTokens,
    ttlMs = LIMITS.identity.cachedTokenMs,
    nowMs = () => performance.now(),
  }: CacheOptions = {}) {
    this.#limit = entries;
    this.#ttlMs = ttlMs;
    this.#nowMs = nowMs;
  }

  /** What is remembered, without asking anybody. */
  peek(key: string): T | undefined {
    const entry = this.#open ? this.#entries.get(key) : undefined;
    return entry !== undefined && this.#nowMs() < entry.freshUntilMs ? entry.value : undefined;
  }

  async get(key: string, load: () => Promise<T | null>): Promise<T | null> {
    const known = this.peek(key);
    if (known !== undefined) return known;
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    const era = this.#era;
    const asking = load();
    this.#asked.set(key, asking);
    try {
      const value = await asking;
      if (value !== null && era === this.#era && this.#open) this.#keep(key, value);
      return value;
    } finally {
      if (this.#asked.get(key) === asking) this.#asked.delete(key);
    }
  }

  /** Drops what the test recognises. */
  forget(concerns: (value: T) => boolean): void {
    this.#newEra();
    for (const [key, { value }] of this.#entries) if (concerns(value)) this.#entries.delete(key);
  }

  /** From now on changes are heard of, so what is read may be kept. */
  open(): void {
    this.#newEra();
    this.#open = true;
  }

  /** Changes are no longer heard of: nothing is remembered until `open`. */
  shut(): void {
    this.#newEra();
    this.#open = false;
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }

  #newEra(): void {
    this.#era++;
    this.#asked.clear();
  }

  #keep(key: string, value: T): void {
    if (this.#entries.size >= this.#limit) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    // Taken out first, so that a renewed entry goes to the end of the queue.
    this.#entries.delete(key);
    this.#entries.set(key, { value, freshUntilMs: this.#nowMs() + this.#ttlMs });
  }
}
