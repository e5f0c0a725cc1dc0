import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/app/config.ts";
import type { Role } from "../../src/kernel/permissions.ts";
import { MS } from "../../src/kernel/time.ts";
import { movableIdleTime } from "../support/idle-time.ts";
import { type Ask, answerOf, callOf, PATHS, rawRequest, rpc } from "../support/rpc.ts";
import { serverOfFile, startTestServer } from "../support/server.ts";
import { mountFixtures } from "./fixtures.ts";

const PATH = PATHS.agent;
const APP_URL = "https://kenning.example.com";
const METADATA = `resource_metadata="${APP_URL}/.well-known/oauth-protected-resource/api/data-agent/mcp"`;

const server = await serverOfFile({ extend: mountFixtures, env: { APP_URL } });
const token = await server.token();

let people = 0;
async function newUser(role: Role) {
  people += 1;
  const email = `${role}-of-agent-${people}@example.com`;
  const { identity } = server.app;
  await identity.users.create({ email, workspace: "acme", role });
  return {
    email,
    token: () => server.token({ email }),
    become: (next: Role) => identity.users.setRole({ email, workspace: "acme", role: next }),
  };
}

/** Something that takes the permission to ask; questions themselves are in agent-questions.test.ts. */
const ask = (options: Ask = {}, name = "fixture_write", args = {}) =>
  callOf(server, PATH, name, args, { token, ...options });
const fail = (code: string, options: Ask = {}) => ask(options, "fixture_fail", { code });
const read = (uri: string, options: Ask = {}) =>
  rpc(server, PATH, "resources/read", { token, ...options, params: { uri } });
const ping = (options: Ask = {}) => rpc(server, PATH, "ping", { token, ...options });
const end = (session: string, as = token) =>
  server.request(PATH, { token: as, method: "DELETE", headers: { "mcp-session-id": session } });

async function eventsOf(filter: Record<string, unknown>) {
  await server.app.identity.audit.flush();
  const { body } = await callOf(server, PATHS.all, "list_audit_events", { limit: 500, ...filter }, { token });
  const events = body.result?.structuredContent?.events;
  return events as { action: string; resource_id: string; user: string; metadata: Record<string, unknown> }[];
}

describe("coming in", () => {
  it("[agent.challenge.missing] [agent.settings.app-url] without a token: where to get one", async () => {
    const answer = await answerOf(await server.request(PATH, { method: "POST" }));
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(`Bearer ${METADATA}`);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.body).toMatchObject({ error: "unauthorized", message: "No authorization token provided" });
  });

  it("[agent.challenge.invalid] with a wrong token: the same way", async () => {
    const answer = await ping({ token: "eyJhbGciOiJIUzI1NiJ9.e30.nothing" });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token", /);
    expect(answer.headers.get("www-authenticate")).toContain(METADATA);
    expect(answer.body).toMatchObject({ error: "unauthorized", message: "Token expired or invalid" });
  });

  it("[agent.entry.permissions] [agent.entry.refused] without the scopes: all of them at once", async () => {
    const enough = await server.token({ scopes: ["data_agent:read", "ontologies:read"] });
    expect(await ping({ token: enough })).toMatchObject({ status: 200 });
    const one = await ping({ token: await server.token({ scopes: ["data_agent:read"] }) });
    expect(one.status).toBe(403);
    const none = await ping({ token: await server.token({ scopes: ["bi:read"] }) });
    expect(none.status).toBe(403);
    const challenge = none.headers.get("www-authenticate") ?? "";
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="bi:read data_agent:read ontologies:read"');
    expect(challenge).toContain(METADATA);
  });

  it("[agent.https.hsts] by https only", async () => {
    const { headers } = await ping();
    expect(headers.get("strict-transport-security")).toMatch(/^max-age=\d{8}/);
  });
});

describe("the examples, as printed", () => {
  const asPrinted = (message: object) =>
    rawRequest(server, PATH, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "*/*" },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });

  it("[agent.example.list] resources/list", async () => {
    const answer = await asPrinted({ id: 1, method: "resources/list" });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer).toMatchObject({
      status: 200,
      body: { id: 1, result: { resources: [{ uri: "knecta://ontologies", mimeType: "application/json" }] } },
    });
  });

  it("[agent.example.read] resources/read", async () => {
    const uri = "knecta://ontologies";
    const { body } = await asPrinted({ id: 2, method: "resources/read", params: { uri } });
    expect(body.result).toEqual({ contents: [{ uri, mimeType: "application/json", text: "[]" }] });
  });
});

