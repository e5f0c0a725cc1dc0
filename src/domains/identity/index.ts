export { audited } from "./audit/audited.ts";
export { ownerOf } from "./authentication/authentication.ts";
export type { TokenVerifier, VerifiedToken } from "./authentication/grant.ts";
export { createIdentity, type IdentityOptions } from "./create-identity.ts";
export type {
  AuditFilter,
  AuditRecord,
  Authenticated,
  FederatedPerson,
  FirstAdmin,
  Identity,
  JobOwner,
  MadeTokenKind,
  Proof,
  TokenInfo,
  TransportLimiter,
  Usage,
} from "./identity.ts";
export { generatePassword } from "./members/passwords.ts";
export type { ConnectedApp, ConnectedApps } from "./oauth/connected-apps.store.ts";
export { type OAuthStores, openOAuthStores } from "./oauth/index.ts";
export type { OAuthRecords } from "./oauth/oauth-records.store.ts";
export type { SignedIn, WebSessions } from "./oauth/web-sessions.store.ts";
export { identitySlice } from "./slice.ts";
