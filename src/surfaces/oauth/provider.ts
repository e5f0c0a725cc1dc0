import type { JWK, JWTPayload } from "jose";
import {
  type Adapter,
  type AdapterPayload,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from "oidc-provider";
import type { Logger } from "pino";
import type { ConnectedApps, OAuthRecords } from "../../domains/identity/index.ts";
import { PERMISSIONS } from "../../kernel/permissions.ts";
import type { GuardedFetch } from "../../platform/guarded-fetch/index.ts";
import {
  checkClientMetadata,
  isRedirectAllowed,
  secretFits,
  UNVERIFIED,
  unregisteredClient,
  withHashedSecret,
} from "./clients.ts";
import { wantsPage } from "./pages/page.ts";
import type { Resources } from "./resources.ts";

export interface ProviderParts extends AdapterParts, TokenRuleParts {
  appUrl: string;
  /** Private keys, the one that signs first. */
  keys: JWK[];
  cookieKey: string;
  resources: Resources;
  ttl: { accessSeconds: number; refreshSeconds: number; codeSeconds: number };
  fetch: GuardedFetch;
  log: Logger;
  /** Who is signed in with the browser behind this request. */
  signedIn: (cookieHeader: string | undefined) => Promise<number | null>;
  renderError: (
    wantsJson: boolean,
    error: { error: string; error_description?: string | undefined },
    acceptLanguage: string,
  ) => string;
}

export const OAUTH_BASE = "/api/oauth";

export const ROUTES = {
  authorization: `${OAUTH_BASE}/authorize`,
  token: `${OAUTH_BASE}/token`,
  registration: `${OAUTH_BASE}/register`,
  revocation: `${OAUTH_BASE}/revoke`,
  jwks: `${OAUTH_BASE}/jwks`,
} as const;

export const INTERACTION_BASE = `${OAUTH_BASE}/interaction/`;

/** Names of our own: on localhost, every server of the machine sees the cookies of all. */
const COOKIES = {
  session: "kenning_oauth",
  interaction: "kenning_interaction",
  resume: "kenning_resume",
};

/** Largest client metadata document. */
const METADATA_BYTES = 64 * 1024;

/** The authorization server: oidc-provider on our tables, paths, people and pages. */
export function createProvider(parts: ProviderParts): Provider {
  const { appUrl, apps, log, signedIn } = parts;
  const isSignedIn = async (cookies: string | undefined) => (await signedIn(cookies)) !== null;
  const provider = new Provider(appUrl, configurationOf(parts));
  // Host and protocol are set to those of APP_URL before a request gets here.
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    await next();
    await keepTokenRules(ctx as KoaContextWithOIDC, parts);
    await inSeedWords(ctx as KoaContextWithOIDC, { appUrl, interactionBase: INTERACTION_BASE, isSignedIn });
  });
  provider.Client.prototype.redirectUriAllowed = function allowed(uri: string) {
    return isRedirectAllowed(this, uri);
  };
  provider.Client.prototype.compareClientSecret = function fits(given: string) {
    return secretFits(this, given);
  };
  provider.on("server_error", (_ctx, error: Error) =>
    log.error({ err: error }, "authorization server error"),
  );
  provider.on("grant.success", (ctx) => {
    const grantId = ctx.oidc.entities.Grant?.jti;
    if (grantId !== undefined)
      apps.used(grantId).catch((error) => log.warn({ err: error }, "last use of an app not noted"));
  });
  provider.on("grant.revoked", (ctx, grantId) => {
    // The client gave its tokens back, or somebody sent a code or refresh token that was used before.
    const why = ctx.oidc.route === "revocation" ? "client" : "reused";
    apps.noteEnd(grantId, why).catch((error) => log.warn({ err: error }, "end of an app not noted"));
  });
  return provider;
}

