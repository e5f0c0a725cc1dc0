import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  appUrlOf,
  Browser,
  formOf,
  newAccount,
  OAuthClient,
  PASSWORD,
  type Page,
  signedInPerson,
  unescapeHtml,
} from "../support/oauth-client.ts";
import { callOf, PATHS } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** The start page as a browser without scripts meets it, and what programs get in its place. */

let server: TestServer;
let address: string;
/** Of those who can share one: each sign-in costs a password check. */
let shared: Awaited<ReturnType<typeof signedInPerson>>;

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" } });
  address = `${appUrlOf(server)}/mcp`;
  await server.app.identity.workspaces.create({ slug: "globex", name: "Globex Research" });
  shared = await signedInPerson(server, "viewer");
});
afterAll(() => server.stop());

const visitor = () => new Browser(appUrlOf(server));
const TOKENS = "/account/tokens";
const PASSWORD_PATH = "/account/password";

type Fields = Record<string, string | string[]>;

/** Sends the form with this action as it stands on the page, with some fields changed. */
function send(person: Browser, { html }: Page, action: string, changes: Fields = {}): Promise<Page> {
  const form = formAt(html, action);
  return person.open(form.action, { form: { ...form.fields, ...changes } });
}

function formAt(html: string, action: string) {
  return formOf(html.slice(html.lastIndexOf("<form", html.indexOf(`action="${action}`))));
}

/** Makes a token by the form; the page that shows it comes back with it. */
async function make(person: Browser, wish: Fields = {}): Promise<{ page: Page; token: string }> {
  const page = await send(person, await person.open("/"), TOKENS, { name: "laptop", ...wish });
  return { page, token: /<pre id="made-token">([^<]+)</.exec(page.html)?.[1] ?? "" };
}

const idOn = ({ html }: Page, what: string) => new RegExp(`/account/${what}/([^/"]+)/revoke`).exec(html)?.[1];
const whoami = async (token: string) => callOf(server, PATHS.all, "whoami", {}, { token });

describe("a stranger", () => {
  it("learns what this is, where to sign in, and how each client connects", async () => {
    const { html, response } = await visitor().open("/");
    expect(response.status).toBe(200);
    expect(html).toContain('href="/sign-in?return_to=%2F"');
    expect(html).toContain(`>${address}<`);
    for (const client of ["Claude Code", "Claude Desktop", "ChatGPT", "Cursor", "VS Code", "Codex", "curl"])
      expect(html).toContain(`<summary>${client}</summary>`);
    expect(html).not.toContain("/account/");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'/,
    );
    const loaded = [...html.matchAll(/(?:src|<link[^>]*href)="([^"]+)"/g)].map(([, url]) => url ?? "");
    expect(loaded).toHaveLength(5);
    for (const path of loaded) expect((await server.request(path)).status, path).toBe(200);
  });

  it("can check a token with the line for curl as it is printed", async () => {
    const { html } = await visitor().open("/");
    const token = await server.token();
    const line = unescapeHtml(/<pre id="snippet-curl">([^<]+)</.exec(html)?.[1] ?? "").replace(
      "YOUR_TOKEN",
      token,
    );
    const headers = [...line.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(([, name, value]) => [name, value]);
    const answer = await fetch(/curl (\S+)/.exec(line)?.[1] ?? "", {
      method: "POST",
      headers: headers as [string, string][],
      body: /-d '([^']+)'/.exec(line)?.[1] ?? "",
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("admin-1@example.com");
  });

  it.each([undefined, "application/json", "*/*"])("that accepts %s is told in JSON", async (accept) => {
    const answer = await server.request("/", { headers: accept === undefined ? {} : { accept } });
    expect(answer.headers.get("vary")).toContain("accept");
    expect(await answer.json()).toMatchObject({
      name: "kenning",
      version: expect.stringMatching(/^\d/),
      endpoints: { all: address, models: `${address}/{workspace}/mcp` },
      docs: `${appUrlOf(server)}/`,
    });
  });

  it("is shown the way home from a page that is not there; a program gets JSON", async () => {
    const { html, response } = await visitor().open("/no/<such>/page");
    expect(response.status).toBe(404);
    expect(html).toContain('<a href="/">');
    expect(html).not.toContain("<such>");
    const answer = await server.request("/no/such/page", { headers: { accept: "application/json" } });
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: "not_found" }]);
  });

  it("can neither make nor revoke anything", async () => {
    const browser = visitor();
    const { fields } = formOf((await browser.open("/sign-in")).html);
    for (const path of [TOKENS, `${TOKENS}/1/revoke`, "/account/apps/x/revoke"]) {
      const answer = await browser.send(path, { form: { form_token: fields.form_token ?? "" } });
      expect([answer.status, answer.headers.get("location")], path).toEqual([303, "/sign-in?return_to=%2F"]);
    }
  });
});

