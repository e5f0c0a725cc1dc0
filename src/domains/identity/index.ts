import type { Slice } from "../../registry/registry.ts";
import type { IdentityServices } from "./define.ts";
export type { TokenVerifier, VerifiedToken } from "./authentication/verifier.ts";
export { createIdentity, type IdentityOptions } from "./create-identity.ts";
export type {
  AuditLog,
  AuditRecord,
  Authenticated,
  FirstAdmin,
  Groups,
  Identity,
  LoginClients,
  MadeTokenKind,
  Member,
  Proof,
  TokenInfo,
  Tokens,
  TransportLimiter,
  Usage,
  Users,
  Workspace,
  Workspaces,
} from "./identity.ts";
export { DEFAULT_RATE_LIMITS, type RateLimitSettings } from "./limits/rate-windows.ts";
export { generatePassword } from "./passwords/generate-password.ts";
export { identitySlice } from "./slice.ts";
