import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MS } from "../../../src/kernel/time.ts";
import { SURFACES, type SurfaceName } from "../../../src/registry/caller.ts";
import { mountFixtures } from "../../contracts/fixtures.ts";
import { openShop } from "../../support/models.ts";
import {
  appUrlOf,
  Browser,
  CALLBACK,
  newAccount,
  OAuthClient,
  signedInPerson,
} from "../../support/oauth-client.ts";
import { callOf, PATHS, rpc } from "../../support/rpc.ts";
import { serverOfFile, startTestServer } from "../../support/server.ts";

/** From a link to a call, and everything a client may do with its tokens after. */

let person: Browser;
let email: string;

const server = await serverOfFile({ extend: mountFixtures, env: { RATE_LIMIT_ENABLED: "false" } });
const appUrl = appUrlOf(server);
({ person, email } = await signedInPerson(server));
await openShop(server);
afterEach(() => {
  vi.useRealTimers();
});

/** Moves the clock of this process, and with it that of the server and of the libraries in it. */
function later(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

/** The status of the smallest call to an endpoint with this token. */
async function statusAt(surface: SurfaceName, token: string): Promise<number> {
  return (await rpc(server, PATHS[surface], "tools/list", { token })).status;
}

const resourceOf = (surface: SurfaceName) => `${appUrl}${PATHS[surface]}`;
const BI = {
  scope: "bi:read",
  get resource() {
    return resourceOf("bi");
  },
};

describe("the contract's example clients", () => {
  /** The listener that the examples open for the callback, and the code that it received. */
  async function listen(state: string) {
    const { promise: code, resolve, reject } = Promise.withResolvers<string>();
    const listener = createServer((request, response) => {
      const params = new URL(request.url ?? "", "http://localhost").searchParams;
      response.end("<h1>Success! You can close this window.</h1>");
      if (params.get("state") === state) resolve(params.get("code") ?? "");
      else reject(new Error("Invalid callback"));
    });
    await new Promise<void>((listening) => listener.listen(0, "127.0.0.1", listening));
    const { port } = listener.address() as AddressInfo;
    return { code, redirectUri: `http://localhost:${port}/callback`, close: () => listener.close() };
  }

  /** The person opens the printed link in a browser that knows nothing, signs in and allows it. */
  async function openInBrowser(link: string, account: string): Promise<void> {
    const browser = new Browser(appUrl);
    const signIn = await browser.open(link);
    expect(signIn.html).toContain("<h1>Sign in</h1>");
    const consent = await browser.submit(signIn, { email: account, password: "correct horse battery" });
    const { url } = await browser.submit(consent, { button: "allow" });
    await fetch(url);
  }

  it("[oauth.client.unregistered] TypeScript", async () => {
    const { code, redirectUri, close } = await listen("0123456789abcdef");
    const client = new OAuthClient(server, { redirectUri });
    await openInBrowser(
      client.authorizationUrl({ state: "0123456789abcdef" }),
      await newAccount(server, "contributor"),
    );
    const { body } = await client.exchange(await code);
    close();
    const transport = new StreamableHTTPClientTransport(new URL(resourceOf("agent")), {
      requestInit: { headers: { authorization: `Bearer ${body.access_token}` } },
    });
    // The example declares a server's capabilities as its own, and must get away with it.
    const capabilities = { resources: {}, tools: {} } as object;
    const mcp = new Client({ name: "my-mcp-client", version: "1.0.0" }, { capabilities });
    await mcp.connect(transport);
    expect((await mcp.listResources()).resources[0]).toMatchObject({ uri: "knecta://ontologies" });
    const { contents } = await mcp.readResource({ uri: "knecta://ontologies" });
    const [ontology] = JSON.parse((contents[0] as { text: string }).text);
    const answer = await mcp.callTool({
      name: "ask_question",
      arguments: { ontologyId: ontology.id, question: "What were total sales last month?" },
    });
    expect(answer).toMatchObject({ content: [{ type: "text" }], isError: false });
    await mcp.close();
  });

  it("[oauth.authorize.sign-in] Python", async () => {
    const { code, redirectUri, close } = await listen("token_hex");
    const client = new OAuthClient(server, { redirectUri });
    await openInBrowser(client.authorizationUrl({ state: "token_hex" }), email);
    const { body: tokens } = await client.exchange(await code);
    close();
    const post = async (message: object) => {
      const response = await fetch(resourceOf("agent"), {
        method: "POST",
        headers: { authorization: `Bearer ${tokens.access_token}`, "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      });
      return (await response.json()) as { result: Record<string, { text: string }[]> };
    };
    expect(await post({ id: 1, method: "resources/list" })).toMatchObject({
      id: 1,
      result: {
        resources: expect.arrayContaining([expect.objectContaining({ uri: "knecta://ontologies" })]),
      },
    });
    const read = await post({ id: 2, method: "resources/read", params: { uri: "knecta://ontologies" } });
    const [ontology] = JSON.parse(read.result.contents?.[0]?.text ?? "");
    const args = { ontologyId: ontology.id, question: "What were total sales last month?" };
    const call = await post({
      id: 3,
      method: "tools/call",
      params: { name: "ask_question", arguments: args },
    });
    expect(call.result.content?.[0]?.text).toEqual(expect.any(String));
  });
});

describe("the authorization endpoint", () => {
  it("[oauth.authorize.redirect] sends the person back with code, state and iss, by 302", async () => {
    const client = new OAuthClient(server);
    const consent = await person.open(client.authorizationUrl());
    const callback = await person.submit(consent, { button: "allow" });
    expect(callback.response.status).toBe(302);
    expect(`${callback.url.origin}${callback.url.pathname}`).toBe(CALLBACK);
    expect(Object.fromEntries(callback.url.searchParams)).toEqual({
      code: expect.any(String),
      state: client.state,
      iss: appUrl,
    });
  });

  it.each([{ accept: "application/json" }, { accept: "*/*" }])(
    "[oauth.authorize.login-required] tells a program with %j where to sign in",
    async (headers) => {
      const client = new OAuthClient(server);
      const answer = await fetch(client.authorizationUrl(), { headers, redirect: "manual" });
      expect(answer.status).toBe(401);
      expect(answer.headers.getSetCookie()).toEqual([]);
      const body = (await answer.json()) as { login_url: string };
      expect(body).toEqual({
        error: "login_required",
        login_url: expect.stringMatching(`^${appUrl}/sign-in\\?`),
        message: "User must login before authorizing application",
      });
      const browser = new Browser(appUrl);
      const signIn = await browser.open(body.login_url);
      const consent = await browser.submit(signIn, { email, password: "correct horse battery" });
      const { url } = await browser.submit(consent, { button: "allow" });
      expect((await client.exchange(url.searchParams.get("code") ?? "")).status).toBe(200);
    },
  );

  it("keeps query parameters of the redirect, and any port on loopback", async () => {
    for (const redirectUri of [
      "http://127.0.0.1:49152/cb?a=1&b=2",
      "http://[::1]:5000/",
      "http://localhost/",
    ]) {
      const client = new OAuthClient(server, { redirectUri });
      const callback = await client.ask(person);
      expect(callback.href.startsWith(redirectUri), callback.href).toBe(true);
      expect(callback.searchParams.get("code")).not.toBeNull();
    }
  });

  it("tells the client that the person did not allow it", async () => {
    const client = new OAuthClient(server);
    const consent = await person.open(client.authorizationUrl());
    const { url } = await person.submit(consent, { button: "deny" });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error: "access_denied",
      state: client.state,
      iss: appUrl,
    });
  });
});

describe("codes", () => {
  it("[oauth.code.once] [oauth.token.refused] are good once; used again, they end what they gave", async () => {
    const client = new OAuthClient(server);
    const code = await client.code(person);
    const { body: tokens } = await client.exchange(code);
    expect(await statusAt("agent", tokens.access_token)).toBe(200);
    expect(await client.exchange(code)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant", error_description: "Invalid or expired authorization code" },
    });
    expect(await statusAt("agent", tokens.access_token)).toBe(401);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(400);
  });

  it("[oauth.code.once] sent twice at once give nothing that lasts", async () => {
    const client = new OAuthClient(server);
    const code = await client.code(person);
    const answers = await Promise.all([client.exchange(code), client.exchange(code)]);
    expect(answers.map(({ status }) => status).toSorted()).not.toEqual([200, 200]);
    for (const { body } of answers.filter(({ status }) => status === 200)) {
      expect(await statusAt("agent", body.access_token)).toBe(401);
      expect((await client.refresh(body.refresh_token)).status).toBe(400);
    }
  });

  it("[oauth.code.ttl] are good for ten minutes", async () => {
    const client = new OAuthClient(server);
    const [early, late] = [await client.code(person), await client.code(person)];
    later(9 * MS.minute);
    expect((await client.exchange(early)).status).toBe(200);
    later(2 * MS.minute);
    expect((await client.exchange(late)).body.error).toBe("invalid_grant");
  });
});

describe("access tokens", () => {
  it("[oauth.token.answer] come as in the contract", async () => {
    const client = new OAuthClient(server);
    const { status, headers, body } = await client.exchange(await client.code(person));
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      access_token: expect.stringMatching(/^eyJ/),
      token_type: "Bearer",
      expires_in: 900,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      scope: "data_agent:read data_agent:write ontologies:read",
    });
  });

  it("are checked with a key that is imported once", async () => {
    const { access_token: token } = await new OAuthClient(server).connect(person);
    expect(await statusAt("agent", token)).toBe(200);
    const imports = vi.spyOn(crypto.subtle, "importKey");
    expect(await statusAt("agent", token)).toBe(200);
    expect(await statusAt("agent", `${token}x`)).toBe(401);
    expect(imports).not.toHaveBeenCalled();
    imports.mockRestore();
  });

  it("[oauth.token.claims] are signed by a published key", async () => {
    const { access_token: token } = await new OAuthClient(server).connect(person, {
      resource: resourceOf("agent"),
    });
    expect(decodeProtectedHeader(token)).toMatchObject({
      alg: "ES256",
      typ: "at+jwt",
      kid: expect.any(String),
    });
    const keys = createRemoteJWKSet(new URL(`${appUrl}/api/oauth/jwks`));
    const { payload } = await jwtVerify(token, keys, { issuer: appUrl, audience: resourceOf("agent") });
    expect(payload).toMatchObject({
      iss: appUrl,
      aud: resourceOf("agent"),
      permissions: ["data_agent:read", "data_agent:write", "ontologies:read"],
      workspace: "acme",
      client_id: "my-mcp-client",
      sub: expect.any(String),
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(900);
  });

  it("[oauth.token.ttl] end after 15 minutes", async () => {
    const { access_token: token } = await new OAuthClient(server).connect(person);
    later(14 * MS.minute);
    expect(await statusAt("agent", token)).toBe(200);
    later(2 * MS.minute);
    expect(await statusAt("agent", token)).toBe(401);
  });

  it.each(SURFACES)("[oauth.token.audience] made for %s are good there only", async (surface) => {
    const change = { scope: null, resource: resourceOf(surface) };
    const { access_token: token } = await new OAuthClient(server).connect(person, change);
    for (const other of SURFACES) {
      expect(await statusAt(other, token), other).toBe(other === surface ? 200 : 401);
    }
  });

  it("[oauth.token.audience] made without resource are good on all", async () => {
    const { access_token: token } = await new OAuthClient(server).connect(person);
    for (const surface of SURFACES) expect(await statusAt(surface, token), surface).toBe(200);
  });

  it("[oauth.token.audience] made for one workspace's models are not good for another's", async () => {
    const change = { scope: null, resource: `${appUrl}/mcp/globex/mcp` };
    const { access_token: token } = await new OAuthClient(server).connect(person, change);
    expect(await statusAt("models", token)).toBe(401);
    expect((await rpc(server, "/mcp/globex/mcp", "tools/list", { token })).status).toBe(401);
  });

  it("[oauth.token.slash] do not mind a trailing slash in resource", async () => {
    const client = new OAuthClient(server);
    const slashed = { resource: `${resourceOf("agent")}/` };
    const { body } = await client.exchange(await client.code(person, slashed), slashed);
    expect(await statusAt("agent", body.access_token)).toBe(200);
    const refreshed = await client.refresh(body.refresh_token, slashed);
    expect(await statusAt("agent", refreshed.body.access_token)).toBe(200);
    const whole = await client.exchange(await client.code(person, { resource: `${appUrl}/` }), {
      resource: `${appUrl}/`,
    });
    expect(await statusAt("memory", whole.body.access_token)).toBe(200);
  });

  it("for several resources are made one at a time", async () => {
    const client = new OAuthClient(server);
    const resources = [resourceOf("agent"), resourceOf("memory")];
    const scope = "data_agent:read ontologies:read memory:read";
    const code = await client.code(person, { resource: resources, scope });
    const { body: first } = await client.exchange(code, { resource: resourceOf("agent") });
    const { body: second } = await client.refresh(first.refresh_token, { resource: resourceOf("memory") });
    expect(first.scope).toBe("data_agent:read ontologies:read");
    expect(second.scope).toBe("memory:read");
    expect(await statusAt("agent", first.access_token)).toBe(200);
    expect(await statusAt("memory", first.access_token)).toBe(401);
    expect(await statusAt("memory", second.access_token)).toBe(200);
  });

  it("[oauth.token.year] for /api/2.0/mcp are opaque and live one year", async () => {
    const { access_token: token, expires_in: seconds } = await new OAuthClient(server).connect(person, BI);
    expect(seconds).toBe(365 * 86_400);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect((await server.request("/api/2.0/mcp/tools", { token })).status).toBe(200);
    later(364 * MS.day);
    expect(await statusAt("bi", token)).toBe(200);
    later(2 * MS.day);
    expect(await statusAt("bi", token)).toBe(401);
  });

  it("[oauth.token.own-power] never do more than the person may", async () => {
    const { person: viewer } = await signedInPerson(server, "viewer");
    const { access_token: token, scope } = await new OAuthClient(server).connect(viewer);
    expect(scope).toContain("data_agent:write");
    const { status, body } = await callOf(server, PATHS.agent, "ask_question", {}, { token });
    expect({ status, code: body.error?.code }).toEqual({ status: 200, code: -32001 });
  });
});

describe("refresh tokens", () => {
  it("[oauth.refresh.rotation] are replaced by each refresh", async () => {
    const client = new OAuthClient(server);
    const first = await client.connect(person);
    const { status, body: second } = await client.refresh(first.refresh_token);
    expect(status).toBe(200);
    expect(second).toMatchObject({ token_type: "Bearer", expires_in: 900, scope: first.scope });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.access_token).not.toBe(first.access_token);
    expect(await statusAt("agent", second.access_token)).toBe(200);
    const { status: again } = await client.refresh(second.refresh_token);
    expect(again).toBe(200);
  });

  it("[oauth.refresh.grace] give the same to those who use one at once, and nothing else", async () => {
    const client = new OAuthClient(server);
    const { refresh_token: token } = await client.connect(person);
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.refresh(token)));
    const [first] = answers;
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({ status: 200, body: first?.body });
    expect((await client.refresh(token)).body).toEqual(first?.body);
    expect((await client.refresh(token, { scope: "data_agent:read" })).body.error).toBe("invalid_grant");
    expect(await statusAt("agent", String(first?.body.access_token))).toBe(200);
    expect((await client.refresh(String(first?.body.refresh_token))).status).toBe(200);
  });

  it("[oauth.refresh.grace] give it to the client that they belong to alone", async () => {
    const client = new OAuthClient(server);
    const { refresh_token: token } = await client.connect(person);
    expect((await client.refresh(token)).status).toBe(200);
    const stranger = new OAuthClient(server, { clientId: "another-client" });
    for (const change of [{}, { client_id: null }]) {
      const { status, body } = await stranger.refresh(token, change);
      expect({ status, token: body.access_token }).toEqual({ status: 400, token: undefined });
    }
  });

  const replays: [string, (client: OAuthClient, next: string) => Promise<unknown>][] = [
    ["later", async () => later(6 * MS.second)],
    ["at once, when what it gave was used", (client, next) => client.refresh(next)],
  ];
  it.each(replays)(
    "[oauth.refresh.reuse] used again %s, they end the whole connection",
    async (_, before) => {
      const client = new OAuthClient(server);
      const first = await client.connect(person);
      const { body: second } = await client.refresh(first.refresh_token);
      await before(client, second.refresh_token);
      expect((await client.refresh(first.refresh_token)).body).toEqual({
        error: "invalid_grant",
        error_description: "Invalid or expired refresh token",
      });
      expect((await client.refresh(second.refresh_token)).body.error).toBe("invalid_grant");
      for (const { access_token: token } of [first, second]) expect(await statusAt("agent", token)).toBe(401);
    },
  );

  it("[oauth.refresh.ttl] live 14 days from their last use", async () => {
    const client = new OAuthClient(server);
    const first = await client.connect(person);
    later(13 * MS.day);
    const { body: second } = await client.refresh(first.refresh_token);
    later(13 * MS.day);
    const { body: third, status } = await client.refresh(second.refresh_token);
    expect(status).toBe(200);
    later(15 * MS.day);
    expect((await client.refresh(third.refresh_token)).body.error).toBe("invalid_grant");
  });

  it("[oauth.refresh.scope] give fewer scopes when asked, and never more", async () => {
    const client = new OAuthClient(server);
    const tokens = await client.connect(person);
    const { body: fewer } = await client.refresh(tokens.refresh_token, {
      scope: "data_agent:read ontologies:read",
    });
    expect(fewer.scope).toBe("data_agent:read ontologies:read");
    const { status, body } = await client.refresh(fewer.refresh_token, { scope: "data_agent:read admin" });
    expect({ status, error: body.error }).toEqual({ status: 400, error: "invalid_scope" });
  });
});

