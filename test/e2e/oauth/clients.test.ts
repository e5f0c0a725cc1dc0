import { createServer as createHttpsServer } from "node:https";
import pg from "pg";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { HttpListener } from "../../../src/app/http-listener.ts";
import { openOAuthStores } from "../../../src/domains/identity/index.ts";
import { MS, systemClock } from "../../../src/kernel/time.ts";
import { createGuardedFetch, type Resolve } from "../../../src/platform/guarded-fetch/index.ts";
import { createVault } from "../../../src/platform/vault/index.ts";
import { createHttpApp } from "../../../src/surfaces/http/app.ts";
import { SignInServer } from "../../../src/surfaces/oauth/sign-in-server.ts";
import { freePort } from "../../support/command-line.ts";
import { openTestCatalog } from "../../support/database.ts";
import { identityOn } from "../../support/identity.ts";
import {
  appUrlOf,
  Browser,
  OAuthClient,
  type OAuthServer,
  register,
  signedInPerson,
  unescapeHtml,
} from "../../support/oauth-client.ts";
import { startTestServer, type TestServer } from "../../support/server.ts";
import { listen, serve, TEST_CERT, TEST_KEY } from "../../support/web-servers.ts";

/** Who may ask at all, and what people are told of them. */

let server: TestServer;
let person: Browser;

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" } });
  ({ person } = await signedInPerson(server));
});
afterAll(() => server.stop());
afterEach(() => {
  vi.useRealTimers();
});

const NATIVE = { token_endpoint_auth_method: "none", client_name: "A client" };

async function registered(metadata: Record<string, unknown>, redirectUri: string): Promise<OAuthClient> {
  const { status, body } = await register(server, { redirect_uris: [redirectUri], ...metadata });
  expect(body).not.toHaveProperty("error");
  expect(status).toBe(201);
  return new OAuthClient(server, { clientId: body.client_id, redirectUri });
}

/** The words of the consent page. */
async function consentText(client: OAuthClient, by = person): Promise<string> {
  const { html } = await by.open(client.authorizationUrl());
  const main = /<main>(.*)<\/main>/s.exec(html)?.[1] ?? "";
  return unescapeHtml(main.replaceAll(/<[^>]+>/g, " ")).replaceAll(/\s+/g, " ");
}

describe("registration", () => {
  it.each([
    ["https://claude.ai/api/mcp/auth_callback", {}],
    ["http://127.0.0.1:33418/", {}],
    ["http://localhost:6274/oauth/callback", { application_type: "web" }],
    ["cursor://anysphere.cursor-mcp/oauth/callback", {}],
    ["com.example.app:/callback", { application_type: "native" }],
  ])("[oauth.client.registered] takes %s", async (redirectUri, more) => {
    const client = await registered({ ...NATIVE, ...more }, redirectUri);
    const callback = await client.ask(person);
    expect(callback.href.startsWith(redirectUri), callback.href).toBe(true);
    expect((await client.exchange(callback.searchParams.get("code") ?? "")).status).toBe(200);
  });

  it("[oauth.client.registered] lets the port of a loopback redirect differ, and nothing else", async () => {
    const client = await registered(NATIVE, "http://127.0.0.1/callback");
    const elsewhere = { redirect_uri: "http://127.0.0.1:51004/callback" };
    const callback = await client.ask(person, elsewhere);
    expect(callback.port).toBe("51004");
    expect((await client.exchange(callback.searchParams.get("code") ?? "", elsewhere)).status).toBe(200);
  });

  it("does not hold a client to the scopes it registered with", async () => {
    const client = await registered(
      { ...NATIVE, scope: "data_agent:read something-else" },
      "https://app.example/cb",
    );
    expect((await client.connect(person)).scope).toBe("data_agent:read data_agent:write ontologies:read");
  });

  it("ends after thirty days, unless somebody has connected the client", async () => {
    const redirect = "https://app.example/cb";
    const [used, unused] = [await registered(NATIVE, redirect), await registered(NATIVE, redirect)];
    await used.connect(person);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31 * MS.day });
    const browser = new Browser(appUrlOf(server));
    expect((await browser.open(unused.authorizationUrl())).response.status).toBe(400);
    expect((await browser.open(used.authorizationUrl())).html).toContain("<h1>Sign in</h1>");
  });

  it.each(["client_secret_basic", "client_secret_post"])(
    "[oauth.client.secret] by %s must be shown",
    async (method) => {
      const redirectUri = "https://app.example/cb";
      const { body } = await register(server, {
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: method,
      });
      const secret = body.client_secret ?? "";
      const client = new OAuthClient(server, { clientId: body.client_id, redirectUri });
      const prove = (shown: string): [Record<string, string | null>, Record<string, string>] => {
        if (method === "client_secret_post") return [{ client_secret: shown }, {}];
        const credentials = Buffer.from(`${body.client_id}:${shown}`).toString("base64");
        return [{ client_id: null }, { authorization: `Basic ${credentials}` }];
      };
      const code = await client.code(person);
      for (const attempt of [await client.exchange(code), await client.exchange(code, ...prove("wrong"))]) {
        expect(attempt.body.error).toBe("invalid_client");
      }
      const { status, body: tokens } = await client.exchange(code, ...prove(secret));
      expect(status).toBe(200);
      expect((await client.refresh(tokens.refresh_token)).body.error).toBe("invalid_client");
      expect((await client.refresh(tokens.refresh_token, ...prove(secret))).status).toBe(200);
      const database = new pg.Client(server.databaseUrl);
      await database.connect();
      const { rows } = await database.query("SELECT payload::text AS text FROM oauth_records");
      await database.end();
      for (const kept of [secret, tokens.refresh_token, code]) {
        expect(rows.filter(({ text }) => text.includes(kept))).toEqual([]);
      }
    },
  );
});

