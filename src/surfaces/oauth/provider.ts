import type { JWK } from "jose";
import {
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from "oidc-provider";
import type { Logger } from "pino";
import { PERMISSIONS } from "../../kernel/permissions.ts";
import type { GuardedFetch } from "../../platform/guarded-fetch/index.ts";
import { type AdapterParts, adapterFor } from "./adapter.ts";
import { inSeedWords } from "./answers.ts";
import { checkClientMetadata, isRedirectAllowed, secretFits, UNVERIFIED } from "./clients.ts";
import { wantsPage } from "./pages/page.ts";
import type { Resources } from "./resources.ts";
import { keepTokenRules, type TokenRuleParts } from "./token-rules.ts";

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
