/** What makes vectors of texts. */
export interface EmbeddingModel {
  /** Names it; vectors of different ones are never compared. */
  readonly fingerprint: string;
  /** The languages that it knows, all if undefined; in others its vectors say little. */
  readonly languages: ReadonlySet<string> | undefined;
  /** Characters that it is best given at once. */
  readonly stepCharacters: number;
  passages(texts: readonly string[]): Promise<Omit<Embedding, "fingerprint">[]>;
  query(text: string): Promise<Omit<QueryEmbedding, "fingerprint">>;
  close(): Promise<void>;
}

/** What a text is compared by, as it is kept. */
export interface Embedding {
  /** Which model made it; those of different models are never compared. */
  fingerprint: string;
  /** One signed byte for each dimension. */
  vector: Uint8Array;
  /** 128 signs for each token, for models that have them. */
  tokens?: Uint8Array;
}

/** What a question is compared by. */
export interface QueryEmbedding {
  fingerprint: string;
  /** Of length 1. */
  vector: Float32Array;
  /** 128 numbers for each token, each of length 1. */
  tokens?: Float32Array;
}

/** What the thread that embeds can be asked, with what it answers. */
export type EmbeddingCalls = {
  passages: { ask: { texts: readonly string[] }; answer: Omit<Embedding, "fingerprint">[] };
  query: { ask: { text: string }; answer: Omit<QueryEmbedding, "fingerprint"> };
};
