import { describe, expect, it } from "vitest";
import { MS } from "../../src/kernel/time.ts";
import { TestClock } from "../support/identity.ts";
import { movableIdleTime } from "../support/idle-time.ts";
import { type Answer, answerOf, callOf, PATHS, rawRequest, rpc, type ToolResult } from "../support/rpc.ts";
import { serverOfFile } from "../support/server.ts";
import { mountFixtures } from "./fixtures.ts";

const PATH = PATHS.bi;
const clock = new TestClock();

const server = await serverOfFile({ clock, extend: mountFixtures });
const token = await server.token();

const call = (name: string, args = {}, ask = {}) => callOf(server, PATH, name, args, { token, ...ask });
const rest = async (path: string, init = {}): Promise<Answer & ToolResult> => {
  const answer = await answerOf(await server.request(`${PATH}${path}`, { token, ...init }));
  return { ...answer, ...(answer.body as unknown as ToolResult) };
};
const sessionOf = ({ headers }: Answer<never> | Answer<ToolResult>) => headers.get("mcp-session-id");
const health = async () => (await answerOf(await server.request(`${PATH}/health`))).body;

describe("health", () => {
  it("[bi.health.public] is for everybody", async () => {
    const answer = await answerOf(await server.request(`${PATH}/health`));
    expect(answer.status).toBe(200);
    const { tools } = answer.body as { tools: string[] };
    expect(tools).toEqual(expect.arrayContaining(["knowi_get_data", "fixture_echo", "fixture_write"]));
    expect(answer.body).toEqual({
      status: "healthy",
      toolCount: tools.length,
      tools,
      activeSessions: expect.any(Number),
    });
  });

  it("[bi.health.sessions] counts the open sessions", async () => {
    const before = (await health()).activeSessions as number;
    const session = sessionOf(await rpc(server, PATH, "initialize", { token, params: {} }));
    expect((await health()).activeSessions).toBe(before + 1);
    await server.request(PATH, { token, method: "DELETE", headers: { "mcp-session-id": session ?? "" } });
    expect((await health()).activeSessions).toBe(before);
  });
});

