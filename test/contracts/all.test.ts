import pg from "pg";
import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../support/database.ts";
import { type Ask, answerOf, callOf, PATHS, rpc } from "../support/rpc.ts";
import { serverOfFile, startTestServer } from "../support/server.ts";
import { mountFixtures } from "./fixtures.ts";

const PATH = PATHS.all;
/** The address of a client that a trusted proxy speaks for. */
const from = (address: string) => ({ "x-forwarded-for": address });

const server = await serverOfFile({ extend: mountFixtures, env: { KENNING_TRUSTED_PROXIES: "127.0.0.1" } });
const token = await server.token();

const call = (name: string, args = {}, ask: Ask = {}) => callOf(server, PATH, name, args, { token, ...ask });
const result = async (name: string, args = {}, ask: Ask = {}) => (await call(name, args, ask)).body.result;

interface ListedTool extends Record<string, unknown> {
  name: string;
  annotations: Record<string, unknown>;
}

async function listed(query = "", ask: Ask = {}): Promise<ListedTool[]> {
  const { body } = await rpc(server, `${PATH}${query}`, "tools/list", { token, ...ask });
  return body.result?.tools as ListedTool[];
}
const names = async (query = "", ask: Ask = {}) => (await listed(query, ask)).map(({ name }) => name);

interface Event extends Record<string, unknown> {
  id: number;
  metadata: Record<string, unknown>;
}

async function audited(filter: Record<string, unknown>, as = token) {
  await server.app.identity.audit.flush();
  const shown = await result("list_audit_events", filter, { token: as });
  return shown?.structuredContent as { events: Event[]; next_before: number | null };
}

const SYSTEM_TOOLS = ["whoami", "list_toolsets", "enable_toolset"];
const ADMIN_TOOLS = [
  "list_audit_events",
  "get_usage",
  "list_members",
  "set_member",
  "remove_member",
  "list_llm_providers",
  "set_llm_provider",
  "remove_llm_provider",
  "test_llm_provider",
  "set_dataset_policies",
  "preview_policies",
  "set_datasource_access",
  "list_improvement_requests",
  "close_improvement_request",
  "set_model_page_size",
];

