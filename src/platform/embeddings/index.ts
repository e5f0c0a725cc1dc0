export type { Embedding, QueryEmbedding } from "./calls.ts";
export { Embeddings } from "./embeddings.ts";
export { maxSim } from "./packing.ts";
