export { createVault, deriveKey, rootId, Secret, sealedWith, type Vault } from "./vault.ts";
