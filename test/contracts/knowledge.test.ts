import { describe, expect, it } from "vitest";
import { answerOf, callOf, PATHS, rpc } from "../support/rpc.ts";
import { serverOfFile, startTestServer } from "../support/server.ts";
import { mountFixtures } from "./fixtures.ts";

const PATH = PATHS.knowledge;
const BASE = "/mcp/knowledge-external";

const server = await serverOfFile({ extend: mountFixtures, env: { API_PREFIX: "/api" } });
const token = await server.token();

const get = async (path: string, on = server) => answerOf(await on.request(path));

describe("where it is", () => {
  it.each(["", "/api"])(
    "[knowledge.metadata] [knowledge.prefix] tells about itself below '%s'",
    async (prefix) => {
      const { status, body } = await get(`${prefix}${BASE}`);
      expect(status).toBe(200);
      expect(await get(`${prefix}${BASE}/`)).toMatchObject({ status, body });
      expect(body).toMatchObject({
        service: "knowledge-external",
        endpoints: { mcp: `${prefix}${BASE}/sse`, health: `${prefix}${BASE}/health` },
      });
    },
  );

  it.each(["", "/api"])("[knowledge.health] [knowledge.prefix] is healthy below '%s'", async (prefix) => {
    expect(await get(`${prefix}${BASE}/health`)).toMatchObject({ status: 200, body: { status: "healthy" } });
  });

  it.each(["", "/api"])(
    "[knowledge.transport] [knowledge.prefix] speaks Streamable HTTP below '%s'",
    async (prefix) => {
      const path = `${prefix}${PATH}`;
      const begun = await rpc(server, path, "initialize", { token, params: {} });
      expect(begun).toMatchObject({ status: 200, body: { result: { protocolVersion: "2025-06-18" } } });
      const session = begun.headers.get("mcp-session-id") ?? "";
      expect(await rpc(server, path, "notifications/initialized", { token, session })).toMatchObject({
        status: 202,
      });
      expect(await rpc(server, path, "tools/list", { token, session })).toMatchObject({ status: 200 });
      const headers = { accept: "text/event-stream", "mcp-session-id": session };
      const stream = await server.request(path, { token, headers });
      expect(stream.headers.get("content-type")).toBe("text/event-stream");
      await stream.body?.cancel();
      // The retired HTTP+SSE transport would open a stream here.
      expect(await server.request(path, { token, headers: { accept: "text/event-stream" } })).toMatchObject({
        status: 405,
      });
    },
  );

  it("[knowledge.off] is nowhere unless it is switched on", async () => {
    const closed = await startTestServer({
      env: { EXTERNAL_KNOWLEDGE_MCP_ENABLED: "", API_PREFIX: "/api" },
    });
    try {
      const as = await closed.token();
      for (const prefix of ["", "/api"]) {
        expect(await get(`${prefix}${BASE}`, closed)).toMatchObject({ status: 404 });
        expect(await get(`${prefix}${BASE}/health`, closed)).toMatchObject({ status: 404 });
        expect(await rpc(closed, `${prefix}${PATH}`, "ping", { token: as })).toMatchObject({ status: 404 });
      }
    } finally {
      await closed.stop();
    }
  });

  it("[knowledge.concurrent] serves many at once from the beginning", async () => {
    const fresh = await startTestServer({ extend: mountFixtures });
    try {
      const as = { token: await fresh.token() };
      const requests = Array.from({ length: 40 }, (_, i) =>
        i % 2 === 0
          ? rpc(fresh, PATH, "initialize", { ...as, params: {} })
          : callOf(fresh, PATH, "fixture_echo", { text: String(i) }, as),
      );
      const answers = await Promise.all<{ status: number }>(requests);
      expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
    } finally {
      await fresh.stop();
    }
  });
});

describe("who may come in", () => {
  it("[knowledge.token.bearer] [knowledge.token.owner] the owner of a wg- token", async () => {
    const email = "reader@example.com";
    await server.app.identity.users.create({ email, workspace: "acme", role: "viewer" });
    const wg = await server.token({ kind: "knowledge", email });
    expect(wg).toMatch(/^wg-/);
    const headers = { "x-user-name": "admin-1@example.com" };
    expect(await rpc(server, PATH, "initialize", { token: wg, headers, params: {} })).toMatchObject({
      status: 200,
    });
    await server.app.identity.audit.flush();
    const { body } = await callOf(
      server,
      PATHS.all,
      "list_audit_events",
      { action: "mcp.session.created", limit: 1 },
      { token },
    );
    expect(body.result?.structuredContent).toMatchObject({ events: [{ user: email }] });
  });

  it("[knowledge.token.required] [knowledge.no-api-key] [knowledge.no-user-name] and nobody by another header", async () => {
    const email = "caller@example.com";
    await server.app.identity.users.create({ email, workspace: "acme", role: "admin" });
    const wg = await server.token({ kind: "knowledge", email });
    for (const headers of [
      {},
      { "x-api-key": wg },
      { "x-user-name": email },
      { authorization: wg },
    ] as const) {
      const { status, body } = await rpc(server, PATH, "initialize", { headers, params: {} });
      expect({ status, body }).toMatchObject({
        status: 401,
        body: { code: "unauthorized", error: expect.any(String) },
      });
    }
  });
});

describe("results and errors", () => {
  const call = (name: string, args: Record<string, unknown>) => callOf(server, PATH, name, args, { token });
  const onlyText = ({ body }: Awaited<ReturnType<typeof call>>) => {
    expect(body.result?.content).toHaveLength(1);
    return JSON.parse(body.result?.content[0]?.text ?? "");
  };

  it("a result is one JSON text", async () => {
    const answer = await call("fixture_echo", { text: "hi" });
    expect(answer.body.result).toMatchObject({ isError: false, structuredContent: { text: "hi" } });
    expect(onlyText(answer)).toEqual({ text: "hi" });
  });

  it("an error is one JSON text", async () => {
    const answer = await call("fixture_echo", {});
    expect(answer).toMatchObject({ status: 200, body: { result: { isError: true } } });
    expect(onlyText(answer)).toEqual({ error: "text is required (string).", code: "bad_request" });
  });

  it.each([
    ["bad_request", "bad_request"],
    ["unauthorized", "unauthorized"],
    ["not_found", "not_found"],
    ["forbidden", "forbidden"],
    ["gone", "file_unavailable"],
    ["unsupported", "unsupported_media_type"],
    ["rate_limited", "rate_limited"],
    ["too_large", "result_too_large"],
    ["internal", "internal_error"],
    ["bug", "internal_error"],
  ])("[knowledge.error.codes] %s is %s", async (code, shown) => {
    const answer = await call("fixture_fail", { code });
    expect(onlyText(answer)).toEqual({ error: expect.any(String), code: shown });
    expect(answer.text).not.toContain("hunter2");
  });

  it("a missing permission is forbidden", async () => {
    const viewer = await server.token({ role: "viewer" });
    const answer = await callOf(server, PATH, "fixture_write", {}, { token: viewer });
    expect(onlyText(answer)).toMatchObject({ code: "forbidden" });
  });
});
