import type { Context } from "hono";
import type { Identity } from "../../domains/identity/index.ts";
import { isAppError } from "../../kernel/errors.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { BrowserSession } from "./browser-session.ts";
import { type FormGuard, smallBody } from "./form-guard.ts";
import { errorsAsPages } from "./pages/error.page.ts";
import { sendPage } from "./pages/page.ts";
import { signedInPage, signedOutPage, signInPage } from "./pages/sign-in.page.ts";
import { wordsOf } from "./pages/words.ts";

interface SignInParts {
  identity: Identity;
  browser: BrowserSession;
  forms: FormGuard;
}

const WRONG = "E-mail and password do not fit.";

/** Sign-in for people. Sign-in by OpenID Connect would stand here beside the password. */
export function mountSignIn(app: HttpApp, parts: SignInParts): void {
  const { identity, browser, forms } = parts;

  app.get("/sign-in", errorsAsPages, async (c) => {
    const returnTo = safeReturn(c.req.query("return_to"));
    const signedIn = await browser.of(c);
    if (signedIn === null) return showSignIn(c, forms, { returnTo });
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
      if (account === null) return showSignIn(c, forms, { returnTo, email, problem: WRONG, status: 401 });
      await browser.start(c, account.userId);
      return c.redirect(returnTo, 303);
    } catch (error) {
      if (!isAppError(error) || error.code !== "rate_limited") throw error;
      return showSignIn(c, forms, { returnTo, email, problem: error.advice, status: 429 });
    }
  });

  app.post("/sign-out", errorsAsPages, smallBody, async (c) => {
    forms.check(c, await c.req.parseBody());
    const signedIn = await browser.of(c);
    await browser.end(c);
    identity.users.signedOut(signedIn?.accountId ?? null, originOf(c));
    return c.redirect("/signed-out", 303);
  });

  app.get("/signed-out", (c) => {
    const t = wordsOf(c);
    return sendPage(c, { title: t`Signed out`, body: signedOutPage(t) });
  });
}

async function showSignIn(
  c: Context<HttpEnv>,
  forms: FormGuard,
  view: { returnTo: string; email?: string; problem?: string; status?: 401 | 429 },
): Promise<Response> {
  const { status = 200, ...shown } = view;
  const t = wordsOf(c);
  const body = signInPage(t, { ...shown, formToken: forms.tokenFor(c) });
  return sendPage(c, { title: t`Sign in`, body, status });
}

/** Only a path of ours: anything else would make sign-in a springboard to a stranger's site. */
function safeReturn(returnTo: string | undefined): string {
  const fallback = "/sign-in";
  if (returnTo === undefined || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(returnTo)) return fallback;
  const url = URL.parse(returnTo, "http://here.invalid");
  if (url?.origin !== "http://here.invalid") return fallback;
  // Looked at once more as it will be sent: "/x/..//evil.example" only becomes "//evil.example" by parsing.
  return url.pathname.startsWith("//") ? fallback : `${url.pathname}${url.search}`;
}

function originOf(c: Context<HttpEnv>): { address: string; requestId: string } {
  return { address: c.get("address"), requestId: c.get("requestId") };
}
