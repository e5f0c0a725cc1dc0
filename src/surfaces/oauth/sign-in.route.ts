import type { Context } from "hono";
import type { Identity } from "../../domains/identity/index.ts";
import { isAppError } from "../../kernel/errors.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { BrowserSession } from "./browser-session.ts";
import { type FormGuard, smallBody } from "./form-guard.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { errorsAsPages } from "./pages/error.page.ts";
import { sendPage } from "./pages/page.ts";
import { signedInPage, signedOutPage, signInPage } from "./pages/sign-in.page.ts";
import { wordsOf } from "./pages/words.ts";

interface SignInParts {
  identity: Identity;
  providers: ReadonlyMap<string, IdentityProvider>;
  browser: BrowserSession;
  forms: FormGuard;
}

const WRONG = "E-mail and password do not fit.";

/** Sign-in for people, by a password or on the way to an identity provider (`federation.route.ts`). */
export function mountSignIn(app: HttpApp, parts: SignInParts): void {
  const { identity, browser, forms, providers } = parts;

  app.get("/sign-in", errorsAsPages, async (c) => {
    const returnTo = safeReturn(c.req.query("return_to"));
    const signedIn = await browser.of(c);
    if (signedIn === null) return showSignIn(c, parts, { returnTo });
    if (returnTo !== "/sign-in") return c.redirect(returnTo, 303);
    const t = wordsOf(c);
    const body = signedInPage(t, { email: signedIn.email, formToken: forms.tokenFor(c) });
    return sendPage(c, { title: t`Signed in`, body });
  });

  app.post("/sign-in", errorsAsPages, smallBody, async (c) => {
    const form = await c.req.parseBody();
    forms.check(c, form);
    const returnTo = safeReturn(String(form.return_to ?? ""));
    const email = String(form.email ?? "").slice(0, 320);
    try {
      const account = await identity.users.signIn(email, String(form.password ?? ""), originOf(c));
      if (account === null) return showSignIn(c, parts, { returnTo, email, problem: WRONG, status: 401 });
      await browser.start(c, account.userId);
      return c.redirect(returnTo, 303);
    } catch (error) {
      if (!isAppError(error) || error.code !== "rate_limited") throw error;
      return showSignIn(c, parts, { returnTo, email, problem: error.advice, status: 429 });
    }
  });

  app.post("/sign-out", errorsAsPages, smallBody, async (c) => {
    forms.check(c, await c.req.parseBody());
    const signedIn = await browser.of(c);
    await browser.end(c);
    identity.users.signedOut(signedIn?.accountId ?? null, originOf(c));
    const by = signedIn?.provider ?? null;
    return c.redirect(by === null ? "/signed-out" : `/signed-out?by=${encodeURIComponent(by)}`, 303);
  });

  app.get("/signed-out", (c) => {
    const t = wordsOf(c);
    const by = providers.get(c.req.query("by") ?? "")?.settings;
    return sendPage(c, { title: t`Signed out`, body: signedOutPage(t, by) });
  });
}

async function showSignIn(
  c: Context<HttpEnv>,
  { forms, identity, providers }: SignInParts,
  view: { returnTo: string; email?: string; problem?: string; status?: 401 | 429 },
): Promise<Response> {
  const { status = 200, ...shown } = view;
  const t = wordsOf(c);
  const body = signInPage(t, {
    ...shown,
    formToken: forms.tokenFor(c),
    hasPassword: identity.passwordSignIn,
    providers: [...providers.values()].map(({ settings }) => settings),
  });
  return sendPage(c, { title: t`Sign in`, body, status });
}

/** Only a path of ours: anything else would make sign-in a springboard to a stranger's site. */
export function safeReturn(returnTo: string | undefined): string {
  const fallback = "/sign-in";
  if (returnTo === undefined || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(returnTo)) return fallback;
  const url = URL.parse(returnTo, "http://here.invalid");
  if (url?.origin !== "http://here.invalid") return fallback;
  // Looked at once more as it will be sent: "/x/..//evil.example" only becomes "//evil.example" by parsing.
  return url.pathname.startsWith("//") ? fallback : `${url.pathname}${url.search}`;
}

export function originOf(c: Context<HttpEnv>): { address: string; requestId: string } {
  return { address: c.get("address"), requestId: c.get("requestId") };
}
