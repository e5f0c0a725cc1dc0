/**
 * Remembers what was worked out under a key, for the keys that were asked for last. Whoever asks while it is worked
 * out waits for the same work; what failed is tried again by the next who asks.
 */
export class KeptPromises {
  readonly #most: number;
  /** The one that was asked for last comes last. */
  readonly #kept = new Map<string, Promise<unknown>>();

  constructor(most: number) {
    this.#most = most;
  }

  get<T>(key: string, work: () => Promise<T>): Promise<T> {
    const known = (this.#kept.get(key) as Promise<T> | undefined) ?? this.#begin(key, work);
    this.#kept.delete(key);
    this.#kept.set(key, known);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
    return known;
  }

  #begin<T>(key: string, work: () => Promise<T>): Promise<T> {
    const begun = work();
    begun.catch(() => {
      // Another may stand there by now, if this one had to make room.
      if (this.#kept.get(key) === begun) this.#kept.delete(key);
    });
    return begun;
  }
}
