import { describe, expect, it } from "vitest";
import type { MadeTokenKind } from "../../src/domains/identity/index.ts";
import { PERMISSIONS, type Permission } from "../../src/kernel/permissions.ts";
import { MS } from "../../src/kernel/time.ts";
import { SURFACES, type SurfaceName, type TokenKind } from "../../src/registry/caller.ts";
import { TestClock } from "../support/identity.ts";
import { type Answer, answerOf, callOf, PATHS, rpc, type ToolResult } from "../support/rpc.ts";
import { serverOfFile, type TokenWish } from "../support/server.ts";
import { mountFixtures, WRITE_PERMISSIONS } from "./fixtures.ts";

/** Every endpoint with every sort of token, good and bad. */

const APP_URL = "https://kenning.example.com";
const clock = new TestClock();

const env = { APP_URL, KENNING_TRUSTED_PROXIES: "127.0.0.1" };
const server = await serverOfFile({ clock, extend: mountFixtures, env });
await server.app.identity.workspaces.create({ slug: "globex" });
signInServer();
const account = await signedIn();

/** Stands in for the authorization server: `oauth.<account>.<workspace>.<audience in hex>`. */
function signInServer(): void {
  server.app.identity.addVerifier({
    recognises: (token) => token.startsWith("oauth."),
    verify: async (token) => {
      const [, accountId, workspaceId, audience = ""] = token.split(".");
      return {
        accountId: Number(accountId),
        workspaceId: Number(workspaceId),
        scopes: PERMISSIONS,
        audience: [Buffer.from(audience, "hex").toString()],
        expiresAt: new Date(clock.now().getTime() + MS.minute),
      };
    },
  });
}

/** Who signed in there, as `<account>.<workspace>`. */
async function signedIn(): Promise<string> {
  const { body } = await callOf(server, PATHS.all, "whoami", {}, { token: await server.token() });
  const { user, workspace } = (body.result as ToolResult).structuredContent as Record<string, { id: number }>;
  return `${user?.id}.${workspace?.id}`;
}

function oauthToken(audience: string): string {
  return `oauth.${account}.${Buffer.from(audience).toString("hex")}`;
}

let requests = 0;
/** Each request has an address of its own, so that the limit on guessing does not come in between. */
const fromElsewhere = () => {
  requests += 1;
  return { "x-forwarded-for": `198.51.${100 + Math.floor(requests / 250)}.${requests % 250}` };
};

const REST = {
  list: "/api/2.0/mcp/tools",
  get: "/api/2.0/mcp/tools/fixture_echo",
  call: "/api/2.0/mcp/tools/call",
};
const ENDPOINTS: readonly (readonly [name: string, surface: SurfaceName, path: string])[] = [
  ...SURFACES.map((surface) => [surface, surface, PATHS[surface]] as const),
  ...Object.entries(REST).map(([name, path]) => [`bi twin: ${name}`, "bi", path] as const),
];

/** One harmless request to a path, with an Authorization header or none. */
async function knock(path: string, authorization: string | undefined): Promise<Answer> {
  const headers = { ...fromElsewhere(), ...(authorization !== undefined && { authorization }) };
  if (path === REST.list || path === REST.get) return answerOf(await server.request(path, { headers }));
  if (path !== REST.call) return rpc(server, path, "ping", { headers });
  return answerOf(
    await server.request(path, { headers, json: { name: "fixture_echo", arguments: { text: "x" } } }),
  );
}

const UNAUTHORIZED: Record<SurfaceName, (message: string) => object> = {
  bi: (message) => ({ error: "unauthorized", message }),
  agent: (message) => ({ error: "unauthorized", message }),
  memory: () => ({ jsonrpc: "2.0", id: null, error: { code: 401 } }),
  models: () => ({ jsonrpc: "2.0", id: null, error: { code: -32000, data: { code: "unauthorized" } } }),
  knowledge: () => ({ code: "unauthorized" }),
  all: () => ({ jsonrpc: "2.0", id: null, error: { code: -32000, data: { code: "unauthorized" } } }),
};

const metadataOf = (path: string) => {
  const resource = path.startsWith("/api/2.0/mcp") ? PATHS.bi : path;
  return `resource_metadata="${APP_URL}/.well-known/oauth-protected-resource${resource}"`;
};

