import { beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
let id: number;
const server = await serverOfFile();
const admin = await server.token({ role: "admin" });
const viewer = await server.token({ role: "viewer" });
const contributor = await server.token({ role: "contributor" });
beforeAll(async () => {
  id = await makeDataset(server, admin, "People", [
    { name: "Ada", region: "West", salary: 10 },
    { name: "Bob", region: "East", salary: 20 },
    { name: "Cy", region: null, salary: 30 },
  ]);
});

async function setPolicies(policies: object[]): Promise<void> {
  await resultOf(server, admin, "set_dataset_policies", { dataset_id: id, policies });
}

const names = async (token: string) =>
  (await resultOf<{ rows: { name: string }[] }>(server, token, "get_data", { dataset_id: id })).rows.map(
    ({ name }) => name,
  );

async function csv(token: string): Promise<string> {
  const { content_base64 } = await resultOf<{ content_base64: string }>(
    server,
    token,
    "knowi_export_csv",
    { datasetId: id },
    BI,
  );
  return Buffer.from(content_base64, "base64").toString();
}

describe("policies of a dataset", () => {
  it("keep rows from those they hold for, in reading, counting and exporting alike", async () => {
    await setPolicies([
      { name: "west", roles: ["viewer"], rows: [{ field: "region", operator: "=", value: "West" }] },
    ]);
    expect(await names(viewer)).toEqual(["Ada"]);
    expect(await resultOf(server, viewer, "get_data", { dataset_id: id })).toMatchObject({ totalRows: 1 });
    expect(await csv(viewer)).toBe("name,region,salary\r\nAda,West,10\r\n");
    expect(await names(contributor)).toEqual(["Ada", "Bob", "Cy"]);
  });

  it("do not show what is unknown as different", async () => {
    await setPolicies([
      { name: "not west", roles: ["viewer"], rows: [{ field: "region", operator: "!=", value: "West" }] },
    ]);
    expect(await names(viewer)).toEqual(["Bob"]);
  });

  it("hide columns, in rows, exports, listings and details", async () => {
    await setPolicies([{ name: "no salaries", roles: ["viewer", "contributor"], hide: ["Salary"] }]);
    const outputs = [
      await resultOf(server, viewer, "get_data", { dataset_id: id }),
      await resultOf(server, viewer, "list_datasets", {}),
      await resultOf(server, viewer, "knowi_get_details", { assetType: "dataset", assetId: id }, BI),
      await csv(viewer),
    ];
    expect(JSON.stringify(outputs)).not.toMatch(/salary/i);
    expect(JSON.stringify(await resultOf(server, admin, "get_data", { dataset_id: id }))).toMatch(/salary/);
  });

  it("compare with an attribute of the member, and let nothing through without it", async () => {
    await setPolicies([
      {
        name: "own",
        roles: ["viewer"],
        rows: [{ field: "region", operator: "=", value: { attribute: "region" } }],
      },
    ]);
    expect(await names(viewer)).toEqual([]);
  });

  it.each([
    ["in", ["West", "East"], ["Ada", "Bob"]],
    ["like", "%st", ["Ada", "Bob"]],
    ["between", ["A", "F"], ["Bob"]],
    ["=", "We'st", []],
    ["=", "West' OR '1'='1", []],
  ])("understand %s %j", async (operator, value, expected) => {
    await setPolicies([{ name: "p", roles: ["viewer"], rows: [{ field: "region", operator, value }] }]);
    expect(await names(viewer)).toEqual(expected);
  });

  it("name columns that exist", async () => {
    const policies = [{ name: "p", hide: ["wages"] }];
    await expect(
      resultOf(server, admin, "set_dataset_policies", { dataset_id: id, policies }),
    ).rejects.toThrow(/no column wages/);
  });

  it("are set by admins only", async () => {
    const args = { dataset_id: id, policies: [] };
    expect((await callTool(server, undefined, "set_dataset_policies", args)).status).toBe(401);
    await expect(resultOf(server, contributor, "set_dataset_policies", args)).rejects.toThrow(/admin/);
  });
});