describe("the list of tools", () => {
  it("[all.tools.default] [all.tools.names] is short, and plain in its names", async () => {
    const real = (await names()).filter((name) => !name.startsWith("fixture_"));
    expect(real).toEqual(expect.arrayContaining(["whoami", "list_toolsets", "memory_health"]));
    expect(real).not.toContain("list_audit_events");
    expect(real.length).toBeLessThanOrEqual(50);
    expect(real.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
  });

  it("[all.tools.toolsets-query] is chosen by query", async () => {
    expect(await names("?toolsets=admin")).toEqual(ADMIN_TOOLS);
    expect(await names("?toolsets=system,admin")).toEqual([...SYSTEM_TOOLS, ...ADMIN_TOOLS]);
    expect(await names("?toolsets=%20System%20")).toEqual(SYSTEM_TOOLS);
    expect(await names("?toolsets=all")).toEqual(expect.arrayContaining(["whoami", "list_audit_events"]));
    expect(await names("?toolsets=")).toEqual(await names());
  });

  it("[all.tools.toolsets-added] or added to by query", async () => {
    const [byDefault, all] = [await names(), await names("?toolsets=all")];
    const added = all.filter((name) => byDefault.includes(name) || ADMIN_TOOLS.includes(name));
    for (const query of ["+admin", "%2Badmin", "+admin,+memory", "%20+%20Admin,"])
      expect(await names(`?toolsets=${query}`)).toEqual(added);
    expect(await names("", { headers: { "x-mcp-toolsets": "+admin" } })).toEqual(added);
    expect(await names("?toolsets=+all")).toEqual(all);
    expect(await names("?toolsets=system,+admin")).toEqual([...SYSTEM_TOOLS, ...ADMIN_TOOLS]);
  });

  it("[all.tools.toolsets-unknown] by known names alone", async () => {
    for (const query of ["nonsense", "system,nonsense", "+nonsense"]) {
      for (const method of ["tools/list", "ping"]) {
        const { status, body } = await rpc(server, `${PATH}?toolsets=${query}`, method, { token });
        expect(status).toBe(400);
        expect(body.error).toEqual({
          code: -32600,
          message:
            'Unknown toolset: "nonsense". There are system, knowledge, library, memory, curation, models, modeling, data, dashboards, datasources, alerts, notifications, admin, and all; +name adds one to the default.',
        });
      }
    }
    expect((await rpc(server, `${PATH}?toolsets=nonsense`, "ping")).status).toBe(401);
    const misspelt = await rpc(server, `${PATH}?toolset=admin`, "ping", { token });
    expect(misspelt.body.error?.message).toBe(
      "Unknown parameter in the URL: toolset. Did you mean toolsets?",
    );
    expect((await rpc(server, `${PATHS.bi}?toolsets=nonsense`, "ping", { token })).status).toBe(200);
  });

  it("[all.enable-toolset] is added to by a tool, for one session", async () => {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    const { headers } = await rpc(server, PATH, "initialize", { token, params });
    const session = headers.get("mcp-session-id") ?? "";
    expect(await names("", { session })).not.toContain("list_audit_events");
    expect(await result("enable_toolset", { toolset: "admin" }, { session })).toMatchObject({
      structuredContent: { tools: ADMIN_TOOLS },
    });
    expect(await names("", { session })).toContain("list_audit_events");
    expect(await names()).not.toContain("list_audit_events");
  });

  it("[all.tools.toolsets-header] or by header, where the query wins", async () => {
    const headers = { "x-mcp-toolsets": "admin" };
    expect(await names("", { headers })).toEqual(ADMIN_TOOLS);
    expect(await names("?toolsets=system", { headers })).toEqual(SYSTEM_TOOLS);
  });

  it("[all.tools.readonly-query] [all.tools.readonly-header] leaves out what changes something", async () => {
    const readOnly: [string, Ask][] = [
      ["?readonly=true", {}],
      ["?readonly", {}],
      ["", { headers: { "x-mcp-readonly": "true" } }],
    ];
    expect(await names()).toContain("fixture_write_bi");
    for (const [query, ask] of readOnly) {
      expect((await listed(query, ask)).filter(({ annotations }) => !annotations.readOnlyHint)).toEqual([]);
      const { body } = await callOf(server, `${PATH}${query}`, "fixture_write_bi", {}, { token, ...ask });
      expect(body.error?.code).toBe(-32602);
    }
    expect(await names("?readonly=false")).toContain("fixture_write_bi");
  });

  it("[all.tools.hidden] [all.role.viewer] leaves out what the caller may not use", async () => {
    const viewer = { token: await server.token({ role: "viewer" }) };
    const readOnly = { token: await server.token({ limits: { readOnly: true } }) };
    const memoryOnly = { token: await server.token({ scopes: ["memory:read"] }) };
    for (const ask of [viewer, readOnly, memoryOnly]) {
      const shown = await names("?toolsets=all", ask);
      expect(shown).toContain("memory_stats");
      expect(shown.filter((name) => /write|audit/.test(name))).toEqual([]);
    }
  });

  it("[all.token.toolsets] is bounded by the token", async () => {
    const ask = { token: await server.token({ limits: { toolsets: ["system"] } }) };
    expect(await names("?toolsets=all", ask)).toEqual(SYSTEM_TOOLS);
    expect((await call("memory_health", {}, ask)).body.error).toMatchObject({ code: -32602 });
    expect(await result("whoami", {}, ask)).toMatchObject({
      structuredContent: { token: { toolsets: ["system"] } },
    });
  });

  it("[all.tools.described] describes each tool", async () => {
    for (const tool of await listed("?toolsets=all")) {
      expect(tool).toMatchObject({
        title: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
        inputSchema: { type: "object", additionalProperties: false },
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: expect.any(Boolean), destructiveHint: expect.any(Boolean) },
      });
      const effect = server.app.registry.tool("all", tool.name)?.tool.effect;
      const hints = { readOnlyHint: effect === "read", destructiveHint: effect === "destroy" };
      expect(tool.annotations).toMatchObject(hints);
    }
  });

  it("[all.list-toolsets] tells the rest", async () => {
    const shown = await result("list_toolsets");
    const toolsets = shown?.structuredContent?.toolsets as { name: string; tools: string[] }[];
    expect(toolsets).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: "admin",
          listed_by_default: false,
          tools: expect.arrayContaining(["list_audit_events"]),
        }),
        expect.objectContaining({
          name: "system",
          listed_by_default: true,
          tools: SYSTEM_TOOLS,
        }),
      ]),
    );
    const viewer = await result("list_toolsets", {}, { token: await server.token({ role: "viewer" }) });
    expect(JSON.stringify(viewer?.structuredContent)).not.toMatch(/list_audit_events|fixture_write/);
  });
});

