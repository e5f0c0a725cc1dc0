import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  appUrlOf,
  Browser,
  formOf,
  newAccount,
  OAuthClient,
  PASSWORD,
  type Page,
  register,
  signedInPerson,
} from "../../support/oauth-client.ts";
import { startTestServer, type TestServer } from "../../support/server.ts";

/** What must not work on our own pages and their API, and what strangers may not register, row by row. */

let server: TestServer;
let appUrl: string;
let person: Browser;
let email: string;

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" } });
  appUrl = appUrlOf(server);
  ({ person, email } = await signedInPerson(server));
});
afterAll(() => server.stop());

describe("the way back from sign-in", () => {
  it.each([
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "\\/evil.example",
    "https://evil.example",
    "https:evil.example",
    "https:/evil.example",
    "HTTPS://EVIL.EXAMPLE",
    "javascript:alert(1)",
    "data:text/html,hello",
    "%2f%2fevil.example",
    "%2F%2Fevil.example/%2e%2e",
    "/\t/evil.example",
    "\t//evil.example",
    "\n//evil.example",
    "/\n/evil.example",
    "/\r\nlocation: https://evil.example",
    " //evil.example",
    "/ /evil.example",
    "/x/..//evil.example",
    "/.//evil.example",
    "/%2e//evil.example",
    "/x/%2e%2e//evil.example",
    "/./\\evil.example",
    "@evil.example",
    "evil.example",
    "?//evil.example",
    "/\u0000/evil.example",
    "/ü//evil.example",
    "",
  ])("does not lead to %j", async (returnTo) => {
    const staysHere = (location: string | null) => {
      expect(location).not.toBeNull();
      const url = new URL(location ?? "", appUrl);
      expect(url.origin, String(location)).toBe(appUrl);
      expect(location).toMatch(/^\/(?!\/)/);
    };
    const query = encodeURIComponent(returnTo);
    const browser = new Browser(appUrl);
    const page = await browser.open(`/sign-in?return_to=${query}`);
    const { fields } = formOf(page.html);
    const form = { ...fields, email, password: PASSWORD };
    staysHere((await browser.send("/sign-in", { form })).headers.get("location"));
    // And when it is written into the form itself.
    const other = new Browser(appUrl);
    const { fields: fresh } = formOf((await other.open("/sign-in")).html);
    const tampered = { ...fresh, return_to: returnTo, email, password: PASSWORD };
    staysHere((await other.send("/sign-in", { form: tampered })).headers.get("location"));
    // And when the person is signed in already.
    const direct = await person.send(`/sign-in?return_to=${query}`);
    if (direct.status !== 200) staysHere(direct.headers.get("location"));
  });
});

