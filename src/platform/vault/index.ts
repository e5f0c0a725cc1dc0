export { deriveKey, ROOT_SECRET_MIN_CHARACTERS } from "./derive-key.ts";
export { Secret } from "./secret.ts";
export { createVault, type Vault, type VaultOptions } from "./vault.ts";
