import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../test/support/database.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile, startTestServer } from "../../../../test/support/server.ts";
import { StallingProxy } from "../../../../test/support/stalling-proxy.ts";

const MEMORY = "/api/mcp/v1";

const server = await serverOfFile();

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
  it("[memory.health.unavailable] is 503, and names the part; so does what needs a database that hangs", async () => {
    const database = await createTestDatabase();
    const proxy = await StallingProxy.open(database.url);
    const broken = await startTestServer({ isOwn: true, env: { DATABASE_URL: proxy.url } });
    const token = await broken.token();
    const call = (tool: string, args: object) =>
      callTool(broken, token, `knowmind.${tool}`, args as Record<string, unknown>, MEMORY);
    const health = () => call("health", {});
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
    await call("store_memory", { content: "The office is in Detmold." });
    expect((await call("recall", { query: "office" })).result).toMatchObject({ hits: [{}] });
    proxy.stall();
    const hangs = { code: 503, data: { part: "database" } };
    const [recalled, stored, checked] = await Promise.all([
      call("recall", { query: "office" }),
      call("store_memory", { content: "The office is in Lemgo." }),
      health(),
    ]);
    for (const { error } of [recalled, stored, checked]) expect(error).toMatchObject(hangs);
    proxy.close();
    await broken.stop();
    await database.drop();
  }, 120_000);
});
