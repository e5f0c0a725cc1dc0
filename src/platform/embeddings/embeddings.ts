import { AsyncLruCache } from "../../kernel/async-lru-cache.ts";
import type { Embedding, QueryEmbedding } from "./calls.ts";
import type { EmbeddingModel } from "./embedding-model.ts";
import { LIMITS } from "./limits.ts";

export interface EmbeddingsParts {
  model: EmbeddingModel;
  /** The one that questions are compared by until all texts have been embedded by the other. */
  former?: EmbeddingModel | undefined;
  /** Called when there is no former one any more. */
  onSwitched(): void;
}

/** Turns texts into vectors whose directions are alike where their meanings are. */
export class Embeddings {
  readonly #model: EmbeddingModel;
  readonly #onSwitched: () => void;
  readonly #queries = new AsyncLruCache(LIMITS.embeddings.keptQueries);
  #former: EmbeddingModel | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ model, former, onSwitched }: EmbeddingsParts) {
    this.#model = model;
    this.#former = former;
    this.#onSwitched = onSwitched;
  }

  /** Of the model that texts are embedded by. */
  get fingerprint(): string {
    return this.#model.fingerprint;
  }

  /** Of the model whose vectors are compared: after a change of model the former one's, until all texts have others. */
  get servingFingerprint(): string {
    return (this.#former ?? this.#model).fingerprint;
  }

  /** The languages that this model knows, all if undefined; in others its vectors say little. */
  languagesOf(fingerprint: string): ReadonlySet<string> | undefined {
    return this.#modelOf(fingerprint).languages;
  }

  /** One for each text, in their order. Batches of all who ask take turns. */
  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Embedding[]> {
    // Texts of about the same length waste no time on filling up.
    const order = texts.map((_, i) => i).sort((a, b) => texts[a]!.length - texts[b]!.length);
    const embedded: Embedding[] = [];
    for (const batch of this.#batches(order, texts)) {
      signal?.throwIfAborted();
      const ask = () => this.#model.passages(batch.map((i) => texts[i]!));
      const turn = this.#turn.then(ask);
      this.#turn = turn.catch(() => undefined);
      for (const [nth, made] of (await turn).entries())
        embedded[batch[nth]!] = { ...made, fingerprint: this.fingerprint };
    }
    return embedded;
  }

  #batches(order: readonly number[], texts: readonly string[]): number[][] {
    const batches: number[][] = [];
    let characters = Number.POSITIVE_INFINITY;
    for (const i of order) {
      const length = Math.min(texts[i]!.length, LIMITS.embeddings.characters);
      const open = batches.at(-1);
      characters += length;
      if (
        open !== undefined &&
        open.length < LIMITS.embeddings.batch &&
        characters <= this.#model.stepCharacters
      )
        open.push(i);
      else {
        batches.push([i]);
        characters = length;
      }
    }
    return batches;
  }

  /** By the model with this fingerprint, which is that of the vectors it will be compared with. */
  embedQuery(text: string, fingerprint = this.fingerprint): Promise<QueryEmbedding> {
    const model = this.#modelOf(fingerprint);
    return this.#queries.get(`${model.fingerprint} ${text}`, async () => {
      return { ...(await model.query(text)), fingerprint: model.fingerprint };
    });
  }

  /** From now on the vectors of the new model are compared, because all texts have one. */
  async switchOver(): Promise<void> {
    const former = this.#former;
    this.#former = undefined;
    this.#onSwitched();
    await former?.close();
  }

  async close(): Promise<void> {
    await this.#model.close();
    await this.#former?.close();
  }

  #modelOf(fingerprint: string): EmbeddingModel {
    const former = this.#former;
    return former?.fingerprint === fingerprint ? former : this.#model;
  }
}
