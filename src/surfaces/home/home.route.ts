import type { Context } from "hono";
import { html } from "hono/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { BiServices } from "../../domains/bi/index.ts";
import type { Demo } from "../../domains/demo/index.ts";
import type { ConnectedApps, Identity, SignedIn } from "../../domains/identity/index.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import type { Role } from "../../kernel/permissions.ts";
import type { Clock } from "../../kernel/time.ts";
import type { Vault } from "../../platform/vault/index.ts";
import type { CallPorts } from "../../registry/call.ts";
import type { Registry } from "../../registry/registry.ts";
import { makeToken } from "../console-api/make-token.ts";
import { HTTP_STATUS } from "../http/answers.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { BrowserSession } from "../oauth/browser-session.ts";
import { firstWithContent, type HasContent } from "../oauth/consent.route.ts";
import { type FormGuard, smallBody } from "../oauth/form-guard.ts";
import { errorsAsPages } from "../oauth/pages/error.page.ts";
import { type Html, sendPage, signedInNav, wantsPage } from "../oauth/pages/page.ts";
import { wordsOf } from "../oauth/pages/words.ts";
import {
  type AccountView,
  type AccountWorkspace,
  APPS_PATH,
  accountPage,
  PASSWORD_PATH,
  TOKENS_PATH,
  type TokenDraft,
} from "./account.page.ts";
import { mountAsk } from "./ask.route.ts";
import { Flash, type FlashMessage } from "./flash.ts";
import { signedOutNav, welcomePage } from "./welcome.page.ts";

export interface HomeParts {
  appUrl: string;
  version: string;
  /** The MCP endpoints that are served, by name, each with its path. */
  endpoints: Readonly<Record<string, string>>;
  identity: Identity;
  apps: ConnectedApps;
  demo: Pick<Demo, "show">;
  browser: BrowserSession;
  forms: FormGuard;
  vault: Vault;
  clock: Clock;
  boards: BiServices["boards"];
  registry: Registry;
  ports: CallPorts;
  hasContent: HasContent;
  /** The console is built: whoever is signed in gets it in place of this page. */
  hasConsole: boolean;
}

/** So many dashboards of a workspace are listed. */
const LISTED_DASHBOARDS = 12;

type Form = Record<string, unknown>;

/** The start page: what this is, how to connect, and one's own tokens and connected applications. */
export function mountHome(app: HttpApp, parts: HomeParts): void {
  const { browser, forms, identity, apps } = parts;
  const flash = new Flash(parts.vault, parts.appUrl);

  app.get("/", errorsAsPages, async (c) => {
    if (!wantsPage(c.req.header("accept")))
      return c.json(description(parts), 200, { vary: "accept, cookie" });
    const person = await browser.of(c);
    const inConsole = person !== null && parts.hasConsole ? await consolePath(parts, person) : undefined;
    if (inConsole !== undefined) return c.redirect(inConsole, 303);
    if (person !== null) return showAccount(parts, c, person, { flash: flash.take(c, person) });
    const t = wordsOf(c);
    return sendPage(c, {
      title: t`Welcome`,
      body: welcomePage(t, addressOf(parts)),
      wide: { nav: signedOutNav(t), footer: footerOf(parts) },
    });
  });

  mountAsk(app, parts);

  /** A form of the page: from our page, by somebody signed in; what it leads to is shown on the page again. */
  const onForm = (
    path: string,
    act: (c: Context<HttpEnv>, person: SignedIn, form: Form) => Promise<Outcome>,
  ) =>
    app.post(path, errorsAsPages, smallBody, async (c) => {
      const form = await c.req.parseBody({ all: true });
      forms.check(c, form);
      const person = await browser.of(c);
      if (person === null) return c.redirect("/sign-in?return_to=%2F", 303);
      const outcome = await act(c, person, form);
      if (outcome instanceof Response) return outcome;
      flash.put(c, person, outcome);
      return c.redirect("/", 303);
    });

  onForm(TOKENS_PATH, async (c, person, form) => {
    const draft = draftOf(form);
    try {
      const { token, info } = await makeToken(identity, person, wishOf(draft));
      const ends = info.expiresAt === null ? {} : { ends: info.expiresAt.toISOString().slice(0, 10) };
      return { made: { name: info.name, token, ...ends } };
    } catch (error) {
      if (!isAppError(error) || error.code === "internal") throw error;
      const status = HTTP_STATUS[error.code] as ContentfulStatusCode;
      return showAccount(parts, c, person, { refused: { draft, problem: error.advice } }, status);
    }
  });

  onForm(PASSWORD_PATH, async (c, person, form) => {
    const text = (name: string) => String(form[name] ?? "");
    try {
      if (text("password") !== text("again"))
        throw new AppError("bad_request", "The two new passwords are not the same.");
      await identity.users.changePassword({
        userId: person.accountId,
        email: person.email,
        current: text("current"),
        password: text("password"),
        address: c.get("address"),
      });
    } catch (error) {
      if (!isAppError(error) || error.code === "internal") throw error;
      const status = HTTP_STATUS[error.code] as ContentfulStatusCode;
      return showAccount(parts, c, person, { passwordProblem: error.advice }, status);
    }
    await browser.start(c, person.accountId);
    return { notice: "Your password is changed." };
  });

  onForm(`${TOKENS_PATH}/:id/revoke`, async (c, person) => {
    await identity.tokens.revokeOwn(person.accountId, Number(c.req.param("id")));
    return { notice: "The token is revoked and works no more." };
  });

  onForm(`${APPS_PATH}/:id/revoke`, async (c, person) => {
    await apps.revoke(person.accountId, c.req.param("id") ?? "");
    return { notice: "The application is disconnected. To come back it has to ask you again." };
  });
}

