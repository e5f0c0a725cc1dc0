import { roughBytes } from "./rough-bytes.ts";

/** What takes more than this part of the memory is not kept: it would push out all others. */
const LARGEST_PART = 1 / 4;

interface Kept {
  promise: Promise<unknown>;
  /** Nothing until it is worked out. */
  bytes: number;
}

/**
 * An LRU cache of what was worked out under a key, bounded by entries and, where a bound is given, by memory. Whoever
 * asks while it is worked out waits for the same work; what failed is tried again by the next who asks.
 */
export class KeptPromises {
  readonly #most: number;
  readonly #mostBytes: number;
  /** The one that was asked for last comes last. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(most: number, mostBytes = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#mostBytes = mostBytes;
  }

  get<T>(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key) ?? this.#begin(key, work);
    this.#kept.delete(key);
    this.#kept.set(key, known);
    this.#makeRoom();
    return known.promise as Promise<T>;
  }

  #begin<T>(key: string, work: () => Promise<T>): Kept {
    const begun = { promise: work(), bytes: 0 };
    // Another may stand there by now, if this one had to make room.
    const isKept = () => this.#kept.get(key) === begun;
    begun.promise.then(
      (value) => {
        if (this.#mostBytes === Number.POSITIVE_INFINITY || !isKept()) return;
        begun.bytes = roughBytes(value);
        this.#bytes += begun.bytes;
        if (begun.bytes > this.#mostBytes * LARGEST_PART) this.#forget(key);
        this.#makeRoom();
      },
      () => {
        if (isKept()) this.#forget(key);
      },
    );
    return begun;
  }

  #makeRoom(): void {
    for (const key of this.#kept.keys()) {
      if (this.#kept.size <= this.#most && this.#bytes <= this.#mostBytes) return;
      this.#forget(key);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}