describe.each(ENDPOINTS)("%s", (_name, surface, path) => {
  it("[all.token.missing] nobody: is told where to get a token", async () => {
    for (const authorization of [undefined, ""]) {
      const { status, headers, body } = await knock(path, authorization);
      expect({ status, challenge: headers.get("www-authenticate") }).toEqual({
        status: 401,
        challenge: `Bearer ${metadataOf(path)}`,
      });
      expect(body).toMatchObject(UNAUTHORIZED[surface]("No authorization token provided"));
    }
  });

  it("[all.token.silent] whoever has no good token: gets one and the same answer", async () => {
    const bad = await badTokens(surface);
    const answers = new Map<string, unknown>();
    for (const [kind, authorization] of Object.entries(bad)) {
      const { status, headers, text, body } = await knock(path, authorization);
      expect(body, kind).toMatchObject(UNAUTHORIZED[surface]("Token expired or invalid"));
      answers.set(JSON.stringify({ status, text, challenge: headers.get("www-authenticate") }), kind);
    }
    expect([...answers.keys()].map((answer) => JSON.parse(answer))).toEqual([
      {
        status: 401,
        text: expect.any(String),
        challenge: `Bearer error="invalid_token", error_description="Token expired or invalid", ${metadataOf(path)}`,
      },
    ]);
  });

  it("[all.token.everywhere] [all.token.memory] [all.token.knowledge] a good token: where its kind is good", async () => {
    const kinds: Record<Exclude<TokenKind, "oauth" | "operator">, boolean> = {
      api: true,
      mcp: true,
      bearer: true,
      memory: surface === "memory" || surface === "all",
      knowledge: surface === "knowledge" || surface === "all",
    };
    for (const [kind, isGood] of Object.entries(kinds)) {
      const token = kind === "bearer" ? await bearer() : await server.token({ kind: kind as MadeTokenKind });
      const { status } = await knock(path, `Bearer ${token}`);
      expect({ kind, status }).toEqual({ kind, status: isGood ? 200 : 401 });
    }
  });

  it("[all.token.oauth-resource] [all.token.oauth-server] [all.token.twins] a token with an audience: there, exactly", async () => {
    const own = path.startsWith("/api/2.0/mcp") ? PATHS.bi : path;
    const audiences = [APP_URL, ...Object.values(PATHS).map((each) => APP_URL + each)];
    const near = [
      `${APP_URL}/`,
      `${APP_URL}${own}/`,
      `${APP_URL}${own}/x`,
      `${APP_URL}${own.slice(0, -1)}`,
      own,
    ];
    for (const audience of [...audiences, ...near]) {
      const isGood = audience === APP_URL || audience === APP_URL + own;
      const { status } = await knock(path, `Bearer ${oauthToken(audience)}`);
      expect({ audience, status }).toEqual({ audience, status: isGood ? 200 : 401 });
    }
  });
});

/** Tokens that are not good on a surface, each for a reason of its own. */
async function badTokens(surface: SurfaceName): Promise<Record<string, string>> {
  const { identity } = server.app;
  const wrongKinds: MadeTokenKind[] = surface === "memory" ? ["knowledge"] : ["memory"];
  const made = async (wish: TokenWish = {}) => `Bearer ${await server.token(wish)}`;

  const email = `bad-${requests}-${surface}@example.com`;
  await identity.users.create({ email, workspace: "acme", role: "admin" });
  const revoked = await identity.tokens.create({ email, workspace: "acme", kind: "api" });
  await identity.tokens.revoke(revoked.info.id);
  const disabled = await made({ email });
  await identity.users.disable(email);
  const expired = await made({ expiresInMs: MS.minute });
  clock.advance(MS.minute + 1);

  return {
    "another scheme": "Basic dXNlcjpwYXNzd29yZA==",
    "no token": "Bearer",
    "two tokens": "Bearer one two",
    malformed: "Bearer no-token-of-ours",
    "too long": `Bearer ${"x".repeat(9_000)}`,
    unknown: `Bearer kapi_${"x".repeat(43)}`,
    "unknown, of the right kind": `Bearer ${surface === "knowledge" ? "wg-" : "kmt_"}${"x".repeat(43)}`,
    expired,
    revoked: `Bearer ${revoked.token}`,
    "of a disabled account": disabled,
    "for another resource": `Bearer ${oauthToken(`${APP_URL}/somewhere/else`)}`,
    ...(surface !== "all" && { "of another kind": await made({ kind: wrongKinds[0] as MadeTokenKind }) }),
    ...(surface === "models" && { "of another workspace": await made({ workspace: "globex" }) }),
  };
}

async function bearer(): Promise<string> {
  const email = `login-${requests}@example.com`;
  const { identity } = server.app;
  await identity.users.create({ email, workspace: "acme", role: "admin" });
  const client = await identity.clients.create({ email, workspace: "acme" });
  return (await identity.clients.login({ ...client, address: "198.51.100.1" })).token;
}

type Outcome = "done" | "denied" | "challenged";

const WRITE_TOOL: Record<SurfaceName, string> = {
  bi: "fixture_write",
  agent: "fixture_write",
  memory: "fixture_write",
  models: "fixture_write",
  knowledge: "fixture_write",
  all: "fixture_write_bi",
};

/** How each surface says "you may not", inside an HTTP 200. */
const DENIED: Record<SurfaceName, object> = {
  bi: { result: { isError: true, content: [{ text: expect.stringMatching(/^Access denied: /) }] } },
  agent: { error: { code: -32001, data: { knecta_code: "FORBIDDEN", missing: ["data_agent:write"] } } },
  memory: { error: { code: 403, data: { missing: ["memory:write"] } } },
  models: {
    result: { isError: true, content: [{ text: expect.stringContaining("ontologies:write is missing") }] },
  },
  knowledge: {
    result: { isError: true, content: [{ text: expect.stringContaining('"code":"forbidden"') }] },
  },
  all: { result: { isError: true, content: [{ text: expect.stringContaining("bi:write is missing") }] } },
};

