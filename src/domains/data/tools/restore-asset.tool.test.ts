import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

let server: TestServer;
let token: string;

beforeAll(async () => {
  server = await startTestServer();
  token = await server.token({ role: "contributor" });
});
afterAll(() => server.stop());

async function deleted(name: string): Promise<number> {
  const asset_id = await makeDataset(server, token, name, [{ a: 1 }]);
  await resultOf(server, token, "delete_asset", { asset_type: "dataset", asset_id, confirm: true });
  return asset_id;
}

describe("restore_asset", () => {
  it("brings a deleted dataset back with its rows", async () => {
    const asset_id = await deleted("Back");
    await resultOf(server, token, "restore_asset", { asset_type: "dataset", asset_id });
    expect(await resultOf(server, token, "get_data", { dataset_id: asset_id })).toMatchObject({
      rows: [{ a: 1 }],
    });
  });

  it("refuses when the name is taken, or there is nothing to bring back", async () => {
    const asset_id = await deleted("Taken");
    await makeDataset(server, token, "taken", [{ b: 2 }]);
    await expect(
      resultOf(server, token, "restore_asset", { asset_type: "dataset", asset_id }),
    ).rejects.toThrow(/another dataset.* Delete that one first/);
    await expect(
      resultOf(server, token, "restore_asset", { asset_type: "dataset", asset_id: 999 }),
    ).rejects.toThrow(/no deleted/);
  });

  it("is for those who may write, in their own workspace", async () => {
    const asset_id = await deleted("Mine");
    const args = { asset_type: "dataset", asset_id };
    expect((await callTool(server, undefined, "restore_asset", args)).status).toBe(401);
    const viewer = await server.token({ role: "viewer" });
    await expect(resultOf(server, viewer, "restore_asset", args)).rejects.toThrow(/bi:write|Unknown tool/);
    await server.app.identity.workspaces.create({ slug: "other" });
    const stranger = await server.token({ workspace: "other" });
    await expect(resultOf(server, stranger, "restore_asset", args)).rejects.toThrow(/no deleted/);
  });
});
