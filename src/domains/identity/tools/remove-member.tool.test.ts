import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { newAccount } from "../../../../test/support/oauth-client.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });
const adminEmail = await newAccount(server);
const admin = await server.token({ email: adminEmail });

async function remove(email: string, token = admin): Promise<string> {
  const { result, error } = await callTool(server, token, "remove_member", { email });
  return result?.content[0]?.text ?? error?.message ?? "";
}

describe("remove_member", () => {
  it("ends all that a member had here, for good", async () => {
    const email = await newAccount(server, "contributor");
    const token = await server.token({ email });
    const before = await server.request("/mcp", { token, json: {} });
    expect(before.status).not.toBe(401);
    expect(await remove(email)).toContain('"removed":"member"');
    await expect.poll(async () => (await server.request("/mcp", { token, json: {} })).status).toBe(401);
    await server.app.identity.users.create({ email, workspace: "acme", role: "viewer" });
    expect((await server.request("/mcp", { token, json: {} })).status).toBe(401);
  });

  it("leaves the workspace an admin, who does not remove themselves", async () => {
    expect(await remove(adminEmail)).toContain("Nobody removes themselves");
    expect(await remove("nobody@example.com")).toContain("neither a member nor invited");
  });

  it.each(["viewer", "contributor"] as const)("is not for a %s", async (role) => {
    const token = await server.token({ role });
    expect(await remove(adminEmail, token)).toContain("Insufficient permissions");
  });
});