describe("a form", () => {
  /** Each form that changes something, with the browser that has it open and what it would change. */
  const forms: Record<
    string,
    () => Promise<{
      browser: Browser;
      page: Page;
      fields: Record<string, string>;
      isDone: () => Promise<boolean>;
    }>
  > = {
    "sign-in": async () => {
      const browser = new Browser(appUrl);
      const page = await browser.open("/sign-in");
      const isDone = async () => browser.cookie("kenning_session") !== undefined;
      return { browser, page, fields: { email, password: PASSWORD }, isDone };
    },
    consent: async () => {
      const { person: browser } = await signedInPerson(server);
      const page = await browser.open(new OAuthClient(server).authorizationUrl());
      const isDone = async () => {
        const { apps } = (await (await browser.send("/api/console/apps")).json()) as { apps: unknown[] };
        return apps.length > 0;
      };
      return { browser, page, fields: { decision: "allow" }, isDone };
    },
    "sign-out": async () => {
      const { person: browser } = await signedInPerson(server);
      const page = await browser.open("/sign-in");
      const isDone = async () => (await browser.send("/api/console/me")).status === 401;
      return { browser, page, fields: {}, isDone };
    },
  };

  const forgeries: [
    string,
    (attacker: Record<string, unknown>) => {
      fields?: Record<string, string>;
      headers?: Record<string, string>;
    },
  ][] = [
    ["without its token", () => ({ fields: { form_token: "" } })],
    ["with a made-up token", () => ({ fields: { form_token: "A".repeat(43) } })],
    [
      "with the token of another browser",
      (attacker) => ({ fields: { form_token: String(attacker.form_token) } }),
    ],
    ["from a foreign page", () => ({ headers: { origin: "https://evil.example" } })],
    ["from a sandboxed page", () => ({ headers: { origin: "null" } })],
    ["from another port of this machine", () => ({ headers: { origin: "http://localhost:6274" } })],
    ["from a page whose address begins like ours", () => ({ headers: { origin: `${appUrl}.evil.example` } })],
  ];

  const table = Object.keys(forms).flatMap((form) => forgeries.map(([how, forge]) => ({ form, how, forge })));

  it.each(table)("of $form sent $how does nothing", async ({ form, forge }) => {
    const { browser, page, fields, isDone } = await (forms[form] as (typeof forms)[string])();
    const attacker = formOf((await new Browser(appUrl).open("/sign-in")).html).fields;
    const { fields: forged = {}, headers = {} } = forge(attacker);
    const own = formOf(page.html);
    const answer = await browser.send(own.action, { form: { ...own.fields, ...fields, ...forged }, headers });
    expect(answer.status).toBe(403);
    expect(await isDone()).toBe(false);
    // The same form, sent as it should be, does its work.
    const good = await browser.send(own.action, {
      form: { ...own.fields, ...fields },
      headers: { origin: appUrl },
    });
    expect(good.status).toBe(303);
    if (form !== "consent") expect(await isDone()).toBe(true);
  });

  it("with a cookie that a page on another port has set, and its fitting token, does nothing", async () => {
    const attacker = new Browser(appUrl);
    const { fields: stolen } = formOf((await attacker.open("/sign-in")).html);
    const { browser, page, isDone } = await (forms.consent as (typeof forms)[string])();
    const { action, fields } = formOf(page.html);
    browser.plant("kenning_form", attacker.cookie("kenning_form") ?? "", action);
    const form = { ...fields, form_token: String(stolen.form_token), decision: "allow" };
    const answer = await browser.send(action, { form, headers: { origin: "http://localhost:6274" } });
    expect(answer.status).toBe(403);
    expect(await isDone()).toBe(false);
  });

  it("that is not one does nothing", async () => {
    const browser = new Browser(appUrl);
    await browser.open("/sign-in");
    for (const type of ["text/plain", "application/json", "application/xml"]) {
      const answer = await browser.send("/sign-in", {
        method: "POST",
        headers: { "content-type": type },
        body: JSON.stringify({ email, password: PASSWORD }),
      });
      expect(answer.status, type).toBe(403);
    }
    expect((await person.send("/sign-out")).status).toBe(404);
  });

  it("that is too large is not read", async () => {
    const browser = new Browser(appUrl);
    const { fields } = formOf((await browser.open("/sign-in")).html);
    const large = await browser.send("/sign-in", {
      form: { ...fields, email, password: "x".repeat(100_000) },
    });
    expect(large.status).toBe(413);
    const chunks = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.alloc(16_384, "x")),
    });
    const endless = await fetch(`${appUrl}/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: chunks,
      duplex: "half",
    } as RequestInit);
    expect(endless.status).toBe(413);
  });

  it("by megabytes is told so, also to a client that listens only when it has said everything", async () => {
    const { port } = new URL(server.url);
    const bytes = 5 * 1024 * 1024;
    const socket = connect(Number(port), "127.0.0.1").pause();
    const head = `POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
    const { promise: said, resolve, reject } = Promise.withResolvers<void>();
    socket.once("error", reject);
    socket.write(`${head}Content-Length: ${bytes}\r\n\r\n`);
    socket.write(Buffer.alloc(bytes, "x"), () => resolve());
    await said;
    const heard: Buffer[] = [];
    for await (const chunk of socket.resume()) heard.push(chunk as Buffer);
    expect(String(Buffer.concat(heard))).toMatch(
      /^HTTP\/1\.1 413 [\s\S]*The form is larger than 65536 bytes\./,
    );
  });
});

