import { extname, join } from "node:path";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { WorkerPool } from "../../../platform/workers/index.ts";
import { LIMITS } from "../limits.ts";
import type { Built, ToBuild } from "./build-worker.ts";

/** Works out what is known about models in threads beside the server's own: their texts may be of any size and sort. */
export class KnowledgeThreads {
  readonly #pool: WorkerPool<ToBuild, Built>;

  constructor() {
    const { builders, waitingQuestions, readerMemoryMb, buildMs, idleReaderMs } = LIMITS.agent;
    this.#pool = new WorkerPool({
      noun: "semantic model",
      nouns: "semantic models",
      hint: "Shorten its texts and synonyms, or split it.",
      module: join(import.meta.dirname, `build-worker${extname(import.meta.filename)}`),
      workers: builders,
      waiting: waitingQuestions,
      memoryMb: readerMemoryMb,
      timeoutMs: buildMs,
      idleMs: idleReaderMs,
    });
  }

  async build(value: ToBuild, scope: string, signal?: AbortSignal): Promise<Built> {
    try {
      return await this.#pool.ask(scope, signal, () => ({ value }));
    } catch (error) {
      // A timeout of the agent means its queries; this one says what to do about it.
      if (!isAppError(error) || error.code !== "timeout") throw error;
      throw new AppError("unavailable", error.message, { hint: error.hint ?? "", cause: error });
    }
  }
}
