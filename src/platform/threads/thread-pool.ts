import { type Transferable, Worker } from "node:worker_threads";
import { AppError } from "../../kernel/errors.ts";
import { FairQueue } from "../../kernel/fair-queue.ts";
import { abortError } from "../../kernel/time.ts";
import { strippedFlags } from "../stripped/index.ts";
import type { Reply } from "./answer-questions.ts";
import { YOUNG_MB } from "./caller.ts";

export interface ThreadPoolOptions {
  /** What is read there: "model". */
  noun: string;
  /** Several of them. */
  nouns: string;
  /** What is done with it, where that is not reading. */
  work?: { doing: string; done: string; did: string };
  /** What to do when it takes too long or too much memory. */
  hint: string;
  /** The file that each thread runs. */
  module: string;
  threads: number;
  waiting: number;
  memoryMb: number;
  timeoutMs: number;
  /** How long a thread stays without work. */
  idleMs?: number;
}

/** A thread takes longer to start than most work does, and who asks once asks again soon. */
const IDLE_MS = 30_000;
/** As long as so many others may take, somebody waits for a thread. */
const WAITS = 3;
const READING = { doing: "Reading", done: "read", did: "read" };

/**
 * Does work in threads beside the server's own, which hostile input could otherwise hold for seconds. A scope (a
 * workspace) has one thread at a time, so that it never takes the last place from the others.
 */
export class ThreadPool<Question, Answer> {
  readonly #options: ThreadPoolOptions;
  readonly #idle: Thread<Question, Answer>[] = [];
  readonly #queue: FairQueue;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#queue = new FairQueue({
      what: options.nouns,
      places: options.threads,
      placesPerScope: 1,
      waiting: options.waiting,
      waitingPerScope: options.waiting / 2,
      // Work before it may take as long as it may itself, and threads take seconds to start on a busy machine.
      waitMs: WAITS * options.timeoutMs,
    });
  }

  /** Throws what the work throws, and when it takes too long or too much memory. */
  async ask(
    scope: string,
    signal: AbortSignal | undefined,
    question: () => { value: Question; transfer?: readonly Transferable[] },
  ): Promise<Answer> {
    const leave = await this.#queue.enter(scope, signal);
    try {
      const flags = await strippedFlags(this.#options.module);
      if (signal?.aborted) throw abortError(signal);
      const thread = this.#idleThread() ?? new Thread(this.#options, flags);
      const { value, transfer = [] } = question();
      const reply = await thread.ask(value, transfer, signal);
      this.#idle.push(thread);
      if ("answer" in reply) return reply.answer;
      const { code, message, hint, data } = reply.refusal;
      throw new AppError(code, message, { data, ...(hint !== undefined && { hint }) });
    } finally {
      leave();
    }
  }

  #idleThread(): Thread<Question, Answer> | undefined {
    for (let thread = this.#idle.pop(); thread !== undefined; thread = this.#idle.pop()) {
      if (thread.isAlive) return thread;
    }
    return undefined;
  }
}

type Outcome<Answer> = { reply: Reply<Answer> } | { error: Error };

/** One thread, which keeps nothing running by itself. It ends when it has had nothing to do for a while. */
class Thread<Question, Answer> {
  isAlive = true;
  readonly #worker: Worker;
  readonly #options: ThreadPoolOptions;
  #settle: ((outcome: Outcome<Answer>) => void) | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: ThreadPoolOptions, execArgv: string[]) {
    this.#options = options;
    this.#worker = new Worker(options.module, {
      execArgv,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.#worker.unref();
    this.#worker.on("message", (reply: Reply<Answer>) => this.#settle?.({ reply }));
    this.#worker.on("error", (error: Error) => this.#end(causeOf(error, options)));
    this.#worker.on("exit", () => this.#end(gone(options)));
  }

  /** One question at a time. */
  async ask(
    question: Question,
    transfer: readonly Transferable[],
    signal: AbortSignal | undefined,
  ): Promise<Reply<Answer>> {
    clearTimeout(this.#idleTimer);
    const { promise, resolve } = Promise.withResolvers<Outcome<Answer>>();
    this.#settle = resolve;
    const timer = setTimeout(() => this.#end(tookTooLong(this.#options)), this.#options.timeoutMs);
    const onAbort = (): void => this.#end(abortError(signal));
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#worker.ref();
    this.#worker.postMessage(question, transfer);
    const outcome = await promise;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    this.#settle = undefined;
    this.#worker.unref();
    if ("error" in outcome) throw outcome.error;
    this.#idleTimer = setTimeout(
      () => this.#end(gone(this.#options)),
      this.#options.idleMs ?? IDLE_MS,
    ).unref();
    return outcome.reply;
  }

  #end(error: Error): void {
    this.isAlive = false;
    clearTimeout(this.#idleTimer);
    this.#settle?.({ error });
    void this.#worker.terminate();
  }
}

/** Anything but a lack of memory is a bug of ours. */
function causeOf(error: Error & { code?: string }, options: ThreadPoolOptions): Error {
  if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") return error;
  const { noun, memoryMb, hint, work = READING } = options;
  const message = `The ${noun} could not be ${work.done} within ${memoryMb} MB of memory.`;
  return new AppError("too_large", message, { hint, cause: error });
}

function tookTooLong({ noun, timeoutMs, hint, work = READING }: ThreadPoolOptions): AppError {
  return new AppError("timeout", `${work.doing} the ${noun} took longer than ${timeoutMs / 1_000} s.`, {
    hint,
  });
}

function gone({ noun, work = READING }: ThreadPoolOptions): AppError {
  return new AppError("unavailable", `The thread that ${work.did} the ${noun} ended unexpectedly.`, {
    hint: "Try again.",
  });
}
