export { type DatasetsDigest, datasetsDigest, type WantedDataset } from "./datasets-digest.ts";
export { DIGEST_SCOPES, type DigestScope, type ModelDigest, modelDigest } from "./model-digest.ts";
