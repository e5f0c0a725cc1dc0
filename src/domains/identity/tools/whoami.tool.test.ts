import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();

describe("whoami", () => {
  it("tells on whose behalf the connection acts, and how far it may go", async () => {
    const token = await server.token({
      role: "contributor",
      scopes: ["memory:read", "memory:write", "admin"],
      limits: { readOnly: true },
    });
    const { result } = await callTool(server, token, "whoami");
    expect(result?.structuredContent).toMatchObject({
      user: { email: expect.stringContaining("contributor-") },
      workspace: { slug: "acme" },
      role: "contributor",
      // Role ∩ scopes ∩ limits: no admin (role), no write (read-only), nothing but memory (scopes).
      permissions: ["memory:read"],
      token: { kind: "api", read_only: true },
    });
  });

  it("is for any valid token, and only for those", async () => {
    const viewer = await callTool(server, await server.token({ role: "viewer" }), "whoami");
    expect(viewer.result?.isError).toBe(false);
    expect(await callTool(server, undefined, "whoami")).toMatchObject({ status: 401 });
    expect(await callTool(server, "kapi_wrong", "whoami")).toMatchObject({ status: 401 });
  });
});
