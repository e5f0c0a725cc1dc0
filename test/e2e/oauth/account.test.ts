import pg from "pg";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { compose } from "../../../src/app/compose.ts";
import { loadConfig } from "../../../src/app/config.ts";
import { MS } from "../../../src/kernel/time.ts";
import { SURFACES } from "../../../src/registry/caller.ts";
import { CommandLine, freePort } from "../../support/command-line.ts";
import { appUrlOf, Browser, OAuthClient, PASSWORD, signedInPerson } from "../../support/oauth-client.ts";
import { callOf, PATHS } from "../../support/rpc.ts";
import { startTestServer, type TestServer } from "../../support/server.ts";

/** What people do about themselves: sign in and out, see their tokens and apps, end them, change their password. */

let server: TestServer;

/** Whose token is used at the very beginning: it takes ten seconds until that is written down. */
let nightly: { person: Browser; made: Token };

/** Another server on the same database. */
let other: Awaited<ReturnType<typeof compose>>;
let otherUrl: string;

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" } });
  const shared = { KENNING_HOME: server.home, DATABASE_URL: server.databaseUrl, APP_URL: appUrlOf(server) };
  const env = {
    ...shared,
    PORT: String(await freePort()),
    RATE_LIMIT_ENABLED: "false",
    EXTERNAL_KNOWLEDGE_MCP_ENABLED: "true",
  };
  other = await compose(loadConfig({ env, cwd: server.home }), { log: pino({ level: "silent" }) });
  otherUrl = (await other.listen()).url;
  const { person } = await signedInPerson(server);
  const json = {
    workspace: "acme",
    kind: "api",
    name: "nightly",
    scopes: ["memory:read"],
    read_only: true,
    expires_in: "90d",
  };
  const { status, body: made } = await api<Token>(person, "/tokens", { json });
  expect(status).toBe(201);
  nightly = { person, made };
  const headers = { "user-agent": "nightly-script/2.1" };
  await callOf(server, PATHS.all, "whoami", {}, { token: made.token, headers });
});
afterAll(async () => {
  await other.close();
  await server.stop();
});
afterEach(() => {
  vi.useRealTimers();
});

const NEW_PASSWORD = "another horse, another staple";

