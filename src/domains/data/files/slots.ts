import { AppError } from "../../../kernel/errors.ts";

/** A fixed number of numbered places. Whoever finds none free waits for one in turn. */
export class Slots {
  readonly #free: number[];
  readonly #waiting: ((slot: number) => void)[] = [];
  readonly #mostWaiting: number;

  constructor(count: number, mostWaiting: number) {
    this.#free = Array.from({ length: count }, (_, slot) => slot);
    this.#mostWaiting = mostWaiting;
  }

  async take(signal?: AbortSignal): Promise<number> {
    if (signal?.aborted) throw cancelled();
    const slot = this.#free.pop();
    if (slot !== undefined) return slot;
    if (this.#waiting.length >= this.#mostWaiting) {
      throw new AppError("unavailable", "Too many files are waiting to be read.", {
        hint: "Try again later.",
      });
    }
    return new Promise((resolve, reject) => {
      const start = (taken: number): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve(taken);
      };
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(cancelled());
      };
      this.#waiting.push(start);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  giveBack(slot: number): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(slot);
    else next(slot);
  }
}

export function cancelled(): AppError {
  return new AppError("cancelled", "The import was cancelled.");
}
