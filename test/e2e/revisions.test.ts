import { describe, expect, it } from "vitest";
import { SURFACES } from "../../src/registry/caller.ts";
import { mountFixtures } from "../contracts/fixtures.ts";
import { callOf, modernRpc, PATHS, rpc, type ToolResult } from "../support/rpc.ts";
import { serverOfFile } from "../support/server.ts";

/** Every revision of MCP on every endpoint, by plain HTTP. */

const OLDER = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

const server = await serverOfFile({ extend: mountFixtures });
const token = await server.token();

describe.each(SURFACES)("%s", (surface) => {
  const path = PATHS[surface];

  it.each(OLDER)("[all.protocol.older] speaks %s, in a session", async (protocolVersion) => {
    const clientInfo = { name: "old-client", version: "0.9" };
    const params = { protocolVersion, capabilities: {}, clientInfo };
    const begun = await rpc(server, path, "initialize", { token, params });
    expect(begun).toMatchObject({
      status: 200,
      body: { result: { protocolVersion, capabilities: { tools: {} } } },
    });
    const session = begun.headers.get("mcp-session-id") ?? "";
    const ask = { token, session, headers: { "mcp-protocol-version": protocolVersion } };
    const ready = await rpc(server, path, "notifications/initialized", ask);
    expect(ready.status).toBe(surface === "bi" ? 204 : 202);
    const { tools } = (await rpc(server, path, "tools/list", ask)).body.result as {
      tools: { name: string }[];
    };
    expect(tools.map(({ name }) => name)).toContain("fixture_echo");
    const called = await callOf(server, path, "fixture_echo", { text: "x" }, ask);
    expect(called.body.result).toMatchObject({ isError: false, content: [{ type: "text" }] });
    expect(called.headers.get("mcp-session-id")).toBe(session);
  });

  it.each(OLDER)("[all.protocol.older] speaks %s, without a session", async (protocolVersion) => {
    const ask = { token, headers: { "mcp-protocol-version": protocolVersion } };
    const called = await callOf(server, path, "fixture_echo", { text: "x" }, ask);
    expect(called).toMatchObject({ status: 200, body: { result: { isError: false } } });
  });

  it("[all.protocol.newest] speaks 2026-07-28: discovers, lists, calls, and keeps no session", async () => {
    const found = await modernRpc(server, path, "server/discover", { token });
    expect(found.body.result).toMatchObject({
      supportedVersions: expect.arrayContaining(["2026-07-28"]),
      capabilities: { tools: {} },
    });
    const { body } = await modernRpc<{ tools: { name: string }[] }>(server, path, "tools/list", { token });
    expect(body.result?.tools.map(({ name }) => name)).toContain("fixture_echo");
    const params = { name: "fixture_echo", arguments: { text: "x" } };
    const called = await modernRpc<ToolResult>(server, path, "tools/call", { token, params });
    expect(called.body.result).toMatchObject({ isError: false, structuredContent: { text: "x" } });
    expect(called.headers.get("mcp-session-id")).toBeNull();
    const nothing = await modernRpc(server, path, "no/such/method", { token });
    expect(nothing.body.error).toMatchObject({ code: -32601 });
  });

  it("[all.protocol.newest] wants headers that agree with the message", async () => {
    const params = { name: "fixture_echo", arguments: { text: "x" } };
    for (const headers of [{ "mcp-name": "other" }, { "mcp-method": "tools/list" }]) {
      const answer = await modernRpc(server, path, "tools/call", { token, params, headers });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
    }
  });

  it("[all.protocol.unknown] refuses a header with a version nobody knows", async () => {
    const answer = await rpc(server, path, "tools/list", {
      token,
      headers: { "mcp-protocol-version": "1999-01-01" },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("1999-01-01") } },
    });
  });
});