/** A call of the console API as the console's own pages make it. */
async function api<T = Record<string, unknown>>(
  browser: Browser,
  path: string,
  init: { method?: string; json?: unknown } = {},
): Promise<{ status: number; body: T }> {
  const { json, method = json === undefined ? "GET" : "POST" } = init;
  const response = await browser.send(`/api/console${path}`, {
    method,
    headers: {
      accept: "application/json",
      origin: appUrlOf(server),
      ...(json !== undefined && { "content-type": "application/json" }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as T };
}

interface App {
  id: string;
  name: string;
  scopes: string[];
  workspace: string;
  last_used_at: string | null;
}
const appsOf = async (browser: Browser) => (await api<{ apps: App[] }>(browser, "/apps")).body.apps;

interface Token {
  id: number;
  token: string;
  name: string;
  last_used_at: string | null;
  last_used_client: string | null;
}
const tokensOf = async (browser: Browser) => (await api<{ tokens: Token[] }>(browser, "/tokens")).body.tokens;

const isSignedIn = async (browser: Browser) => (await api(browser, "/me")).status === 200;
const worksAt = async (token: string) =>
  (await callOf(server, PATHS.all, "whoami", {}, { token })).status === 200;

async function statusOf(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  return (await fetch(url, { method: "POST", headers, body })).status;
}

async function audited(action: string): Promise<{ user_id: string; success: boolean }[]> {
  await server.app.identity.audit.flush();
  const database = new pg.Client(server.databaseUrl);
  await database.connect();
  const { rows } = await database.query("SELECT user_id, success FROM audit_events WHERE action = $1", [
    action,
  ]);
  await database.end();
  return rows;
}

describe("sign-in", () => {
  it("[oauth.session.fixation] gives the browser a new session, and ends the one before", async () => {
    const { person, email } = await signedInPerson(server);
    const before = person.cookie("kenning_session") ?? "";
    const attacker = new Browser(appUrlOf(server));
    attacker.plant("kenning_session", before);
    expect(await isSignedIn(attacker)).toBe(true);
    // Only a browser that is not signed in is shown the form; a second tab may still have it open.
    const tab = new Browser(appUrlOf(server));
    const form = await tab.open("/sign-in");
    tab.plant("kenning_session", before);
    await tab.submit(form, { email, password: PASSWORD });
    expect(tab.cookie("kenning_session")).not.toBe(before);
    expect(await isSignedIn(tab)).toBe(true);
    expect(await isSignedIn(attacker)).toBe(false);
  });

  it("[oauth.session.fixation] makes nothing of a session that was planted before", async () => {
    const { email } = await signedInPerson(server);
    const victim = new Browser(appUrlOf(server));
    const form = await victim.open("/sign-in");
    victim.plant("kenning_session", "planted");
    await victim.submit(form, { email, password: PASSWORD });
    const attacker = new Browser(appUrlOf(server));
    attacker.plant("kenning_session", "planted");
    expect(await isSignedIn(attacker)).toBe(false);
  });

  it("ends after twelve hours without use, and after two weeks in any case", async () => {
    const { person } = await signedInPerson(server);
    const start = Date.now();
    for (let hours = 11; hours < 14 * 24; hours += 11) {
      vi.useFakeTimers({ toFake: ["Date"], now: start + hours * MS.hour });
      expect(await isSignedIn(person), `after ${hours} hours`).toBe(true);
    }
    vi.useFakeTimers({ toFake: ["Date"], now: start + 14 * MS.day + MS.minute });
    expect(await isSignedIn(person)).toBe(false);
    vi.useRealTimers();
    const { person: idle } = await signedInPerson(server);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 12 * MS.hour + MS.minute });
    expect(await isSignedIn(idle)).toBe(false);
  });

  it("[oauth.page.sign-out] ends with sign-out, and the next client is asked to sign in again", async () => {
    const { person } = await signedInPerson(server);
    const stolen = person.cookie("kenning_session") ?? "";
    const page = await person.submit(await person.open("/sign-in"));
    expect(page.url.pathname).toBe("/signed-out");
    expect(page.html).toContain("You are signed out");
    expect(await isSignedIn(person)).toBe(false);
    const thief = new Browser(appUrlOf(server));
    thief.plant("kenning_session", stolen);
    expect(await isSignedIn(thief)).toBe(false);
    const next = await person.open(new OAuthClient(server).authorizationUrl());
    expect(next.html).toContain("<h1>Sign in</h1>");
  });

  it("[oauth.page.another-person] can be another person's, who then connects as themselves", async () => {
    const { person, email } = await signedInPerson(server);
    const { email: other } = await signedInPerson(server);
    const client = new OAuthClient(server);
    await client.connect(person);
    await person.submit(await person.open("/sign-in"));
    const signIn = await person.open(client.authorizationUrl());
    const consent = await person.submit(signIn, { email: other, password: PASSWORD });
    expect(consent.html).toContain(other);
    expect(consent.html).not.toContain(email);
    const { url } = await person.submit(consent, { button: "allow" });
    const { body } = await client.exchange(url.searchParams.get("code") ?? "");
    const whoami = await callOf(server, PATHS.all, "whoami", {}, { token: body.access_token });
    expect(whoami.body.result?.structuredContent?.user).toMatchObject({ email: other });
  });

  it("[oauth.page.another-person] puts a request that is under way to whoever signs in meanwhile", async () => {
    const { person, email } = await signedInPerson(server);
    const { person: otherBrowser, email: other } = await signedInPerson(server);
    const client = new OAuthClient(server);
    const consent = await person.open(client.authorizationUrl());
    expect(consent.html).toContain(email);
    person.plant("kenning_session", otherBrowser.cookie("kenning_session") ?? "");
    const again = await person.submit(consent, { button: "allow" });
    expect(again.html).toContain(`act as <strong>${other}</strong>`);
    expect((await person.open(consent.url)).html).not.toContain(email);
    const { url } = await person.submit(again, { button: "allow" });
    expect((await client.exchange(url.searchParams.get("code") ?? "")).status).toBe(200);
    expect(await appsOf(otherBrowser)).toHaveLength(1);
  });

  it("[oauth.session.audit] is in the audit log, with what failed and which apps were connected", async () => {
    const { person, email } = await signedInPerson(server);
    await new Browser(appUrlOf(server)).signIn(email, "a wrong password");
    const tokens = await new OAuthClient(server).connect(person);
    await callOf(server, PATHS.all, "whoami", {}, { token: tokens.access_token });
    const signIns = await audited("auth.sign_in");
    expect(signIns.some(({ success }) => success)).toBe(true);
    expect(signIns.some(({ success }) => !success)).toBe(true);
    const token = await server.token({ email });
    const { body } = await callOf(
      server,
      PATHS.all,
      "list_audit_events",
      { action: "oauth.app_connected" },
      { token },
    );
    expect(body.result?.structuredContent?.events).toContainEqual(
      expect.objectContaining({ user: email, resource_id: "my-mcp-client" }),
    );
    await server.app.identity.audit.flush();
    // What the app does is told apart from what others do for the same person.
    const filter = { application: "my-mcp-client", action: "mcp.tool.call" };
    const calls = await callOf(server, PATHS.all, "list_audit_events", filter, { token });
    const { events = [] } = (calls.body.result?.structuredContent ?? {}) as { events?: { user: string }[] };
    const ofPerson = events.filter(({ user }) => user === email);
    expect(ofPerson).toMatchObject([
      {
        resource_id: "whoami",
        application_id: "my-mcp-client",
        address: expect.stringContaining("127.0.0.1"),
        metadata: { applicationName: expect.any(String) },
      },
    ]);
  });
});

describe("the audit log", () => {
  it("[oauth.session.audit] says which apps ended, and why", async () => {
    const { person, email } = await signedInPerson(server);
    const client = new OAuthClient(server);
    await client.revoke((await client.connect(person)).refresh_token);
    const code = await client.code(person);
    await client.exchange(code);
    await client.exchange(code);
    await client.connect(person);
    for (const { id } of await appsOf(person)) await api(person, `/apps/${id}`, { method: "DELETE" });
    const token = await server.token({ email });
    await vi.waitFor(async () => {
      await server.app.identity.audit.flush();
      const filter = { action: "oauth.app_ended" };
      const { body } = await callOf(server, PATHS.all, "list_audit_events", filter, { token });
      const events = body.result?.structuredContent?.events as { user: string; metadata: { why: string } }[];
      const reasons = events.filter(({ user }) => user === email).map(({ metadata }) => metadata.why);
      expect(reasons.toSorted()).toEqual(["client", "person", "reused"]);
    }, 20_000);
  });
});

describe("the password", () => {
  it("[oauth.session.password] changed by the person ends all other sessions", async () => {
    const { person, email } = await signedInPerson(server);
    const elsewhere = new Browser(appUrlOf(server));
    await elsewhere.signIn(email);
    const wrong = await api(person, "/password", {
      json: { current: "not this one", password: NEW_PASSWORD },
    });
    expect(wrong.status).toBe(403);
    const short = await api(person, "/password", { json: { current: PASSWORD, password: "short" } });
    expect(short.status).toBe(400);
    expect(await isSignedIn(elsewhere)).toBe(true);
    const changed = await api(person, "/password", { json: { current: PASSWORD, password: NEW_PASSWORD } });
    expect(changed.status).toBe(204);
    expect(await isSignedIn(person)).toBe(true);
    expect(await isSignedIn(elsewhere)).toBe(false);
    expect((await elsewhere.signIn(email)).response.status).toBe(401);
    expect((await elsewhere.signIn(email, NEW_PASSWORD)).html).toContain("You are signed in");
  });

  it("[oauth.session.password] reset by an admin, by command line, ends every session", async () => {
    const { person, email } = await signedInPerson(server);
    const commandLine = await CommandLine.open();
    const { code, err } = await commandLine.run(["user", "set-password", email, "--password-stdin"], {
      input: NEW_PASSWORD,
      env: { DATABASE_URL: server.databaseUrl },
    });
    commandLine.remove();
    expect(code, err).toBe(0);
    expect(await isSignedIn(person)).toBe(false);
    await person.signIn(email, NEW_PASSWORD);
    expect(await isSignedIn(person)).toBe(true);
  });
});

describe("connected apps", () => {
  it("[oauth.console.apps] are listed with what they may do, where, and when they last asked", async () => {
    const { person } = await signedInPerson(server);
    expect(await appsOf(person)).toEqual([]);
    const client = new OAuthClient(server);
    const { refresh_token: token } = await client.connect(person, { scope: "memory:read memory:write" });
    await client.refresh(token);
    await vi.waitFor(async () => {
      expect(await appsOf(person)).toEqual([
        {
          id: expect.any(String),
          name: "my-mcp-client",
          client_id: "my-mcp-client",
          workspace: "acme",
          scopes: ["memory:read", "memory:write"],
          connected_at: expect.any(String),
          last_used_at: expect.any(String),
        },
      ]);
    }, 20_000);
  });

  it("[oauth.revoke.person] are ended by the person, and their tokens with them", async () => {
    const { person } = await signedInPerson(server);
    const client = new OAuthClient(server);
    const signed = await client.connect(person);
    const opaque = await client.connect(person, {
      scope: "bi:read",
      resource: `${appUrlOf(server)}${PATHS.bi}`,
    });
    const code = await client.code(person);
    const bi = () => callOf(server, PATHS.bi, "nothing", {}, { token: opaque.access_token });
    expect(await worksAt(signed.access_token)).toBe(true);
    expect((await bi()).status).toBe(200);
    const apps = await appsOf(person);
    expect(apps).toHaveLength(3);
    for (const { id } of apps)
      expect((await api(person, `/apps/${id}`, { method: "DELETE" })).status).toBe(204);
    expect(await appsOf(person)).toEqual([]);
    expect(await worksAt(signed.access_token)).toBe(false);
    expect((await bi()).status).toBe(401);
    for (const { refresh_token: token } of [signed, opaque]) {
      expect((await client.refresh(token)).body.error).toBe("invalid_grant");
    }
    expect((await client.exchange(code)).body.error).toBe("invalid_grant");
    // It can be connected again.
    expect(await worksAt((await client.connect(person)).access_token)).toBe(true);
  });

  it("[oauth.revoke.client] can give their tokens back themselves, and only their own", async () => {
    const { person } = await signedInPerson(server);
    const client = new OAuthClient(server);
    const tokens = await client.connect(person);
    const stranger = new OAuthClient(server, { clientId: "another-client" });
    expect((await stranger.revoke(tokens.refresh_token)).status).toBe(200);
    expect(await worksAt(tokens.access_token)).toBe(true);
    expect((await client.revoke("a-token-that-never-was")).status).toBe(200);
    expect((await client.revoke(tokens.refresh_token)).status).toBe(200);
    expect(await worksAt(tokens.access_token)).toBe(false);
    expect((await client.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect(await appsOf(person)).toEqual([]);
  });

  it.each(SURFACES)(
    "[oauth.revoke.access] can give back a token of /%s, and it is dead on every server",
    async (surface) => {
      const { person } = await signedInPerson(server);
      const client = new OAuthClient(server);
      const resource = `${appUrlOf(server)}${PATHS[surface]}`;
      const { access_token: token, refresh_token } = await client.connect(person, { resource, scope: "" });
      const statuses = () =>
        Promise.all([server.url, otherUrl].map((url) => statusOf(url + PATHS[surface], token)));
      expect(await statuses()).toEqual([200, 200]);
      const stranger = new OAuthClient(server, { clientId: "another-client" });
      expect((await stranger.revoke(token)).status).toBe(200);
      expect(await statuses()).toEqual([200, 200]);
      const answer = await client.revoke(token, { token_type_hint: "access_token" });
      expect([answer.status, await answer.text()]).toEqual([200, ""]);
      expect(await statuses()).toEqual([401, 401]);
      expect((await client.revoke(token)).status).toBe(200);
      expect((await client.refresh(refresh_token)).body.error).toBe("invalid_grant");
      expect(await appsOf(person)).toEqual([]);
    },
  );

  it.each([
    ["of nobody's", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln", 200],
    ["without a signature", "eyJhbGciOiJub25lIn0.e30.", 200],
    ["that is empty", "", 400],
    ["that is long", `eyJhbGciOiJFUzI1NiJ9.${"A".repeat(20_000)}.c2ln`, 200],
  ])("[oauth.revoke.access] revoking a token %s ends nothing", async (_, token, status) => {
    const { person } = await signedInPerson(server);
    const client = new OAuthClient(server);
    const { access_token: good } = await client.connect(person);
    expect((await client.revoke(token)).status).toBe(status);
    expect((await client.revoke(good, { client_id: null })).status).toBe(400);
    expect((await client.revoke(good, { client_secret: "guessed" })).status).toBe(401);
    expect((await client.revoke(`${good.slice(0, -3)}AAA`)).status).toBe(200);
    expect(await worksAt(good)).toBe(true);
  });

  it("[oauth.token.year] can give back the one-year token", async () => {
    const { person } = await signedInPerson(server);
    const client = new OAuthClient(server);
    const { access_token: token } = await client.connect(person, {
      scope: "bi:read",
      resource: `${appUrlOf(server)}${PATHS.bi}`,
    });
    expect((await callOf(server, PATHS.bi, "nothing", {}, { token })).status).toBe(200);
    expect((await client.revoke(token)).status).toBe(200);
    expect((await callOf(server, PATHS.bi, "nothing", {}, { token })).status).toBe(401);
  });

  it("[oauth.revoke.disabled] stop with the account", async () => {
    const { person, email } = await signedInPerson(server);
    const client = new OAuthClient(server);
    const tokens = await client.connect(person);
    const code = await client.code(person);
    await server.app.identity.users.disable(email);
    expect(await worksAt(tokens.access_token)).toBe(false);
    expect((await client.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect((await client.exchange(code)).body.error).toBe("invalid_grant");
    expect(await isSignedIn(person)).toBe(false);
    const page = await person.open(client.authorizationUrl());
    expect(page.html).toContain("<h1>Sign in</h1>");
    expect((await person.submit(page, { email, password: PASSWORD })).response.status).toBe(401);
    await server.app.identity.users.enable(email);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
  });
});

describe("tokens", () => {
  it.each([
    { workspace: "acme", kind: "oauth" },
    { workspace: "acme" },
    { workspace: "acme", kind: "api", scopes: ["everything"] },
    { workspace: "acme", kind: "api", expires_in: "soon" },
    { workspace: "acme", kind: "api", surprise: true },
    ["not", "an", "object"],
  ])("are not made from %j", async (json) => {
    const { person } = await signedInPerson(server);
    expect((await api(person, "/tokens", { json })).status).toBe(400);
    expect(await tokensOf(person)).toEqual([]);
  });

  it("are not made in a workspace of others", async () => {
    const { person } = await signedInPerson(server);
    await server.app.identity.workspaces.create({ slug: "others" });
    const json = { workspace: "others", kind: "api" };
    expect((await api(person, "/tokens", { json })).status).toBeGreaterThanOrEqual(400);
  });

  it("[oauth.console.own] and apps of others are neither seen nor ended", async () => {
    const { person: owner } = await signedInPerson(server);
    const { person: stranger } = await signedInPerson(server);
    const { body: made } = await api<Token>(owner, "/tokens", { json: { workspace: "acme", kind: "api" } });
    const app = await new OAuthClient(server).connect(owner);
    const [connected] = await appsOf(owner);
    expect(await tokensOf(stranger)).toEqual([]);
    expect(await appsOf(stranger)).toEqual([]);
    for (const path of [
      `/tokens/${made.id}`,
      `/apps/${connected?.id}`,
      "/apps/nothing",
      "/apps/%00",
      "/tokens/0",
    ]) {
      expect((await api(stranger, path, { method: "DELETE" })).status, path).toBe(404);
    }
    expect(await worksAt(made.token)).toBe(true);
    expect(await worksAt(app.access_token)).toBe(true);
  });

  it("[oauth.console.own] are for those who are signed in", async () => {
    const nobody = new Browser(appUrlOf(server));
    for (const path of ["/me", "/tokens", "/apps"]) expect((await api(nobody, path)).status, path).toBe(401);
    const json = { workspace: "acme", kind: "api" };
    expect((await api(nobody, "/tokens", { json })).status).toBe(401);
    expect((await api(nobody, "/apps/x", { method: "DELETE" })).status).toBe(401);
    expect(
      (await api(nobody, "/password", { json: { current: PASSWORD, password: NEW_PASSWORD } })).status,
    ).toBe(401);
  });

  it("[oauth.console.tokens] are made, listed and revoked", async () => {
    const { person, made } = nightly;
    expect(made).toMatchObject({
      kind: "api",
      name: "nightly",
      scopes: ["memory:read"],
      limits: { read_only: true },
    });
    await vi.waitFor(
      async () => {
        const [listed] = await tokensOf(person);
        expect(listed).toMatchObject({
          id: made.id,
          name: "nightly",
          last_used_client: "nightly-script/2.1",
        });
        expect(listed?.last_used_at).toEqual(expect.any(String));
        expect(JSON.stringify(listed)).not.toContain(made.token);
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(await worksAt(made.token)).toBe(true);
    expect((await api(person, `/tokens/${made.id}`, { method: "DELETE" })).status).toBe(204);
    expect(await worksAt(made.token)).toBe(false);
    expect(await tokensOf(person)).toEqual([]);
  });
});
