import type { JWTPayload } from "jose";
import type { KoaContextWithOIDC } from "oidc-provider";
import type { ConnectedApps, OAuthRecords } from "../../domains/identity/index.ts";

/** What the rules for tokens ask for (RFC 7009, RFC 9700) beyond what the provider does. Each function is one rule. */

export interface TokenRuleParts {
  records: OAuthRecords;
  apps: ConnectedApps;
  /** What a signed access token of ours says; null where it is none, or is one no more. */
  signedClaims: (token: string) => Promise<JWTPayload | null>;
}

export async function keepTokenRules(ctx: KoaContextWithOIDC, parts: TokenRuleParts): Promise<void> {
  const { route, params, client } = ctx.oidc ?? {};
  // Without a client, nobody has proved to be the one who may do this.
  if (client === undefined || params === undefined) return;
  const isRefused = ctx.status === 400;
  if (route === "revocation" && isRefused) await revokeSigned(ctx, parts);
  if (route !== "token") return;
  if (params.grant_type === "authorization_code" && isRefused) await spendCode(ctx, parts);
  if (params.grant_type === "refresh_token") await sameSuccessor(ctx, parts);
}

/** The provider revokes only what it finds in its records. A signed token is known by its grant, which ends with it. */
async function revokeSigned(ctx: KoaContextWithOIDC, { apps, signedClaims }: TokenRuleParts): Promise<void> {
  if ((ctx.body as { error?: string }).error !== "unsupported_token_type") return;
  const claims = await signedClaims(String(ctx.oidc.params?.token));
  if (claims !== null && claims.client_id === ctx.oidc.client?.clientId) {
    await apps.revokeGrant(String(claims.grant));
    await apps.noteEnd(String(claims.grant), "client");
  }
  ctx.status = 200;
  ctx.body = "";
}

/** A code is good for one attempt: whoever has it and not its verifier has found it somewhere. */
async function spendCode(ctx: KoaContextWithOIDC, { records, apps }: TokenRuleParts): Promise<void> {
  const code = ctx.oidc.params?.code;
  if (typeof code !== "string" || code.includes("\0")) return;
  const grantId = (await records.find("AuthorizationCode", code))?.payload.grantId;
  if (typeof grantId !== "string") return;
  await apps.revokeGrant(grantId);
  await apps.noteEnd(grantId, "refused");
}

/** Requests that bring the same refresh token at the same time are answered alike. */
async function sameSuccessor(ctx: KoaContextWithOIDC, { records, apps }: TokenRuleParts): Promise<void> {
  const { refresh_token: token, scope, resource } = ctx.oidc.params as Record<string, unknown>;
  const grantId = ctx.oidc.entities.Grant?.jti;
  // The provider knows the grant of a token that is this client's, and of no other.
  if (typeof token !== "string" || grantId === undefined) return;
  const request = JSON.stringify([scope, resource]);
  const answer = ctx.body as Record<string, unknown>;
  if (ctx.status === 200) return records.keepRotation(token, { grantId, request, answer });
  if (ctx.oidc.entities.RotatedRefreshToken !== undefined) {
    // Refused after it was replaced, for another resource: it gave nothing, so that it was not used.
    await ctx.oidc.entities.RefreshToken?.destroy();
    return records.giveBack("RefreshToken", token);
  }
  if (answer.error !== "invalid_grant") return;
  const given = await records.rotationOf(token, request);
  if (given === "reused") {
    await apps.revokeGrant(grantId);
    await apps.noteEnd(grantId, "reused");
  } else if (given !== undefined) {
    ctx.status = 200;
    ctx.body = given;
  }
}
