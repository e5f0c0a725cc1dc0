import { AppError } from "../../../kernel/errors.ts";
import { PERMISSIONS, type Permission, ROLE_PERMISSIONS } from "../../../kernel/permissions.ts";
import { type Clock, withTimeout } from "../../../kernel/time.ts";
import type { Caller, TokenLimits } from "../../../registry/caller.ts";
import type { AuditSink } from "../../../registry/ports.ts";
import type { Authenticated, JobOwner, Proof, TransportLimiter } from "../identity.ts";
import { LIMITS } from "../limits.ts";
import { hashOf, isOwnToken, limitsInForce, NO_LIMITS, TOKEN_RULES } from "../tokens/tokens.ts";
import { accountEnabled, CHECKS, isMember, notRevoked, parseAuthorization } from "./checks.ts";
import type { Check, Circumstances, DenialReason, Grant, Owner, TokenVerifier } from "./grant.ts";
import type { GrantCache, GrantStore } from "./grants.store.ts";
import type { LastUsed } from "./last-used.store.ts";

export interface AuthenticationPorts {
  grants: GrantStore;
  tokenCache: GrantCache<Grant>;
  ownerCache: GrantCache<Owner>;
  lastUsed: LastUsed;
  verifiers: readonly TokenVerifier[];
  limiter: Pick<TransportLimiter, "admitAttempt" | "failedAttempt">;
  audit: AuditSink;
  clock: Clock;
  appUrl: string;
}

/** Whoever sends a token that is not accepted learns only this, whatever the reason. */
function unauthorized(reason: DenialReason): AppError {
  const message = reason === "missing" ? "No authorization token provided" : "Token expired or invalid";
  return new AppError("unauthorized", message, {
    hint: "Send it as `Authorization: Bearer <token>`; a token can be expired, revoked, or made for another endpoint.",
    data: { reason },
  });
}

/** The callers of grants that are remembered, so that a request with a known token allocates next to nothing. */
const callers = new WeakMap<Grant, Caller>();

export async function authenticate(ports: AuthenticationPorts, proof: Proof): Promise<Authenticated> {
  const parsed = parseAuthorization(proof.authorization);
  if ("reason" in parsed) return deny(ports, proof, parsed.reason, null);
  const tokenHash = hashOf(parsed.token);
  const grant = ports.tokenCache.peek(tokenHash) ?? (await findGrant(ports, parsed.token, tokenHash));
  if (grant === null) return deny(ports, proof, "unknown", null);
  const now = ports.clock.now();
  const reason = firstReason(CHECKS, grant, { proof, now, appUrl: ports.appUrl });
  if (reason !== null) return deny(ports, proof, reason, grant);
  if (grant.token.id !== 0) ports.lastUsed.touch(grant.token.id, now, proof.client);
  let caller = callers.get(grant);
  if (caller === undefined) {
    caller = callerFrom(grant);
    callers.set(grant, caller);
  }
  return { caller, tokenHash, plan: grant.owner.workspace.plan };
}

/** By its form, a token is either one of ours or one that a verifier knows how to read. */
async function findGrant(
  ports: AuthenticationPorts,
  token: string,
  tokenHash: string,
): Promise<Grant | null> {
  if (isOwnToken(token)) return ports.tokenCache.get(tokenHash, () => soon(ports.grants.byHash(tokenHash)));
  const verifier = ports.verifiers.find((candidate) => candidate.recognises(token));
  if (verifier === undefined) return null;
  const verified = await soon(verifier.verify(token));
  if (verified === null) return null;
  const { workspaceId, accountId, scopes, audience, expiresAt, application } = verified;
  const owner = await ports.ownerCache.get(`${workspaceId}:${accountId}`, () =>
    soon(ports.grants.owner(workspaceId, accountId)),
  );
  if (owner === null) return null;
  const facts = { id: 0, kind: "oauth", limits: NO_LIMITS, revokedAt: null } as const;
  return { token: { ...facts, scopes, audience, expiresAt, application }, owner };
}

/** A database that hangs must not hang everybody who knocks. */
function soon<T>(lookup: Promise<T>): Promise<T> {
  return withTimeout(LIMITS.identity.tokenLookupMs, lookup, "The token could not be looked up in time.");
}

function firstReason(
  checks: readonly Check[],
  grant: Grant,
  circumstances: Circumstances,
): DenialReason | null {
  for (const check of checks) {
    const reason = check(grant, circumstances);
    if (reason !== null) return reason;
  }
  return null;
}

/**
 * A request without any token is how clients begin to sign in: it is neither counted nor recorded. A wrong
 * token is, up to the limit of its address. A good token is never turned away for the failures of others
 * behind the same address.
 */
