import { extname, join } from "node:path";
import type { Logger } from "pino";
import { KeptPromises } from "../../kernel/kept-promises.ts";
import { ThreadCaller } from "../threads/index.ts";
import type { Embedding, EmbeddingCalls, QueryEmbedding } from "./calls.ts";
import { LIMITS } from "./limits.ts";
import { MINILM_FINGERPRINT } from "./model-files.ts";

const MODULE = join(import.meta.dirname, `embedding-worker${extname(import.meta.filename)}`);

export interface EmbeddingsOptions {
  /** Where the model is kept in the form that it runs in. */
  folder: string;
  log: Pick<Logger, "error">;
}

/** Turns texts into vectors whose directions are alike where their meanings are. */
export class Embeddings {
  readonly fingerprint = MINILM_FINGERPRINT;
  /** The languages that the model knows; in others its vectors say little. */
  readonly languages: ReadonlySet<string> | undefined = new Set(["en"]);
  readonly #thread: ThreadCaller<EmbeddingCalls>;
  readonly #queries = new KeptPromises(LIMITS.embeddings.keptQueries);
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ folder, log }: EmbeddingsOptions) {
    this.#thread = new ThreadCaller(MODULE, { workerData: { folder } }, (err) => {
      if (err !== undefined) log.error({ err }, "the thread that embeds texts ended unexpectedly");
    });
  }

  /** One for each text, in their order. Batches of all who ask take turns. */
  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Embedding[]> {
    // Texts of about the same length waste no time on filling up.
    const order = texts.map((_, i) => i).sort((a, b) => texts[a]!.length - texts[b]!.length);
    const embedded: Embedding[] = [];
    for (let at = 0; at < order.length; at += LIMITS.embeddings.batch) {
      signal?.throwIfAborted();
      const batch = order.slice(at, at + LIMITS.embeddings.batch);
      const ask = () => this.#thread.ask("passages", { texts: batch.map((i) => texts[i]!) });
      const turn = this.#turn.then(ask, ask);
      this.#turn = turn.catch(() => undefined);
      for (const [nth, made] of (await turn).entries())
        embedded[batch[nth]!] = { ...made, fingerprint: this.fingerprint };
    }
    return embedded;
  }

  embedQuery(text: string): Promise<QueryEmbedding> {
    return this.#queries.get(text, async () => {
      return { ...(await this.#thread.ask("query", { text })), fingerprint: this.fingerprint };
    });
  }

  async close(): Promise<void> {
    await this.#thread.end();
  }
}
