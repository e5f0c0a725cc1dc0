import type { Transferable } from "node:worker_threads";
import { AppError } from "../../kernel/errors.ts";
import { FairQueue } from "../../kernel/fair-queue.ts";
import { abortError } from "../../kernel/time.ts";
import { ProcessWorker, type SandboxWish } from "./process-worker.ts";
import { ThreadWorker } from "./thread-worker.ts";

export interface WorkerPoolOptions {
  /** What is read or made there, for those who are told that it failed: "model". */
  noun: string;
  /** Several of them. */
  nouns: string;
  /** What is done with it, where that is not reading (in a thread) or making (in a process). */
  work?: WorkWords;
  /** What to do when it takes too long or too much memory. */
  hint: string;
  /** The file that each worker runs. */
  module: string;
  workers: number;
  waiting: number;
  memoryMb: number;
  timeoutMs: number;
  /** How long a worker stays without work. */
  idleMs?: number;
  /**
   * A sandboxed process for each worker instead of a thread: for native code on callers' data. It is asked for one of
   * its methods (`ProcessCall`), and its answer is a stranger's: parse it.
   */
  sandbox?: SandboxWish;
}

interface WorkWords {
  doing: string;
  done: string;
  did: string;
}

/** Lazy request: made when a worker is ready to take it. */
export type MakeQuestion<Question> = () => { value: Question; transfer?: readonly Transferable[] };

/** A place for work: a thread or a process that is started when it is first asked, and again after it has ended. */
export interface PooledWorker<Question, Answer> {
  /** It would begin at once. */
  readonly isReady: boolean;
  /** One question at a time. */
  ask(question: MakeQuestion<Question>, signal: AbortSignal | undefined): Promise<Answer>;
  /** It has taken so much memory that it is not worth keeping. */
  isSpent(): boolean;
  /** Ends what runs there; the next question starts another. */
  rest(): void;
  close(): Promise<void>;
}

/** A thread takes longer to start than most work does, and who asks once asks again soon. */
const IDLE_MS = 30_000;
/** As long as so many others may take, somebody waits for a worker. */
const WAITS = 3;
const READING: WorkWords = { doing: "Reading", done: "read", did: "read" };
const MAKING: WorkWords = { doing: "Making", done: "made", did: "made" };

/**
 * Worker pool: work beside the server's own thread, which hostile input could otherwise hold for seconds. A scope (a
 * workspace) has one worker at a time, so that it never takes the last place from the others, and the queue for them is
 * bounded and fair. What ends its worker fails alone.
 */
export class WorkerPool<Question, Answer> {
  readonly #idleMs: number;
  readonly #queue: FairQueue;
  readonly #all: readonly PooledWorker<Question, Answer>[];
  /** Those without work; the last one was used last. */
  readonly #free: PooledWorker<Question, Answer>[];
  readonly #idleTimers = new Map<PooledWorker<Question, Answer>, NodeJS.Timeout>();

  constructor(options: WorkerPoolOptions) {
    const { nouns, workers, waiting, timeoutMs, idleMs = IDLE_MS, sandbox } = options;
    const failures = failuresOf(options);
    this.#idleMs = idleMs;
    this.#all = Array.from({ length: workers }, (_, number) =>
      sandbox === undefined
        ? new ThreadWorker<Question, Answer>(options, failures)
        : (new ProcessWorker(options, sandbox, number, failures) as PooledWorker<Question, Answer>),
    );
    this.#free = this.#all.toReversed();
    this.#queue = new FairQueue({
      what: nouns,
      places: workers,
      placesPerScope: 1,
      waiting,
      waitingPerScope: waiting / 2,
      // Work before it may take as long as it may itself, and workers take seconds to start on a busy machine.
      waitMs: WAITS * timeoutMs,
    });
  }

  /** Throws what the work throws, and when it takes too long or too much memory. */
  async ask(
    scope: string,
    signal: AbortSignal | undefined,
    question: MakeQuestion<Question>,
  ): Promise<Answer> {
    const leave = await this.#queue.enter(scope, signal);
    const worker = this.#take();
    try {
      if (signal?.aborted) throw abortError(signal);
      return await worker.ask(question, signal);
    } finally {
      this.#giveBack(worker);
      leave();
    }
  }

  async close(): Promise<void> {
    for (const timer of this.#idleTimers.values()) clearTimeout(timer);
    await Promise.all(this.#all.map((worker) => worker.close()));
  }

  /** One that is ready, if there is one: of several the one that was used last, so that the others can rest. */
  #take(): PooledWorker<Question, Answer> {
    const ready = this.#free.findLastIndex(({ isReady }) => isReady);
    const [worker] = this.#free.splice(ready, 1);
    if (worker === undefined) throw new Error("more questions than workers");
    clearTimeout(this.#idleTimers.get(worker));
    return worker;
  }

  #giveBack(worker: PooledWorker<Question, Answer>): void {
    if (worker.isSpent()) worker.rest();
    else this.#idleTimers.set(worker, setTimeout(() => worker.rest(), this.#idleMs).unref());
    this.#free.push(worker);
  }
}

/** How a pool tells its callers what went wrong, in its own nouns. */
export type Failures = ReturnType<typeof failuresOf>;

function failuresOf(options: WorkerPoolOptions) {
  const { noun, hint, memoryMb, timeoutMs, sandbox } = options;
  const { doing, done, did } = options.work ?? (sandbox === undefined ? READING : MAKING);
  const told = (cause: Error | undefined) => ({
    hint,
    ...(cause instanceof AppError && { data: cause.data }),
    ...(cause !== undefined && { cause }),
  });
  return {
    timeout: (cause?: Error) =>
      new AppError("timeout", `${doing} the ${noun} took longer than ${timeoutMs / 1_000} s.`, told(cause)),
    memory: (cause?: Error) =>
      new AppError(
        "too_large",
        `The ${noun} could not be ${done} within ${memoryMb} MB of memory.`,
        told(cause),
      ),
    /** What a process died of it would die of again: whoever repeats what failed in passing must not repeat this. */
    crash: (cause?: Error) =>
      new AppError(
        "internal",
        `The ${noun} could not be ${done}: it ended the process that ${did} it.`,
        told(cause),
      ),
    gone: () =>
      new AppError("unavailable", `The thread that ${did} the ${noun} ended unexpectedly.`, {
        hint: "Try again.",
      }),
  };
}