describe("a call", () => {
  it("[all.tools.result] has its result twice: structured and as text", async () => {
    const shown = await result("fixture_echo", { text: "hi" });
    expect(shown).toEqual({
      content: [{ type: "text", text: '{"text":"hi"}' }],
      structuredContent: { text: "hi" },
      isError: false,
    });
  });

  it("[all.tools.error] [all.tools.unknown] fails in a way that can be read and corrected", async () => {
    expect(await result("fixture_echo", { txt: "hi" })).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("Unknown argument txt: did you mean text?") }],
    });
    expect((await call("who_am_i")).body.error).toMatchObject({
      code: -32602,
      message: "Unknown tool: who_am_i. Did you mean whoami?",
    });
  });

  it("[all.whoami] [all.token.intersection] knows who is asking, and with which power", async () => {
    const email = "ada@example.com";
    await server.app.identity.users.create({ email, name: "Ada", workspace: "acme", role: "contributor" });
    const scopes = ["memory:read", "memory:write", "admin"];
    const as = { token: await server.token({ email, scopes }) };
    expect((await result("whoami", {}, as))?.structuredContent).toMatchObject({
      user: { email, name: "Ada" },
      workspace: { slug: "acme" },
      role: "contributor",
      permissions: ["memory:read", "memory:write"],
      token: { kind: "api", read_only: false },
    });
    const readOnly = { token: await server.token({ email, scopes, limits: { readOnly: true } }) };
    expect((await result("whoami", {}, readOnly))?.structuredContent).toMatchObject({
      permissions: ["memory:read"],
    });
  });

  it("[all.token.several] works with any of a user's tokens", async () => {
    const email = "many@example.com";
    await server.app.identity.users.create({ email, workspace: "acme", role: "viewer" });
    const tokens = [
      await server.token({ email }),
      await server.token({ email }),
      await server.token({ email, kind: "mcp" }),
    ];
    for (const one of tokens)
      expect(await result("whoami", {}, { token: one })).toMatchObject({ isError: false });
  });
});