describe("sessions", () => {
  const createdAs = async (id: string) =>
    (await eventsOf({ action: "mcp.session.created" })).filter(({ resource_id }) => resource_id === id);

  it("[agent.session.created] [agent.session.generated] begin with the first POST", async () => {
    const id = (await ping()).headers.get("mcp-session-id") ?? "";
    expect(id).toMatch(/^[\x21-\x7e]{8,}$/);
    expect(await createdAs(id)).toHaveLength(1);
  });

  it("[agent.session.chosen] [agent.session.reused] may be named by the client", async () => {
    const session = "client-generated-session-id";
    for (let request = 0; request < 3; request += 1) {
      const answer = await rpc(server, PATH, "resources/list", { token, session });
      expect(answer).toMatchObject({ status: 200, body: { result: {} } });
      expect(answer.headers.get("mcp-session-id")).toBe(session);
    }
    expect(await createdAs(session)).toHaveLength(1);
    const greeted = await rpc(server, PATH, "initialize", {
      token,
      session: "chosen-at-initialize",
      params: {},
    });
    expect(greeted.headers.get("mcp-session-id")).toBe("chosen-at-initialize");
  });

  it("[agent.session.frozen] [agent.session.refreshed] never gain by a raised role, until a new token comes", async () => {
    const user = await newUser("viewer");
    const old = await user.token();
    const session = `frozen-${user.email}`;
    expect((await ask({ token: old, session })).body.error?.code).toBe(-32001);
    await user.become("contributor");
    expect((await ask({ token: old, session })).body.error?.code).toBe(-32001);
    expect((await ask({ token: old })).body.result).toMatchObject({ isError: false });
    expect((await ask({ token: await user.token(), session })).body.result).toMatchObject({ isError: false });
    expect(await createdAs(session)).toHaveLength(1);
  });

  it("[agent.session.shrinks] lose by a lowered role at once", async () => {
    const user = await newUser("contributor");
    const as = await user.token();
    const session = "shrinking";
    expect((await ask({ token: as, session })).body.result).toMatchObject({ isError: false });
    await user.become("viewer");
    expect((await ask({ token: as, session })).body.error?.code).toBe(-32001);
  });

  it("[agent.session.isolated] belong to their user, whatever their name", async () => {
    const session = "same-name";
    const other = await server.token();
    await ping({ session });
    await ping({ token: other, session });
    expect(await createdAs(session)).toHaveLength(2);
    expect((await end(session, other)).status).toBe(200);
    await ping({ session });
    expect(await createdAs(session)).toHaveLength(2);
  });

  it("[agent.session.deleted] [agent.audit.session] end by DELETE", async () => {
    const session = "to-be-deleted";
    await ping({ session });
    const answer = await answerOf(await end(session));
    expect(answer).toMatchObject({ status: 200, body: { message: "Session terminated" } });
    expect(await endedAs(session)).toEqual(["deleted"]);
    // An unknown one, or none, is gone just as well.
    expect(await answerOf(await end(session))).toMatchObject({ status: 200 });
    expect((await server.request(PATH, { token, method: "DELETE" })).status).toBe(200);
    await ping({ session });
    expect(await createdAs(session)).toHaveLength(2);
  });

  /** Why sessions of this name ended, as it is written down. */
  const endedAs = async (id: string) =>
    (await eventsOf({ action: "mcp.session.terminated" }))
      .filter(({ resource_id }) => resource_id === id)
      .map(({ metadata }) => (metadata as { reason?: string }).reason);

  const openStream = (session: string) =>
    server.request(PATH, { token, headers: { accept: "text/event-stream", "mcp-session-id": session } });

  it("[agent.session.stream] have a stream", async () => {
    const session = "with-stream";
    await ping({ session });
    const stream = await openStream(session);
    expect(stream.status).toBe(200);
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    await stream.body?.cancel();
    // As the reference prints it: the session's id and the token, and nothing about Accept.
    const printed = await server.request(PATH, { token, headers: { "mcp-session-id": session } });
    expect(printed.status).not.toBe(405);
    await printed.body?.cancel();
    expect((await openStream("never-heard-of")).status).toBe(404);
    expect((await server.request(PATH, { token })).status).toBe(405);
  });

  it("[agent.session.idle] [agent.session.sweep] end after an hour without use", async () => {
    using time = movableIdleTime();
    const session = "idle";
    await ping({ session });
    const reader = (await openStream(session)).body?.getReader();
    time.advance(59 * MS.minute);
    await ping({ session });
    time.advance(59 * MS.minute);
    await ping({ session });
    expect(await createdAs(session)).toHaveLength(1);
    time.advance(61 * MS.minute);
    await server.app.endpoints.get("agent")?.sessions.sweep();
    // The sweep closes the stream, so reading comes to an end.
    for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read());
    expect(await endedAs(session)).toEqual(["expired"]);
    await ping({ session });
    expect(await createdAs(session)).toHaveLength(2);
    // Once, though it is swept again; and also where it is used again before anybody swept.
    await server.app.endpoints.get("agent")?.sessions.sweep();
    expect(await endedAs(session)).toEqual(["expired"]);
    time.advance(61 * MS.minute);
    await ping({ session });
    expect(await endedAs(session)).toEqual(["expired", "expired"]);
  });
});

