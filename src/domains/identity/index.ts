export { ownerOf } from "./authentication/authentication.ts";
export type { TokenVerifier, VerifiedToken } from "./authentication/verifier.ts";
export { createIdentity, type IdentityOptions } from "./create-identity.ts";
export type {
  Actor,
  AuditFilter,
  AuditLog,
  AuditRecord,
  Authenticated,
  FirstAdmin,
  Groups,
  Identity,
  JobOwner,
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
export type { RateLimitSettings } from "./limits/rate-windows.ts";
export type { ConnectedApp, ConnectedApps } from "./oauth/connected-apps.store.ts";
export { type OAuthStores, openOAuthStores } from "./oauth/index.ts";
export type { OAuthRecords } from "./oauth/oauth-records.store.ts";
export { generatePassword } from "./passwords/generate-password.ts";
export type { SignedIn, WebSessions } from "./sign-in/web-sessions.store.ts";
export { identitySlice } from "./slice.ts";
