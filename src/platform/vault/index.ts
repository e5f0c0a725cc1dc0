export { deriveKey } from "./derive-key.ts";
export { Secret } from "./secret.ts";
export { createVault, type Vault, type VaultOptions } from "./vault.ts";