describe("somebody who signs in", () => {
  it("lands on the page, finds who and what they are, and can sign out", async () => {
    const email = await newAccount(server, "viewer");
    await server.app.identity.users.create({ email, workspace: "globex", role: "contributor" });
    const person = visitor();
    const page = await person.signIn(email, undefined, "/");
    expect(page.url.pathname).toBe("/");
    expect(page.html).toContain(email);
    expect(page.html).toContain('<strong>Acme</strong> <span class="badge">viewer</span>');
    expect(page.html).toContain(
      '<strong>Globex Research</strong> <code>globex</code> <span class="badge">contributor</span>',
    );
    expect(page.html).toContain("You have no tokens.");
    expect(page.html).toContain("No application is connected.");
    expect((await send(person, page, "/sign-out")).url.pathname).toBe("/signed-out");
    expect((await person.open("/")).html).not.toContain("/account/");
  });

  it("makes a token that is shown once, and revokes it", async () => {
    const { person, email } = await signedInPerson(server, "viewer");
    const { page, token } = await make(person, {
      expires_in: "90d",
      read_only: "yes",
      scope: ["memory:read"],
    });
    expect(page.url.pathname).toBe("/");
    expect(token).toMatch(/^kmcp_/);
    expect((await whoami(token)).body.result?.structuredContent).toMatchObject({ user: { email } });
    const again = await person.open("/");
    expect(again.html).not.toContain(token);
    expect(again.html).toContain(`<code>${token.slice(0, 9)}…</code> in acme · memory:read · read only`);
    const [made] = await server.app.identity.tokens.list({ email });
    expect(made).toMatchObject({
      name: "laptop",
      kind: "mcp",
      scopes: ["memory:read"],
      limits: { readOnly: true },
    });
    const days = (Number(made?.expiresAt) - Number(made?.createdAt)) / 86_400_000;
    expect(days).toBe(90);
    const revoked = await send(person, again, `${TOKENS}/${made?.id}/revoke`);
    expect(revoked.html).toContain("The token is revoked");
    expect(revoked.html).toContain("You have no tokens.");
    expect((await whoami(token)).status).toBe(401);
  });

  it("gives the new token to nobody else who comes by with the cookie", async () => {
    const { person } = await signedInPerson(server);
    const { person: other } = shared;
    const form = formAt((await person.open("/")).html, TOKENS);
    const answer = await person.send(TOKENS, { form: { ...form.fields, name: "secret plan" } });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    const cookie = person.cookie("kenning_flash") ?? "";
    expect(answer.headers.get("set-cookie")).toMatch(
      /kenning_flash=.*Max-Age=60;.*HttpOnly; SameSite=Strict/,
    );
    expect(cookie).not.toContain("kmcp_");
    other.plant("kenning_flash", cookie);
    expect((await other.open("/")).html).not.toContain("secret plan");
    expect((await person.open("/")).html).toContain("The token “secret plan” is made.");
  });

  it.each<[string, Fields, number, string]>([
    [
      "a scope that the kind cannot have",
      { kind: "memory", scope: "bi:write" },
      400,
      "cannot have the scope",
    ],
    ["a workspace of others", { workspace: "globex" }, 404, "is not a member of"],
    ["no kind that there is", { kind: "oauth" }, 400, "kind"],
    ["a time that is too long", { expires_in: "9y" }, 400, "lives for"],
    ["a name that hides something", { name: "lap\u202etop" }, 400, "name"],
  ])("is told what is wrong with %s, and finds the form as it was", async (_case, wish, status, problem) => {
    const { page } = await make(shared.person, wish);
    expect(page.response.status).toBe(status);
    expect(/role="alert">([^<]+)</.exec(page.html)?.[1]).toContain(problem);
    if (wish.name === undefined) expect(page.html).toContain('value="laptop"');
    expect(await server.app.identity.tokens.list({ email: shared.email })).toEqual([]);
  });

  it("sees connected applications, and disconnects them", async () => {
    const { person } = await signedInPerson(server);
    const { access_token: token } = await new OAuthClient(server).connect(person, { scope: "memory:read" });
    const page = await person.open("/");
    expect(page.html).toMatch(/<h3>my-mcp-client<\/h3>\s*<p>in acme · memory:read<\/p>/);
    const after = await send(person, page, `/account/apps/${idOn(page, "apps")}/revoke`);
    expect(after.html).toContain("The application is disconnected.");
    expect(after.html).toContain("No application is connected.");
    expect((await whoami(token)).status).toBe(401);
  });
});

