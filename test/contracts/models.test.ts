import { describe, expect, it } from "vitest";
import { callOf, PATHS, rpc } from "../support/rpc.ts";
import { serverOfFile } from "../support/server.ts";
import { mountFixtures } from "./fixtures.ts";

const PATH = PATHS.models;

const server = await serverOfFile({ extend: mountFixtures });
await server.app.identity.workspaces.create({ slug: "globex" });
const token = await server.token();

describe("the workspace in the path", () => {
  it("[models.endpoint] [models.no-handshake] answers for the token's own workspace", async () => {
    const listed = await rpc(server, PATH, "tools/list", { token });
    expect(listed).toMatchObject({ status: 200, body: { result: { tools: expect.any(Array) } } });
    const called = await callOf(server, PATH, "fixture_echo", { text: "x" }, { token });
    expect(called.body.result).toMatchObject({ isError: false, structuredContent: { text: "x" } });
  });

  it("[models.scope] [models.foreign] [models.unknown] any other one does not exist", async () => {
    const theirs = await server.token({ workspace: "globex" });
    expect(await rpc(server, "/mcp/globex/mcp", "ping", { token: theirs })).toMatchObject({ status: 200 });
    const foreign = await rpc(server, "/mcp/globex/mcp", "ping", { token });
    const unknown = await rpc(server, "/mcp/no-such-one/mcp", "ping", { token });
    const invented = await rpc(server, PATH, "ping", { token: `kapi_${"x".repeat(43)}` });
    expect(foreign.status).toBe(401);
    for (const other of [unknown, invented]) {
      expect({ status: other.status, text: other.text }).toEqual({ status: 401, text: foreign.text });
    }
    const challenge = foreign.headers.get("www-authenticate") ?? "";
    expect(unknown.headers.get("www-authenticate")).toBe(challenge.replace("globex", "no-such-one"));
    for (const slug of ["ACME", "acme%20", "a%2Fb", "%22%0d%0aX-Y:1", "%E0%A4%A"]) {
      expect(await rpc(server, `/mcp/${slug}/mcp`, "ping", { token })).toMatchObject({ status: 401 });
    }
  });

  it("[models.foreign] a session goes to no other workspace", async () => {
    const email = "both@example.com";
    for (const workspace of ["acme", "globex"]) {
      await server.app.identity.users.create({ email, workspace, role: "viewer" });
    }
    const here = await server.token({ email });
    const there = await server.token({ email, workspace: "globex" });
    const begun = await rpc(server, PATH, "initialize", { token: here, params: {} });
    const session = begun.headers.get("mcp-session-id") ?? "";
    expect(await rpc(server, PATH, "ping", { token: here, session })).toMatchObject({ status: 200 });
    expect(await rpc(server, "/mcp/globex/mcp", "ping", { token: there, session })).toMatchObject({
      status: 404,
    });
  });

  it("[models.reserved] the slug of the knowledge endpoint cannot be taken", async () => {
    const taking = server.app.identity.workspaces.create({ slug: "knowledge-external" });
    await expect(taking).rejects.toThrow(/knowledge-external/);
  });
});

describe("transport", () => {
  it("[models.protocol] speaks 2025-06-18 unless asked for another", async () => {
    const { body } = await rpc(server, PATH, "initialize", { token, params: {} });
    expect(body.result).toMatchObject({ protocolVersion: "2025-06-18", capabilities: { tools: {} } });
    const asked = await rpc(server, PATH, "initialize", { token, params: { protocolVersion: "2025-03-26" } });
    expect(asked.body.result).toMatchObject({ protocolVersion: "2025-03-26" });
  });

  it("[models.session.unknown] does not know a session that it did not begin", async () => {
    const unknown = await rpc(server, PATH, "ping", { token, session: "made-up", id: 3 });
    expect(unknown).toMatchObject({ status: 404, body: { id: 3, error: { code: -32001 } } });
    const begun = await rpc(server, PATH, "initialize", { token, session: "made-up", params: {} });
    expect(begun.headers.get("mcp-session-id")).not.toBe("made-up");
    expect(begun.status).toBe(200);
  });

  it("[models.error.shape] fails by a result that says what to do", async () => {
    const missing = await callOf(server, PATH, "fixture_echo", {}, { token });
    expect(missing.body.result).toEqual({
      content: [{ type: "text", text: "text is required (string)." }],
      isError: true,
    });
    const failed = await callOf(server, PATH, "fixture_fail", { code: "not_found" }, { token });
    expect(failed.body.result?.content[0]?.text).toBe("It was not_found. Try something else.");
    const bug = await callOf(server, PATH, "fixture_fail", { code: "bug" }, { token });
    expect(bug.body.result?.content[0]?.text).toMatch(/error [0-9a-f-]{36}/);
    expect(bug.text).not.toContain("hunter2");
    expect((await callOf(server, PATH, "fixture_ecko", {}, { token })).body.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("Did you mean fixture_echo?"),
    });
  });
});
