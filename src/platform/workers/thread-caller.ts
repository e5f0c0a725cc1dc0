import { type Transferable, Worker, type WorkerOptions } from "node:worker_threads";
import { strippedFlags } from "../stripped/index.ts";
import type { Answered } from "./answers.ts";

/** Protocol of a thread: requests by name, with their answers. */
export type Calls = Record<string, { ask: unknown; answer: unknown }>;

/** The thread ended, or does not hold any more what it was asked about. */
export class ThreadLost extends Error {
  constructor(cause?: Error) {
    super("the thread does not hold it any more", { cause });
  }
}

/** For values that are hardly ever needed again. Node's default of 192 is for a program's only thread; none here has used more. */
export const YOUNG_MB = 32;

interface Waiting {
  resolve(answer: never): void;
  reject(error: Error): void;
}

/**
 * One thread that keeps something between calls. It is started by the first call and keeps nothing running by itself.
 * When it ends, whoever waits is told so, and the next call starts another.
 */
export class ThreadCaller<C extends Calls> {
  readonly #module: string;
  readonly #options: WorkerOptions;
  readonly #onLost: (error: Error | undefined) => void;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Promise<Worker> | undefined;
  #call = 0;

  constructor(module: string, options: WorkerOptions, onLost: (error: Error | undefined) => void) {
    this.#module = module;
    this.#options = options;
    this.#onLost = onLost;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  async ask<Name extends keyof C & string>(
    name: Name,
    ask: C[Name]["ask"],
    transfer: readonly Transferable[] = [],
  ): Promise<C[Name]["answer"]> {
    this.#worker ??= this.#start();
    const worker = await this.#worker;
    const call = ++this.#call;
    const { promise, resolve, reject } = Promise.withResolvers<C[Name]["answer"]>();
    worker.postMessage({ call, name, ask }, transfer);
    worker.ref();
    this.#waiting.set(call, { resolve: resolve as Waiting["resolve"], reject });
    return await promise;
  }

  /** Ends the thread; a later call starts another. */
  async end(): Promise<void> {
    const worker = await this.#worker;
    await worker?.terminate();
  }

  async #start(): Promise<Worker> {
    const execArgv = await strippedFlags(this.#module);
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const worker = new Worker(this.#module, { resourceLimits, ...this.#options, execArgv, env: {} });
    worker.unref();
    let failure: Error | undefined;
    worker.on("message", (answered: Answered) => this.#settle(worker, answered));
    worker.on("error", (error: Error) => {
      failure = error;
    });
    worker.on("exit", () => this.#lose(failure));
    return worker;
  }

  #settle(worker: Worker, answered: Answered): void {
    const waiting = this.#waiting.get(answered.call);
    this.#waiting.delete(answered.call);
    if (this.#waiting.size === 0) worker.unref();
    if ("answer" in answered) waiting?.resolve(answered.answer as never);
    else waiting?.reject("isLost" in answered ? new ThreadLost() : new Error(answered.failure));
  }

  #lose(failure: Error | undefined): void {
    this.#worker = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#onLost(failure);
    for (const { reject } of waiting) reject(new ThreadLost(failure));
  }
}
