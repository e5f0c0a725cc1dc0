import type { Permission, Role } from "../../../kernel/permissions.ts";
import type { Application, TokenKind, TokenLimits } from "../../../registry/caller.ts";
import type { Authorizer } from "../../../registry/ports.ts";
import type { Proof } from "../identity.ts";

/** A token with its owner as they are now: everything that the checks look at. */
export interface Grant {
  readonly token: {
    /** 0 when the token is not in our table. */
    readonly id: number;
    readonly kind: TokenKind;
    readonly scopes: readonly Permission[] | null;
    readonly limits: TokenLimits;
    readonly expiresAt: Date | null;
    readonly revokedAt: Date | null;
    /** The endpoints that it was made for; null for tokens whose kind says it. */
    readonly audience: readonly string[] | null;
    readonly application?: Application | undefined;
  };
  readonly owner: Owner;
}

export interface Owner {
  readonly account: {
    readonly id: number;
    readonly email: string;
    readonly name: string;
    readonly disabledAt: Date | null;
  };
  readonly workspace: { readonly id: number; readonly slug: string; readonly plan: string };
  /** Null when the account does not, or no longer, belong to the workspace. */
  readonly membership: {
    readonly role: Role;
    readonly attributes: Readonly<Record<string, string>>;
    readonly groups: readonly number[];
  } | null;
}

/** Why a token was not accepted: for the audit log, never for the one who sent it. */
export type DenialReason =
  | "missing"
  | "malformed"
  | "unknown"
  | "revoked"
  | "expired"
  | "account_disabled"
  | "not_a_member"
  | "wrong_kind"
  | "wrong_audience"
  | "wrong_workspace";

export interface Circumstances {
  proof: Pick<Proof, "surface" | "resource" | "workspaceSlug">;
  now: Date;
  appUrl: string;
}

/** One reason to refuse, or null. Checks do no I/O, so that all of them can run on every request. */
export type Check = (grant: Grant, circumstances: Circumstances) => DenialReason | null;

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

/** Names each missing permission once, by the first thing that withholds it: role, then scopes, then limits. */
export const authorizer: Authorizer = {
  missing(caller, required) {
    const role = required.filter((permission) => !caller.rolePermissions.includes(permission));
    const granted = required.filter((permission) => !role.includes(permission));
    const scope = granted.filter((permission) => !caller.scopes.includes(permission));
    const limit = granted.filter(
      (permission) => !scope.includes(permission) && !caller.permissions.includes(permission),
    );
    return { role, scope, limit };
  },
};
