/** Embedding model. */
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

/** Stored embedding of a text. */
export interface Embedding {
  /** Which model made it; those of different models are never compared. */
  fingerprint: string;
  /** One signed byte for each dimension. */
  vector: Uint8Array;
  /** 128 signs for each token, for models that have them. */
  tokens?: Uint8Array;
}

/** Embedding of a query. */
export interface QueryEmbedding {
  fingerprint: string;
  /** Of length 1. */
  vector: Float32Array;
  /** 128 numbers for each token, each of length 1. */
  tokens?: Float32Array;
}

/** Protocol of the embedding thread: requests by name, with their answers. */
export type EmbeddingCalls = {
  passages: { ask: { texts: readonly string[] }; answer: Omit<Embedding, "fingerprint">[] };
  query: { ask: { text: string }; answer: Omit<QueryEmbedding, "fingerprint"> };
};