/** Into the first workspace that is not empty; undefined for somebody without any. */
async function consolePath(
  { identity, hasContent }: HomeParts,
  { accountId }: SignedIn,
): Promise<string | undefined> {
  const first = await firstWithContent(await identity.users.workspacesOf(accountId), hasContent);
  return first === undefined ? undefined : `/w/${first.slug}/home`;
}

/** A message for the page, or a page that is shown at once. */
type Outcome = FlashMessage | Response;

async function showAccount(
  parts: HomeParts,
  c: Context<HttpEnv>,
  person: SignedIn,
  { flash = {}, ...more }: Partial<Pick<AccountView, "flash" | "refused" | "passwordProblem">>,
  status: ContentfulStatusCode = 200,
): Promise<Response> {
  const { identity, forms, apps, demo, clock, hasContent } = parts;
  const [workspaces, tokens, connected, shownDemo] = await Promise.all([
    workspacesOf(parts, person),
    identity.tokens.list({ email: person.email }),
    apps.list(person.accountId),
    demo.show(),
  ]);
  const formToken = forms.tokenFor(c);
  const t = wordsOf(c);
  const shown = {
    person,
    workspaces,
    preselected: (await firstWithContent(workspaces, hasContent))?.slug ?? "",
    tokens,
    apps: connected,
    demo: shownDemo,
    formToken,
    flash,
    now: clock.now(),
    ...more,
  };
  return sendPage(c, {
    title: t`Start`,
    body: accountPage(t, { ...shown, address: addressOf(parts) }),
    status,
    wide: { nav: signedInNav(t, person.email, formToken), footer: footerOf(parts) },
  });
}

/** A person's workspaces with the dashboards that they may see there. */
function workspacesOf(
  { identity, boards }: HomeParts,
  { accountId: userId }: SignedIn,
): Promise<AccountWorkspace[]> {
  const within = async (workspace: { id: number; slug: string; name: string; role: Role }) => {
    const caller = await identity.callerFor({ workspaceId: workspace.id, userId });
    const { items, total } = await boards.store.listDashboards(caller, {
      limit: LISTED_DASHBOARDS,
      offset: 0,
    });
    return { ...workspace, dashboards: items, dashboardCount: total };
  };
  return identity.users.workspacesOf(userId).then((all) => Promise.all(all.map(within)));
}

function draftOf(form: Form): TokenDraft {
  const text = (name: string) => String(form[name] ?? "");
  return {
    name: text("name"),
    kind: text("kind"),
    workspace: text("workspace"),
    expires_in: text("expires_in"),
    read_only: form.read_only !== undefined,
    scopes: [form.scope ?? []].flat().map(String),
  };
}

/** What a form cannot leave out, it sends empty. */
function wishOf({ scopes, name, expires_in, ...rest }: TokenDraft): Record<string, unknown> {
  return {
    ...rest,
    ...(name.trim() !== "" && { name }),
    ...(expires_in !== "" && { expires_in }),
    ...(scopes.length > 0 && { scopes }),
  };
}

function addressOf({ appUrl, endpoints }: HomeParts): string {
  return `${appUrl}${endpoints.all}`;
}

/** For programs that ask what this is. */
function description({ appUrl, version, endpoints }: HomeParts): Record<string, unknown> {
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

export function footerOf({ version }: HomeParts): Html {
  return html`Kenning ${version}`;
}
