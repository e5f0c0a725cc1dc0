import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type {
  ConnectedApps,
  OAuthRecords,
  TokenVerifier,
  VerifiedToken,
} from "../../domains/identity/index.ts";
import { parseScopes } from "../../kernel/permissions.ts";

export interface VerifierParts {
  appUrl: string;
  records: OAuthRecords;
  apps: ConnectedApps;
  /** The public keys that are in use now; the same function as long as they are, so that each is imported once. */
  publicKeys: () => JWTVerifyGetKey;
}

const OPAQUE_TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Reads the access tokens that our authorization server made: signed ones, and the long-lived opaque ones. */
export function accessTokenVerifier({ appUrl, records, apps, publicKeys }: VerifierParts): TokenVerifier {
  return {
    recognises: (token) => token.startsWith("eyJ") || OPAQUE_TOKEN.test(token),
    async verify(token) {
      if (!token.startsWith("eyJ")) return opaque(token);
      const claims = await signedClaims(appUrl, publicKeys(), token);
      return (
        claims && owned(String(claims.grant), String(claims.scope ?? ""), audienceOf(claims), claims.exp)
      );
    },
  };

  async function opaque(token: string): Promise<VerifiedToken | null> {
    const record = await records.find("AccessToken", token);
    if (record === undefined) return null;
    const { grantId, scope, aud, exp } = record.payload as {
      grantId: string;
      scope: string;
      aud: string;
      exp: number;
    };
    return owned(grantId, scope ?? "", [aud].flat(), exp);
  }

  async function owned(
    grantId: string,
    scope: string,
    audience: string[],
    exp?: number,
  ): Promise<VerifiedToken | null> {
    const owner = await apps.ownerOf(grantId);
    if (owner === null || exp === undefined) return null;
    const { permissions } = parseScopes(scope.split(" "));
    const { accountId, workspaceId, clientId, clientName } = owner;
    const expiresAt = new Date(exp * 1_000);
    const application = { id: clientId, name: clientName };
    return { accountId, workspaceId, scopes: permissions, audience, expiresAt, application };
  }
}

/** What a signed access token of ours says; null where it is none, or is one no more. */
export async function signedClaims(
  appUrl: string,
  keys: JWTVerifyGetKey,
  token: string,
): Promise<JWTPayload | null> {
  try {
    const rules = { issuer: appUrl, typ: "at+jwt", algorithms: ["ES256"] };
    return (await jwtVerify(token, keys, rules)).payload;
  } catch {
    // Expired, tampered with, of another issuer: all the same to whoever sent it.
    return null;
  }
}

function audienceOf({ aud }: JWTPayload): string[] {
  return aud === undefined ? [] : [aud].flat();
}
