import { html } from "hono/html";
import type { Identity, SignedIn } from "../../domains/identity/index.ts";
import type { HttpApp } from "../http/app.ts";
import type { BrowserSession } from "../oauth/browser-session.ts";
import { firstWithContent, type HasContent } from "../oauth/consent.route.ts";
import type { FormGuard } from "../oauth/form-guard.ts";
import { errorsAsPages } from "../oauth/pages/error.page.ts";
import { guardField, type Html, sendPage, wantsPage } from "../oauth/pages/page.ts";
import { type Words, wordsOf } from "../oauth/pages/words.ts";

export interface StartParts {
  appUrl: string;
  version: string;
  /** The MCP endpoints that are served, by name, each with its path. */
  endpoints: Readonly<Record<string, string>>;
  identity: Identity;
  browser: BrowserSession;
  forms: FormGuard;
  hasContent: HasContent;
  hasConsole: boolean;
}

/** The address of the server alone: people are led to the console, programs are told what this is. */
export function mountStart(app: HttpApp, parts: StartParts): void {
  app.get("/", errorsAsPages, async (c) => {
    if (!wantsPage(c.req.header("accept")))
      return c.json(description(parts), 200, { vary: "accept, cookie" });
    const person = await parts.browser.of(c);
    if (person === null) return c.redirect("/sign-in?return_to=%2F", 303);
    const { identity, hasContent, hasConsole } = parts;
    const first = await firstWithContent(await identity.users.workspacesOf(person.accountId), hasContent);
    if (hasConsole && first !== undefined) return c.redirect(`/w/${first.slug}/home`, 303);
    const t = wordsOf(c);
    const said = first === undefined ? noWorkspace(t) : noConsole(t);
    const body = html`${said}${signOut(t, person, parts.forms.tokenFor(c))}`;
    return sendPage(c, { title: t`Start`, body });
  });
}

function noWorkspace(t: Words): Html {
  return html`<h1>${t`You are in no workspace yet`}</h1>
<p>${t`Ask an admin to invite you: the link of the invitation leads into their workspace.`}</p>`;
}

function noConsole(t: Words): Html {
  return html`<h1>${t`The console is not built`}</h1>
<p>${t`Clients can connect all the same. <code>npm start</code> builds the console before it starts the server, and says why where it cannot; <code>node bin/build-console.cjs</code> builds it alone.`}</p>`;
}

function signOut(t: Words, { email }: SignedIn, formToken: string): Html {
  return html`<p class="hint">${t`You are signed in as <strong>${email}</strong>.`}</p>
<form method="post" action="/sign-out">${guardField(formToken)}<button type="submit">${t`Sign out`}</button></form>`;
}

/** For programs that ask what this is. */
function description({ appUrl, version, endpoints }: StartParts): Record<string, unknown> {
  const urls = Object.entries(endpoints).map(([name, path]) => [
    name,
    `${appUrl}${path.replace(":workspace", "{workspace}")}`,
  ]);
  return {
    name: "kenning",
    version,
    description: "An MCP server for an organisation's data, documents and memory.",
    endpoints: Object.fromEntries(urls),
    authorization: `${appUrl}/.well-known/oauth-authorization-server`,
    health: `${appUrl}/api/health/ready`,
    docs: `${appUrl}/`,
  };
}
