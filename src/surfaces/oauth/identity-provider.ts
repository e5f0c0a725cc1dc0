import { createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Configuration, IDToken, UserInfoResponse } from "openid-client";
import type { FederatedPerson } from "../../domains/identity/index.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { ROLES, type Role } from "../../kernel/permissions.ts";
import { LIMITS } from "./limits.ts";

/** What the operator says of a company's identity provider. */
export interface IdentityProviderSettings {
  /** Stands in paths and in the audit log. */
  id: string;
  /** Stands on the button. */
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  /** For whose addresses it speaks; `any` is for providers that know the company's own people alone. */
  domains: readonly string[] | "any";
  /** Takes addresses as they come, for providers that leave out `email_verified`. */
  trustsEmail: boolean;
  join?: { workspace: string; role: Role };
  groupsClaim?: string;
  /** By group; the mightiest counts. */
  roles?: Readonly<Record<string, Role>>;
  /** The claim that each attribute comes from. */
  attributes: Readonly<Record<string, string>>;
}

export const GOOGLE_ISSUER = "https://accounts.google.com";

/** What must come back as it was sent. */
export interface SignInChecks {
  state: string;
  nonce: string;
  verifier: string;
}

type Claims = Partial<IDToken & UserInfoResponse>;

/** A relying party of one OpenID provider: code flow with PKCE, state and nonce; each is checked by openid-client. */
export class IdentityProvider {
  readonly settings: IdentityProviderSettings;
  readonly #redirectUri: string;
  #configuration: Promise<Configuration> | undefined;
  #keys: JWTVerifyGetKey | undefined;

  constructor(settings: IdentityProviderSettings, appUrl: string) {
    this.settings = settings;
    this.#redirectUri = `${appUrl}/api/auth/${settings.id}/callback`;
  }

  async start(): Promise<{ url: URL; checks: SignInChecks }> {
    const client = await import("openid-client");
    const configuration = await this.#discovered();
    const verifier = client.randomPKCECodeVerifier();
    const checks = { state: client.randomState(), nonce: client.randomNonce(), verifier };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: this.settings.scope,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    return { url, checks };
  }

  /** Exchanges the code that the browser brought back; throws `forbidden` when anything does not fit. */
  async finish(query: URLSearchParams, { state, nonce, verifier }: SignInChecks): Promise<FederatedPerson> {
    const client = await import("openid-client");
    const configuration = await this.#discovered();
    try {
      const answer = await client.authorizationCodeGrant(
        configuration,
        new URL(`${this.#redirectUri}?${query}`),
        {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        },
      );
      const token = answer.claims();
      if (token === undefined) throw new TypeError("an id token is missing after it was checked");
      const { userinfo_endpoint: userinfo } = configuration.serverMetadata();
      const more =
        userinfo === undefined
          ? {}
          : await client.fetchUserInfo(configuration, answer.access_token, token.sub);
      return personOf(this.settings, { ...more, ...token });
    } catch (cause) {
      throw isAppError(cause) ? cause : this.#failure(cause);
    }
  }

  /** Where one signs out there as well; null where the provider has no such page. */
  async endSessionUrl(returnTo: string): Promise<URL | null> {
    const client = await import("openid-client");
    const configuration = await this.#discovered();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
    return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo });
  }

  /** The subject of a logout token (OpenID Connect Back-Channel Logout 1.0); null where it proves nothing. */
  async signedOutSubject(logoutToken: string): Promise<string | null> {
    const { issuer, clientId } = this.settings;
    const { jwks_uri: keysUrl } = (await this.#discovered()).serverMetadata();
    if (keysUrl === undefined) return null;
    // Kept, so that forged tokens do not have the provider asked for its keys each time.
    this.#keys ??= createRemoteJWKSet(new URL(keysUrl));
    try {
      const rules = { issuer, audience: clientId, maxTokenAge: LIMITS.signIn.logoutTokenSeconds };
      const { payload } = await jwtVerify(logoutToken, this.#keys, rules);
      const events = (payload.events ?? {}) as Record<string, unknown>;
      const isLogout = "http://schemas.openid.net/event/backchannel-logout" in events;
      const isProof = isLogout && payload.nonce === undefined && isSubject(payload.sub);
      return isProof ? String(payload.sub) : null;
    } catch {
      return null;
    }
  }

  /** Read once; a provider that does not answer is asked again at the next try. */
  #discovered(): Promise<Configuration> {
    this.#configuration ??= this.#discover().catch((cause) => {
      this.#configuration = undefined;
      throw new AppError("unavailable", `${this.settings.name} does not answer.`, {
        hint: "Try again in a minute. If it stays so, whoever runs this server should look at its log.",
        cause,
      });
    });
    return this.#configuration;
  }

  async #discover(): Promise<Configuration> {
    const client = await import("openid-client");
    const { issuer, clientId, clientSecret } = this.settings;
    const url = new URL(issuer);
    // Without the former, an id token that came from the provider itself is taken unsigned.
    const execute = [client.enableNonRepudiationChecks];
    if (isLoopback(url)) execute.push(client.allowInsecureRequests);
    const timeout = LIMITS.signIn.providerTimeoutMs / 1_000;
    const options = { execute, timeout, algorithm: "oidc" as const };
    return client.discovery(url, clientId, undefined, client.ClientSecretBasic(clientSecret), options);
  }

  #failure(cause: unknown): AppError {
    const { name } = this.settings;
    const code = cause instanceof Error && "error" in cause ? String(cause.error) : undefined;
    if (code === "access_denied")
      return new AppError("forbidden", `${name} was asked, and did not let you in.`, {
        hint: "Try again.",
        cause,
      });
    return new AppError("forbidden", `Signing in with ${name} did not work.`, {
      hint: "Try again. If it stays so, whoever runs this server finds the reason in its log.",
      cause,
    });
  }
}

