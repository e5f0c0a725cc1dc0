import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../support/database.ts";
import { outage } from "../support/outage.ts";
import { type Ask, callOf, PATHS, rpc, type ToolResult } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";
import { mountFixtures } from "./fixtures.ts";

const PATH = PATHS.memory;
let server: TestServer;
let token: string;

beforeAll(async () => {
  server = await startTestServer({ extend: mountFixtures });
  token = await server.token({ kind: "memory" });
});
afterAll(() => server.stop());

const call = (name: string, args = {}, ask: Ask = {}) => callOf(server, PATH, name, args, { token, ...ask });

describe("transport", () => {
  it("[memory.transport.call] [memory.health.result] [memory.result.fields] answers as the reference prints it", async () => {
    const { status, headers, body } = await call("knowmind.health", {}, { id: 4 });
    expect({ status, type: headers.get("content-type") }).toEqual({ status: 200, type: "application/json" });
    expect(body).toMatchObject({
      jsonrpc: "2.0",
      id: 4,
      result: { status: "ok", service: "memory", version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    });
  });

  it("[memory.result.mcp] the same is valid MCP", async () => {
    const { result } = (await call("knowmind.health")).body;
    const { status, service, version, content, structuredContent, isError, ...rest } = result as ToolResult;
    const fields = { status, service, version };
    expect({ content, structuredContent, isError, rest }).toEqual({
      content: [{ type: "text", text: JSON.stringify(fields) }],
      structuredContent: fields,
      isError: false,
      rest: {},
    });
  });

  it("[memory.transport.sse] frames the answer for who asks for a stream", async () => {
    for (const accept of ["text/event-stream", "application/json, text/event-stream"]) {
      const { status, headers, text } = await call("knowmind.health", {}, { headers: { accept } });
      expect({ status, type: headers.get("content-type") }).toEqual({
        status: 200,
        type: "text/event-stream",
      });
      const data = /^data: (\{.*\})$/m.exec(text)?.[1] ?? "";
      expect(JSON.parse(data)).toMatchObject({ id: 1, result: { status: "ok" } });
    }
  });

  it("[memory.transport.protocol] speaks 2025-06-18 unless asked for another", async () => {
    const silent = await rpc(server, PATH, "initialize", { token, params: {} });
    expect(silent.body.result).toMatchObject({ protocolVersion: "2025-06-18", capabilities: { tools: {} } });
    const asked = await rpc(server, PATH, "initialize", { token, params: { protocolVersion: "2025-11-25" } });
    expect(asked.body.result).toMatchObject({ protocolVersion: "2025-11-25" });
  });

  it("[memory.transport.names] lists the contract's names", async () => {
    const { body } = await rpc<{ tools: { name: string }[] }>(server, PATH, "tools/list", { token });
    const names = body.result?.tools.map(({ name }) => name);
    expect(names?.filter((name) => !name.startsWith("fixture_"))).toEqual([
      "knowmind.recall",
      "knowmind.recall_at_time",
      "knowmind.list_relations",
      "knowmind.health",
      "knowmind.stats",
      "knowmind.store_memory",
      "knowmind.upload_document",
      "knowmind.update_fact",
      "knowmind.link",
      "knowmind.unlink",
    ]);
    expect((await call("memory_health")).body.error?.code).toBe(-32602);
  });
});

describe("tokens", () => {
  it("[memory.token.form] look like kmt_ and 43 characters", () => {
    expect(token).toMatch(/^kmt_[A-Za-z0-9_-]{43}$/);
  });

  it("[memory.token.workspace] [memory.stats.result] see their own workspace only", async () => {
    await server.app.identity.workspaces.create({ slug: "elsewhere" });
    for (const workspace of ["acme", "elsewhere"]) {
      const as = await server.token({ kind: "memory", workspace });
      const { result } = (await call("knowmind.stats", {}, { token: as })).body;
      expect(result).toMatchObject({ memories: 0, edges: 0, chunks: 0 });
      const who = await callOf(server, PATHS.all, "whoami", {}, { token: await server.token({ workspace }) });
      expect(who.body.result?.structuredContent).toMatchObject({ workspace: { slug: workspace } });
    }
  });

  const made = (scopes: string[]) => server.token({ kind: "memory", scopes });
  const may = async (scopes: string[]) => {
    const as = { token: await made(scopes) };
    const read = await call("knowmind.stats", {}, as);
    const write = await call("fixture_write", {}, as);
    return { read: read.body.error === undefined, write: write.body.error === undefined };
  };

  it("stand for permissions", async () => {
    expect(await may(["read"])).toEqual({ read: true, write: false });
    expect(await may(["write"])).toEqual({ read: true, write: true });
    expect(await may(["admin"])).toEqual({ read: true, write: true });
  });

  it("[memory.scope.enforced] [memory.error.scope] are told which scope is missing", async () => {
    const { status, headers, body } = await call("fixture_write", {}, { token: await made(["read"]), id: 9 });
    expect(status).toBe(403);
    expect(headers.get("www-authenticate")).toContain('error="insufficient_scope"');
    expect(body).toMatchObject({
      jsonrpc: "2.0",
      id: 9,
      error: { code: 403, data: { missing: ["memory:write"] } },
    });
    expect(body.error?.message).toMatch(/^Scope memory:write missing\./);
  });

  it("[memory.error.scope] of a viewer are refused within the call", async () => {
    const viewer = await server.token({ role: "viewer", kind: "memory" });
    const { status, headers, body } = await call("fixture_write", {}, { token: viewer });
    expect({ status, challenge: headers.get("www-authenticate") }).toEqual({ status: 200, challenge: null });
    expect(body.error).toMatchObject({ code: 403, data: { missing: ["memory:write"] } });
  });

  it("[memory.health.any-token] [memory.stats.scope] reach health in any case, stats with read", async () => {
    const other = { token: await server.token({ scopes: ["bi:read"] }) };
    expect((await call("knowmind.health", {}, other)).body.result).toMatchObject({ status: "ok" });
    expect(await call("knowmind.stats", {}, other)).toMatchObject({
      status: 403,
      body: { error: { code: 403 } },
    });
  });

  it.each([undefined, "nonsense", `kmt_${"x".repeat(43)}`])(
    "[memory.error.unauthorized] %s is refused",
    async (wrong) => {
      const { status, headers, body } = await rpc(server, PATH, "ping", { token: wrong });
      expect({ status, body }).toMatchObject({ status: 401, body: { jsonrpc: "2.0", error: { code: 401 } } });
      expect(headers.get("www-authenticate")).toMatch(/^Bearer /);
    },
  );
});

describe("health and errors", () => {
  it("[memory.health.no-data] [memory.error.params] takes no parameters", async () => {
    const { body } = await call("knowmind.health", { workspace: "acme" });
    expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining("workspace") });
    expect(JSON.stringify((await call("knowmind.health")).body)).not.toContain("acme");
  });

  it("[memory.error.params] names what is missing or wrong", async () => {
    const { status, body } = await call("fixture_echo", {});
    expect(status).toBe(200);
    expect(body.error).toMatchObject({ code: -32602, message: "text is required (string)." });
    expect((await call("fixture_echo", { text: 5 })).body.error?.code).toBe(-32602);
    expect((await call("knowmind.nothing")).body.error?.code).toBe(-32602);
  });

  it.each([
    ["conflict", 409],
    ["unsupported", 400],
    ["plan_limit", 402],
    ["forbidden", 403],
    ["not_found", 404],
    ["too_large", 413],
    ["rate_limited", 429],
    ["unavailable", 503],
    ["timeout", -32000],
  ])("%s is %d, in HTTP 200", async (code, number) => {
    const { status, body } = await call("fixture_fail", { code });
    expect(status).toBe(200);
    expect(body.error).toMatchObject({ code: number, message: expect.stringContaining(`It was ${code}.`) });
  });

  it("shows a bug without its insides", async () => {
    const { body } = await call("fixture_fail", { code: "bug" });
    expect(body.error?.code).toBe(-32603);
    expect(JSON.stringify(body)).not.toContain("hunter2");
  });

  it("[memory.health.unavailable] [memory.error.service] [all.ops.ready] says when the database is away, and when it is back", async () => {
    const database = await createTestDatabase();
    const shaken = await startTestServer({ env: { DATABASE_URL: database.url } });
    try {
      const as = { token: await shaken.token({ kind: "memory" }) };
      const health = () => callOf(shaken, PATH, "knowmind.health", {}, as);
      expect((await health()).body.result).toMatchObject({ status: "ok" });
      const away = await outage(database.url);
      expect((await health()).body.error?.code).toBe(503);
      expect((await shaken.request("/api/health/ready")).status).toBe(503);
      expect((await shaken.request("/api/health/live")).status).toBe(200);
      await away.end();
      await expect.poll(async () => (await health()).body.result).toMatchObject({ status: "ok" });
      await expect.poll(async () => (await shaken.request("/api/health/ready")).status).toBe(200);
    } finally {
      await shaken.stop();
      await database.drop();
    }
  });
});

