import { createHmac } from "node:crypto";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { MS } from "../../../src/kernel/time.ts";
import {
  appUrlOf,
  type Browser,
  type Change,
  challengeOf,
  OAuthClient,
  register,
  signedInPerson,
} from "../../support/oauth-client.ts";
import { PATHS, rpc } from "../../support/rpc.ts";
import { startTestServer, type TestServer } from "../../support/server.ts";

/** Everything that must not work, row by row: requests, redirects, codes, refreshes and tokens. */

let server: TestServer;
let appUrl: string;
let person: Browser;

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" } });
  appUrl = appUrlOf(server);
  ({ person } = await signedInPerson(server));
});
afterAll(() => server.stop());
afterEach(() => {
  vi.useRealTimers();
});

const JSON_ONLY = { headers: { accept: "application/json" } };

describe("an authorization request", () => {
  const missing = ["response_type", "client_id", "redirect_uri", "code_challenge", "code_challenge_method"];

  it.each(missing)(
    "[oauth.authorize.missing] without %s is refused in the contract's words",
    async (name) => {
      for (const value of [null, ""]) {
        const url = new OAuthClient(server).authorizationUrl({ [name]: value });
        const answer = await person.send(url, JSON_ONLY);
        expect(answer.status).toBe(400);
        expect(await answer.json()).toEqual({
          error: "invalid_request",
          error_description: `Missing required parameter: ${name}`,
        });
      }
    },
  );

  it.each(missing)(
    "[oauth.authorize.json] without %s gets a browser a page, and no redirect",
    async (name) => {
      const page = await person.open(new OAuthClient(server).authorizationUrl({ [name]: null }));
      expect(page.response.status).toBe(400);
      expect(page.html).toContain(`Missing required parameter: ${name}`);
    },
  );

  it.each([null, ""])("[oauth.authorize.state] needs no state: %j", async (state) => {
    const client = new OAuthClient(server);
    const callback = await client.ask(person, { state });
    expect(callback.searchParams.get("state") ?? "").toBe("");
    const { status } = await client.exchange(String(callback.searchParams.get("code")));
    expect(status).toBe(200);
  });

  const challenge = challengeOf("v".repeat(64));
  const rows: [string, Change, string][] = [
    ["response_type token", { response_type: "token" }, "unsupported_response_type"],
    ["response_type id_token", { response_type: "id_token" }, "unsupported_response_type"],
    ["response_type code token", { response_type: "code token" }, "unsupported_response_type"],
    ["response_type none", { response_type: "none" }, "unsupported_response_type"],
    ["PKCE plain", { code_challenge_method: "plain" }, "invalid_request"],
    ["PKCE s256", { code_challenge_method: "s256" }, "invalid_request"],
    ["PKCE S512", { code_challenge_method: "S512" }, "invalid_request"],
    ["a challenge that is too short", { code_challenge: challenge.slice(1) }, "invalid_request"],
    ["a challenge that is too long", { code_challenge: `${challenge}A` }, "invalid_request"],
    ["a padded challenge", { code_challenge: `${challenge}=` }, "invalid_request"],
    ["a challenge in hex", { code_challenge: "ab".repeat(32) }, "invalid_request"],
    ["two states", { state: ["a", "b"] }, "invalid_request"],
    ["two redirects", { redirect_uri: ["http://localhost/", "http://evil.example/"] }, "invalid_request"],
    ["two clients", { client_id: ["my-mcp-client", "another"] }, "invalid_request"],
    ["two challenges", { code_challenge: [challenge, challenge] }, "invalid_request"],
    ["two scopes", { scope: ["data_agent:read", "admin"] }, "invalid_request"],
    ["a NUL in state", { state: "a\0b" }, "invalid_request"],
    ["a line break in state", { state: "a\r\nset-cookie: b=c" }, "invalid_request"],
    ["response_mode fragment", { response_mode: "fragment" }, "invalid_request"],
    ["response_mode form_post", { response_mode: "form_post" }, "invalid_request"],
    ["response_mode web_message", { response_mode: "web_message" }, "invalid_request"],
    ["a request object", { request: "eyJhbGciOiJub25lIn0.e30." }, "request_not_supported"],
    ["a request by reference", { request_uri: "https://evil.example/request" }, "request_uri_not_supported"],
    ["a registration in the request", { registration: "{}" }, "registration_not_supported"],
    ["an unknown prompt", { prompt: "everything" }, "invalid_request"],
    ["prompt none with another", { prompt: "none login" }, "invalid_request"],
    ["a client id with spaces", { client_id: "my client" }, "invalid_client"],
    ["a client id with markup", { client_id: "<script>alert(1)</script>" }, "invalid_client"],
    ["a client id that is too long", { client_id: "c".repeat(129) }, "invalid_client"],
    ["scopes that mean nothing", { scope: "everything please" }, "invalid_scope"],
    ["scopes of another endpoint", { scope: "memory:read", resource: "{app}/api/2.0/mcp" }, "invalid_scope"],
    ["a foreign resource", { resource: "https://evil.example/mcp" }, "invalid_target"],
    ["a resource that begins like ours", { resource: "{app}.evil.example/mcp" }, "invalid_target"],
    ["a resource with our address as user", { resource: "{app}@evil.example/mcp" }, "invalid_target"],
    ["an unknown resource of ours", { resource: "{app}/nothing" }, "invalid_target"],
    ["a resource with a fragment", { resource: "{app}/mcp#x" }, "invalid_target"],
    ["a resource with a query", { resource: "{app}/mcp?x=1" }, "invalid_target"],
    ["a relative resource", { resource: "/mcp" }, "invalid_target"],
    ["a good and a foreign resource", { resource: ["{app}/mcp", "https://evil.example/"] }, "invalid_target"],
  ];

  /** Rows are made before the server is: `{app}` stands for its address. */
  const filled = (change: Change) => JSON.parse(JSON.stringify(change).replaceAll("{app}", appUrl)) as Change;

  it.each(rows)("[oauth.authorize.json] with %s is refused", async (_what, change, error) => {
    const client = new OAuthClient(server);
    const answer = await person.send(client.authorizationUrl(filled(change)), JSON_ONLY);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error, error_description: expect.any(String) });
    // With a browser: an error page of ours, or back to the client with the error and never with a code.
    const page = await person.open(client.authorizationUrl(filled(change)));
    if (page.url.origin === appUrl) expect(page.response.status).toBe(400);
    else {
      expect(`${page.url.origin}${page.url.pathname}`).toBe(client.redirectUri);
      expect(page.url.searchParams.get("error")).toBe(error);
      expect(page.url.searchParams.get("iss")).toBe(appUrl);
    }
    expect(page.url.searchParams.has("code")).toBe(false);
  });

  it("[oauth.pkce.s256] with the challenge in plain text is refused", async () => {
    const url = new OAuthClient(server).authorizationUrl({ code_challenge_method: "plain" });
    expect(await (await person.send(url, JSON_ONLY)).json()).toEqual({
      error: "invalid_request",
      error_description: "code_challenge_method must be S256",
    });
  });

  it("that must not ask anybody gets an error and no code", async () => {
    const { url } = await person.open(new OAuthClient(server).authorizationUrl({ prompt: "none" }));
    expect(url.searchParams.get("error")).toMatch(/^(login|consent|interaction)_required$/);
    expect(url.searchParams.has("code")).toBe(false);
  });

  it("is refused before sign-in is asked for", async () => {
    for (const change of [
      { redirect_uri: "https://evil.example/" },
      { client_id: "a b" },
      { resource: "https://evil.example/" },
    ]) {
      const answer = await fetch(new OAuthClient(server).authorizationUrl(change), { redirect: "manual" });
      expect(answer.status).toBe(400);
    }
  });
});

