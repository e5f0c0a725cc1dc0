import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const MEMORY = "/api/mcp/v1";
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe("memory health", () => {
  it("[memory.health.result] says that the memory works, to any valid token", async () => {
    const tokens = [
      await server.token({ role: "viewer" }),
      await server.token({ kind: "memory", scopes: ["read"] }),
      await server.token({ limits: { readOnly: true } }),
    ];
    for (const token of tokens) {
      const { result } = await callTool(server, token, "knowmind.health", {}, MEMORY);
      expect(result).toMatchObject({
        status: "ok",
        service: "memory",
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      });
    }
  });

  it("says nothing without a token", async () => {
    expect(await callTool(server, undefined, "knowmind.health", {}, MEMORY)).toMatchObject({ status: 401 });
  });

  it("takes no arguments", async () => {
    const token = await server.token();
    const { error } = await callTool(server, token, "knowmind.health", { verbose: true }, MEMORY);
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("Unknown argument verbose"),
    });
  });
});

describe("memory health without one of its parts", () => {
  it("[memory.health.unavailable] is 503, and names the part", async () => {
    const broken = await startTestServer({ isOwn: true });
    const token = await broken.token();
    const health = async () => callTool(broken, token, "knowmind.health", {}, MEMORY);
    // The thread that searches cannot start where its folder is none.
    const folder = join(broken.home, "retrieval");
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, "");
    const index = {
      code: 503,
      message: expect.stringMatching(/search index/),
      data: { part: "search index" },
    };
    expect((await health()).error).toMatchObject(index);
    rmSync(folder);
    expect((await health()).result).toMatchObject({ status: "ok" });
    await broken.loseDatabase();
    expect((await health()).error).toMatchObject({ code: 503, message: expect.stringMatching(/database/i) });
    await broken.stop();
  });
});
