export { datasetsDigest } from "./datasets-digest.ts";
export { DIGEST_SCOPES, modelDigest } from "./model-digest.ts";
