export type { Embedding, QueryEmbedding } from "./embedding-model.ts";
export type { Embeddings } from "./embeddings.ts";
export { openEmbeddings } from "./embeddings.ts";
export { MINILM_FINGERPRINT } from "./model-files.ts";
export { maxSim } from "./packing.ts";
