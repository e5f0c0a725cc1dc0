import { KeptPromises } from "../../kernel/kept-promises.ts";
import type { Embedding, QueryEmbedding } from "./calls.ts";
import type { EmbeddingModel } from "./embedding-model.ts";
import { LIMITS } from "./limits.ts";

/** A text that has no embedding of the present model yet. */
export interface Unembedded {
  id: number;
  text: string;
}

/** Turns texts into vectors whose directions are alike where their meanings are. */
export class Embeddings {
  readonly #model: EmbeddingModel;
  readonly #queries = new KeptPromises(LIMITS.embeddings.keptQueries);
  #turn: Promise<unknown> = Promise.resolve();

  constructor(model: EmbeddingModel) {
    this.#model = model;
  }

  get fingerprint(): string {
    return this.#model.fingerprint;
  }

  /** The languages that the model knows, all if undefined; in others its vectors say little. */
  get languages(): ReadonlySet<string> | undefined {
    return this.#model.languages;
  }

  /** One for each text, in their order. Batches of all who ask take turns. */
  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Embedding[]> {
    // Texts of about the same length waste no time on filling up.
    const order = texts.map((_, i) => i).sort((a, b) => texts[a]!.length - texts[b]!.length);
    const embedded: Embedding[] = [];
    for (let at = 0; at < order.length; at += LIMITS.embeddings.batch) {
      signal?.throwIfAborted();
      const batch = order.slice(at, at + LIMITS.embeddings.batch);
      const ask = () => this.#model.passages(batch.map((i) => texts[i]!));
      const turn = this.#turn.then(ask);
      this.#turn = turn.catch(() => undefined);
      for (const [nth, made] of (await turn).entries())
        embedded[batch[nth]!] = { ...made, fingerprint: this.fingerprint };
    }
    return embedded;
  }

  /** For a job in the background: embeds what `missing` finds until it finds nothing, and hands it to `keep`. */
  async embedMissing(
    missing: (limit: number) => Promise<readonly Unembedded[]>,
    keep: (embedded: readonly { id: number; embedding: Embedding }[]) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<number> {
    let count = 0;
    for (;;) {
      const texts = await missing(LIMITS.embeddings.step);
      if (texts.length === 0) return count;
      const made = await this.embed(
        texts.map(({ text }) => text),
        signal,
      );
      await keep(texts.map(({ id }, i) => ({ id, embedding: made[i]! })));
      count += texts.length;
    }
  }

  embedQuery(text: string): Promise<QueryEmbedding> {
    return this.#queries.get(text, async () => {
      return { ...(await this.#model.query(text)), fingerprint: this.fingerprint };
    });
  }

  async close(): Promise<void> {
    await this.#model.close();
  }
}