describe("tokens", () => {
  const routes = [
    ["POST", ""],
    ["DELETE", ""],
    ["GET", "/tools"],
    ["GET", "/tools/fixture_echo"],
    ["POST", "/tools/call"],
  ] as const;

  it.each(routes)("[bi.auth.bearer] %s /api/2.0/mcp%s wants a token", async (method, path) => {
    const answer = await answerOf(await server.request(`${PATH}${path}`, { method }));
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({ error: "unauthorized", message: "No authorization token provided" });
    expect(answer.headers.get("www-authenticate")).toMatch(
      /^Bearer resource_metadata="[^"]+\/api\/2\.0\/mcp"$/,
    );
  });

  it.each(routes)("[bi.auth.invalid] %s /api/2.0/mcp%s refuses a wrong one", async (method, path) => {
    const answer = await answerOf(
      await server.request(`${PATH}${path}`, { method, token: `kmcp_${"x".repeat(43)}` }),
    );
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({ error: "unauthorized", message: "Token expired or invalid" });
    expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  it("[bi.auth.session-alone] a session id is no token", async () => {
    const session = sessionOf(await rpc(server, PATH, "initialize", { token, params: {} })) ?? "";
    expect(await rpc(server, PATH, "tools/list", { session })).toMatchObject({ status: 401 });
  });

  it("[bi.token.mcp] [bi.token.revoked] an MCP token has its owner's power until it is revoked", async () => {
    const email = "mcp-owner@example.com";
    const { identity } = server.app;
    await identity.users.create({ email, workspace: "acme", role: "contributor" });
    const first = await identity.tokens.create({ email, workspace: "acme", kind: "mcp" });
    const second = await identity.tokens.create({ email, workspace: "acme", kind: "mcp" });
    expect((await call("fixture_write", {}, { token: first.token })).body.result?.isError).toBe(false);
    await identity.tokens.revoke(first.info.id);
    expect(await call("fixture_write", {}, { token: first.token })).toMatchObject({ status: 401 });
    expect((await call("fixture_write", {}, { token: second.token })).body.result?.isError).toBe(false);
  });

  it("[bi.token.lifetime] an MCP token lives for 30 days to a year", async () => {
    await expect(server.token({ kind: "mcp", expiresInMs: 29 * MS.day })).rejects.toThrow(
      "30 days to 1 year",
    );
    await expect(server.token({ kind: "mcp", expiresInMs: 366 * MS.day })).rejects.toThrow(
      "30 days to 1 year",
    );
    const month = await server.token({ kind: "mcp", expiresInMs: 30 * MS.day });
    const year = await server.token({ kind: "mcp", expiresInMs: 365 * MS.day });
    expect(await call("fixture_echo", { text: "x" }, { token: month })).toMatchObject({ status: 200 });
    expect(await call("fixture_echo", { text: "x" }, { token: year })).toMatchObject({ status: 200 });
  });
});

describe("login", () => {
  const login = async (clientId: string, clientSecret: string) =>
    answerOf(await server.request("/api/2.0/login", { json: { clientId, clientSecret } }));
  const newClient = async (role: "viewer" | "contributor") => {
    const email = `login-${role}-${Math.random()}@example.com`;
    await server.app.identity.users.create({ email, workspace: "acme", role });
    return server.app.identity.clients.create({ email, workspace: "acme" });
  };

  it("[bi.login.bearer] [bi.login.hour] gives a bearer token of one hour", async () => {
    const { clientId, clientSecret } = await newClient("contributor");
    const { status, body, headers } = await login(clientId, clientSecret);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: 3600, token: body.access_token });
    expect(headers.get("cache-control")).toBe("no-store");
    const bearer = String(body.access_token);
    expect(await call("fixture_echo", { text: "x" }, { token: bearer })).toMatchObject({ status: 200 });
    clock.advance(MS.hour - 1);
    expect(await call("fixture_echo", { text: "x" }, { token: bearer })).toMatchObject({ status: 200 });
    clock.advance(2);
    expect(await call("fixture_echo", { text: "x" }, { token: bearer })).toMatchObject({ status: 401 });
  });

  it("[bi.login.power] the bearer has the power of its user", async () => {
    for (const role of ["viewer", "contributor"] as const) {
      const { clientId, clientSecret } = await newClient(role);
      const bearer = String((await login(clientId, clientSecret)).body.access_token);
      const { body } = await call("fixture_write", {}, { token: bearer });
      expect(body.result?.isError).toBe(role === "viewer");
    }
  });

  it("[bi.login.refused] tells not which part was wrong", async () => {
    const { clientId, clientSecret } = await newClient("viewer");
    const wrongSecret = await login(clientId, `${clientSecret.slice(0, -1)}!`);
    const wrongId = await login(`${clientId.slice(0, -1)}_`, clientSecret);
    expect(wrongSecret.status).toBe(401);
    expect(wrongSecret.body).toMatchObject({ error: "unauthorized" });
    expect({ status: wrongId.status, text: wrongId.text }).toEqual({ status: 401, text: wrongSecret.text });
    for (const json of [{}, { clientId }, { clientId, clientSecret: 5 }, [], null]) {
      expect(await server.request("/api/2.0/login", { json })).toMatchObject({ status: 400 });
    }
  });
});

describe("transport", () => {
  it("[bi.transport.initialize] answers the example's initialize", async () => {
    const { status, headers, body } = await rpc(server, PATH, "initialize", { token, params: {} });
    expect({ status, type: headers.get("content-type") }).toEqual({ status: 200, type: "application/json" });
    expect(headers.get("mcp-session-id")).toMatch(/^[\x21-\x7e]+$/);
    expect(body).toMatchObject({
      jsonrpc: "2.0",
      id: 1,
      result: {
        protocolVersion: "2024-11-05",
        serverInfo: { name: expect.any(String), version: expect.any(String) },
      },
    });
    expect(body.result?.capabilities).toEqual({ tools: {} });
  });

  it("[bi.transport.call] [bi.session.continuity] answers the example's tools/call in its session", async () => {
    const session = sessionOf(await rpc(server, PATH, "initialize", { token, params: {} })) ?? "";
    const answer = await call("fixture_echo", { text: "hello" }, { session, id: 2 });
    expect(answer.status).toBe(200);
    expect(sessionOf(answer)).toBe(session);
    expect(answer.body).toMatchObject({ jsonrpc: "2.0", id: 2, result: { isError: false } });
  });

  it("[bi.transport.no-handshake] [bi.transport.post] answers without a handshake and without an Accept header", async () => {
    for (const method of ["initialize", "tools/list", "tools/call"]) {
      const params = method === "tools/call" ? { name: "fixture_echo", arguments: { text: "x" } } : {};
      const answer = await rawRequest(server, PATH, {
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
      });
      expect(answer).toMatchObject({ status: 200, body: { jsonrpc: "2.0", id: 7, result: {} } });
      expect(answer.headers.get("content-type")).toBe("application/json");
    }
  });

  it("[bi.transport.initialized] acknowledges the notification with 204", async () => {
    const session = sessionOf(await rpc(server, PATH, "initialize", { token, params: {} })) ?? "";
    for (const ask of [{ token, session }, { token }]) {
      const answer = await rpc(server, PATH, "notifications/initialized", ask);
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: "" });
    }
  });

  it("[bi.transport.list] lists every tool with its schemas, also what the caller may not use", async () => {
    const viewer = await server.token({ role: "viewer" });
    const { body } = await rpc(server, PATH, "tools/list", { token: viewer });
    const tools = body.result?.tools as Record<string, unknown>[];
    expect(tools.map(({ name }) => name)).toEqual((await health()).tools);
    for (const tool of tools) {
      expect(tool).toMatchObject({ description: expect.any(String), inputSchema: { type: "object" } });
    }
  });
});