function configurationOf(parts: ProviderParts): Configuration {
  const { appUrl, keys, cookieKey, ttl, apps, signedIn } = parts;
  const isSecure = appUrl.startsWith("https:");
  const cookie = { httpOnly: true, sameSite: "lax", secure: isSecure, signed: true } as const;
  return {
    adapter: adapterFor(parts),
    jwks: { keys: keys as never },
    routes: ROUTES,
    scopes: ["openid", "offline_access", ...PERMISSIONS],
    claims: { openid: ["sub"] },
    responseTypes: ["code"],
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
    clientDefaults: {
      // Most clients that do not say what they are run on the person's machine; such may have a scheme of their own.
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      id_token_signed_response_alg: "ES256",
    },
    extraClientMetadata: {
      properties: [UNVERIFIED],
      validator: (_ctx, _key, _value, metadata) => checkClientMetadata(metadata),
    },
    pkce: { required: () => true },
    // The contract has it in every token request, and it must be the one of the authorization request.
    allowOmittingSingleRegisteredRedirectUri: false,
    cookies: { names: COOKIES, keys: [cookieKey], long: cookie, short: cookie },
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? ttl.accessSeconds,
      AuthorizationCode: ttl.codeSeconds,
      RefreshToken: ttl.refreshSeconds,
      Grant: Math.max(ttl.refreshSeconds, 366 * 86_400),
      Session: 14 * 86_400,
      Interaction: 3_600,
      IdToken: 3_600,
    },
    features: featuresOf(parts),
    fetch: guardedFetch(parts.fetch) as never,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    // Which origins may call at all is decided before a request gets here.
    clientBasedCORS: () => true,
    findAccount: async (_ctx, id) =>
      (await apps.isActive(Number(id))) ? { accountId: id, claims: async () => ({ sub: id }) } : undefined,
    // What was allowed before is not allowed again in silence: a public client's name proves nothing.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    async extraTokenClaims(_ctx, token) {
      const grantId = "grantId" in token ? token.grantId : undefined;
      const owner = grantId === undefined ? null : await apps.ownerOf(grantId);
      if (owner === null) return undefined;
      return { permissions: [...token.scopes], workspace: owner.workspaceSlug, grant: grantId };
    },
    interactions: { policy: policyFor(signedIn), url: (_ctx, { uid }) => `${INTERACTION_BASE}${uid}` },
    renderError(ctx, out) {
      const isForPage = wantsPage(ctx.get("accept"));
      ctx.type = isForPage ? "html" : "json";
      ctx.body = parts.renderError(!isForPage, out, ctx.get("accept-language"));
    },
  };
}

/** What the provider offers beyond the bare flow. */
function featuresOf({ appUrl, resources }: ProviderParts): Configuration["features"] {
  return {
    devInteractions: { enabled: false },
    registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
    revocation: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    // A token bound to a key would have to be checked at every endpoint.
    dPoP: { enabled: false },
    clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => appUrl,
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx, resource) => resourceServer(resources, ctx, resource),
    },
  };
}

async function resourceServer(resources: Resources, ctx: KoaContextWithOIDC, resource: string) {
  const rules = resources.rules(resource);
  if (rules === undefined) throw new errors.InvalidTarget("this server has no such resource");
  const isRequest = ctx.oidc.route === "authorization";
  if (isRequest && !rules.scopes.some((scope) => ctx.oidc.requestParamScopes.has(scope))) {
    throw new errors.InvalidScope("none of these scopes means anything at this resource", "");
  }
  return {
    scope: rules.scopes.join(" "),
    audience: resource,
    accessTokenTTL: rules.ttlSeconds,
    accessTokenFormat: rules.isOpaque ? ("opaque" as const) : ("jwt" as const),
    jwt: { sign: { alg: "ES256" as const } },
  };
}

/** Our own browser session decides who is signed in; what the provider remembers of somebody else it forgets. */
function policyFor(signedIn: ProviderParts["signedIn"]) {
  const policy = interactionPolicy.base();
  const { Check } = interactionPolicy;
  policy.get("login")?.checks.add(
    new Check("not_signed_in", "nobody is signed in, or somebody else", "login_required", async (ctx) => {
      const accountId = await signedIn(ctx.get("cookie"));
      const session = ctx.oidc.session as { accountId?: string } | undefined;
      if (accountId !== null && session?.accountId === String(accountId)) return Check.NO_NEED_TO_PROMPT;
      delete session?.accountId;
      return Check.REQUEST_PROMPT;
    }),
  );
  return policy;
}

/** Client metadata documents are foreign URLs like any other. */
function guardedFetch(fetch: GuardedFetch) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const answer = await fetch.request(String(url), {
      headers,
      ...(init.signal && { signal: init.signal }),
      maxBytes: METADATA_BYTES,
      maxRedirects: 0,
      totalMs: 5_000,
    });
    return new Response(new Uint8Array(answer.body), { status: answer.status, headers: answer.headers });
  };
}

interface AdapterParts {
  records: OAuthRecords;
  apps: ConnectedApps;
}

