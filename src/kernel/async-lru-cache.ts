/** An entry above this share of the bytes is not cached: it would evict all others. */
const LARGEST_SHARE = 1 / 4;

interface Entry {
  promise: Promise<unknown>;
  /** 0 until it is computed. */
  bytes: number;
}

/**
 * LRU cache of promises, bounded by entries and, where a bound is given, by bytes. Concurrent callers of a key share one
 * computation; a failure is not cached, so that the next caller tries again.
 */
export class AsyncLruCache {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(maxEntries: number, maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  get<T>(key: string, compute: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key) ?? this.#begin(key, compute);
    this.#entries.delete(key);
    this.#entries.set(key, known);
    this.#evict();
    return known.promise as Promise<T>;
  }

  #begin<T>(key: string, compute: () => Promise<T>): Entry {
    const begun = { promise: compute(), bytes: 0 };
    // It may have been evicted, and computed anew, in the meantime.
    const isCached = () => this.#entries.get(key) === begun;
    begun.promise.then(
      (value) => {
        if (this.#maxBytes === Number.POSITIVE_INFINITY || !isCached()) return;
        begun.bytes = roughBytes(value);
        this.#bytes += begun.bytes;
        if (begun.bytes > this.#maxBytes * LARGEST_SHARE) this.#remove(key);
        this.#evict();
      },
      () => {
        if (isCached()) this.#remove(key);
      },
    );
    return begun;
  }

  #evict(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) return;
      this.#remove(key);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

const OF_ENTRY = 16;

/** About how much memory a value takes that is made of plain objects, lists and texts: enough to bound a cache by it. */
function roughBytes(value: unknown): number {
  if (typeof value === "string" || value instanceof String) return OF_ENTRY + value.length;
  if (ArrayBuffer.isView(value)) return OF_ENTRY + value.byteLength;
  if (typeof value !== "object" || value === null) return OF_ENTRY;
  let bytes = OF_ENTRY;
  for (const name in value) bytes += OF_ENTRY + roughBytes((value as Record<string, unknown>)[name]);
  return bytes;
}
