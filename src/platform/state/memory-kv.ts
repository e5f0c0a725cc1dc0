import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "./limits.ts";
import type { KeyValueState, StateRecord } from "./shared-state.ts";
import { assertKey, assertPrefix, prefixesOf } from "./state-keys.ts";

interface Entry {
  json: string;
  expiresAtMs: number;
}

export interface MemoryKvOptions {
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
