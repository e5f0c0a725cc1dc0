import { createHmac, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Logger } from "pino";
import type { Identity } from "../../domains/identity/index.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import { type BrowserSession, cookieName } from "./browser-session.ts";
import { smallBody } from "./form-guard.ts";
import type { IdentityProvider, SignInChecks } from "./identity-provider.ts";
import { LIMITS } from "./limits.ts";
import { errorsAsPages } from "./pages/error.page.ts";
import { originOf, safeReturn } from "./sign-in.route.ts";

interface FederationParts {
  appUrl: string;
  identity: Identity;
  browser: BrowserSession;
  providers: ReadonlyMap<string, IdentityProvider>;
  key: Uint8Array;
  log: Logger;
}

const BASE = "/api/auth/:provider";

/** Sign-in by a company's identity provider: there, back, and out again. */
export function mountFederation(app: HttpApp, parts: FederationParts): void {
  const { appUrl, identity, browser, log } = parts;
  const trips = new Trips(parts.key, appUrl.startsWith("https:"));

  app.get(BASE, errorsAsPages, async (c) => {
    const provider = requireProvider(parts, c);
    await identity.limiter.admitTokenExchange(c.get("address"));
    const { url, checks } = await told(log, c, () => provider.start());
    const { id } = provider.settings;
    const returnTo = safeReturn(c.req.query("return_to"));
    // It waits in a cookie, of which browsers keep 4 KB.
    const isShort = returnTo.length <= LIMITS.signIn.returnToCharacters;
    trips.begin(c, { ...checks, provider: id, returnTo: isShort ? returnTo : "/" });
    return c.redirect(url.href, 303);
  });

  app.get(`${BASE}/callback`, errorsAsPages, async (c) => {
    const provider = requireProvider(parts, c);
    await identity.limiter.admitTokenExchange(c.get("address"));
    const trip = trips.end(c);
    // A trip to one provider must not end at another: that is how codes are mixed up.
    if (trip === null || trip.provider !== provider.settings.id)
      throw new AppError("gone", "This sign-in was not begun here, or it is too long ago.", {
        hint: "Begin again at the sign-in page.",
      });
    const person = await told(log, c, () => provider.finish(new URL(c.req.url).searchParams, trip));
    const { userId } = await identity.federation.signIn(person, originOf(c));
    await browser.start(c, userId, provider.settings.id);
    return c.redirect(trip.returnTo, 303);
  });

  app.get(`${BASE}/sign-out`, errorsAsPages, async (c) => {
    const url = await requireProvider(parts, c).endSessionUrl(`${appUrl}/signed-out`);
    return c.redirect(url?.href ?? "/signed-out", 303);
  });

  app.post(`${BASE}/backchannel-logout`, smallBody, async (c) => {
    const provider = requireProvider(parts, c);
    await identity.limiter.admitTokenExchange(c.get("address"));
    const { logout_token: token } = await c.req.parseBody();
    const subject = await provider.signedOutSubject(String(token ?? ""));
    c.header("cache-control", "no-store");
    if (subject === null) return c.json({ error: "invalid_request" }, 400);
    const userId = await identity.federation.accountOf(provider.settings.issuer, subject);
    if (userId !== null) await browser.endAllOf(userId);
    return c.body(null, 200);
  });
}

function requireProvider({ providers }: FederationParts, c: Context<HttpEnv>): IdentityProvider {
  const provider = providers.get(c.req.param("provider") ?? "");
  if (provider !== undefined) return provider;
  throw new AppError("not_found", "There is no such way to sign in here.", {
    hint: "Those that there are stand on the sign-in page.",
  });
}

/** What a provider did wrong is for the log: people can do nothing about it. */
async function told<T>(log: Logger, c: Context<HttpEnv>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isAppError(error)) {
      const { cause: err } = error;
      log.warn({ err, provider: c.req.param("provider"), requestId: c.get("requestId") }, error.message);
    }
    throw error;
  }
}

interface Trip extends SignInChecks {
  provider: string;
  returnTo: string;
}

/** What was sent to the provider waits in a signed cookie, so that any server can take the browser back, once. */
class Trips {
  readonly #key: Uint8Array;
  readonly #isSecure: boolean;
  readonly #cookie: string;

  constructor(key: Uint8Array, isSecure: boolean) {
    this.#key = key;
    this.#isSecure = isSecure;
    this.#cookie = cookieName("kenning_trip", isSecure);
  }

  begin(c: Context<HttpEnv>, trip: Trip): void {
    const until = Date.now() + LIMITS.signIn.atProviderMs;
    const text = Buffer.from(JSON.stringify({ ...trip, until })).toString("base64url");
    const maxAge = LIMITS.signIn.atProviderMs / 1_000;
    const options = { httpOnly: true, sameSite: "Lax", secure: this.#isSecure, path: "/", maxAge } as const;
    setCookie(c, this.#cookie, `${text}.${this.#sign(text)}`, options);
  }

  end(c: Context<HttpEnv>): Trip | null {
    const [text = "", signature = ""] = (getCookie(c, this.#cookie) ?? "").split(".");
    deleteCookie(c, this.#cookie, { path: "/", secure: this.#isSecure });
    const wanted = Buffer.from(this.#sign(text));
    const given = Buffer.from(signature);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
    const { until, ...trip } = JSON.parse(Buffer.from(text, "base64url").toString()) as Trip & {
      until: number;
    };
    return until > Date.now() ? trip : null;
  }

  #sign(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64url");
  }
}
