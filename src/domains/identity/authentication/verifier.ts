import type { Permission } from "../../../kernel/permissions.ts";
import type { Application } from "../../../registry/caller.ts";

/** What a token that is not in our table says about itself, once its signature was found good. */
export interface VerifiedToken {
  accountId: number;
  workspaceId: number;
  scopes: readonly Permission[];
  audience: readonly string[];
  expiresAt: Date;
  application?: Application;
}

/** Reads tokens of another making, such as those of the authorization server. */
export interface TokenVerifier {
  /** A cheap look at the form, before any cryptography. */
  recognises(token: string): boolean;
  /** Null when the token is not good. It checks the signature; audience, expiry and owner are checked by us. */
  verify(token: string): Promise<VerifiedToken | null>;
}
