import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";

const server = await serverOfFile();
const token = await server.token({ role: "contributor" });

describe("delete", () => {
  it("[bi.delete.dataset] deletes a dataset once it is confirmed", async () => {
    const assetId = await makeDataset(server, token, "Gone", [{ a: 1 }]);
    const done = await resultOf(
      server,
      token,
      "knowi_delete",
      { assetType: "dataset", assetId, confirm: true },
      BI,
    );
    expect(done).toMatchObject({ deleted: true, asset_type: "dataset", asset_id: assetId });
    expect(await resultOf(server, token, "list_datasets", { query: "Gone" })).toMatchObject({ total: 0 });
    expect(await resultOf(server, token, "list_datasets", { query: "Gone", deleted: true })).toMatchObject({
      datasets: [{ id: assetId, name: "Gone" }],
    });
    await expect(resultOf(server, token, "get_data", { dataset_id: assetId })).rejects.toThrow(/no dataset/);
  });

  it.each([
    ["no confirmation", { assetType: "dataset", confirm: false }, /confirm must be true/],
    ["confirm left out", { assetType: "dataset" }, /confirm is required/],
    ["no type", { confirm: true }, /assetType is required/],
    ["a type that is not known", { assetType: "planet", confirm: true }, /not known here/],
  ])("[bi.delete.three-parameters] refuses %s", async (_what, args, message) => {
    const assetId = await makeDataset(server, token, "Kept", [{ a: 1 }]);
    await expect(resultOf(server, token, "knowi_delete", { assetId, ...args }, BI)).rejects.toThrow(message);
    expect(await resultOf(server, token, "get_data", { dataset_id: assetId })).toMatchObject({
      columns: [{ name: "a" }],
    });
  });

  it("says how to undo it, where that can be done", async () => {
    const asset_id = await makeDataset(server, token, "Undone", [{ a: 1 }]);
    const args = { asset_type: "dataset", asset_id, confirm: true };
    const { message } = await resultOf<{ message: string }>(server, token, "delete_asset", args);
    expect(message).toMatch(/^The dataset \d+ is deleted\. .*restore_asset.* within 30 days\.$/);
    await resultOf(server, token, "restore_asset", { asset_type: "dataset", asset_id });
    expect(await resultOf(server, token, "list_datasets", { deleted: true, query: "Undone" })).toMatchObject({
      total: 0,
    });
  });

  it("is for those who may write, in their own workspace", async () => {
    const asset_id = await makeDataset(server, token, "Safe", [{ a: 1 }]);
    const args = { asset_type: "dataset", asset_id, confirm: true };
    expect((await callTool(server, undefined, "delete_asset", args)).status).toBe(401);
    const viewer = await callTool(server, await server.token({ role: "viewer" }), "delete_asset", args);
    expect(viewer.result?.isError).toBe(true);
    await server.app.identity.workspaces.create({ slug: "other" });
    const stranger = await server.token({ workspace: "other" });
    await expect(resultOf(server, stranger, "delete_asset", args)).rejects.toThrow(/no dataset/);
  });
});
