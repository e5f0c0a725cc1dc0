import { createLocalJWKSet, type JWK, type JWTVerifyGetKey } from "jose";
import type { default as OidcProvider } from "oidc-provider";
import type { Logger } from "pino";
import type { ConnectedApps, Identity, OAuthStores } from "../../domains/identity/index.ts";
import { type Clock, MS } from "../../kernel/time.ts";
import type { GuardedFetch } from "../../platform/guarded-fetch/index.ts";
import { mountConsole } from "../console-api/console.route.ts";
import type { HttpApp } from "../http/app.ts";
import { accessTokenVerifier, signedClaims } from "./access-token-verifier.ts";
import { BrowserSession } from "./browser-session.ts";
import { type HasContent, mountConsent } from "./consent.route.ts";
import { FormGuard } from "./form-guard.ts";
import { mountInvitations } from "./invitation.route.ts";
import { mountOAuth } from "./oauth.route.ts";
import { errorPage } from "./pages/error.page.ts";
import { renderPage } from "./pages/page.ts";
import { languageOf, wordsIn } from "./pages/words.ts";
import { createProvider, type ProviderParts } from "./provider.ts";
import { Resources } from "./resources.ts";
import { mountSignIn } from "./sign-in.route.ts";

export interface SignInServerParts {
  appUrl: string;
  identity: Identity;
  stores: OAuthStores;
  fetch: GuardedFetch;
  keys: { cookie: string; form: Uint8Array };
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
    this.browser = new BrowserSession(parts.stores.webSessions, isSecure);
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
    mountSignIn(app, { identity, browser: this.browser, forms: this.forms });
    mountInvitations(app, { identity, browser: this.browser, forms: this.forms });
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