describe("sessions", () => {
  const begin = async (as = token) =>
    sessionOf(await rpc(server, PATH, "initialize", { token: as, params: {} })) ?? "";
  const isAlive = async (session: string, as = token) =>
    sessionOf(await rpc(server, PATH, "ping", { token: as, session })) === session;

  it("[bi.session.header] every response names its session", async () => {
    const answers = [
      await rpc(server, PATH, "initialize", { token, params: {} }),
      await rpc(server, PATH, "notifications/initialized", { token }),
      await rpc(server, PATH, "tools/list", { token }),
      await rpc(server, PATH, "no/such/method", { token }),
      await call("fixture_echo", { text: "x" }),
      await call("fixture_fail", { code: "not_found" }),
      await call("no_such_tool"),
    ];
    for (const answer of answers) expect(sessionOf(answer as Answer<never>)).toMatch(/^[\x21-\x7e]{8,}$/);
  });

  it("[bi.session.unique] each one has its own id", async () => {
    expect(new Set([await begin(), await begin(), await begin()]).size).toBe(3);
  });

  it("[bi.session.delete] [bi.session.renewed] ends by DELETE, and the next request gets a new one", async () => {
    const session = await begin();
    const end = (id: string) =>
      server.request(PATH, { token, method: "DELETE", headers: { "mcp-session-id": id } });
    expect((await end(session)).status).toBe(200);
    expect((await end(session)).status).toBe(404);
    expect((await server.request(PATH, { token, method: "DELETE" })).status).toBe(404);
    const next = await call("fixture_echo", { text: "x" }, { session });
    expect(next).toMatchObject({ status: 200, body: { result: { isError: false } } });
    expect(sessionOf(next)).not.toBe(session);
    expect(await isAlive(sessionOf(next) ?? "")).toBe(true);
  });

  it("[bi.session.idle] lasts for 30 minutes after each use", async () => {
    using time = movableIdleTime();
    const session = await begin();
    for (let use = 0; use < 3; use += 1) {
      time.advance(29 * MS.minute);
      expect(await isAlive(session)).toBe(true);
    }
    time.advance(31 * MS.minute);
    expect(await isAlive(session)).toBe(false);
  });

  it("[bi.session.user] is of no use to another user", async () => {
    const session = await begin();
    const other = await server.token();
    expect(await isAlive(session, other)).toBe(false);
    const theft = { token: other, method: "DELETE", headers: { "mcp-session-id": session } };
    expect((await server.request(PATH, theft)).status).toBe(404);
    expect(await isAlive(session)).toBe(true);
  });
});

describe("REST", () => {
  it("[bi.rest.list] lists the tools as an array", async () => {
    const { status, body } = await rest("/tools");
    expect(status).toBe(200);
    const tools = body as unknown as Record<string, unknown>[];
    expect(Array.isArray(tools)).toBe(true);
    expect(tools.map(({ name }) => name)).toEqual((await health()).tools);
    expect(tools[0]).toMatchObject({ description: expect.any(String), inputSchema: { type: "object" } });
  });

  it("[bi.rest.get] [bi.rest.unknown] shows one tool, or 404", async () => {
    const one = await rest("/tools/fixture_echo");
    expect(one).toMatchObject({
      status: 200,
      body: { name: "fixture_echo", inputSchema: { type: "object" } },
    });
    expect(await rest("/tools/no_such_tool")).toMatchObject({ status: 404, body: { error: "not_found" } });
    const called = await rest("/tools/call", { json: { name: "no_such_tool", arguments: {} } });
    expect(called).toMatchObject({ status: 404, isError: true });
    expect(called.content[0]?.text).toMatch(/^Tool not found: no_such_tool/);
  });

  it("[bi.rest.call] [bi.result.shape] calls a tool, with the same result as JSON-RPC", async () => {
    const direct = await rest("/tools/call", { json: { name: "fixture_echo", arguments: { text: "hi" } } });
    expect(direct.status).toBe(200);
    const { result } = (await call("fixture_echo", { text: "hi" })).body;
    for (const shown of [direct.body, result]) {
      expect(shown).toEqual({
        content: [{ type: "text", text: '{"text":"hi"}' }],
        structuredContent: { text: "hi" },
        isError: false,
        _meta: { executionTimeMs: expect.any(Number) },
      });
    }
  });

  it("[bi.rest.status] says by HTTP what went wrong", async () => {
    const statuses = {
      bad_request: 400,
      plan_limit: 402,
      forbidden: 403,
      not_found: 404,
      conflict: 409,
      too_large: 413,
      rate_limited: 429,
      unavailable: 503,
      timeout: 504,
      bug: 500,
    };
    for (const [code, status] of Object.entries(statuses)) {
      const answer = await rest("/tools/call", { json: { name: "fixture_fail", arguments: { code } } });
      expect({ code, status: answer.status, isError: answer.isError }).toEqual({
        code,
        status,
        isError: true,
      });
    }
    const viewer = await server.token({ role: "viewer" });
    const denied = await rest("/tools/call", { token: viewer, json: { name: "fixture_write" } });
    expect(denied).toMatchObject({ status: 403, isError: true });
    for (const json of [{}, { name: 5 }, [], null])
      expect(await rest("/tools/call", { json })).toMatchObject({ status: 400 });
    expect(await rest("/tools/call", { method: "POST", body: "{oops" })).toMatchObject({ status: 400 });
  });
});

