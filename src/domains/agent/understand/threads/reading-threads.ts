import { extname, join } from "node:path";
import { AppError, isAppError } from "../../../../kernel/errors.ts";
import { WorkerPool } from "../../../../platform/workers/index.ts";
import type { Material } from "../../assist/material.ts";
import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { LIMITS } from "../../limits.ts";
import type { Ask } from "../../query/semantic-query.ts";
import type { Proposals, Ruled } from "../../reader/propose.ts";
import type { Question, Understanding } from "../reading.ts";
import type { Read, ToRead } from "./read-worker.ts";

/** Whose question is read: a workspace has one thread at a time. */
export interface Reader {
  scope: string;
  signal: AbortSignal;
}

/** Reads questions in threads beside the server's own, which a long one would otherwise hold for a good while. */
export class ReadingThreads {
  readonly #ids = new WeakMap<Knowledge, number>();
  readonly #pool: WorkerPool<ToRead, Read>;
  #count = 0;

  constructor() {
    const { readers, waitingQuestions, readerMemoryMb, readMs, idleReaderMs } = LIMITS.agent;
    this.#pool = new WorkerPool({
      noun: "question",
      nouns: "questions",
      hint: "Ask in fewer words.",
      module: join(import.meta.dirname, `read-worker${extname(import.meta.filename)}`),
      workers: readers,
      waiting: waitingQuestions,
      memoryMb: readerMemoryMb,
      timeoutMs: readMs,
      idleMs: idleReaderMs,
    });
  }

  async read(question: Question, knowledge: Knowledge, reader: Reader): Promise<Understanding> {
    return (await this.#read(question, { k: "rules" }, knowledge, reader)) as Understanding;
  }

  /** What it may mean over a model that nobody has written, beside what the rules make of it. */
  async propose(question: Question, ruled: Ruled, knowledge: Knowledge, reader: Reader): Promise<Proposals> {
    return (await this.#read(question, { k: "ranks", ruled }, knowledge, reader)) as Proposals;
  }

  /** What a language model needs to read it. */
  async materialFor(question: Question, knowledge: Knowledge, reader: Reader): Promise<Material> {
    return (await this.#read(question, { k: "model" }, knowledge, reader)) as Material;
  }

  /** What a query leaves out of it, or adds to it; nothing where it fits. */
  async misfitOf(question: Question, ask: Ask, knowledge: Knowledge, reader: Reader): Promise<string> {
    return (await this.#read(question, { k: "fits", ask }, knowledge, reader)) as string;
  }

  async #read(question: Question, by: ToRead["by"], knowledge: Knowledge, reader: Reader): Promise<Read> {
    const id = this.#idOf(knowledge);
    // Most often the thread has the knowledge, which is too large to be sent with every question.
    const read =
      (await this.#ask({ question, by, id }, reader)) ??
      (await this.#ask({ question, by, id, knowledge }, reader));
    if (read === undefined) throw new Error("A thread read nothing with all that it needs.");
    return read;
  }

  async #ask(value: ToRead, { scope, signal }: Reader): Promise<Read> {
    try {
      return await this.#pool.ask(scope, signal, () => ({ value }));
    } catch (error) {
      // A timeout of the agent means its queries; this one says what to do about it.
      if (!isAppError(error) || error.code !== "timeout") throw error;
      throw new AppError("unavailable", error.message, { hint: "Ask in fewer words.", cause: error });
    }
  }

  #idOf(knowledge: Knowledge): number {
    const known = this.#ids.get(knowledge);
    if (known !== undefined) return known;
    this.#count += 1;
    this.#ids.set(knowledge, this.#count);
    return this.#count;
  }
}