describe("scopes", () => {
  it("[oauth.scope.default] are those of the contract when none are named", async () => {
    const { scope } = await new OAuthClient(server).connect(person, { scope: null });
    expect(scope).toBe("data_agent:read data_agent:write ontologies:read");
  });

  it.each([
    ["agent", "data_agent:read data_agent:write ontologies:read"],
    ["memory", "memory:read memory:write"],
    ["knowledge", "knowledge:read knowledge:write"],
    ["models", "ontologies:read ontologies:write"],
  ] as const)(
    "[oauth.scope.default] are the usual ones of %s when only that is named",
    async (surface, usual) => {
      const change = { scope: null, resource: resourceOf(surface) };
      expect((await new OAuthClient(server).connect(person, change)).scope).toBe(usual);
    },
  );

  it("[oauth.scope.default] of the protocol alone do not count, and admin is never a default", async () => {
    const { scope } = await new OAuthClient(server).connect(person, {
      scope: "openid",
      resource: resourceOf("all"),
    });
    expect(scope).toContain("bi:read");
    expect(scope).not.toContain("admin");
  });

  it("that mean nothing at the resource are not asked for", async () => {
    const change = { scope: "memory:read bi:write nonsense", resource: resourceOf("memory") };
    const consent = await person.open(new OAuthClient(server).authorizationUrl(change));
    expect([...consent.html.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope]) => scope)).toEqual([
      "memory:read",
    ]);
  });

  it("may be given by the words of the memory contract", async () => {
    const change = { scope: "read write", resource: resourceOf("memory") };
    expect((await new OAuthClient(server).connect(person, change)).scope).toBe("memory:read memory:write");
  });

  it("[oauth.scope.fewer] can be fewer than were asked for", async () => {
    const client = new OAuthClient(server);
    const tokens = await client.connect(person, {}, { scope: ["data_agent:read", "ontologies:read"] });
    expect(tokens.scope).toBe("data_agent:read ontologies:read");
    const { body } = await client.refresh(tokens.refresh_token);
    expect(body.scope).toBe("data_agent:read ontologies:read");
  });

  it("[oauth.scope.step-up] are added by a new consent, also after the person has declined them", async () => {
    const client = new OAuthClient(server);
    const few = await client.connect(person, {}, { scope: ["data_agent:read", "ontologies:read"] });
    const refused = await callOf(server, PATHS.agent, "ask_question", {}, { token: few.access_token });
    expect(refused.status).toBe(403);
    const challenge = refused.headers.get("www-authenticate") ?? "";
    expect(challenge).toContain('error="insufficient_scope"');
    const scope = /scope="([^"]+)"/.exec(challenge)?.[1] ?? "";
    expect(scope.split(" ").toSorted()).toEqual(["data_agent:read", "data_agent:write", "ontologies:read"]);
    const more = await client.connect(person, { scope });
    const call = await callOf(server, PATHS.agent, "ask_question", {}, { token: more.access_token });
    expect(call).toMatchObject({ status: 200, body: { error: { code: -32602 } } });
  });

  it.each(SURFACES)("[oauth.scope.reachable] that tools of %s ask for can be had there", async (surface) => {
    const response = await server.request(`/.well-known/oauth-protected-resource${PATHS[surface]}`);
    const { scopes_supported: offered } = (await response.json()) as { scopes_supported: string[] };
    const { registry } = server.app;
    const tools = registry.tools(surface).flatMap(({ tool }) => tool.permissions);
    const resources = registry.resources(surface).flatMap(({ resource }) => resource.permissions);
    expect(offered).toEqual(expect.arrayContaining([...tools, ...resources]));
  });
});

describe("the settings", () => {
  it("[oauth.code.ttl] [oauth.token.ttl] [oauth.refresh.ttl] say how long each thing lives", async () => {
    const env = {
      OAUTH_AUTHORIZATION_CODE_TTL_MINUTES: "1",
      JWT_ACCESS_TTL_MINUTES: "2",
      JWT_REFRESH_TTL_DAYS: "1",
    };
    const brief = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false", ...env } });
    try {
      const { person: somebody } = await signedInPerson(brief);
      const client = new OAuthClient(brief);
      const code = await client.code(somebody);
      const tokens = await client.connect(somebody);
      expect(tokens.expires_in).toBe(120);
      later(61 * MS.second);
      expect((await client.exchange(code)).body.error).toBe("invalid_grant");
      later(25 * MS.hour);
      expect((await client.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
    } finally {
      await brief.stop();
    }
  });
});