describe("another person", () => {
  it.each(["acme", "globex"])(
    "[oauth.console.own] in %s neither sees nor revokes what is not theirs",
    async (workspace) => {
      const { person: owner } = await signedInPerson(server);
      const { token } = await make(owner, { name: "owner's own" });
      const { access_token: app } = await new OAuthClient(server).connect(owner);
      const page = await owner.open("/");
      const email = `other-${workspace}@example.com`;
      await server.app.identity.users.create({
        email,
        workspace,
        role: "admin",
        password: "correct horse battery",
      });
      const other = visitor();
      const theirs = await other.signIn(email, undefined, "/");
      expect(theirs.html).not.toMatch(/own<|my-mcp-client/);
      const { fields } = formAt(theirs.html, TOKENS);
      for (const path of [
        `${TOKENS}/${idOn(page, "tokens")}/revoke`,
        `/account/apps/${idOn(page, "apps")}/revoke`,
        `${TOKENS}/0/revoke`,
        `${TOKENS}/nonsense/revoke`,
        "/account/apps/%00/revoke",
      ]) {
        const answer = await other.send(path, { form: { form_token: fields.form_token ?? "" } });
        expect(answer.status, path).toBe(404);
      }
      expect((await whoami(token)).status).toBe(200);
      expect((await whoami(app)).status).toBe(200);
    },
  );

  it("on another site cannot send the forms", async () => {
    const { person, email } = await signedInPerson(server);
    await make(person);
    const page = await person.open("/");
    const paths = [TOKENS, `${TOKENS}/${idOn(page, "tokens")}/revoke`, "/account/apps/x/revoke"];
    const { fields } = formAt(page.html, TOKENS);
    const { form_token: _, ...unsigned } = fields;
    for (const path of paths) {
      for (const form of [unsigned, { ...fields, form_token: "guessed" }])
        expect((await person.send(path, { form })).status, path).toBe(403);
      const headers = { origin: "http://localhost:1" };
      expect((await person.send(path, { form: fields, headers })).status, path).toBe(403);
    }
    expect(await server.app.identity.tokens.list({ email })).toHaveLength(1);
  });
});

