import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Identity } from "../../domains/identity/index.ts";
import { isAppError } from "../../kernel/errors.ts";
import { HTTP_STATUS } from "../http/answers.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { BrowserSession } from "./browser-session.ts";
import { type FormGuard, smallBody } from "./form-guard.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { errorsAsPages } from "./pages/error.page.ts";
import { invitationPage } from "./pages/invitation.page.ts";
import { sendPage } from "./pages/page.ts";
import { wordsOf } from "./pages/words.ts";

export interface InvitationParts {
  identity: Identity;
  browser: BrowserSession;
  forms: FormGuard;
  providers: ReadonlyMap<string, IdentityProvider>;
}

const PATH = "/invitation/:secret";

/** Where the link of an invitation leads: into the workspace, with the account that one has or makes here. */
export function mountInvitations(app: HttpApp, parts: InvitationParts): void {
  const { identity, browser, forms } = parts;
  app.get(PATH, errorsAsPages, (c) => show(c, parts));

  app.post(PATH, errorsAsPages, smallBody, async (c) => {
    const form = await c.req.parseBody();
    forms.check(c, form);
    const secret = c.req.param("secret");
    const person = await browser.of(c);
    try {
      if (person !== null && form.password === undefined) {
        await identity.membership.join(secret, { userId: person.accountId, email: person.email });
      } else {
        const given = { name: String(form.name ?? ""), password: String(form.password ?? "") };
        const from = { address: c.get("address"), requestId: c.get("requestId") };
        const { userId } = await identity.membership.joinWithPassword(secret, given, from);
        await browser.start(c, userId);
      }
    } catch (error) {
      if (!isAppError(error) || error.code === "internal" || error.code === "gone") throw error;
      return show(c, parts, {
        problem: error.advice,
        status: HTTP_STATUS[error.code],
        name: String(form.name ?? ""),
      });
    }
    return c.redirect("/", 303);
  });
}

async function show(
  c: Context<HttpEnv>,
  { identity, browser, forms, providers }: InvitationParts,
  { status = 200, ...again }: { problem?: string; name?: string; status?: number } = {},
): Promise<Response> {
  const { email, workspace } = await identity.membership.invitation(c.req.param("secret") ?? "");
  const person = await browser.of(c);
  const t = wordsOf(c);
  const isSignedIn = person?.email === email;
  const view = {
    ...{ email, workspace, isSignedIn, action: c.req.path, formToken: forms.tokenFor(c), ...again },
    hasPassword: identity.passwordSignIn,
    providers: [...providers.values()].map(({ settings }) => settings),
  };
  return sendPage(c, {
    title: t`Invitation`,
    body: invitationPage(t, view),
    status: status as ContentfulStatusCode,
  });
}