describe("a redirect", () => {
  const WEB = "https://app.example.com/callback";
  const LOOPBACK = "http://127.0.0.1/callback";
  const clients: Record<string, string> = {};

  beforeAll(async () => {
    for (const redirectUri of [WEB, LOOPBACK]) {
      const { body } = await register(server, {
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "none",
      });
      clients[redirectUri] = body.client_id;
    }
  });

  const wrong: [string, string[]][] = [
    [
      WEB,
      [
        `${WEB}/`,
        `${WEB}/more`,
        `${WEB}2`,
        `${WEB}?x=1`,
        `${WEB}#`,
        `${WEB}#fragment`,
        `${WEB}/../other`,
        `${WEB}%2f..%2fother`,
        `${WEB}\u0000`,
        " https://app.example.com/callback",
        "https://app.example.com/Callback",
        "https://app.example.com//callback",
        "https://app.example.com",
        "https://APP.example.com/callback",
        "https://app.example.com./callback",
        "https://app.example.com:443/callback",
        "https://app.example.com:8443/callback",
        "http://app.example.com/callback",
        "https://evil.app.example.com/callback",
        "https://app.example.com.evil.example/callback",
        "https://evil.example/app.example.com/callback",
        "https://app.example.com@evil.example/callback",
        "https://user@app.example.com/callback",
        "https://user:secret@app.example.com/callback",
        "https://app.example.com\\@evil.example/callback",
        "https://app.exam\tple.com/callback",
        "//app.example.com/callback",
        "app.example.com/callback",
        "javascript:alert(1)//https://app.example.com/callback",
        "data:text/html,https://app.example.com/callback",
        "http://localhost/callback",
        "http://127.0.0.1/callback",
      ],
    ],
    [
      LOOPBACK,
      [
        "http://127.0.0.1/other",
        "http://127.0.0.1/callback/",
        "http://127.0.0.1/callback?x=1",
        "http://127.0.0.1:8000/callback#x",
        "http://localhost/callback",
        "http://[::1]/callback",
        "http://127.0.0.2/callback",
        "https://127.0.0.1/callback",
        "http://user@127.0.0.1/callback",
        "http://127.0.0.1@evil.example/callback",
        "http://127.0.0.1:80@evil.example/callback",
        "http://127.0.0.1.evil.example/callback",
        "http://evil.example/callback",
        "http://evil.example:80/127.0.0.1/callback",
      ],
    ],
    [
      "a client that nobody registered",
      [
        "https://app.example.com/callback",
        "http://app.example.com/callback",
        "https://localhost/callback",
        "https://127.0.0.1:3000/callback",
        "http://localhost.evil.example/callback",
        "http://localhost@evil.example/callback",
        "http://127.0.0.1@evil.example",
        "http://127.0.0.1:3000@evil.example/callback",
        "http://user@localhost:3000/callback",
        "http://evil.example/?http://localhost/",
        "http://evil.example#http://localhost/",
        "http://evil.example\\.localhost/",
        "http://127.0.0.1.nip.io/callback",
        "http://192.168.0.1/callback",
        "http://10.0.0.1/callback",
        "http://0.0.0.0/callback",
        "http://[::]/callback",
        "http://localhost:3000/callback#",
        "http://localhost:3000/callback#fragment",
        "http://localhost:99999/callback",
        "myapp://callback",
        "com.example.app:/callback",
        "javascript:alert(1)",
        "data:text/html,hello",
        "file:///etc/passwd",
        "ftp://localhost/callback",
        "not a url",
        "/callback",
      ],
    ],
  ];

  it.each(wrong.flatMap(([to, list]) => list.map((redirect) => ({ to, redirect }))))(
    "to $redirect is refused for $to",
    async ({ to, redirect }) => {
      const client = new OAuthClient(server, { clientId: clients[to] ?? "my-mcp-client" });
      for (const change of [{}, { prompt: "none" }, { scope: "nonsense" }]) {
        const url = client.authorizationUrl({ redirect_uri: redirect, ...change });
        const page = await person.send(url);
        expect(page.status).toBe(400);
        expect(page.headers.get("location")).toBeNull();
        const answer = await person.send(url, JSON_ONLY);
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/^invalid_/) });
      }
    },
  );
});