describe("errors", () => {
  const SHAPE = {
    jsonrpc: "2.0",
    error: {
      message: expect.stringMatching(/./),
      data: { detail: expect.stringMatching(/./), knecta_code: expect.stringMatching(/^[A-Z_]+$/) },
    },
  };
  const call = (name: string, args: unknown) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  });
  const request = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });

  it.each([
    ["[agent.error.parse]", "{oops", 400, -32700, "PARSE_ERROR"],
    ["[agent.error.parse]", "", 400, -32700, "PARSE_ERROR"],
    ["[agent.error.request]", { hello: 1 }, 400, -32600, "INVALID_REQUEST"],
    ["[agent.error.request]", { jsonrpc: "1.0", id: 1, method: "ping" }, 400, -32600, "INVALID_REQUEST"],
    ["[agent.error.request]", 5, 400, -32600, "INVALID_REQUEST"],
    ["[agent.error.request]", null, 400, -32600, "INVALID_REQUEST"],
    ["[agent.error.request]", [], 400, -32600, "INVALID_REQUEST"],
    ["[agent.error.method]", request("no/such/method"), 200, -32601, "METHOD_NOT_FOUND"],
    ["[agent.error.params]", request("tools/call"), 200, -32602, "VALIDATION_ERROR"],
    ["[agent.error.params]", call("no_such_tool", {}), 200, -32602, "VALIDATION_ERROR"],
    ["[agent.error.params]", call("ask_question", { text: 5 }), 200, -32602, "VALIDATION_ERROR"],
    ["[agent.error.params]", request("resources/read", { uri: 5 }), 200, -32602, "VALIDATION_ERROR"],
    ["[agent.error.not-found]", request("resources/read", { uri: "x://y" }), 200, -32002, "NOT_FOUND"],
  ])("[agent.error.shape] %s %j is %d with %d %s", async (_, sent, httpStatus, code, knecta_code) => {
    const headers = { "content-type": "application/json" };
    const body = typeof sent === "string" ? sent : JSON.stringify(sent);
    for (const session of [{}, { "mcp-session-id": "malformed" }]) {
      const posted = { token, method: "POST", body, headers: { ...headers, ...session } };
      const answer = await answerOf(await server.request(PATH, posted));
      expect(answer.status).toBe(httpStatus);
      expect(answer.body).toMatchObject(SHAPE);
      expect(answer.body.error).toMatchObject({ code, data: { knecta_code } });
    }
  });

  it("[agent.error.shape] in the newest revision, and in a stream", async () => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "newest", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const newest = { "mcp-protocol-version": "2026-07-28", accept: "application/json, text/event-stream" };
    for (const [method, headers, params] of [
      ["no/such/method", { ...newest, "mcp-method": "no/such/method" }, { _meta }],
      ["no/such/method", { accept: "text/event-stream, application/json" }, {}],
    ] as const) {
      const json = request(method, params);
      const answer = await server.request(PATH, { token, json, headers });
      const text = await answer.text();
      const body = JSON.parse(text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? ""));
      expect(body).toMatchObject(SHAPE);
      expect(body.error).toMatchObject({ code: -32601, data: { knecta_code: "METHOD_NOT_FOUND" } });
    }
  });

  it("[agent.error.params] of parameters", async () => {
    const { status, body } = await ask({}, "fixture_echo", { text: 5 });
    expect(status).toBe(200);
    expect(body.error).toMatchObject({
      code: -32602,
      message: "Invalid params",
      data: { detail: expect.stringContaining("text"), knecta_code: "VALIDATION_ERROR" },
    });
    expect((await ask({}, "no_such_tool")).body.error).toMatchObject({
      code: -32602,
      data: { knecta_code: "VALIDATION_ERROR" },
    });
  });

  it.each(["tools/call", "resources/read", "resources/subscribe"])(
    "%s that names nothing",
    async (method) => {
      for (const params of [{}, { name: 5, uri: 5 }])
        expect((await rpc(server, PATH, method, { token, params })).body.error).toMatchObject({
          code: -32602,
        });
      const { body } = await rpc(server, PATH, "resources/read", { token });
      expect(body.error).toMatchObject({
        message: "Invalid params",
        data: { knecta_code: "VALIDATION_ERROR" },
      });
    },
  );

  const codes = [
    ["[agent.error.not-found] not_found", -32002, "NOT_FOUND"],
    ["conflict", -32003, "ONTOLOGY_NOT_READY"],
    ["timeout", -32004, "AGENT_TIMEOUT"],
    ["unavailable", -32005, "DATABASE_CONNECTION_ERROR"],
    ["[agent.error.internal] bug", -32603, "INTERNAL_ERROR"],
  ] as const;
  it.each(codes)("%s is %d %s, in a tool, with and without a session", async (title, code, knecta) => {
    const kind = title.split(" ").at(-1) as string;
    for (const options of [{}, { session: "errors" }]) {
      const { status, body } = await fail(kind, options);
      expect(status).toBe(200);
      expect(body.error).toMatchObject({ code, data: { detail: expect.any(String), knecta_code: knecta } });
      expect(JSON.stringify(body)).not.toContain("hunter2");
    }
  });

  it.each(codes.slice(0, 4))(
    "%s is %d %s, in a resource, with and without a session",
    async (title, code, knecta) => {
      const kind = title.split(" ").at(-1) as string;
      const as = await server.token();
      for (const options of [{}, { session: "errors" }]) {
        const { status, body } = await read(`knecta://failures/${kind}`, { token: as, ...options });
        expect(status).toBe(200);
        expect(body.error).toMatchObject({ code, data: { knecta_code: knecta } });
      }
    },
  );

  it("[agent.error.shape] [agent.error.not-found] of a resource that nobody serves", async () => {
    const as = await server.token();
    const { status, body } = await read("knecta://nothing", { token: as, id: 2 });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        jsonrpc: "2.0",
        id: 2,
        error: {
          code: -32002,
          message: "Resource not found: knecta://nothing",
          data: { detail: expect.any(String), knecta_code: "NOT_FOUND" },
        },
      },
    });
  });
});