describe("the console API", () => {
  const post = (headers: Record<string, string>, body = JSON.stringify({ workspace: "acme", kind: "api" })) =>
    person.send("/api/console/tokens", { method: "POST", headers, body });
  const json = { "content-type": "application/json" };

  it.each([
    ["a foreign page", { ...json, origin: "https://evil.example" }, 403],
    ["a sandboxed page", { ...json, origin: "null" }, 403],
    ["another port of this machine", { ...json, origin: "http://localhost:6274" }, 403],
    ["a form of text", { "content-type": "text/plain" }, 415],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["a form with a file", { "content-type": "multipart/form-data; boundary=x" }, 415],
    ["a page without a type", { "content-type": "" }, 415],
  ])("does nothing for %s", async (_who, headers, status) => {
    expect((await post(headers)).status).toBe(status);
    const { tokens } = (await (await person.send("/api/console/tokens")).json()) as { tokens: unknown[] };
    expect(tokens).toEqual([]);
  });

  it.each(["https://evil.example", "null", "http://localhost:6274"])(
    "tells nothing to a page of %s",
    async (origin) => {
      for (const path of ["/me", "/tokens", "/apps"]) {
        expect((await person.send(`/api/console${path}`, { headers: { origin } })).status).toBe(403);
      }
      const remove = await person.send("/api/console/apps/x", { method: "DELETE", headers: { origin } });
      expect(remove.status).toBe(403);
    },
  );

  it("does not take a token for a person", async () => {
    const token = await server.token({ email });
    const answer = await server.request("/api/console/tokens", { token });
    expect(answer.status).toBe(401);
  });
});

describe("every page", () => {
  const pages: Record<string, () => Promise<Response>> = {
    "sign-in": () => new Browser(appUrl).send("/sign-in"),
    "sign-in with a wrong password": async () =>
      (await new Browser(appUrl).signIn(email, "wrong password")).response,
    "signed in": () => person.send("/sign-in"),
    "signed out": () => person.send("/signed-out"),
    consent: async () => (await person.open(new OAuthClient(server).authorizationUrl())).response,
    "our error": () => person.send("/api/oauth/authorize"),
    "the provider's error": () =>
      person.send(new OAuthClient(server).authorizationUrl({ redirect_uri: "https://evil.example/" })),
    "an ended request": () => person.send("/api/oauth/interaction/nothing"),
    "a forged form": () => person.send("/sign-out", { form: {} }),
    "the way to sign-in": () => new Browser(appUrl).send(new OAuthClient(server).authorizationUrl()),
  };

  it.each(Object.keys(pages))("cannot be framed, sniffed or kept: %s", async (name) => {
    const response = await (pages[name] as () => Promise<Response>)();
    const { headers } = response;
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:\/\/(?!localhost)/);
    expect(headers.get("cache-control")).toContain("no-store");
    expect(headers.get("referrer-policy")).toMatch(/^(no-referrer|same-origin)$/);
    expect(headers.get("content-type")).toMatch(/^text\/html/);
  });

  it("names the client's address as the only other place that a form may lead to", async () => {
    const { response } = await person.open(new OAuthClient(server).authorizationUrl());
    expect(response.headers.get("content-security-policy")).toContain(
      "form-action 'self' http://localhost:3000;",
    );
  });
});

