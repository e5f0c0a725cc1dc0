import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();

describe("list_members", () => {
  it("shows admins the members, the invited and the groups of their workspace alone", async () => {
    const { identity } = server.app;
    await identity.workspaces.create({ slug: "globex" });
    await identity.users.create({ email: "far@globex.test", workspace: "globex", role: "admin" });
    await identity.groups.create({ workspace: "acme", name: "sales" });
    const admin = await server.token();
    await callTool(server, admin, "set_member", { email: "soon@acme.test", groups: ["sales"] });
    const { result } = await callTool(server, admin, "list_members");
    expect(result?.structuredContent).toMatchObject({
      members: [{ role: "admin", groups: [], disabled: false }],
      invitations: [{ email: "soon@acme.test", role: "viewer", groups: ["sales"] }],
      groups: ["sales"],
    });
    expect(JSON.stringify(result)).not.toContain("far@globex.test");
    expect(JSON.stringify(result)).not.toContain("/invitation/");
  });

  it.each(["viewer", "contributor"] as const)("is not for a %s", async (role) => {
    const { result, error } = await callTool(server, await server.token({ role }), "list_members");
    expect(result?.content[0]?.text ?? error?.message).toContain("Insufficient permissions");
  });
});
