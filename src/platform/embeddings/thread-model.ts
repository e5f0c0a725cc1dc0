import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Logger } from "pino";
import { ThreadCaller } from "../threads/index.ts";
import type { EmbeddingCalls } from "./calls.ts";
import type { EmbeddingModel } from "./embedding-model.ts";
import { filesIn } from "./folder-files.ts";
import { LIMITS } from "./limits.ts";
import { MINILM_FINGERPRINT, type ModelFiles } from "./model-files.ts";

const MODULE = join(import.meta.dirname, `embedding-worker${extname(import.meta.filename)}`);
type Log = Pick<Logger, "error">;

/** What the thread is given: the files of a model, or where to keep the bundled one. */
export type ThreadData = { files: ModelFiles } | { folder: string };

/** A model that runs on onnxruntime in a thread of ours. */
export class ThreadModel implements EmbeddingModel {
  readonly fingerprint: string;
  readonly languages: ReadonlySet<string> | undefined;
  readonly stepCharacters = LIMITS.embeddings.stepCharacters;
  readonly #thread: ThreadCaller<EmbeddingCalls>;

  /** The one that comes with Kenning, which knows English. */
  static bundled(folder: string, log: Log): ThreadModel {
    return new ThreadModel({ folder }, MINILM_FINGERPRINT, new Set(["en"]), log);
  }

  /** One of the operator's, in a folder as sentence-transformers writes it. */
  static async inFolder(folder: string, log: Log): Promise<ThreadModel> {
    const files = filesIn(folder);
    const hash = createHash("sha256");
    await pipeline(createReadStream(files.network), hash);
    return new ThreadModel({ files }, `onnx/${hash.digest("hex").slice(0, 24)}`, undefined, log);
  }

  private constructor(
    data: ThreadData,
    fingerprint: string,
    languages: ReadonlySet<string> | undefined,
    log: Log,
  ) {
    this.fingerprint = fingerprint;
    this.languages = languages;
    this.#thread = new ThreadCaller(MODULE, { workerData: data }, (err) => {
      if (err !== undefined) log.error({ err }, "the thread that embeds texts ended unexpectedly");
    });
  }

  passages(texts: readonly string[]) {
    return this.#thread.ask("passages", { texts });
  }

  query(text: string) {
    return this.#thread.ask("query", { text });
  }

  async close(): Promise<void> {
    await this.#thread.end();
  }
}
