import { createLocalJWKSet, type JWK, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { default as OidcProvider } from "oidc-provider";
import type { Logger } from "pino";
import type {
  ConnectedApps,
  Identity,
  OAuthRecords,
  OAuthStores,
  TokenVerifier,
  VerifiedToken,
} from "../../domains/identity/index.ts";
import { parseScopes } from "../../kernel/permissions.ts";
import { type Clock, MS } from "../../kernel/time.ts";
import type { GuardedFetch } from "../../platform/guarded-fetch/index.ts";
import { mountConsole } from "../console-api/console.route.ts";
import type { HttpApp } from "../http/app.ts";
import { BrowserSession } from "./browser-session.ts";
import { type HasContent, mountConsent } from "./consent.route.ts";
import { mountFederation } from "./federation.route.ts";
import { FormGuard } from "./form-guard.ts";
import { IdentityProvider, type IdentityProviderSettings } from "./identity-provider.ts";
import { mountInvitations } from "./invitation.route.ts";
import { mountOAuth } from "./oauth.route.ts";
import { errorPage } from "./pages/error.page.ts";
import { renderPage } from "./pages/page.ts";
import { languageOf, wordsIn } from "./pages/words.ts";
import { createProvider, type ProviderParts } from "./provider.ts";
import { Resources } from "./resources.ts";
import { mountSignIn } from "./sign-in.route.ts";

interface SignInServerParts {
  appUrl: string;
  identity: Identity;
  stores: OAuthStores;
  fetch: GuardedFetch;
  keys: { cookie: string; form: Uint8Array; trip: Uint8Array };
  providers: readonly IdentityProviderSettings[];
  ttl: ProviderParts["ttl"];
  clock: Clock;
  hasContent: HasContent;
  log: Logger;
}

/** Keys are looked at this often, so that a new one is in use on every server soon after it is made. */
const KEYS_EVERY_MS = MS.hour;

/** Sign-in, consent and the authorization server: everything between "no token" and a token. */
export class SignInServer {
  readonly #parts: SignInServerParts;
  readonly browser: BrowserSession;
  readonly forms: FormGuard;
  readonly #resources: Resources;
  #provider: OidcProvider;
  #publicKeys: JWTVerifyGetKey;
  #keyIds: string;
  #timer: NodeJS.Timeout;

  private constructor(parts: SignInServerParts, keys: JWK[]) {
    const isSecure = parts.appUrl.startsWith("https:");
    this.#parts = parts;
    this.browser = new BrowserSession(parts.stores.webSessions, isSecure, parts.identity.passwordSignIn);
    this.forms = new FormGuard(parts.keys.form, parts.appUrl);
    this.#resources = new Resources(parts.appUrl, parts.ttl.accessSeconds);
    this.#provider = this.#makeProvider(keys);
    this.#publicKeys = publicKeys(keys);
    this.#keyIds = idsOf(keys);
    this.#timer = setInterval(() => this.#renewKeys(), KEYS_EVERY_MS).unref();
    const { records, apps } = parts.stores;
    parts.identity.addVerifier(
      accessTokenVerifier({ appUrl: parts.appUrl, records, apps, publicKeys: () => this.#publicKeys }),
    );
  }

  static async open(parts: SignInServerParts): Promise<SignInServer> {
    return new SignInServer(parts, await parts.stores.signingKeys.current());
  }

  mount(app: HttpApp): void {
    const { identity, appUrl, stores, hasContent } = this.#parts;
    const provider = () => this.#provider;
    mountOAuth(app, {
      appUrl,
      provider,
      resources: this.#resources,
      limiter: identity.limiter,
    });
    const settings = this.#parts.providers;
    const providers = new Map(settings.map((each) => [each.id, new IdentityProvider(each, appUrl)]));
    const pages = { identity, browser: this.browser, forms: this.forms, providers };
    mountSignIn(app, pages);
    mountInvitations(app, pages);
    mountFederation(app, { ...pages, appUrl, key: this.#parts.keys.trip, log: this.#parts.log });
    mountConsole(app, { appUrl, identity, apps: stores.apps, browser: this.browser });
    mountConsent(app, {
      provider,
      identity,
      ...stores,
      browser: this.browser,
      forms: this.forms,
      hasContent,
    });
  }

  get apps(): ConnectedApps {
    return this.#parts.stores.apps;
  }

  async sweep(): Promise<void> {
    const { records, webSessions, apps } = this.#parts.stores;
    await Promise.all([records.sweep(), webSessions.sweep(), apps.sweep()]);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #renewKeys(): void {
    const { stores, log } = this.#parts;
    stores.signingKeys
      .current()
      .then((keys) => {
        if (idsOf(keys) === this.#keyIds) return;
        this.#provider = this.#makeProvider(keys);
        this.#publicKeys = publicKeys(keys);
        this.#keyIds = idsOf(keys);
      })
      .catch((error) => log.warn({ err: error }, "signing keys were not looked at; trying again later"));
  }

  #makeProvider(keys: JWK[]): OidcProvider {
    const { stores, identity, ...parts } = this.#parts;
    return createProvider({
      ...parts,
      records: stores.records,
      apps: stores.apps,
      keys,
      cookieKey: parts.keys.cookie,
      resources: this.#resources,
      signedClaims: (token) => signedClaims(parts.appUrl, this.#publicKeys, token),
      signedIn: async (header) => (await this.browser.ofHeader(header))?.accountId ?? null,
      renderError: (wantsJson, { error, error_description }, acceptLanguage) => {
        if (wantsJson) return JSON.stringify({ error, error_description });
        const t = wordsIn(languageOf(acceptLanguage));
        const body = errorPage(t, { message: error_description ?? error });
        return String(renderPage(t, { title: t`Error`, body }));
      },
    });
  }
}

function publicKeys(keys: readonly JWK[]): JWTVerifyGetKey {
  return createLocalJWKSet({ keys: keys.map(({ d: _, ...key }) => key) });
}

function idsOf(keys: readonly JWK[]): string {
  return String(keys.map(({ kid }) => kid));
}

interface VerifierParts {
  appUrl: string;
  records: OAuthRecords;
  apps: ConnectedApps;
  /** The public keys that are in use now; the same function as long as they are, so that each is imported once. */
  publicKeys: () => JWTVerifyGetKey;
}

const OPAQUE_TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Reads the access tokens that our authorization server made: signed ones, and the long-lived opaque ones. */
function accessTokenVerifier({ appUrl, records, apps, publicKeys }: VerifierParts): TokenVerifier {
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
async function signedClaims(
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