/** Plain HTTP is for a provider on the same machine, while somebody tries things out. */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

/** As OpenID Connect says: at most 255 characters of ASCII. */
function isSubject(sub: unknown): boolean {
  return typeof sub === "string" && /^[\x20-\x7e]{1,255}$/.test(sub);
}

function personOf(settings: IdentityProviderSettings, claims: Claims): FederatedPerson {
  const { id, issuer, join } = settings;
  if (!isSubject(claims.sub))
    throw new AppError("forbidden", `${settings.name} names you by an id that is none.`, {
      hint: "Whoever runs the identity provider should look at the claim sub.",
    });
  const person: FederatedPerson = {
    provider: id,
    issuer,
    subject: String(claims.sub),
    email: vouchedEmail(settings, claims),
    ...(typeof claims.name === "string" && { name: claims.name }),
  };
  if (join === undefined) return person;
  const groups = groupsOf(settings, claims);
  const { roles } = settings;
  const mapped = (groups ?? []).flatMap((group) => roles?.[group] ?? []);
  const attributes = Object.entries(settings.attributes).map(([name, claim]) => [
    name,
    textOf(claims[claim]),
  ]);
  return {
    ...person,
    join: {
      ...join,
      attributes: Object.fromEntries(attributes),
      ...(groups !== undefined && { groups }),
      ...(roles !== undefined && { mappedRole: highest([...mapped, join.role]) }),
    },
  };
}

/** Google's own rule for when it speaks for an address: it is Gmail's, or `hd` names the company of the account. */
function vouchedEmail(
  { issuer, domains, trustsEmail }: IdentityProviderSettings,
  claims: Claims,
): string | null {
  const given = textOf(claims.email)?.trim() ?? "";
  // Of ASCII before it is folded: the Kelvin sign would become a k.
  if (!/^[\x21-\x7e]+@[\x21-\x7e]+$/.test(given)) return null;
  const email = given.toLowerCase();
  const domain = email.split("@").at(-1) ?? "";
  const isVerified = claims.email_verified === true || String(claims.email_verified) === "true";
  const isGoogles = issuer !== GOOGLE_ISSUER || domain === "gmail.com" || claims.hd === domain;
  const isVouched = (isVerified || trustsEmail) && isGoogles;
  return isVouched && (domains === "any" || domains.includes(domain)) ? email : null;
}

/** A missing claim means no groups; one that was left out for its size would silently take rights away. */
function groupsOf({ groupsClaim, name }: IdentityProviderSettings, claims: Claims): string[] | undefined {
  if (groupsClaim === undefined) return undefined;
  const elsewhere = (claims._claim_names ?? {}) as Record<string, unknown>;
  if (groupsClaim in elsewhere || claims.hasgroups === true) throw tooManyGroups(name);
  const groups = [claims[groupsClaim] ?? []].flat().filter((group) => typeof group === "string");
  if (groups.length > LIMITS.signIn.groups) throw tooManyGroups(name);
  return groups;
}

function tooManyGroups(name: string): AppError {
  return new AppError("forbidden", `You are in more groups than ${name} can say here.`, {
    hint: "Whoever runs the identity provider can send only the groups that are assigned to Kenning.",
  });
}

/** `ROLES` begins with the mightiest. */
function highest(roles: readonly Role[]): Role {
  return ROLES.find((role) => roles.includes(role)) ?? "viewer";
}

function textOf(claim: unknown): string | null {
  return typeof claim === "string" || typeof claim === "number" ? String(claim) : null;
}
