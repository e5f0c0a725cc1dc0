import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { strippedFlags } from "../stripped/index.ts";
import type { Answered, QuestionName, Questions } from "./wire.ts";

const MODULE = join(import.meta.dirname, `retrieval-worker${extname(import.meta.filename)}`);

/** The thread does not hold the index any more. It can be opened again. */
export class IndexLost extends Error {
  constructor(cause?: Error) {
    super("the index is not in memory", { cause });
  }
}

interface Waiting {
  resolve(answer: never): void;
  reject(error: Error): void;
}

/** The thread that holds the indexes. When it ends, whoever waits is told so, and the next question starts another. */
export class IndexThread {
  readonly #folder: string;
  /** Called when everything that the thread held is gone. */
  readonly #onLost: (error: Error | undefined) => void;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Promise<Worker> | undefined;
  #call = 0;

  constructor(folder: string, onLost: (error: Error | undefined) => void) {
    this.#folder = folder;
    this.#onLost = onLost;
  }

  async ask<Name extends QuestionName>(
    name: Name,
    ask: Questions[Name]["ask"],
  ): Promise<Questions[Name]["answer"]> {
    this.#worker ??= this.#start();
    const worker = await this.#worker;
    const call = ++this.#call;
    const { promise, resolve, reject } = Promise.withResolvers<Questions[Name]["answer"]>();
    worker.postMessage({ call, name, ask });
    worker.ref();
    this.#waiting.set(call, { resolve: resolve as Waiting["resolve"], reject });
    return await promise;
  }

  async close(): Promise<void> {
    const worker = await this.#worker;
    await worker?.terminate();
  }

  async #start(): Promise<Worker> {
    const execArgv = await strippedFlags(MODULE);
    const worker = new Worker(MODULE, { execArgv, env: {}, workerData: { folder: this.#folder } });
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
    else waiting?.reject("lost" in answered ? new IndexLost() : new Error(answered.failure));
  }

  #lose(failure: Error | undefined): void {
    this.#worker = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#onLost(failure);
    for (const { reject } of waiting) reject(new IndexLost(failure));
  }
}
