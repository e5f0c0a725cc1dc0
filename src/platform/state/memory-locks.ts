import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "./limits.ts";
import type { LockOptions } from "./shared-state.ts";

interface Waiter {
  ttlMs: number;
  grant: (lease: Lease) => void;
}

interface Lease {
  signal: AbortSignal;
  release: () => void;
}

interface Held {
  waiters: Waiter[];
}

/** Leases of one process, first come first served. */
export class MemoryLocks {
  readonly #held = new Map<string, Held>();

  async run<T>(
    name: string,
    ttlMs: number,
    work: (signal: AbortSignal) => Promise<T>,
    { waitMs = ttlMs, signal }: LockOptions = {},
  ): Promise<T> {
    if (signal?.aborted) throw cancelled();
    const lease = await this.#acquire(name, ttlMs, waitMs, signal);
    try {
      return await work(lease.signal);
    } finally {
      lease.release();
    }
  }

  #acquire(name: string, ttlMs: number, waitMs: number, signal: AbortSignal | undefined): Promise<Lease> {
    const held = this.#held.get(name);
    if (held === undefined) {
      this.#held.set(name, { waiters: [] });
      return Promise.resolve(this.#lease(name, ttlMs));
    }
    if (held.waiters.length >= LIMITS.state.lockWaiters) throw busy(name);
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const giveUp = (error: AppError): void => {
        stopWaiting();
        held.waiters.splice(held.waiters.indexOf(waiter), 1);
        reject(error);
      };
      const onAbort = (): void => giveUp(cancelled());
      const waiter: Waiter = {
        ttlMs,
        grant(lease) {
          stopWaiting();
          resolve(lease);
        },
      };
      const timer = setTimeout(() => giveUp(busy(name)), waitMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      held.waiters.push(waiter);
    });
  }

  #lease(name: string, ttlMs: number): Lease {
    const controller = new AbortController();
    let over = false;
    const end = (): void => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      this.#passOn(name);
    };
    const timer = setTimeout(() => {
      end();
      controller.abort(new AppError("timeout", `The lock "${name}" was held for longer than ${ttlMs} ms.`));
    }, ttlMs);
    timer.unref();
    return { signal: controller.signal, release: end };
  }

  #passOn(name: string): void {
    const next = this.#held.get(name)?.waiters.shift();
    if (next === undefined) this.#held.delete(name);
    else next.grant(this.#lease(name, next.ttlMs));
  }
}

function busy(name: string): AppError {
  return new AppError("conflict", `Something else is working on "${name}".`, {
    hint: "Try again in a moment.",
  });
}

function cancelled(): AppError {
  return new AppError("cancelled", "The call was cancelled while it waited for its turn.");
}