describe("the consent page", () => {
  it("[oauth.page.consent] says who asks, for whom, where it leads, what it may do and where", async () => {
    const { person: somebody, email } = await signedInPerson(server);
    const client = await registered(
      { ...NATIVE, client_name: "Weather App" },
      "https://weather.example/callback",
    );
    const text = await consentText(client, somebody);
    expect(text).toContain("Connect Weather App ?");
    expect(text).toContain(`act as ${email}`);
    expect(text).toContain("back to weather.example");
    expect(text).toContain("workspace Acme");
    expect(text).toContain("Ask questions about your data data_agent:write");
    // It says itself who it is, and the person is told so.
    expect(text).toContain("Unverified app. It registered itself");
  });

  it("[oauth.client.unregistered] warns of a client that nobody registered", async () => {
    const text = await consentText(new OAuthClient(server, { clientId: "claude" }));
    expect(text).toContain("Unverified app.");
    expect(text).toContain("back to localhost:3000");
  });

  it("shows what an app calls itself as text, without tricks", async () => {
    const name = '<script>alert(1)</script>"><img src=x onerror=alert(1)>\u202egnp.exe';
    const client = await registered({ ...NATIVE, client_name: name }, "https://app.example/cb");
    const { html } = await person.open(client.authorizationUrl());
    expect(html).not.toMatch(/<script|<img|\u202e/);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  it("does not let a scheme of an app's own pass for a web site", async () => {
    const client = await registered(NATIVE, "evil-app://claude.ai/callback");
    expect(await consentText(client)).toContain("back to evil-app://claude.ai");
  });

  it("bounds the name of an app", async () => {
    const client = await registered({ ...NATIVE, client_name: "x".repeat(10_000) }, "https://app.example/cb");
    expect(await consentText(client)).not.toContain("x".repeat(101));
  });

  it("lets the person choose among their workspaces", async () => {
    const { person: somebody, email } = await signedInPerson(server);
    const { workspaces, users } = server.app.identity;
    await workspaces.create({ slug: "second", name: "The second" });
    await users.create({ email, workspace: "second", role: "viewer" });
    const client = new OAuthClient(server);
    expect(await consentText(client, somebody)).toMatch(/Acme \(admin\).*The second \(viewer\)/);
    const { access_token: token } = await client.connect(somebody, {}, { workspace: "second" });
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    expect(claims.workspace).toBe("second");
  });

  it("takes neither a scope that was not asked for nor a workspace of others", async () => {
    await server.app.identity.workspaces.create({ slug: "foreign" });
    const client = new OAuthClient(server);
    const page = await person.open(client.authorizationUrl({ scope: "data_agent:read" }));
    const foreign = await person.submit(page, { button: "allow", workspace: "foreign" });
    expect(foreign.response.status).toBe(400);
    const { url } = await person.submit(page, { button: "allow", scope: ["data_agent:read", "admin"] });
    const { body } = await client.exchange(url.searchParams.get("code") ?? "");
    expect(body.scope).toBe("data_agent:read");
  });

  it("offers power over the workspace, but only gives it by a click of its own", async () => {
    const client = new OAuthClient(server);
    const change = { scope: "memory:read admin", resource: `${appUrlOf(server)}/mcp` };
    expect((await client.connect(person, change)).scope).toBe("memory:read");
    const chosen = await client.connect(person, change, { scope: ["memory:read", "admin"] });
    expect(chosen.scope).toBe("memory:read admin");
  });

  it("asks again when nothing is left allowed", async () => {
    const client = new OAuthClient(server);
    const page = await person.open(client.authorizationUrl());
    const again = await person.submit(page, { button: "allow", scope: [] });
    expect(again.response.status).toBe(400);
    expect(again.html).toContain("Allow at least one thing, or deny.");
    const { url } = await person.submit(again, { button: "allow" });
    expect(url.searchParams.get("code")).not.toBeNull();
  });
});

describe("client id metadata documents", () => {
  let parts: Awaited<ReturnType<typeof startWith>>;
  let lookups: Record<string, string[]>;

  /** The authorization server alone, with a way to the outside that the test has in its hands. */
  async function startWith(resolve: Resolve) {
    const catalog = await openTestCatalog();
    const port = await freePort();
    const appUrl = `http://localhost:${port}`;
    const log = pino({ level: "silent" });
    const rateLimits = { enabled: false };
    const identity = identityOn(catalog, { appUrl, rateLimits });
    await identity.workspaces.create({ slug: "acme", name: "Acme" });
    const fetch = createGuardedFetch({ allow: ["127.0.0.1"], ca: TEST_CERT, resolve });
    const signIn = await SignInServer.open({
      appUrl,
      identity,
      fetch,
      stores: openOAuthStores(catalog, createVault({ root: "r".repeat(32) }), systemClock, identity.audit),
      keys: { cookie: "c".repeat(32), form: Buffer.alloc(32), trip: Buffer.alloc(32) },
      providers: [],
      ttl: { accessSeconds: 900, refreshSeconds: 1_209_600, codeSeconds: 600 },
      hasContent: async () => false,
      clock: systemClock,
      log,
    });
    const guards = { appUrl, allowedHosts: [], allowedOrigins: [], trustedProxies: [] };
    const app = createHttpApp({ ...guards, log, observe: () => undefined }, (http) => signIn.mount(http));
    const listener = new HttpListener(app.fetch, { port, host: "127.0.0.1" });
    await listener.listen();
    const here: OAuthServer = { url: `http://127.0.0.1:${port}`, app: { identity } };
    const stop = async () => {
      signIn.close();
      await listener.close(
        async () => undefined,
        () => undefined,
      );
      await fetch.close();
      await identity.close();
      await catalog.close();
    };
    return { here, stop, ...(await signedInPerson(here)) };
  }

  beforeAll(async () => {
    lookups = {};
    parts = await startWith(async (host) => {
      const answers = lookups[host] ?? ["127.0.0.1"];
      const address = answers.length > 1 ? answers.shift() : answers[0];
      return [{ address: address as string, family: 4 }];
    });
  });
  afterAll(() => parts.stop());

  const REDIRECT = "http://127.0.0.1/callback";
  type Answer = { status?: number; headers?: Record<string, string>; body?: unknown };

  /** Serves one document by https, and tells how often it was asked for. */
  async function publish(answer: (url: string) => Answer | Promise<Answer>, path = "/client.json") {
    const seen = { hits: 0, url: "" };
    const https = createHttpsServer({ key: TEST_KEY, cert: TEST_CERT }, async (_request, response) => {
      seen.hits += 1;
      const { status = 200, headers = {}, body = "" } = await answer(seen.url);
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
    seen.url = `https://secure.test:${await listen(https)}${path}`;
    return seen;
  }

  const documentOf = (url: string, more: object = {}) => ({
    client_id: url,
    client_name: "Published App",
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: "none",
    ...more,
  });

  const clientAt = (url: string) =>
    new OAuthClient(parts.here as TestServer, {
      clientId: url,
      redirectUri: "http://127.0.0.1:4711/callback",
    });

  it("[oauth.client.document] are read once, and make a client like any other", async () => {
    const document = await publish((url) => ({ body: documentOf(url) }));
    const client = clientAt(document.url);
    const consent = await parts.person.open(client.authorizationUrl());
    expect(consent.html).toContain("Published App");
    expect(consent.html).not.toContain("Unverified");
    const tokens = await client.connect(parts.person);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
    expect(document.hits).toBe(1);
  });

  it("[oauth.client.document] may leave out what they may leave out", async () => {
    const document = await publish((url) => ({
      body: { client_id: url, client_name: "Brief", redirect_uris: [REDIRECT] },
    }));
    expect((await clientAt(document.url).connect(parts.person)).token_type).toBe("Bearer");
  });

  it.each<[string, (url: string) => Answer]>([
    ["is of another client", (url) => ({ body: documentOf(`${url}x`) })],
    ["is not JSON", () => ({ body: "<html>" })],
    ["is a list", () => ({ body: [] })],
    ["is missing", () => ({ status: 404, body: "{}" })],
    ["is too large", (url) => ({ body: documentOf(url, { padding: "x".repeat(70_000) }) })],
    ["has a secret", (url) => ({ body: documentOf(url, { client_secret: "s" }) })],
    [
      "wants a secret",
      (url) => ({ body: documentOf(url, { token_endpoint_auth_method: "client_secret_post" }) }),
    ],
    [
      "has a redirect that runs a script",
      (url) => ({ body: documentOf(url, { redirect_uris: ["javascript:alert(1)"] }) }),
    ],
    [
      "has an http redirect",
      (url) => ({ body: documentOf(url, { redirect_uris: ["http://evil.example/"] }) }),
    ],
    ["has no redirect", (url) => ({ body: documentOf(url, { redirect_uris: [] }) })],
    [
      "has too many redirects",
      (url) => ({
        body: documentOf(url, {
          redirect_uris: Array.from({ length: 21 }, (_, i) => `https://e.example/${i}`),
        }),
      }),
    ],
  ])("are refused when one %s", async (_what, answer) => {
    const document = await publish(answer);
    const { response, url } = await parts.person.open(clientAt(document.url).authorizationUrl());
    expect(response.status).toBe(400);
    expect(url.origin).toBe(appUrlOf(parts.here));
  });

  it("hold the client to the redirects that they name", async () => {
    const document = await publish((url) => ({ body: documentOf(url) }));
    const page = await parts.person.open(
      clientAt(document.url).authorizationUrl({ redirect_uri: "http://127.0.0.1/other" }),
    );
    expect(page.response.status).toBe(400);
  });

  it("do not lead elsewhere", async () => {
    let inner = 0;
    const port = await serve((_request, response) => {
      inner += 1;
      response.end("{}");
    });
    for (const target of [
      `http://127.0.0.1:${port}/`,
      "http://169.254.169.254/latest/meta-data",
      "https://10.0.0.1/",
    ]) {
      const document = await publish(() => ({ status: 302, headers: { location: target } }));
      const { response } = await parts.person.open(clientAt(document.url).authorizationUrl());
      expect(response.status).toBe(400);
    }
    expect(inner).toBe(0);
  });

  it("are not fetched from where a name leads the second time", async () => {
    const document = await publish((url) => ({ body: documentOf(url) }));
    const { hostname } = new URL(document.url);
    lookups[hostname] = ["127.0.0.1", "10.0.0.1"];
    expect((await clientAt(document.url).connect(parts.person)).token_type).toBe("Bearer");
    const { response } = await parts.person.open(clientAt(`${document.url}?again`).authorizationUrl());
    expect(response.status).toBe(400);
    delete lookups[hostname];
  });

  it("are given up on when they take too long", async () => {
    const document = await publish(() => new Promise<Answer>(() => undefined));
    const { response } = await parts.person.open(clientAt(document.url).authorizationUrl());
    expect(response.status).toBe(400);
  });

  it.each([
    "https://127.0.0.1/client.json",
    "https://localhost/client.json",
    "https://[::1]/client.json",
    "https://2130706433/client.json",
    "https://169.254.169.254/latest/meta-data/client.json",
    "https://10.0.0.1/client.json",
    "https://192.168.1.1/client.json",
    "https://[fd00::1]/client.json",
    "https://user:secret@example.com/client.json",
    "https://example.com/client.json#fragment",
    "https://example.com:25/client.json",
    "https://example.com/a/../client.json",
    "http://example.com/client.json",
    "ftp://example.com/client.json",
    "file:///etc/passwd",
  ])("are not fetched from %s", async (url) => {
    const client = new OAuthClient(server, { clientId: url, redirectUri: REDIRECT });
    const { response, html } = await person.open(client.authorizationUrl());
    expect(response.status).toBe(400);
    expect(html).not.toMatch(/ECONN|ETIMEDOUT|private|forbidden address/i);
  });
});