async function deny(
  { limiter, audit }: AuthenticationPorts,
  { address, surface }: Proof,
  reason: DenialReason,
  grant: Grant | null,
): Promise<never> {
  if (reason === "missing") throw unauthorized(reason);
  await limiter.admitAttempt(address);
  await limiter.failedAttempt(address);
  audit.record({
    action: "auth.denied",
    workspaceId: grant?.owner.workspace.id ?? null,
    userId: grant?.owner.account.id ?? null,
    resourceType: "mcp_endpoint",
    resourceId: surface,
    success: false,
    outcome: "unauthorized",
    durationMs: 0,
    address,
    tokenId: grant?.token.id,
    applicationId: grant?.token.application?.id,
    metadata: { reason },
  });
  throw unauthorized(reason);
}

/** Whom work that goes on after this caller's request belongs to. */
export function ownerOf({ workspace, user, token, scopes }: Caller): JobOwner {
  const owner = { workspaceId: workspace.id, userId: user.id };
  if (token.id !== 0) return { ...owner, tokenId: token.id };
  if (token.kind === "operator") return { ...owner, operator: true };
  const { limits, application } = token;
  return { ...owner, scopes, limits, ...(application !== undefined && { application }) };
}

/**
 * For work that goes on after the request: the power that the owner, and the token they used, have now.
 * A revoked token ends its work; one that has expired since does not, for the work was accepted in time.
 */
export async function callerFor(
  { grants, clock, appUrl }: AuthenticationPorts,
  job: JobOwner,
): Promise<Caller> {
  const { workspaceId, userId, tokenId } = job;
  const grant = tokenId === undefined ? await withoutRow(grants, job) : await grants.byId(tokenId);
  const theirs = grant?.owner.workspace.id === workspaceId && grant.owner.account.id === userId;
  if (grant === null || !theirs) throw noLongerAllowed("unknown");
  const circumstances: Circumstances = {
    proof: { surface: "all", resource: appUrl },
    now: clock.now(),
    appUrl,
  };
  const reason = firstReason([notRevoked, accountEnabled, isMember], grant, circumstances);
  if (reason !== null) throw noLongerAllowed(reason);
  return callerFrom(grant);
}

/** A token that is not in our table gives what it gave then; a member without any has all that the role allows. */
async function withoutRow(
  grants: GrantStore,
  { workspaceId, userId, operator, scopes = PERMISSIONS, limits = NO_LIMITS, application }: JobOwner,
): Promise<Grant | null> {
  const owner = await grants.owner(workspaceId, userId);
  const power =
    operator === true ? ({ kind: "operator", scopes: null } as const) : ({ kind: "oauth", scopes } as const);
  const facts = { id: 0, limits, audience: null, expiresAt: null, revokedAt: null, application };
  return owner && { token: { ...facts, ...power }, owner };
}

function noLongerAllowed(reason: DenialReason): AppError {
  return new AppError("forbidden", "The owner of this work may no longer do it.", {
    hint: "Their account, membership or token has ended; start it again as somebody else.",
    data: { reason },
  });
}

/** The caller that a grant stands for: its power is role ∩ scopes ∩ limits. Only for grants that passed all checks. */
export function callerFrom({ token, owner }: Grant): Caller {
  if (owner.membership === null) throw new TypeError("a caller must be a member of its workspace");
  const { role, groups, attributes } = owner.membership;
  const { ceiling } = TOKEN_RULES[token.kind];
  const limits = limitsInForce(token.kind, token.limits);
  const rolePermissions = ROLE_PERMISSIONS[role];
  const scopes = (token.scopes ?? PERMISSIONS).filter((permission) => ceiling.includes(permission));
  const permissions = rolePermissions.filter(
    (permission) => scopes.includes(permission) && !isWithheld(permission, limits),
  );
  // Frozen, because one caller is handed to every request that a token makes.
  return Object.freeze({
    workspace: Object.freeze({ id: owner.workspace.id, slug: owner.workspace.slug }),
    user: Object.freeze({ id: owner.account.id, email: owner.account.email, name: owner.account.name }),
    role,
    groups,
    attributes,
    rolePermissions,
    scopes,
    permissions,
    token: Object.freeze({
      id: token.id,
      kind: token.kind,
      limits,
      ...(token.application !== undefined && { application: token.application }),
    }),
  });
}

/** A token for some semantic models reaches rows through them alone, and not through the datasets below. */
function isWithheld(permission: Permission, { readOnly, models }: TokenLimits): boolean {
  if (readOnly && !permission.endsWith(":read")) return true;
  return models !== null && permission.startsWith("bi:");
}