describe("audit", () => {
  it("[all.audit.list] is read newest first, page by page", async () => {
    for (let i = 0; i < 5; i += 1) await call("fixture_echo", { text: `page ${i}` });
    const first = await audited({ action: "mcp.tool.call", limit: 2 });
    expect(first.events).toHaveLength(2);
    const second = await audited({ action: "mcp.tool.call", limit: 2, before: first.next_before });
    const ids = [...first.events, ...second.events].map(({ id }) => id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(new Set(ids).size).toBe(4);
    expect(first.events[0]).toMatchObject({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      user: expect.stringContaining("@"),
      resource_type: "mcp_tool",
      success: true,
      outcome: "ok",
      duration_ms: expect.any(Number),
      metadata: { surface: "all", clientName: expect.any(String), requestId: expect.any(String) },
    });
  });

  it("[all.audit.admin-only] is for admins, of their own workspace", async () => {
    for (const role of ["viewer", "contributor"] as const) {
      const shown = await result("list_audit_events", {}, { token: await server.token({ role }) });
      expect(shown).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("admin is missing") }],
      });
    }
    await server.app.identity.workspaces.create({ slug: "quiet" });
    const elsewhere = await server.token({ workspace: "quiet" });
    const { events } = await audited({ limit: 500 }, elsewhere);
    expect(events.filter(({ action }) => action === "mcp.tool.call")).toEqual([]);
  });

  it("[all.audit.masked] keeps no secret and no flood", async () => {
    const secret = await server.token({ kind: "memory" });
    const more = {
      dbPassword: "hunter2",
      note: `use ${secret}`,
      url: "postgres://u:hunter2@db/x",
      z: "z".repeat(9_000),
    };
    await call("fixture_echo", { text: "a value", more });
    const { events } = await audited({ action: "mcp.tool.call", limit: 1 });
    const kept = String(events[0]?.metadata.arguments);
    expect(kept).toMatch(/"text":"\[text, 7 characters, /);
    expect(kept).not.toContain("a value");
    expect(kept).not.toContain("hunter2");
    expect(kept).not.toContain(secret.slice(0, 20));
    expect(kept.length).toBeLessThanOrEqual(2_000);
  });

  it("[all.audit.denials] keeps the reason that a refused caller is not told", async () => {
    const email = "revoked@example.com";
    const { identity } = server.app;
    await identity.users.create({ email, workspace: "acme", role: "viewer" });
    const made = await identity.tokens.create({ email, workspace: "acme", kind: "api" });
    await identity.tokens.revoke(made.info.id);
    const headers = from("203.0.113.50");
    expect(await rpc(server, PATH, "ping", { token: made.token, headers })).toMatchObject({ status: 401 });
    expect((await audited({ action: "auth.denied", limit: 1 })).events).toMatchObject([
      { user: email, success: false, address: "203.0.113.50", metadata: { reason: "revoked" } },
    ]);
    const narrow = await server.token({ scopes: ["memory:read"] });
    expect(await call("fixture_write_bi", {}, { token: narrow })).toMatchObject({ status: 403 });
    expect((await audited({ action: "mcp.denied", limit: 1 })).events).toMatchObject([
      { success: false, outcome: "insufficient_scope", metadata: { missing: ["bi:write"] } },
    ]);
  });

  it("[all.audit.sign-ins] keeps sign-ins, the failed ones too", async () => {
    const email = "client-owner@example.com";
    const { identity } = server.app;
    await identity.users.create({ email, workspace: "acme", role: "viewer" });
    const { clientId, clientSecret } = await identity.clients.create({ email, workspace: "acme" });
    const headers = from("203.0.113.51");
    await server.request("/api/2.0/login", { json: { clientId, clientSecret }, headers });
    await server.request("/api/2.0/login", { json: { clientId, clientSecret: "wrong" }, headers });
    const { events } = await audited({ action: "auth.login", limit: 2 });
    expect(events).toMatchObject([
      { user: email, resource_id: clientId, success: false, address: "203.0.113.51" },
      { user: email, resource_id: clientId, success: true },
    ]);
    expect(JSON.stringify(events)).not.toContain(clientSecret);
  });

  it("[all.audit.stop] loses nothing when the server stops", async () => {
    const database = await createTestDatabase();
    const stopping = await startTestServer({ env: { DATABASE_URL: database.url } });
    const as = { token: await stopping.token() };
    await Promise.all(Array.from({ length: 50 }, () => callOf(stopping, PATH, "whoami", {}, as)));
    await stopping.stop();
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query(
      "SELECT count(*)::int AS count FROM audit_events WHERE action = 'mcp.tool.call'",
    );
    await client.end();
    await database.drop();
    expect(rows).toEqual([{ count: 50 }]);
  });
});