describe("a code", () => {
  /** What names no client, or another sort of grant, or no code that there is, was no attempt. */
  const untried: [string, Change, string][] = [
    ["without grant_type", { grant_type: null }, "invalid_request"],
    ["with grant_type password", { grant_type: "password" }, "unsupported_grant_type"],
    ["with grant_type client_credentials", { grant_type: "client_credentials" }, "unsupported_grant_type"],
    ["with grant_type implicit", { grant_type: "implicit" }, "unsupported_grant_type"],
    ["without code", { code: null }, "invalid_request"],
    ["with an empty code", { code: "" }, "invalid_request"],
    ["with a made-up code", { code: "auth_abc123xyz" }, "invalid_grant"],
    ["with a NUL in the code", { code: "a\0b" }, "invalid_grant"],
    ["without client_id", { client_id: null }, "invalid_request"],
    ["with a client_id of nobody", { client_id: "a b" }, "invalid_client"],
    ["with a NUL in client_id", { client_id: "a\0b" }, "invalid_client"],
    ["with a secret that it has not", { client_secret: "secret" }, "invalid_client"],
    ["with two codes", { code: ["a", "b"] }, "invalid_request"],
  ];
  const spent: [string, Change, string][] = [
    ["without redirect_uri", { redirect_uri: null }, "invalid_request"],
    ["with another redirect_uri", { redirect_uri: "http://localhost:3000/other" }, "invalid_grant"],
    ["with another port", { redirect_uri: "http://localhost:3001/callback" }, "invalid_grant"],
    ["with 127.0.0.1 for localhost", { redirect_uri: "http://127.0.0.1:3000/callback" }, "invalid_grant"],
    ["with another client_id", { client_id: "another-client" }, "invalid_grant"],
    ["without verifier", { code_verifier: null }, "invalid_grant"],
    ["with another verifier", { code_verifier: "w".repeat(64) }, "invalid_grant"],
    ["with a verifier that is too short", { code_verifier: "short" }, "invalid_request"],
    ["with a verifier that is too long", { code_verifier: "w".repeat(129) }, "invalid_request"],
    ["with the challenge as verifier", { code_verifier: "{challenge}" }, "invalid_grant"],
    ["for another resource", { resource: "{app}/api/mcp/v1" }, "invalid_target"],
    ["for a foreign resource", { resource: "https://evil.example/mcp" }, "invalid_target"],
    ["for two resources", { resource: ["{app}/mcp", "{app}/api/mcp/v1"] }, "invalid_target"],
    ["with two verifiers", { code_verifier: ["v".repeat(64), "w".repeat(64)] }, "invalid_request"],
  ];

  it.each([
    ...untried.map((row) => [...row, true] as const),
    ...spent.map((row) => [...row, false] as const),
  ])("[oauth.code.attempt] %s gives nothing", async (_what, change, error, isLeft) => {
    const client = new OAuthClient(server);
    const resource = `${appUrl}${PATHS.all}`;
    const code = await client.code(person, { resource });
    const filled = JSON.parse(
      JSON.stringify(change)
        .replaceAll("{app}", appUrl)
        .replaceAll("{challenge}", challengeOf(client.verifier)),
    ) as Change;
    const { status, body } = await client.exchange(code, filled);
    expect({ status, error: body.error }).toEqual({ status: error === "invalid_client" ? 401 : 400, error });
    expect(body).not.toHaveProperty("access_token");
    expect((await client.exchange(code, { resource })).status).toBe(isLeft ? 200 : 400);
  });

  it("by any other way than a form post gives nothing", async () => {
    const client = new OAuthClient(server);
    const params = {
      grant_type: "authorization_code",
      code: await client.code(person),
      client_id: client.clientId,
    };
    const url = `${appUrl}/api/oauth/token`;
    expect((await fetch(`${url}?${new URLSearchParams(params)}`)).status).toBe(404);
    const headers = { "content-type": "application/json" };
    const asJson = await fetch(url, { method: "POST", headers, body: JSON.stringify(params) });
    expect({ status: asJson.status, ...((await asJson.json()) as object) }).toMatchObject({
      status: 400,
      error: "invalid_request",
    });
    const large = await fetch(url, {
      method: "POST",
      body: new URLSearchParams({ ...params, more: "x".repeat(100_000) }),
    });
    expect(large.status).toBe(413);
  });

  it("of one person's browser cannot be had by another's", async () => {
    const { person: stranger } = await signedInPerson(server);
    const consent = await person.open(new OAuthClient(server).authorizationUrl());
    const page = await stranger.open(consent.url);
    expect(page.response.status).toBe(410);
    expect(page.html).toContain("Start again from your client.");
  });

  it("cannot be had from a request that is more than an hour old, or has been answered", async () => {
    const client = new OAuthClient(server);
    const consent = await person.open(client.authorizationUrl());
    await person.submit(consent, { button: "allow" });
    expect((await person.submit(consent, { button: "allow" })).response.status).toBe(410);
    const old = await person.open(client.authorizationUrl());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61 * MS.minute });
    expect((await person.submit(old, { button: "allow" })).response.status).toBe(410);
  });
});