describe("audit", () => {
  it("[agent.audit.resource] [agent.audit.tool] tells who did what in which session with which client", async () => {
    const user = await newUser("contributor");
    const as = { token: await user.token(), session: "audited" };
    const clientInfo = { name: "audit-client", version: "7.1" };
    await rpc(server, PATH, "initialize", { ...as, params: { clientInfo, protocolVersion: "2025-06-18" } });
    await ask(as, "ask_question");
    await read("knecta://ontologies", as);
    const mine = (await eventsOf({})).filter(
      ({ action, user: email }) => email === user.email && action.startsWith("mcp."),
    );
    const metadata = {
      sessionId: "audited",
      clientName: "audit-client",
      clientVersion: "7.1",
      surface: "agent",
    };
    expect(mine).toMatchObject([
      {
        action: "mcp.resource.read",
        resource_type: "mcp_resource",
        resource_id: "knecta://ontologies",
        metadata,
      },
      { action: "mcp.tool.call", resource_type: "mcp_tool", resource_id: "ask_question", metadata },
      { action: "mcp.session.created", resource_type: "mcp_session", resource_id: "audited", metadata },
    ]);
  });

  it("names the session also for the call that begins it", async () => {
    const user = await newUser("contributor");
    const { headers } = await ask({ token: await user.token() }, "ask_question");
    const [call] = (await eventsOf({ action: "mcp.tool.call" })).filter((event) => event.user === user.email);
    expect(call?.metadata.sessionId).toBe(headers.get("mcp-session-id"));
  });
});

