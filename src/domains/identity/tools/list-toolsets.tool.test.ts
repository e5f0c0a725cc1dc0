import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();

async function toolsets(
  token: string,
): Promise<{ name: string; listed_by_default: boolean; tools: string[] }[]> {
  const { result } = await callTool(server, token, "list_toolsets");
  return (result as { structuredContent: { toolsets: [] } }).structuredContent.toolsets;
}

describe("list_toolsets", () => {
  it("shows an admin every toolset, and which are listed by default", async () => {
    const all = await toolsets(await server.token({ role: "admin" }));
    expect(all).toContainEqual(expect.objectContaining({ name: "system", listed_by_default: true }));
    expect(all).toContainEqual(
      expect.objectContaining({
        name: "admin",
        listed_by_default: false,
        tools: expect.arrayContaining(["list_audit_events"]),
      }),
    );
  });

  it("leaves out what the caller may not use", async () => {
    const viewer = await toolsets(await server.token({ role: "viewer" }));
    expect(viewer.map(({ name }) => name)).not.toContain("admin");
    const narrow = await toolsets(await server.token({ scopes: ["knowledge:read"] }));
    expect(narrow.flatMap(({ tools }) => tools)).not.toContain("memory_stats");
  });

  it("needs a token", async () => {
    expect(await callTool(server, undefined, "list_toolsets")).toMatchObject({ status: 401 });
  });
});
