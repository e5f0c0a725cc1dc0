import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { MemoryClient } from "../../../../test/support/memory.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const MEMORY = "/api/mcp/v1";

const server = await serverOfFile();
await server.app.identity.workspaces.create({ slug: "other" });

describe("memory stats", () => {
  it("[memory.stats.result] counts what the workspace of the token holds, and nothing of others", async () => {
    const acme = new MemoryClient(server, await server.token({ kind: "memory" }));
    expect(await acme.call("stats")).toEqual({ memories: 0, edges: 0, chunks: 0 });
    const from_id = await acme.store("a");
    const to_id = await acme.store("b");
    await acme.call("link", { from_id, to_id, rel_type: "OWNS" });
    await acme.call("upload_document", { content: "# One\n\none\n\n# Two\n\ntwo" });
    expect(await acme.call("stats")).toEqual({ memories: 3, edges: 2 + 4, chunks: 2 + 2 });
    await acme.call("update_fact", { target_id: to_id, new_title: "c", new_content: "c" });
    expect(await acme.call("stats")).toEqual({ memories: 3, edges: 8, chunks: 4 });
    await acme.call("unlink", { from_id, to_id, rel_type: "OWNS" });
    expect(await acme.call("stats")).toMatchObject({ edges: 6 });
    const stranger = new MemoryClient(server, await server.token({ kind: "memory", workspace: "other" }));
    expect(await stranger.call("stats")).toEqual({ memories: 0, edges: 0, chunks: 0 });
  });

  it("needs a token that may read memory", async () => {
    expect(await callTool(server, undefined, "knowmind.stats", {}, MEMORY)).toMatchObject({ status: 401 });
    const token = await server.token({ scopes: ["knowledge:read"] });
    expect(await callTool(server, token, "knowmind.stats", {}, MEMORY)).toMatchObject({
      status: 403,
      error: { code: 403 },
    });
  });
});