describe("sessions", () => {
  const begin = async (as = token) =>
    (await rpc(server, PATH, "initialize", { token: as, params: {} })).headers.get("mcp-session-id") ?? "";
  const statusIn = async (session: string, as = token) =>
    (await rpc(server, PATH, "ping", { token: as, session })).status;
  const end = async (session: string, as = token) =>
    (await server.request(PATH, { token: as, method: "DELETE", headers: { "mcp-session-id": session } }))
      .status;

  it("[all.session.unknown] [all.session.delete] are known from initialize to DELETE", async () => {
    expect(await statusIn("made-up")).toBe(404);
    const session = await begin();
    expect(await statusIn(session)).toBe(200);
    expect(await end(session)).toBe(200);
    expect(await statusIn(session)).toBe(404);
    expect(await end(session)).toBe(404);
    for (const odd of ["x".repeat(129), "a b", "%00"]) {
      expect([await statusIn(odd), await end(odd)]).toEqual([404, 404]);
    }
    expect((await server.request(PATH, { token, method: "DELETE" })).status).toBe(404);
  });

  it("[all.session.user] are unknown to everybody else", async () => {
    const session = await begin();
    const other = await server.token();
    expect([await statusIn(session, other), await end(session, other)]).toEqual([404, 404]);
    expect(await statusIn(session)).toBe(200);
  });

  it("[all.session.limit] are at most a hundred for each user", async () => {
    const as = await server.token();
    const first = await begin(as);
    const second = await begin(as);
    expect(await statusIn(first, as)).toBe(200);
    for (let i = 0; i < 99; i += 1) await begin(as);
    expect([await statusIn(first, as), await statusIn(second, as)]).toEqual([200, 404]);
  });

  it("[all.session.rights] keep to the rights of their beginning, and of now", async () => {
    const email = "climber@example.com";
    const { users } = server.app.identity;
    await users.create({ email, workspace: "acme", role: "viewer" });
    const as = await server.token({ email });
    const early = await begin(as);
    await users.setRole({ email, workspace: "acme", role: "contributor" });
    const late = await begin(as);
    const mayWrite = async (session: string) =>
      (await result("fixture_write_bi", {}, { token: as, session }))?.isError === false;
    expect([await mayWrite(early), await mayWrite(late)]).toEqual([false, true]);
    await users.setRole({ email, workspace: "acme", role: "viewer" });
    expect(await mayWrite(late)).toBe(false);
  });
});

describe("protocol", () => {
  it("[all.protocol.default] [all.protocol.unknown] speaks 2025-11-25 to who names no version, or none that exists", async () => {
    for (const params of [{}, { protocolVersion: "2031-01-01" }]) {
      const { body } = await rpc(server, PATH, "initialize", { token, params });
      expect(body.result).toMatchObject({ protocolVersion: "2025-11-25", serverInfo: { name: "kenning" } });
    }
  });
});

describe("limits", () => {
  it("[all.limit.guessing] [all.limit.retry-after] slows down who guesses, and nobody else", async () => {
    const headers = from("203.0.113.99");
    const guess = () => rpc(server, PATH, "ping", { token: `kapi_${"x".repeat(43)}`, headers });
    let last = await guess();
    let guesses = 1;
    for (; last.status === 401 && guesses < 100; guesses += 1) last = await guess();
    expect(last.status).toBe(429);
    expect(guesses).toBeGreaterThan(60);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    const login = { json: { clientId: "kci_x", clientSecret: "x" }, headers };
    const refused = await answerOf(await server.request("/api/2.0/login", login));
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await rpc(server, PATH, "ping", { token, headers })).toMatchObject({ status: 200 });
    expect(await rpc(server, PATH, "ping", { token: "wrong", headers: from("203.0.113.98") })).toMatchObject({
      status: 401,
    });
  });
});

describe("operations", () => {
  it("[all.ops.ready] says that it is ready", async () => {
    expect(await answerOf(await server.request("/api/health/ready"))).toMatchObject({
      status: 200,
      body: { status: "ok", version: expect.any(String) },
    });
  });

  it("[all.ops.metrics] shows its numbers to this machine, or for a token", async () => {
    await call("whoami");
    const local = await server.request("/metrics");
    expect(local.status).toBe(200);
    expect(await local.text()).toMatch(/kenning_call_seconds_count\{[^}]*name="whoami"/);
    expect((await server.request("/metrics", { headers: from("127.0.0.1") })).status).toBe(403);
    for (const made of ["zq1", "zq2"]) {
      await call(made);
      await rpc(server, PATHS.all, "resources/read", { token, params: { uri: `kenning://models/${made}` } });
      await rpc(server, PATHS.all, "prompts/get", { token, params: { name: made } });
      await server.request(`/${made}`);
    }
    // Whatever anybody makes up becomes no number of its own.
    expect(await (await server.request("/metrics")).text()).not.toContain("zq");

    const guarded = await startTestServer({ env: { KENNING_METRICS_TOKEN: "a-token-for-prometheus" } });
    try {
      expect((await guarded.request("/metrics")).status).toBe(403);
      expect((await guarded.request("/metrics", { token: "a-token-for-prometheuz" })).status).toBe(403);
      expect((await guarded.request("/metrics", { token: "a-token-for-prometheus" })).status).toBe(200);
    } finally {
      await guarded.stop();
    }
  });
});