describe("limits", () => {
  it("[memory.limit.token] [memory.error.rate] 600 requests a minute with one token", async () => {
    const as = { token: await server.token({ kind: "memory" }) };
    const statuses: number[] = [];
    for (let round = 0; round < 30; round += 1) {
      const batch = Array.from({ length: 20 }, () => rpc(server, PATH, "ping", as));
      statuses.push(...(await Promise.all(batch)).map(({ status }) => status));
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    const { status, headers, body } = await rpc(server, PATH, "ping", as);
    expect({ status, body }).toMatchObject({ status: 429, body: { jsonrpc: "2.0", error: { code: 429 } } });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect((await call("knowmind.health")).status).toBe(200);
  });

  it("[memory.limit.member] five times that for one person with many tokens", async () => {
    const { users, workspaces } = server.app.identity;
    await workspaces.create({ slug: "small" });
    await workspaces.setPlan("small", { plan: "private" });
    const ping = async (email: string) => {
      const token = await server.token({ kind: "memory", workspace: "small", email });
      // Each message of a batch counts: 60 a minute are allowed for one token on this plan.
      const json = Array.from({ length: 50 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
      return (await server.request(PATH, { token, json })).status;
    };
    for (const email of ["many@example.com", "one@example.com"])
      await users.create({ email, workspace: "small", role: "viewer" });
    const statuses: number[] = [];
    for (let i = 0; i < 7; i += 1) statuses.push(await ping("many@example.com"));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect(await ping("one@example.com")).toBe(200);
  });
});
