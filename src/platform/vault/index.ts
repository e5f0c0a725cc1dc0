export { deriveKey } from "./derive-key.ts";
export { Secret } from "./secret.ts";
export { createVault, rootId, sealedWith, type Vault } from "./vault.ts";