describe("a refresh", () => {
  const rows: [string, Change, string][] = [
    ["without token", { refresh_token: null }, "invalid_request"],
    ["with a made-up token", { refresh_token: "refresh_abc123xyz" }, "invalid_grant"],
    ["without client_id", { client_id: null }, "invalid_request"],
    ["by another client", { client_id: "another-client" }, "invalid_grant"],
    ["for more scopes", { scope: "data_agent:read admin" }, "invalid_scope"],
    ["for another resource", { resource: "{app}/api/mcp/v1" }, "invalid_target"],
    ["for a foreign resource", { resource: "https://evil.example/" }, "invalid_target"],
    ["with two tokens", { refresh_token: ["a", "b"] }, "invalid_request"],
  ];

  it.each(rows)("%s gives nothing", async (_what, change, error) => {
    const client = new OAuthClient(server);
    const tokens = await client.connect(person, { resource: `${appUrl}${PATHS.all}` });
    const filled = JSON.parse(JSON.stringify(change).replaceAll("{app}", appUrl)) as Change;
    const { status, body } = await client.refresh(tokens.refresh_token, filled);
    expect({ status, error: body.error }).toEqual({ status: 400, error });
    expect(body).not.toHaveProperty("access_token");
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
  });

  it("with an access token or a code in its place gives nothing", async () => {
    const client = new OAuthClient(server);
    const { access_token: token } = await client.connect(person);
    for (const wrong of [token, await client.code(person)]) {
      expect((await client.refresh(wrong)).body.error).toBe("invalid_grant");
    }
  });
});

