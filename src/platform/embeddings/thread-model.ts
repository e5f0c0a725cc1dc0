import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Logger } from "pino";
import { AppError } from "../../kernel/errors.ts";
import { ThreadCaller } from "../workers/index.ts";
import type { EmbeddingCalls, EmbeddingModel } from "./embedding-model.ts";
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

const NETWORKS = ["model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"];
const MOST_TOKENS = 512;

/** A model in a folder as sentence-transformers and Optimum write it. */
function filesIn(folder: string): ModelFiles {
  const network = NETWORKS.map((name) => join(folder, name)).find((path) => existsSync(path));
  const tokenizer = join(folder, "tokenizer.json");
  if (network === undefined || !existsSync(tokenizer))
    throw new AppError("bad_request", `${folder} holds no model for embeddings.`, {
      hint: "KENNING_EMBEDDINGS_MODEL names a folder with model.onnx and tokenizer.json.",
    });
  const pooling = json(join(folder, "1_Pooling/config.json"));
  const { prompts = {} } = json(join(folder, "config_sentence_transformers.json")) as { prompts?: Prompts };
  const { max_seq_length: most } = json(join(folder, "sentence_bert_config.json"));
  return {
    network,
    tokenizer,
    pooling: pooling.pooling_mode_cls_token === true ? "first" : "mean",
    mostTokens: typeof most === "number" && most > 1 ? Math.min(most, MOST_TOKENS) : MOST_TOKENS,
    queryPrefix: prompts.query ?? "",
    passagePrefix: prompts.passage ?? prompts.document ?? "",
  };
}

interface Prompts {
  query?: string;
  passage?: string;
  document?: string;
}

function json(path: string): Record<string, unknown> {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}
