import type { Permission, Role } from "../../../kernel/permissions.ts";
import type { Application, TokenKind, TokenLimits } from "../../../registry/caller.ts";
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