describe("an access token", () => {
  const statusOf = async (token: string) => (await rpc(server, PATHS.all, "tools/list", { token })).status;
  let claims: JWTPayload;
  let header: { alg: string; kid: string; typ: string };
  let good: string;

  beforeAll(async () => {
    ({ access_token: good } = await new OAuthClient(server).connect(person));
    const [first = "", second = ""] = good.split(".");
    header = JSON.parse(Buffer.from(first, "base64url").toString());
    claims = JSON.parse(Buffer.from(second, "base64url").toString());
    expect(await statusOf(good)).toBe(200);
  });

  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const publicKey = async () => {
    const { keys } = (await (await server.request("/api/oauth/jwks")).json()) as {
      keys: Record<string, string>[];
    };
    return keys[0] as Record<string, string>;
  };

  const forgeries: [string, () => string | Promise<string>][] = [
    ["without signature", () => good.replace(/[^.]+$/, "")],
    ["with half a signature", () => good.slice(0, -20)],
    ["with alg none", () => `${encoded({ ...header, alg: "none" })}.${encoded(claims)}.`],
    ["with alg None and a signature", () => `${encoded({ ...header, alg: "None" })}.${encoded(claims)}.c2ln`],
    [
      "with other claims",
      () => good.replace(/\.[^.]+\./, `.${encoded({ ...claims, scope: "admin", permissions: ["admin"] })}.`),
    ],
    ["of another person", () => good.replace(/\.[^.]+\./, `.${encoded({ ...claims, sub: "999" })}.`)],
    [
      "with HS256 and the public key as secret",
      async () => {
        const body = `${encoded({ ...header, alg: "HS256" })}.${encoded(claims)}`;
        return `${body}.${createHmac("sha256", JSON.stringify(await publicKey()))
          .update(body)
          .digest("base64url")}`;
      },
    ],
    [
      "of another key with our key's name",
      async () => {
        const { privateKey } = await generateKeyPair("ES256");
        return new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
      },
    ],
    [
      "that brings its own key",
      async () => {
        const { privateKey, publicKey: own } = await generateKeyPair("ES256", { extractable: true });
        const jwk = await exportJWK(own);
        return new SignJWT(claims).setProtectedHeader({ ...header, kid: "own", jwk }).sign(privateKey);
      },
    ],
    [
      "that says where its key is",
      async () => {
        const { privateKey } = await generateKeyPair("ES256");
        const own = { ...header, kid: "own", jku: "https://evil.example/jwks" };
        return new SignJWT(claims).setProtectedHeader(own).sign(privateKey);
      },
    ],
    ["that is an id token", async () => idToken()],
    ["that is a refresh token", async () => (await new OAuthClient(server).connect(person)).refresh_token],
    ["that is a code", async () => new OAuthClient(server).code(person)],
    ["that is nothing", () => "eyJ"],
    ["that is dots", () => "eyJ..."],
  ];

  async function idToken(): Promise<string> {
    const client = new OAuthClient(server);
    const { body } = await client.exchange(await client.code(person, { scope: "openid data_agent:read" }));
    return (body as unknown as { id_token: string }).id_token;
  }

  it.each(forgeries)("%s is refused", async (_what, forge) => {
    const token = await forge();
    expect(token).toEqual(expect.any(String));
    expect(token).not.toBe(good);
    expect(await statusOf(token)).toBe(401);
  });

  it("of another server is refused, and so are its code and its refresh token", async () => {
    const other = await startTestServer();
    try {
      const { person: there } = await signedInPerson(other);
      const client = new OAuthClient(other);
      const tokens = await client.connect(there);
      expect(await statusOf(tokens.access_token)).toBe(401);
      const here = new OAuthClient(server);
      expect((await here.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
      expect((await here.exchange(await client.code(there))).body.error).toBe("invalid_grant");
    } finally {
      await other.stop();
    }
  });

  it("in the address is not looked at", async () => {
    const { status } = await rpc(server, `${PATHS.all}?access_token=${good}`, "tools/list");
    expect(status).toBe(401);
  });
});