/** How it says so by HTTP itself, when it is the token that lacks a scope. */
const CHALLENGED: Record<SurfaceName, object> = {
  bi: { error: "forbidden", message: "Scope bi:write missing." },
  agent: {
    id: 1,
    error: { code: -32001, data: { knecta_code: "FORBIDDEN", missing: ["data_agent:write"] } },
  },
  memory: { id: 1, error: { code: 403, data: { missing: ["memory:write"] } } },
  models: { id: 1, error: { code: -32000, data: { code: "forbidden", missing: ["ontologies:write"] } } },
  knowledge: { code: "forbidden", error: expect.stringContaining("knowledge:write") },
  all: { id: 1, error: { code: -32000, data: { code: "forbidden", missing: ["bi:write"] } } },
};

const READS = PERMISSIONS.filter((permission) => permission.endsWith(":read"));

const CALLERS: readonly (readonly [title: string, wish: TokenWish, read: Outcome, write: Outcome])[] = [
  ["[all.role.viewer] [all.role.no-challenge] a viewer", { role: "viewer" }, "done", "denied"],
  ["[all.role.contributor] a contributor", { role: "contributor" }, "done", "done"],
  ["[all.role.admin] an admin", { role: "admin" }, "done", "done"],
  ["[all.token.read-only] a read-only token of an admin", { limits: { readOnly: true } }, "done", "denied"],
  ["[all.token.scope] a token of an admin without the scope", { scopes: READS }, "done", "challenged"],
  [
    "[all.role.no-challenge] a viewer's token without the scope",
    { role: "viewer", scopes: READS },
    "done",
    "denied",
  ],
];

describe.each(SURFACES)("on %s", (surface) => {
  it.each(CALLERS)("%s", async (_title, wish, read, write) => {
    const token = await server.token(wish);
    const path = PATHS[surface];
    expectOutcome(surface, read, await callOf(server, path, "fixture_echo", { text: "x" }, { token }));
    expectOutcome(surface, write, await callOf(server, path, WRITE_TOOL[surface], {}, { token }));
    const begun = await rpc(server, path, "initialize", { token, params: {} });
    const session = begun.headers.get("mcp-session-id") ?? "";
    expectOutcome(surface, write, await callOf(server, path, WRITE_TOOL[surface], {}, { token, session }));
  });
});

function expectOutcome(surface: SurfaceName, outcome: Outcome, answer: Answer<ToolResult>): void {
  const { status, headers, body } = answer;
  const challenge = headers.get("www-authenticate");
  if (outcome === "challenged") {
    const lacking: Permission = surface === "all" ? "bi:write" : WRITE_PERMISSIONS[surface];
    expect(status).toBe(403);
    expect(challenge).toContain(`error="insufficient_scope", scope="${[...READS, lacking].join(" ")}"`);
    expect(challenge).toContain(metadataOf(PATHS[surface]));
    expect(body).toMatchObject(CHALLENGED[surface]);
    return;
  }
  expect({ status, challenge }).toEqual({ status: 200, challenge: null });
  if (outcome === "done") expect(body.result).toMatchObject({ isError: false });
  else expect(body).toMatchObject(DENIED[surface]);
}

describe("administration", () => {
  it("[all.role.contributor] [all.role.admin] is for admins with that scope", async () => {
    const may = async (wish: TokenWish) => {
      const token = await server.token(wish);
      const { status, body } = await callOf(server, PATHS.all, "list_audit_events", { limit: 1 }, { token });
      return status === 200 ? body.result?.isError === false : status;
    };
    expect(await may({ role: "viewer" })).toBe(false);
    expect(await may({ role: "contributor" })).toBe(false);
    expect(await may({ role: "admin" })).toBe(true);
    expect(await may({ role: "admin", scopes: ["admin"] })).toBe(true);
    expect(await may({ role: "admin", limits: { readOnly: true } })).toBe(false);
    expect(await may({ role: "admin", scopes: READS })).toBe(403);
  });

  it("[all.token.memory] [all.token.knowledge] tokens of one area see only that area on /mcp", async () => {
    const names = async (kind: MadeTokenKind) => {
      const token = await server.token({ kind });
      const path = `${PATHS.all}?toolsets=all`;
      const { body } = await rpc<{ tools: { name: string }[] }>(server, path, "tools/list", { token });
      return body.result?.tools.map(({ name }) => name) ?? [];
    };
    const memory = await names("memory");
    expect(memory).toEqual(expect.arrayContaining(["memory_health", "memory_stats", "fixture_write_memory"]));
    expect(memory.filter((name) => /whoami|audit|write_bi/.test(name))).toEqual([]);
    expect((await names("knowledge")).filter((name) => /memory|whoami|audit/.test(name))).toEqual([]);
    const token = await server.token({ kind: "memory" });
    expect((await callOf(server, PATHS.all, "whoami", {}, { token })).body.error?.code).toBe(-32602);
  });
});
