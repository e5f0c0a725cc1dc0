import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "./errors.ts";
import { LIMITS } from "./limits.ts";

/** `Promise.all` with bounded concurrency; nothing more is started after one has failed. */
export async function mapBounded<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let hasFailed = false;
  const lane = async (): Promise<void> => {
    while (next < items.length && !hasFailed) {
      const index = next;
      next += 1;
      results[index] = await work(items[index] as T, index).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  return results;
}

/** Lazy singleton: opened at first use, and again after it failed or is no longer good. */
export function lazily<T>(
  open: () => Promise<T>,
  isGood: (opened: T) => boolean = () => true,
): () => Promise<T> {
  let kept: Promise<T> | undefined;
  const openOnce = () => {
    if (kept !== undefined) return kept;
    const opening = open();
    kept = opening;
    opening.catch(() => {
      if (kept === opening) kept = undefined;
    });
    return opening;
  };
  return async () => {
    const first = openOnce();
    const opened = await first;
    if (isGood(opened)) return opened;
    if (kept === first) kept = undefined;
    return openOnce();
  };
}

/** Idempotent: the first call does the work, all others nothing. */
export function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

let last: Promise<void> = Promise.resolve();

/**
 * Yields to the event loop, each caller in a turn of its own: steps of a millisecond or two of many large texts at once
 * do not add up to one long turn.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(() => nextTurn());
  return last;
}

/** Time slice: steps follow each other in one turn of the event loop for so long. */
const TURN_MS = 5;

/** Back-off that a refused request is told. */
const RETRY_MS = 2_000;

/**
 * Round-robin scheduler of the event loop: each queue gives one step in turn, so that a client with a thousand steps
 * delays another one by one step. Between time slices the loop serves everything else that waits.
 */
export class RoundRobin {
  /** Waiting steps of each queue; the queue whose turn is next comes first. */
  readonly #queues = new Map<string, (() => void)[]>();
  /** Start of the present time slice. */
  #sinceMs: number | undefined;
  readonly #sliceMs: number;

  constructor(sliceMs = TURN_MS) {
    this.#sliceMs = sliceMs;
  }

  /** Resolves when it is the turn of the next step of this queue. */
  async take(queue: string): Promise<void> {
    if (this.#sinceMs === undefined) {
      this.#sinceMs = performance.now();
      void this.#serve();
      return;
    }
    if (this.#queues.size === 0 && performance.now() - this.#sinceMs < this.#sliceMs) return;
    await new Promise<void>((resolve) => {
      const waiting = this.#queues.get(queue);
      if (waiting === undefined) this.#queues.set(queue, [resolve]);
      else waiting.push(resolve);
    });
  }

  /** Throws when the queue is full. */
  assertRoom(queue: string): void {
    if ((this.#queues.get(queue)?.length ?? 0) < LIMITS.request.waitingPerToken) return;
    throw new AppError("rate_limited", "Too many requests of this token are waiting for their turn.", {
      hint: "Wait for the answers of those that are under way, then send this one again.",
      data: { retryAfterMs: RETRY_MS },
    });
  }

  async #serve(): Promise<void> {
    do {
      await nextTurn();
      this.#sinceMs = performance.now();
      while (performance.now() - this.#sinceMs < this.#sliceMs && this.#grant()) await stepDone();
    } while (this.#queues.size > 0);
    this.#sinceMs = undefined;
  }

  #grant(): boolean {
    const [first] = this.#queues;
    if (first === undefined) return false;
    const [queue, waiting] = first;
    const resolve = waiting.shift();
    this.#queues.delete(queue);
    if (waiting.length > 0) this.#queues.set(queue, waiting);
    resolve?.();
    return true;
  }
}

/** After everything that can be done without waiting for I/O. */
function stepDone(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

/** Of requests: one, as there is one event loop. */
export const roundRobin = new RoundRobin();
