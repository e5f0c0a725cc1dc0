export type { Embedding, QueryEmbedding } from "./calls.ts";
export type { Embeddings } from "./embeddings.ts";
export { MINILM_FINGERPRINT } from "./model-files.ts";
export { openEmbeddings } from "./open-embeddings.ts";
export { maxSim } from "./packing.ts";
