import { expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();

it("shows what there is to whoever may read, without secrets, and nothing of others", async () => {
  const [admin, viewer] = [await server.token(), await server.token({ role: "viewer" })];
  await server.app.identity.workspaces.create({ slug: "other" });
  const stranger = await server.token({ workspace: "other" });
  const secret = "https://example.com/very/secret";
  await resultOf(server, admin, "set_channel", { name: "Sales", kind: "teams", secret });
  const listed = await resultOf(server, viewer, "list_channels", {});
  expect(listed).toMatchObject({ channels: [{ name: "Sales", kind: "teams", url: null, disabled: null }] });
  expect(JSON.stringify(listed)).not.toContain("secret");
  expect(await resultOf(server, stranger, "list_channels", {})).toEqual({ channels: [] });
  expect((await callTool(server, undefined, "list_channels", {})).status).toBe(401);
});