describe("limits", () => {
  it("[agent.limit.questions] [agent.limit.invalid] five questions a minute, for each user", async () => {
    const user = await newUser("contributor");
    const [one, two] = [await user.token(), await user.token()];
    const about = (question: string) => ({ ontologyId: "none", question });
    const invalid = [
      {},
      { ontologyId: "none" },
      about("  "),
      about("x".repeat(2001)),
      { ...about("x"), a: 1 },
    ];
    const expectInvalid = async () => {
      for (const args of invalid) {
        expect((await ask({ token: one }, "ask_question", args)).body.error?.code).toBe(-32602);
      }
    };
    await expectInvalid();
    for (let question = 0; question < 5; question += 1) {
      const { body } = await ask({ token: question % 2 === 0 ? one : two }, "ask_question", about("sales"));
      expect(body.error).toMatchObject({ code: -32002 });
    }
    const { status, body } = await ask({ token: one }, "ask_question", about("sales"));
    expect(status).toBe(200);
    expect(body.error).toMatchObject({
      code: -32000,
      data: { knecta_code: "RATE_LIMITED", retryAfterMs: expect.any(Number) },
    });
    // It is this endpoint's limit.
    const question = { question: "sales" };
    const elsewhere = await callOf(server, PATHS.all, "ask_question", question, { token: one });
    expect(elsewhere.body.result?.content[0]?.text).toMatch(/no published semantic model/);
    await expectInvalid();
    const another = { token: await server.token() };
    expect((await ask(another, "ask_question", about("sales"))).body.error).toMatchObject({ code: -32002 });
    expect((await read("knecta://ontologies", { token: one })).body.result).toBeDefined();
  });

  it("[agent.limit.resources] thirty resources a minute, for each user", async () => {
    const as = { token: await server.token() };
    for (let count = 0; count < 30; count += 1) {
      expect((await read("knecta://ontologies", as)).body.result).toBeDefined();
    }
    expect((await read("knecta://ontologies", as)).body.error?.data).toMatchObject({
      knecta_code: "RATE_LIMITED",
    });
  });
});

describe("settings", () => {
  const configFor = (env: Record<string, string>) => loadConfig({ env, cwd: "/nowhere" });

  it("[agent.settings.defaults] have the contract's defaults", () => {
    const { server: http, mcp } = configFor({});
    expect(http.port).toBe(8319);
    expect(mcp).toMatchObject({
      sessionTtlMinutes: 60,
      sessionCleanupIntervalMinutes: 15,
      rateLimitWindowMs: 60_000,
      rateLimitMaxRequests: 5,
    });
  });

  it("[agent.settings.secret] refuse a short secret", () => {
    expect(() => configFor({ JWT_SECRET: "x".repeat(31) })).toThrow(/JWT_SECRET.*32/);
    expect(configFor({ JWT_SECRET: "x".repeat(32) }).security.jwtSecret).toHaveLength(32);
  });

  it("[agent.session.ttl] [agent.limit.settings] change the idle time and the limit of questions", async () => {
    const env = {
      MCP_SESSION_TTL_MINUTES: "5",
      MCP_RATE_LIMIT_WINDOW_MS: "4000",
      MCP_RATE_LIMIT_MAX_REQUESTS: "2",
    };
    const other = await startTestServer({ extend: mountFixtures, env });
    try {
      const as = await other.token();
      const args = { ontologyId: "none", question: "sales" };
      const question = async () => (await callOf(other, PATH, "ask_question", args, { token: as })).body;
      const code = async () => (await question()).error?.data?.knecta_code;
      expect([await code(), await code(), await code()]).toEqual([
        "ONTOLOGY_NOT_FOUND",
        "ONTOLOGY_NOT_FOUND",
        "RATE_LIMITED",
      ]);
      await expect.poll(code, { timeout: 30_000, interval: 100 }).toBe("ONTOLOGY_NOT_FOUND");

      using time = movableIdleTime();
      const sessions = () => other.app.endpoints.get("agent")?.sessions.count();
      const before = (await sessions()) ?? 0;
      expect(before).toBeGreaterThan(0);
      time.advance(4 * MS.minute);
      expect(await sessions()).toBe(before);
      time.advance(2 * MS.minute);
      expect(await sessions()).toBe(0);
    } finally {
      await other.stop();
    }
  });

  it("[agent.health.live] the health check is public", async () => {
    const answer = await answerOf(await server.request("/api/health/live"));
    expect(answer).toMatchObject({ status: 200, body: { status: "ok" } });
  });
});
