import { AppError } from "./errors.ts";
import { once } from "./once.ts";

export interface FairQueueOptions {
  /** For those who are turned away: "queries". */
  what: string;
  /** Places of all scopes together. */
  places: number;
  placesPerScope: number;
  waiting: number;
  waitingPerScope: number;
  waitMs: number;
  /** What those are to do who are turned away because of their own scope. */
  hint?: string;
}

interface Waiting {
  start(): void;
}

interface Scope {
  running: number;
  waiting: Waiting[];
  /** The number of its last turn. */
  turn: number;
}

/**
 * Lets a bounded number of tasks run. When a place becomes free it goes to the scope that has waited for its
 * turn the longest, so that a scope with a hundred tasks delays another one by one task and not by a hundred.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** Scopes that have something running or waiting. */
  readonly #scopes = new Map<string, Scope>();
  #turn = 0;
  #running = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get load(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting };
  }

  /** Resolves when it is this task's turn; the answer gives the place back and must be called. */
  async enter(scopeName: string, signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted) throw cancelled();
    const entered = this.tryEnter(scopeName);
    if (entered !== undefined) return entered;
    const scope = this.#scopeOf(scopeName);
    await this.#wait(scopeName, scope, signal);
    return once(() => this.#leave(scopeName, scope));
  }

  /** A place, if there is one without waiting. */
  tryEnter(scopeName: string): (() => void) | undefined {
    const scope = this.#scopeOf(scopeName);
    const hasPlace = this.#running < this.#options.places && scope.running < this.#options.placesPerScope;
    if (!hasPlace || scope.waiting.length > 0) return undefined;
    this.#occupy(scopeName, scope);
    return once(() => this.#leave(scopeName, scope));
  }

  #scopeOf(name: string): Scope {
    return this.#scopes.get(name) ?? { running: 0, waiting: [], turn: 0 };
  }

  #occupy(name: string, scope: Scope): void {
    this.#scopes.set(name, scope);
    this.#running += 1;
    this.#turn += 1;
    scope.running += 1;
    scope.turn = this.#turn;
  }

  #leave(name: string, scope: Scope): void {
    this.#running -= 1;
    scope.running -= 1;
    this.#forgetIfIdle(name, scope);
    this.#next();
  }

  #next(): void {
    while (this.#running < this.#options.places) {
      const next = [...this.#scopes.values()]
        .filter(({ running, waiting }) => waiting.length > 0 && running < this.#options.placesPerScope)
        .reduce<Scope | undefined>((a, b) => (a === undefined || b.turn < a.turn ? b : a), undefined);
      if (next === undefined) return;
      next.waiting.shift()?.start();
    }
  }

  #wait(name: string, scope: Scope, signal: AbortSignal | undefined): Promise<void> {
    const { waiting, waitingPerScope, waitMs } = this.#options;
    if (scope.waiting.length >= waitingPerScope) throw this.#tooMany();
    if (this.#waiting >= waiting) throw this.#overloaded();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#waiting -= 1;
      };
      const giveUp = (error: AppError): void => {
        settle();
        scope.waiting.splice(scope.waiting.indexOf(entry), 1);
        this.#forgetIfIdle(name, scope);
        reject(error);
      };
      const onAbort = (): void => giveUp(cancelled());
      const timer = setTimeout(() => giveUp(this.#late(scope)), waitMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      const entry: Waiting = {
        start: () => {
          settle();
          this.#occupy(name, scope);
          resolve();
        },
      };
      this.#waiting += 1;
      scope.waiting.push(entry);
      this.#scopes.set(name, scope);
    });
  }

  #forgetIfIdle(name: string, scope: Scope): void {
    if (scope.running === 0 && scope.waiting.length === 0) this.#scopes.delete(name);
  }

  /** Whose fault it is shows in who has the places. */
  #late({ running }: Scope): AppError {
    return running >= this.#options.placesPerScope ? this.#tooMany() : this.#overloaded();
  }

  #tooMany(): AppError {
    return new AppError("rate_limited", `Too many ${this.#options.what} of this workspace are waiting.`, {
      hint: this.#options.hint ?? "Wait for some of them to finish.",
    });
  }

  #overloaded(): AppError {
    return new AppError(
      "unavailable",
      `The server has too many ${this.#options.what} to take this one now.`,
      {
        hint: "Try again later.",
      },
    );
  }
}

function cancelled(): AppError {
  return new AppError("cancelled", "The call was cancelled.");
}
