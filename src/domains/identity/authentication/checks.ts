import { LIMITS } from "../limits.ts";
import { TOKEN_RULES } from "../tokens/tokens.ts";
import type { Check } from "./grant.ts";

export const accountEnabled: Check = ({ owner }) =>
  owner.account.disabledAt === null ? null : "account_disabled";

/**
 * A token made for a resource is good there only; one made for the server itself is good everywhere.
 * Compared exactly: the address of one endpoint is the beginning of others'.
 */
export const audienceFits: Check = ({ token }, { proof, appUrl }) =>
  token.audience === null || token.audience.includes(proof.resource) || token.audience.includes(appUrl)
    ? null
    : "wrong_audience";

/** A token outlives its owner's membership in the table, but not in power. */
export const isMember: Check = ({ owner }) => (owner.membership === null ? "not_a_member" : null);

export const kindFitsSurface: Check = ({ token }, { proof }) =>
  TOKEN_RULES[token.kind].surfaces.includes(proof.surface) ? null : "wrong_kind";

/** The moment of expiry itself is already too late. */
export const notExpired: Check = ({ token }, { now }) =>
  token.expiresAt === null || now.getTime() < token.expiresAt.getTime() ? null : "expired";

export const notRevoked: Check = ({ token }) => (token.revokedAt === null ? null : "revoked");

/** Compared with the token's own workspace and never looked up: an unknown slug and a foreign one are the same. */
export const workspaceFits: Check = ({ owner }, { proof }) =>
  proof.workspaceSlug === undefined || proof.workspaceSlug === owner.workspace.slug
    ? null
    : "wrong_workspace";

/** Everything a token that we know must pass, in this order. */
export const CHECKS: readonly Check[] = [
  notRevoked,
  notExpired,
  accountEnabled,
  isMember,
  kindFitsSurface,
  audienceFits,
  workspaceFits,
];

/** RFC 6750: the scheme in any case, one or more spaces, a token68. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** The token in an Authorization header, or why there is none. */
export function parseAuthorization(
  header: string | null,
): { token: string } | { reason: "missing" | "malformed" } {
  if (header === null || header === "") return { reason: "missing" };
  if (header.length > LIMITS.identity.authorizationCharacters) return { reason: "malformed" };
  const token = BEARER.exec(header)?.[1];
  return token === undefined ? { reason: "malformed" } : { token };
}