describe("the first hour", () => {
  it("changes one's own password, which signs other browsers out", async () => {
    const { person, email } = await signedInPerson(server, "viewer");
    const other = visitor();
    await other.signIn(email, undefined, "/");
    const password = "quiet lantern over harbour";
    const change = (wish: Fields) => person.open("/").then((page) => send(person, page, PASSWORD_PATH, wish));
    const current = PASSWORD;
    const wrong = await change({ current: "not it at all", password, again: password });
    expect([wrong.response.status, wrong.html]).toEqual([403, expect.stringContaining("does not fit")]);
    const unlike = await change({ current, password, again: `${password}!` });
    expect([unlike.response.status, unlike.html]).toEqual([400, expect.stringContaining("not the same")]);
    const short = await change({ current, password: "short", again: "short" });
    expect([short.response.status, short.html]).toEqual([400, expect.stringContaining("at least 12")]);
    const done = await change({ current, password, again: password });
    expect(done.html).toContain("Your password is changed.");
    expect((await other.open("/")).html).not.toContain(email);
    expect((await visitor().signIn(email, password, "/")).html).toContain(email);
  });

  it("lists the dashboards of every workspace, and asks about the one that has something in it", async () => {
    const email = await newAccount(server, "contributor");
    await server.app.identity.workspaces.create({ slug: "full", name: "Full house" });
    await server.app.identity.users.create({ email, workspace: "full", role: "contributor" });
    const token = await server.token({ email, workspace: "full" });
    const call = (tool: string, args: Record<string, unknown>) =>
      callOf(server, PATHS.all, tool, args, { token });
    await call("push_data", {
      dataset_name: "sales",
      rows: [
        { city: "Oslo", revenue: 120 },
        { city: "Bergen", revenue: 80 },
      ],
    });
    await call("create_dashboard", { name: "Cities at a glance" });
    const person = visitor();
    const page = await person.signIn(email, undefined, "/");
    expect(page.html).toMatch(/<a href="\/d\/\d+">Cities at a glance<\/a>/);
    // Once for the token, once for the question.
    expect(page.html.match(/<option value="full" selected>/g)).toHaveLength(2);
    const asked = await person.open(`/ask?${new URLSearchParams({ q: "total revenue by city" })}`);
    expect(asked.response.status).toBe(200);
    expect(asked.html).toContain("<td>Oslo</td>");
    expect(asked.html).toMatch(/<details><summary>SQL<\/summary><pre>[^<]*SELECT/i);
    const foreign = await person.open(
      `/ask?${new URLSearchParams({ q: "total revenue", workspace: "acme" })}`,
    );
    expect(foreign.html).not.toContain("Oslo");
    await server.app.identity.workspaces.create({ slug: "bare", name: "Bare" });
    await server.app.identity.users.create({ email, workspace: "bare", role: "viewer" });
    const empty = await person.open(`/ask?${new URLSearchParams({ q: "total revenue", workspace: "bare" })}`);
    expect(empty.html).toContain("you have data in");
    expect(empty.html).not.toContain("{tool:");
  });

  it("asks nothing of whoever is not signed in, and shows what is asked without running it as markup", async () => {
    const answer = await visitor().send("/ask?q=x&workspace=acme", {});
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/sign-in?return_to=%2Fask%3Fq%3Dx%26workspace%3Dacme");
    const { html } = await shared.person.open(`/ask?${new URLSearchParams({ q: "<img src=x>" })}`);
    expect(html).not.toContain("<img");
  });

  it("speaks German to a browser that asks for it", async () => {
    const german = { headers: { accept: "text/html", "accept-language": "de-AT,de;q=0.9,en;q=0.5" } };
    for (const path of ["/", "/sign-in", "/signed-out", "/no/such/page"]) {
      const html = await (await server.request(path, german)).text();
      expect(html, path).toContain('<html lang="de">');
      expect(html, path).not.toMatch(/Sign in|start page|There is nothing/);
    }
    const other = { headers: { accept: "text/html", "accept-language": "fr, en;q=0.9, de;q=0.1" } };
    expect(await (await server.request("/sign-in", other)).text()).toContain('<html lang="en">');
  });
});
