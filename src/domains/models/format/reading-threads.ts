import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { AppError, type ErrorCode } from "../../../kernel/errors.ts";
import { FairQueue } from "../../../kernel/fair-queue.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import type { ModelFile, Reading } from "./read-models.ts";

/** What a thread says about the files that it was given. */
export type ReadAnswer =
  | { reading: Reading }
  | {
      refusal: { code: ErrorCode; message: string; hint: string | undefined; data: Record<string, unknown> };
    };

interface ReadingOptions {
  readers?: number;
  memoryMb?: number;
  timeoutMs?: number;
  /** For the tests. */
  module?: string;
}

const MODULE = join(import.meta.dirname, `read-worker${extname(import.meta.filename)}`);
/** A thread takes longer to start than to read most files, and whoever writes a model saves it again soon. */
const IDLE_MS = 30_000;
const SPLIT = "Split the model into several files or models.";

/**
 * Reads model files in threads beside the server's own, which a hostile file could otherwise hold for a second. A
 * scope (a workspace) has one reading at a time, so that it never takes the last place from the others.
 */
export class ReadingThreads {
  readonly #options: Required<ReadingOptions>;
  readonly #idle: ReadingThread[] = [];
  readonly #queue: FairQueue;

  constructor(options: ReadingOptions = {}) {
    const { readers, readerMemoryMb, readMs, waitingReaders } = LIMITS.models;
    this.#options = { readers, memoryMb: readerMemoryMb, timeoutMs: readMs, module: MODULE, ...options };
    this.#queue = new FairQueue({
      what: "models",
      places: this.#options.readers,
      placesPerScope: 1,
      waiting: waitingReaders,
      waitingPerScope: waitingReaders / 2,
      waitMs: readMs,
    });
  }

  /** As `readModels`; throws also when that takes too long or too much memory. */
  async read(files: readonly ModelFile[], scope: string, signal: AbortSignal): Promise<Reading> {
    const leave = await this.#queue.enter(scope, signal);
    try {
      const thread = this.#idleThread() ?? new ReadingThread(this.#options);
      const answer = await thread.ask(files, signal);
      this.#idle.push(thread);
      if ("reading" in answer) return answer.reading;
      const { code, message, hint, data } = answer.refusal;
      throw new AppError(code, message, { data, ...(hint !== undefined && { hint }) });
    } finally {
      leave();
    }
  }

  #idleThread(): ReadingThread | undefined {
    for (let thread = this.#idle.pop(); thread !== undefined; thread = this.#idle.pop()) {
      if (thread.isAlive) return thread;
    }
    return undefined;
  }
}

type Outcome = { answer: ReadAnswer } | { error: Error };

/** One thread, which keeps nothing running by itself. It ends when it has had nothing to do for a while. */
class ReadingThread {
  isAlive = true;
  readonly #worker: Worker;
  readonly #timeoutMs: number;
  #settle: ((outcome: Outcome) => void) | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor({ module, memoryMb, timeoutMs }: Required<ReadingOptions>) {
    this.#timeoutMs = timeoutMs;
    this.#worker = new Worker(module, {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    this.#worker.unref();
    this.#worker.on("message", (answer: ReadAnswer) => this.#settle?.({ answer }));
    this.#worker.on("error", (error: Error) => this.#end(causeOf(error, memoryMb)));
    this.#worker.on("exit", () => this.#end(gone()));
  }

  /** One question at a time. */
  async ask(files: readonly ModelFile[], signal: AbortSignal): Promise<ReadAnswer> {
    clearTimeout(this.#idleTimer);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#settle = resolve;
    const timer = setTimeout(() => this.#end(tookTooLong(this.#timeoutMs)), this.#timeoutMs);
    const onAbort = (): void => this.#end(cancelled());
    signal.addEventListener("abort", onAbort, { once: true });
    this.#worker.ref();
    this.#worker.postMessage(files);
    const outcome = await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    this.#settle = undefined;
    this.#worker.unref();
    if ("error" in outcome) throw outcome.error;
    this.#idleTimer = setTimeout(() => this.#end(gone()), IDLE_MS).unref();
    return outcome.answer;
  }

  #end(error: Error): void {
    this.isAlive = false;
    clearTimeout(this.#idleTimer);
    this.#settle?.({ error });
    void this.#worker.terminate();
  }
}

/** Anything but a lack of memory is a bug of ours. */
function causeOf(error: Error & { code?: string }, memoryMb: number): Error {
  if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") return error;
  return new AppError("too_large", `The model could not be read within ${memoryMb} MB of memory.`, {
    hint: SPLIT,
    cause: error,
  });
}

function tookTooLong(timeoutMs: number): AppError {
  return new AppError("timeout", `Reading the model took longer than ${timeoutMs / 1_000} s.`, {
    hint: SPLIT,
  });
}

function gone(): AppError {
  return new AppError("unavailable", "The thread that read the model ended unexpectedly.", {
    hint: "Try again.",
  });
}

function cancelled(): AppError {
  return new AppError("cancelled", "The call was cancelled.");
}
