import { Worker } from "node:worker_threads";
import { AppError } from "../../kernel/errors.ts";
import { abortError } from "../../kernel/time.ts";
import { strippedFlags } from "../stripped/index.ts";
import type { Reply } from "./answers.ts";
import { YOUNG_MB } from "./thread-caller.ts";
import type { Failures, MakeQuestion, PooledWorker } from "./worker-pool.ts";

interface ThreadOptions {
  module: string;
  memoryMb: number;
  timeoutMs: number;
}

type Outcome<Answer> = { reply: Reply<Answer> } | { error: Error };

/** A worker of a pool that is a thread, which keeps nothing running by itself. */
export class ThreadWorker<Question, Answer> implements PooledWorker<Question, Answer> {
  readonly #options: ThreadOptions;
  readonly #failures: Failures;
  #thread: Worker | undefined;
  #settle: ((outcome: Outcome<Answer>) => void) | undefined;

  constructor(options: ThreadOptions, failures: Failures) {
    this.#options = options;
    this.#failures = failures;
  }

  get isReady(): boolean {
    return this.#thread !== undefined;
  }

  async ask(question: MakeQuestion<Question>, signal: AbortSignal | undefined): Promise<Answer> {
    const flags = await strippedFlags(this.#options.module);
    if (signal?.aborted) throw abortError(signal);
    this.#thread ??= this.#start(flags);
    const thread = this.#thread;
    const { value, transfer = [] } = question();
    const { promise, resolve } = Promise.withResolvers<Outcome<Answer>>();
    this.#settle = resolve;
    const timer = setTimeout(() => this.#end(thread, this.#failures.timeout()), this.#options.timeoutMs);
    const onAbort = (): void => this.#end(thread, abortError(signal));
    signal?.addEventListener("abort", onAbort, { once: true });
    thread.ref();
    thread.postMessage(value, transfer);
    const outcome = await promise;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    this.#settle = undefined;
    thread.unref();
    if ("error" in outcome) throw outcome.error;
    if ("answer" in outcome.reply) return outcome.reply.answer;
    const { code, message, hint, data } = outcome.reply.refusal;
    throw new AppError(code, message, { data, ...(hint !== undefined && { hint }) });
  }

  /** V8 bounds the memory of a thread, and gives back what it does not need. */
  isSpent(): boolean {
    return false;
  }

  rest(): void {
    if (this.#thread !== undefined) this.#end(this.#thread, this.#failures.gone());
  }

  async close(): Promise<void> {
    this.rest();
  }

  #start(execArgv: string[]): Worker {
    const { module, memoryMb } = this.#options;
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_MB };
    const thread = new Worker(module, { execArgv, env: {}, resourceLimits });
    thread.unref();
    // What a thread says that was ended meanwhile is no answer to the next question.
    thread.on("message", (reply: Reply<Answer>) => this.#thread === thread && this.#settle?.({ reply }));
    thread.on("error", (error: Error) => this.#end(thread, this.#causeOf(error)));
    thread.on("exit", () => this.#end(thread, this.#failures.gone()));
    return thread;
  }

  #end(thread: Worker, error: Error): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#settle?.({ error });
    void thread.terminate();
  }

  /** Anything but a lack of memory is a bug of ours. */
  #causeOf(error: Error & { code?: string }): Error {
    return error.code === "ERR_WORKER_OUT_OF_MEMORY" ? this.#failures.memory(error) : error;
  }
}