describe("behind https", () => {
  it("cookies are for that host and for https only, and answers say so for the future", async () => {
    const secure = await startTestServer({ env: { APP_URL: "https://kenning.example.com" } });
    try {
      const signIn = await secure.request("/sign-in", { headers: { accept: "text/html" } });
      expect(signIn.headers.getSetCookie()).toEqual([
        expect.stringMatching(/^__Host-kenning_form=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      ]);
      const start = await fetch(new OAuthClient(secure).authorizationUrl(), {
        headers: { accept: "text/html" },
        redirect: "manual",
      });
      expect(start.status).toBe(302);
      expect(start.headers.getSetCookie().length).toBeGreaterThan(0);
      for (const cookie of start.headers.getSetCookie()) expect(cookie).toMatch(/secure/i);
      for (const { headers } of [signIn, start]) {
        expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
      }
    } finally {
      await secure.stop();
    }
  });
});

describe("registration", () => {
  const rows: [string, Record<string, unknown>][] = [
    ["a redirect that runs a script", { redirect_uris: ["javascript:alert(1)"] }],
    ["a redirect that runs a script, loudly", { redirect_uris: ["JAVASCRIPT:alert(1)"] }],
    ["a redirect with data", { redirect_uris: ["data:text/html,<script>alert(1)</script>"] }],
    ["a redirect to a file", { redirect_uris: ["file:///etc/passwd"] }],
    ["a redirect to a blob", { redirect_uris: ["blob:https://app.example/x"] }],
    ["a redirect with a fragment", { redirect_uris: ["https://app.example/cb#x"] }],
    ["a redirect with an empty fragment", { redirect_uris: ["https://app.example/cb#"] }],
    ["a redirect with a user", { redirect_uris: ["https://app.example@evil.example/cb"] }],
    ["a redirect by http", { redirect_uris: ["http://app.example/cb"] }],
    [
      "a redirect by http, as a web app",
      { redirect_uris: ["http://app.example/cb"], application_type: "web" },
    ],
    [
      "a redirect to a host that begins like loopback",
      { redirect_uris: ["http://localhost.evil.example/cb"] },
    ],
    ["a relative redirect", { redirect_uris: ["/callback"] }],
    ["a redirect that is no text", { redirect_uris: [{ uri: "https://app.example/cb" }] }],
    ["redirects that are no list", { redirect_uris: "https://app.example/cb" }],
    ["no redirect", { redirect_uris: [] }],
    ["no redirects at all", {}],
    [
      "1000 redirects",
      { redirect_uris: Array.from({ length: 1_000 }, (_, i) => `https://app.example/${i}`) },
    ],
    ["a redirect of 5000 characters", { redirect_uris: [`https://app.example/${"x".repeat(5_000)}`] }],
    ["one bad among good redirects", { redirect_uris: ["https://app.example/cb", "javascript:alert(1)"] }],
    ["a NUL in its name", { redirect_uris: ["https://app.example/cb"], client_name: "a\0b" }],
    ["a name that is no text", { redirect_uris: ["https://app.example/cb"], client_name: { toString: 1 } }],
    ["our own name", { redirect_uris: ["https://app.example/cb"], client_name: "Kenning Desktop" }],
    ["our name in disguise", { redirect_uris: ["https://app.example/cb"], client_name: "К.е\u0301n n1ng" }],
    [
      "a logo that runs a script",
      { redirect_uris: ["https://app.example/cb"], logo_uri: "javascript:alert(1)" },
    ],
    [
      "the implicit flow",
      { redirect_uris: ["https://app.example/cb"], grant_types: ["implicit"], response_types: ["token"] },
    ],
    ["the password grant", { redirect_uris: ["https://app.example/cb"], grant_types: ["password"] }],
    [
      "an unknown way to show itself",
      { redirect_uris: ["https://app.example/cb"], token_endpoint_auth_method: "tls_client_auth" },
    ],
  ];

  it.each(rows)("refuses %s", async (_what, metadata) => {
    const { status, body } = await register(server, metadata);
    expect(status).toBe(400);
    expect(body.error).toMatch(/^invalid_(redirect_uri|client_metadata)$/);
    expect(JSON.stringify(body)).not.toMatch(/ at |node_modules/);
  });

  it.each([
    ["a list", "[]"],
    ["a text", '"hello"'],
    ["nothing", ""],
    ["half of it", '{"redirect_uris": ['],
    [
      "too much",
      JSON.stringify({ redirect_uris: ["https://app.example/cb"], client_name: "x".repeat(100_000) }),
    ],
  ])("refuses %s", async (_what, body) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${appUrl}/api/oauth/register`, { method: "POST", headers, body });
    expect(answer.status).toBe(400);
  });

  it("lets nobody choose an id, a secret, or to pass for verified", async () => {
    const { status, body } = await register(server, {
      redirect_uris: ["https://app.example/cb"],
      client_id: "claude",
      client_secret: "chosen",
      kenning_unverified: false,
      token_endpoint_auth_method: "client_secret_post",
    });
    expect(status).toBe(201);
    expect(body.client_id).not.toBe("claude");
    expect(body.client_secret).not.toBe("chosen");
  });

  it("cannot be read or changed by others afterwards", async () => {
    const { body } = await register(server, { redirect_uris: ["https://app.example/cb"] });
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await fetch(`${appUrl}/api/oauth/register/${body.client_id}`, { method });
      expect(answer.status, method).toBe(404);
    }
    expect(body).not.toHaveProperty("registration_access_token");
  });
});

describe("too much", () => {
  const from = (address: string) => ({ "x-forwarded-for": address });
  let limited: TestServer;

  beforeAll(async () => {
    limited = await startTestServer({ env: { KENNING_TRUSTED_PROXIES: "127.0.0.1,::1" } });
  });
  afterAll(() => limited.stop());

  it("[oauth.authorize.limit] asking is slowed down, for the address that asks", async () => {
    const url = new OAuthClient(limited).authorizationUrl();
    const ask = (address: string, accept = "application/json") =>
      fetch(url, { headers: { accept, ...from(address) }, redirect: "manual" });
    for (let count = 0; count < 10; count += 1) expect((await ask("198.51.100.1")).status).toBe(401);
    const refused = await ask("198.51.100.1");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const page = await ask("198.51.100.1", "text/html");
    expect(page.status).toBe(429);
    expect(page.headers.get("retry-after")).not.toBeNull();
    expect(await page.text()).toContain("<h1>That did not work</h1>");
    expect((await ask("198.51.100.2")).status).toBe(401);
  });

  it("[oauth.session.throttle] guessing is slowed down, and the owner still gets in from elsewhere", async () => {
    const owner = await newAccount(limited);
    const attempt = async (address: string, password: string) => {
      const browser = new Browser(appUrlOf(limited));
      const { fields } = formOf((await browser.open("/sign-in")).html);
      return browser.send("/sign-in", {
        form: { ...fields, email: owner, password },
        headers: from(address),
      });
    };
    const guesses: number[] = [];
    while (guesses.at(-1) !== 429 && guesses.length < 20) {
      guesses.push((await attempt("203.0.113.66", `wrong password ${guesses.length}`)).status);
    }
    expect(guesses.length).toBeGreaterThanOrEqual(10);
    expect(guesses.length).toBeLessThan(15);
    // From there even the right one is not looked at for a while.
    const slowed = await attempt("203.0.113.66", PASSWORD);
    expect(slowed.status).toBe(429);
    expect(await slowed.text()).toContain('role="alert"');
    expect((await attempt("203.0.113.7", PASSWORD)).status).toBe(303);
    // Nor does it help to claim another address than the proxy saw.
    const lying = new Browser(appUrlOf(limited));
    const { fields } = formOf((await lying.open("/sign-in")).html);
    const form = { ...fields, email: owner, password: "wrong password" };
    const headers = from("203.0.113.200, 203.0.113.66");
    expect((await lying.send("/sign-in", { form, headers })).status).toBe(429);
  });

  it("says the same of an unknown account and a wrong password", async () => {
    const pages = await Promise.all(
      [email, "nobody@example.com", "not an address", ""].map(async (name) => {
        const { html, response } = await new Browser(appUrl).signIn(name, "a wrong password");
        const text = html.replace(/value="[^"]*"/g, "");
        return { status: response.status, text };
      }),
    );
    for (const page of pages) expect(page).toEqual(pages[0]);
    expect(pages[0]?.status).toBe(401);
  });
});
