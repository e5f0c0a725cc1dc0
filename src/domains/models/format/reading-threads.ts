import { extname, join } from "node:path";
import { WorkerPool } from "../../../platform/workers/index.ts";
import { LIMITS } from "../limits.ts";
import type { ModelFile, Reading } from "./read-models.ts";

interface ReadingOptions {
  workers?: number;
  memoryMb?: number;
  timeoutMs?: number;
  /** For the tests. */
  module?: string;
}

/** Reads model files in threads beside the server's own, which a hostile file could otherwise hold for a second. */
export class ReadingThreads {
  readonly #pool: WorkerPool<readonly ModelFile[], Reading>;

  constructor(options: ReadingOptions = {}) {
    const { readers, readerMemoryMb, readMs, waitingReaders } = LIMITS.models;
    this.#pool = new WorkerPool({
      noun: "model",
      nouns: "models",
      hint: "Split the model into several files or models.",
      module: join(import.meta.dirname, `read-worker${extname(import.meta.filename)}`),
      workers: readers,
      waiting: waitingReaders,
      memoryMb: readerMemoryMb,
      timeoutMs: readMs,
      ...options,
    });
  }

  /** As `readModels`; throws also when that takes too long or too much memory. */
  read(files: readonly ModelFile[], scope: string, signal: AbortSignal): Promise<Reading> {
    return this.#pool.ask(scope, signal, () => ({ value: files }));
  }
}
