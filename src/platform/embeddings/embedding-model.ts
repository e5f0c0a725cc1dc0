import type { Embedding, QueryEmbedding } from "./calls.ts";

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
