import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../../../test/support/database.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";
import { openCatalog } from "../../../platform/catalog/index.ts";
import { memories, memoryChunks, memoryRelations } from "../memory.tables.ts";

const MEMORY = "/api/mcp/v1";
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  await server.app.identity.workspaces.create({ slug: "other" });
});
afterAll(() => server.stop());

/** Two memories, one relation and three chunks, in one workspace. */
async function fill(slug: string): Promise<void> {
  const { id: workspaceId } = await server.app.identity.workspaces.bySlug(slug);
  const catalog = await openCatalog({ home: "", databaseUrl: server.databaseUrl, log: silentLog });
  const rows = await catalog.db
    .insert(memories)
    .values([
      { workspaceId, content: "a" },
      { workspaceId, content: "b" },
    ])
    .returning();
  const [fromId, toId] = rows.map(({ id }) => id) as [number, number];
  await catalog.db.insert(memoryRelations).values({ workspaceId, fromId, toId, type: "OWNS" });
  await catalog.db
    .insert(memoryChunks)
    .values(["x", "y", "z"].map((content) => ({ workspaceId, memoryId: fromId, content })));
  await catalog.close();
}

describe("memory stats", () => {
  it("[memory.stats.result] counts what the workspace of the token holds, and nothing of others", async () => {
    const token = await server.token({ kind: "memory" });
    const empty = await callTool(server, token, "knowmind.stats", {}, MEMORY);
    expect(empty.result).toMatchObject({ memories: 0, edges: 0, chunks: 0 });
    await fill("acme");
    const full = await callTool(server, token, "knowmind.stats", {}, MEMORY);
    expect(full.result).toMatchObject({ memories: 2, edges: 1, chunks: 3 });
    const stranger = await server.token({ kind: "memory", workspace: "other" });
    const theirs = await callTool(server, stranger, "knowmind.stats", {}, MEMORY);
    expect(theirs.result).toMatchObject({ memories: 0, edges: 0, chunks: 0 });
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