/** oidc-provider's storage, on our own table. */
function adapterFor({ records, apps }: AdapterParts): new (model: string) => Adapter {
  return class CatalogAdapter implements Adapter {
    readonly #model: string;

    constructor(model: string) {
      this.#model = model;
    }

    async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
      const kept = this.#model === "Client" ? withHashedSecret(payload) : payload;
      await records.put(this.#model, id, kept as Record<string, unknown>, expiresIn);
    }

    async find(id: string): Promise<AdapterPayload | undefined> {
      // Nothing has such an id, and the database will not even look for it.
      if (id.includes("\0")) return undefined;
      const record = await records.find(this.#model, id);
      if (record === undefined) return this.#model === "Client" ? unregisteredClient(id) : undefined;
      const { payload, consumedAt } = record;
      if (consumedAt === null) return payload as AdapterPayload;
      return { ...payload, consumed: Math.floor(consumedAt.getTime() / 1_000) } as AdapterPayload;
    }

    async findByUid(uid: string): Promise<AdapterPayload | undefined> {
      return (await records.findByUid(this.#model, uid))?.payload as AdapterPayload | undefined;
    }

    async findByUserCode(): Promise<undefined> {
      // The device flow is not offered.
      return undefined;
    }

    async consume(id: string): Promise<void> {
      const isFirst = await records.consume(this.#model, id);
      if (isFirst) return;
      // What it gave the first time is given again afterwards, or nothing.
      if (this.#model === "RefreshToken") throw new errors.InvalidGrant("refresh token already consumed");
      if (this.#model !== "AuthorizationCode") return;
      // Sent twice at the same moment: as with a code that comes back later, what it gave ends too.
      const grantId = (await records.find(this.#model, id))?.payload.grantId;
      if (typeof grantId === "string") await apps.revokeGrant(grantId);
      throw new errors.InvalidGrant("authorization code already consumed");
    }

    async destroy(id: string): Promise<void> {
      if (this.#model === "Grant") return apps.revokeGrant(id);
      await records.remove(this.#model, id);
    }

    revokeByGrantId(grantId: string): Promise<void> {
      return apps.revokeGrant(grantId);
    }
  };
}

/** Puts what the provider answers into the words of seed 001. Each function looks after one thing. */

interface AnswerParts {
  appUrl: string;
  interactionBase: string;
  isSignedIn: (cookieHeader: string | undefined) => Promise<boolean>;
}

/** What the seed says of a code or refresh token that is not accepted, whatever the reason. */
const REFUSED_GRANTS: Record<string, string> = {
  authorization_code: "Invalid or expired authorization code",
  refresh_token: "Invalid or expired refresh token",
};

async function inSeedWords(ctx: KoaContextWithOIDC, parts: AnswerParts): Promise<void> {
  // The seed's clients wait for 302.
  if (ctx.status === 303) ctx.status = 302;
  const route = ctx.oidc?.route;
  if (route === "discovery") nameOnlyWhatIsOffered(ctx);
  if (route === "token") explainRefusedGrant(ctx);
  if (route === "authorization" && ctx.status === 302 && !wantsPage(ctx.get("accept"))) {
    await answerProgram(ctx, parts);
  }
}

/** Responses by form or fragment would need a script, and our pages run none. */
function nameOnlyWhatIsOffered(ctx: KoaContextWithOIDC): void {
  const metadata = ctx.body as Record<string, unknown>;
  metadata.response_modes_supported = ["query"];
}

function explainRefusedGrant(ctx: KoaContextWithOIDC): void {
  const answer = ctx.body as { error?: string; error_description?: string };
  const words = REFUSED_GRANTS[String(ctx.oidc.params?.grant_type)];
  if (answer.error === "invalid_grant" && words !== undefined) answer.error_description = words;
}

/** A program that asks for JSON learns of an error or a missing sign-in here; it cannot show a page. */
async function answerProgram(ctx: KoaContextWithOIDC, parts: AnswerParts): Promise<void> {
  const location = new URL(ctx.response.get("location"), parts.appUrl);
  const error = location.searchParams.get("error");
  const isToInteraction =
    location.origin === parts.appUrl && location.pathname.startsWith(parts.interactionBase);
  if (isToInteraction) {
    if (await parts.isSignedIn(ctx.get("cookie"))) return;
    const loginUrl = `${parts.appUrl}/sign-in?return_to=${encodeURIComponent(ctx.url)}`;
    const message = "User must login before authorizing application";
    replace(ctx, 401, { error: "login_required", login_url: loginUrl, message });
  } else if (error !== null) {
    replace(ctx, 400, { error, error_description: location.searchParams.get("error_description") ?? error });
  }
}

function replace(ctx: KoaContextWithOIDC, status: number, body: Record<string, string>): void {
  ctx.remove("location");
  ctx.remove("set-cookie");
  ctx.status = status;
  ctx.body = body;
}

/** What the rules for tokens ask for (RFC 7009, RFC 9700) beyond what the provider does. Each function is one rule. */

interface TokenRuleParts {
  records: OAuthRecords;
  apps: ConnectedApps;
  /** What a signed access token of ours says; null where it is none, or is one no more. */
  signedClaims: (token: string) => Promise<JWTPayload | null>;
}

async function keepTokenRules(ctx: KoaContextWithOIDC, parts: TokenRuleParts): Promise<void> {
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
