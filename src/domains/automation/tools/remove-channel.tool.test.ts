import { expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf } from "../../../../test/support/models.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();

it("takes a channel of the own workspace away, and is for admins", async () => {
  const admin = await server.token();
  await server.app.identity.workspaces.create({ slug: "other" });
  const stranger = await server.token({ workspace: "other" });
  const channel = { name: "Hook", kind: "webhook", url: "https://example.com/hook" };
  await resultOf(server, admin, "set_channel", channel);
  await expect(resultOf(server, stranger, "remove_channel", { name: "Hook" })).rejects.toThrow(/no channel/);
  const contributor = await server.token({ role: "contributor" });
  expect(await refusalsOf(server, contributor, "remove_channel", { name: "Hook" })).toEqual({
    anonymous: 401,
    wrong: expect.stringContaining("admin is missing"),
  });
  expect(await resultOf(server, admin, "remove_channel", { name: "hook" })).toEqual({ removed: "hook" });
  await expect(resultOf(server, admin, "remove_channel", { name: "Hook" })).rejects.toThrow(/no channel/);
});
