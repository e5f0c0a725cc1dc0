import { AppError } from "../../../kernel/errors.ts";

interface Waiting {
  scope: string;
  start(slot: number): void;
}

/**
 * A fixed number of numbered places. Whoever finds none free waits; a place that becomes free goes to the scope
 * (a workspace) whose last turn is the longest ago, so that one with many files delays others by one file only.
 */
export class Slots {
  readonly #free: number[];
  /** In the order in which they came. */
  readonly #waiting: Waiting[] = [];
  readonly #mostWaiting: number;
  /** The last turn of each scope, for as long as anybody waits. */
  readonly #turns = new Map<string, number>();
  #lastTurn = 0;

  constructor(count: number, mostWaiting: number) {
    this.#free = Array.from({ length: count }, (_, slot) => slot);
    this.#mostWaiting = mostWaiting;
  }

  async take(scope: string, signal?: AbortSignal): Promise<number> {
    if (signal?.aborted) throw cancelled();
    const slot = this.#free.pop();
    if (slot !== undefined) return slot;
    this.#assertRoom(scope);
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        scope,
        start: (taken) => {
          signal?.removeEventListener("abort", onAbort);
          resolve(taken);
        },
      };
      const onAbort = (): void => {
        this.#leave(entry);
        reject(cancelled());
      };
      this.#waiting.push(entry);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  giveBack(slot: number): void {
    const turnOf = ({ scope }: Waiting): number => this.#turns.get(scope) ?? 0;
    const next = this.#waiting.reduce<Waiting | undefined>(
      (first, entry) => (first === undefined || turnOf(entry) < turnOf(first) ? entry : first),
      undefined,
    );
    if (next === undefined) {
      this.#free.push(slot);
      return;
    }
    this.#lastTurn += 1;
    this.#turns.set(next.scope, this.#lastTurn);
    this.#leave(next);
    next.start(slot);
  }

  /** Half of the room is always left for other scopes. */
  #assertRoom(scope: string): void {
    const own = this.#waiting.filter((entry) => entry.scope === scope).length;
    if (this.#waiting.length < this.#mostWaiting && own < this.#mostWaiting / 2) return;
    throw new AppError("unavailable", "Too many files are waiting to be read.", { hint: "Try again later." });
  }

  #leave(entry: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(entry), 1);
    if (this.#waiting.length === 0) this.#turns.clear();
  }
}

export function cancelled(): AppError {
  return new AppError("cancelled", "The import was cancelled.");
}