describe("errors", () => {
  const textOf = async (answer: Promise<Answer<ToolResult>>) => {
    const { status, body } = await answer;
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ isError: true, content: [{ type: "text" }] });
    return body.result?.content[0]?.text;
  };

  it("[bi.error.shape] [bi.error.denied] a denied call says so", async () => {
    const viewer = await server.token({ role: "viewer" });
    expect(await textOf(call("fixture_write", {}, { token: viewer }))).toMatch(/^Access denied: .*bi:write/);
  });

  it("[bi.error.unknown-tool] an unknown tool is named, with the way to the list", async () => {
    expect(await textOf(call("knowi_nothing"))).toBe(
      "Tool not found: knowi_nothing. Use /api/2.0/mcp/tools to list valid tool names.",
    );
  });

  it("[bi.error.validation] wrong parameters are named", async () => {
    expect(await textOf(call("fixture_echo"))).toBe("Validation error: text is required (string).");
    expect(await textOf(call("fixture_echo", { text: "x", txt: 1 }))).toMatch(/^Validation error: .*txt/);
  });

  it("shows a bug without its insides", async () => {
    expect(await textOf(call("fixture_fail", { code: "bug" }))).not.toContain("hunter2");
  });
});

describe("input", () => {
  it("[bi.input.control-characters] is stripped of control characters, at any depth", async () => {
    const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join("");
    const rows = [{ "no\u0000te": `a${controls}\u007fb`, nested: { list: [{ deep: "\u0000x\u001f" }] } }];
    const pushed = await call("knowi_push_data", { datasetName: "contr\u0001olled", rows });
    const shown = pushed.body.result?.structuredContent;
    expect(shown).toMatchObject({ dataset_name: "controlled" });
    const { body } = await call("knowi_get_data", { datasetId: shown?.dataset_id });
    expect(body.result?.structuredContent).toMatchObject({
      rows: [{ note: "a\t\n\rb", nested: { list: [{ deep: "x" }] } }],
    });
  });
});

describe("audit", () => {
  const eventsOf = async (filter: Record<string, unknown>) => {
    await server.app.identity.audit.flush();
    const { body } = await callOf(server, PATHS.all, "list_audit_events", filter, { token });
    return body.result?.structuredContent?.events as Record<string, unknown>[];
  };

  it("[bi.audit.call] tells tool, success and milliseconds", async () => {
    await call("fixture_echo", { text: "seen" });
    await call("fixture_fail", { code: "not_found" });
    const events = await eventsOf({ action: "mcp.tool.call", limit: 2 });
    expect(events).toMatchObject([
      { resource_id: "fixture_fail", success: false, outcome: "not_found", duration_ms: expect.any(Number) },
      { resource_id: "fixture_echo", success: true, outcome: "ok", duration_ms: expect.any(Number) },
    ]);
  });

  it("[bi.audit.denied] tells who was denied what", async () => {
    const viewer = await server.token({ role: "viewer" });
    await call("fixture_write", {}, { token: viewer });
    const [event] = await eventsOf({ success: false, limit: 1 });
    expect(event).toMatchObject({
      action: "mcp.tool.call",
      resource_id: "fixture_write",
      outcome: "forbidden",
      user: expect.stringMatching(/^viewer-/),
    });
  });
});
