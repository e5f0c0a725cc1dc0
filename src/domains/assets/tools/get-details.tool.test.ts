import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";

const server = await serverOfFile();
const token = await server.token({ role: "viewer" });
const assetId = await makeDataset(server, await server.token({ role: "contributor" }), "Sales", [
  { region: "West", amount: 3 },
]);

describe("get_details", () => {
  it("[bi.get-details.dataset] tells all about a dataset, with its schema", async () => {
    const { details } = await resultOf<{ details: object }>(
      server,
      token,
      "knowi_get_details",
      { assetType: "dataset", assetId },
      BI,
    );
    expect(details).toMatchObject({
      id: assetId,
      name: "Sales",
      rows: 1,
      version: 1,
      source: { kind: "push" },
      columns: [
        { name: "region", type: "VARCHAR", nulls: 0, distinct: 1, min: "West", max: "West" },
        { name: "amount", type: expect.stringMatching(/INT/), nulls: 0, distinct: 1, min: 3, max: 3 },
      ],
    });
    expect(details).not.toHaveProperty("policies");
  });

  it.each([
    [{ assetType: "planet", assetId: 1 }, /not known here/],
    [{ assetType: "datasets", assetId: 1 }, /Did you mean dataset\?/],
    [{ assetType: "dataset", assetId: 999_999 }, /no dataset with id 999999/],
    [{ assetType: "dataset" }, /assetId is required/],
  ])("refuses %j", async (args, message) => {
    await expect(resultOf(server, token, "knowi_get_details", args, BI)).rejects.toThrow(message);
  });

  it("needs a token that may read", async () => {
    const args = { asset_type: "dataset", asset_id: assetId };
    expect((await callTool(server, undefined, "get_details", args)).status).toBe(401);
    const narrow = await server.token({ scopes: ["memory:read"] });
    expect((await callTool(server, narrow, "get_details", args)).status).toBe(403);
  });
});
