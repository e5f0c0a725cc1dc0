import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../test/support/datasets.ts";
import { callTool } from "../../../test/support/mcp.ts";
import {
  CUSTOMERS,
  digestOf,
  fieldsOf,
  ORDERS,
  query,
  readResource,
  saveModel,
  shopModel,
  textOf,
} from "../../../test/support/models.ts";
import { serverOfFile } from "../../../test/support/server.ts";

/** Models outlive the data that they were written for: what no longer fits is left out, the rest goes on. */

let orders: number;
const server = await serverOfFile();
const admin = await server.token();
const viewer = await server.token({ role: "viewer" });
beforeAll(async () => {
  await makeDataset(server, admin, "Customers", CUSTOMERS);
});

beforeEach(async () => {
  orders = await replace("Orders", ORDERS);
  await saveModel(server, admin, shopModel());
  await saveModel(server, admin, shopModel({ name: "twin" }));
});

async function replace(dataset_name: string, rows: readonly object[]): Promise<number> {
  const content = JSON.stringify(rows);
  const args = { dataset_name, content, file_type: "json" };
  return (await resultOf<{ dataset_id: number }>(server, admin, "import_file", args)).dataset_id;
}

const failure = async (sql: string, modelName = "shop") =>
  textOf(await callTool(server, viewer, "execute_query", { modelName, sql }));
const count = async (modelName = "shop") =>
  (await query(server, viewer, "SELECT count(*) AS n FROM orders", { modelName })).rows[0]?.n;

describe("a dataset that was replaced", () => {
  it("without a column loses the fields and metrics that need it, and no other", async () => {
    const before = (await query(server, viewer, "SELECT sum(total) AS v FROM orders")).storedQueryId;
    await replace(
      "Orders",
      ORDERS.slice(0, 2).map(({ cost: _, ...row }) => row),
    );
    expect(await fieldsOf(server, viewer)).not.toMatch(/cost|margin/);
    expect(await fieldsOf(server, viewer)).toContain("**total**");
    const digest = await digestOf(server, viewer);
    expect(digest).toContain("2 rows, 5 fields");
    expect(digest).toContain("revenue");
    expect(digest).not.toContain("profit");
    expect(await failure("SELECT margin FROM orders")).toMatch(/"margin" not found/);
    const again = resultOf(server, viewer, "execute_stored_query", { storedQueryId: before });
    expect(await again).toMatchObject({ rows: [{ v: 60 }] });
    const { content } = await readResource(server, viewer, "knecta://ontologies/shop/datasets/orders");
    expect(content?.text).not.toContain("margin");
    await expect(saveModel(server, admin, shopModel())).rejects.toThrow(/because of 3 errors/);
  });

  it("with a column under another name, or of another type, shows what is there now", async () => {
    await replace(
      "Orders",
      ORDERS.map(({ region, net, ...row }) => ({ ...row, area: region, net: net + 0.5 })),
    );
    expect(await fieldsOf(server, viewer)).not.toContain("region");
    expect(await failure("SELECT region FROM orders")).toMatch(/not found/);
    expect((await query(server, viewer, "SELECT max(total) AS v FROM orders")).rows).toEqual([{ v: 61 }]);
    await replace(
      "Orders",
      ORDERS.map((row) => ({ ...row, net: `about ${row.net}` })),
    );
    expect(await fieldsOf(server, viewer)).not.toContain("total");
    expect(await count()).toBe(3);
  });

  it("with more columns shows none that the model does not name", async () => {
    await replace(
      "Orders",
      ORDERS.map((row) => ({ ...row, secret: "sesame" })),
    );
    const { columns } = await query(server, viewer, "SELECT * FROM orders");
    expect(columns).not.toContain("secret");
    expect(await fieldsOf(server, viewer)).not.toContain("secret");
  });

  it("keeps its policies, and lets nothing through that they can no longer judge", async () => {
    const rows = [{ field: "region", operator: "=", value: "North" }];
    const policies = [{ name: "north", roles: ["viewer"], rows }];
    await resultOf(server, admin, "set_dataset_policies", { dataset_id: orders, policies });
    try {
      expect(await count()).toBe(2);
      await replace(
        "Orders",
        ORDERS.map(({ region, ...row }) => ({ ...row, area: region })),
      );
      expect(await count()).toBe(0);
    } finally {
      await resultOf(server, admin, "set_dataset_policies", { dataset_id: orders, policies: [] });
    }
  });
});

describe("a dataset that was deleted", () => {
  it("is missing in every model over it until it is restored", async () => {
    const asset = { asset_type: "dataset", asset_id: orders };
    await resultOf(server, admin, "delete_asset", { ...asset, confirm: true });
    for (const modelName of ["shop", "twin"]) {
      const digest = await digestOf(server, viewer, { modelName });
      expect(digest).toContain('"customers"');
      expect(digest).not.toMatch(/"orders"|revenue|order_customer/);
      expect(await failure("SELECT * FROM orders", modelName)).toMatch(
        /^There is no dataset "orders" in this model/,
      );
      const sql = "SELECT count(*) AS n FROM customers";
      expect((await query(server, viewer, sql, { modelName })).rows).toEqual([{ n: 2 }]);
    }
    await resultOf(server, admin, "restore_asset", asset);
    expect([await count(), await count("twin")]).toEqual([3, 3]);
  });

  it("may be followed by another of the same name", async () => {
    await resultOf(server, admin, "delete_asset", { asset_type: "dataset", asset_id: orders, confirm: true });
    await makeDataset(server, admin, "Orders", ORDERS.slice(0, 1));
    expect(await count()).toBe(1);
  });
});

describe("two models over one dataset", () => {
  it("see the same rows, each through its own fields and policies", async () => {
    const own = [
      { name: "north", roles: ["viewer"], rows: [{ field: "region", operator: "=", value: "North" }] },
    ];
    await saveModel(
      server,
      admin,
      shopModel({ name: "twin", fields: { doubled: "net * 2" }, orders: { policies: own } }),
    );
    expect([await count(), await count("twin")]).toEqual([3, 2]);
    expect(
      (await query(server, viewer, "SELECT max(doubled) AS v FROM orders", { modelName: "twin" })).rows,
    ).toEqual([{ v: 60 }]);
    expect(await failure("SELECT doubled FROM orders")).toMatch(/"doubled" not found/);
    expect([await count(), await count("twin")]).toEqual([3, 2]);
  });

  it("and two datasets of one model over it, stay apart", async () => {
    const fields = ["id", "region"].map((name) => ({ name, expression: name }));
    const extension = { view_query: "SELECT * FROM Orders WHERE region = 'South'" };
    const datasets = [
      { name: "all_orders", source: "Orders", fields },
      {
        name: "southern",
        source: "Orders",
        fields,
        custom_extensions: [{ vendor_name: "COMMON", data: extension }],
      },
    ];
    await saveModel(server, admin, JSON.stringify({ semantic_model: [{ name: "split", datasets }] }));
    const sql = "SELECT (SELECT count(*) FROM all_orders) AS a, (SELECT count(*) FROM southern) AS s";
    expect((await query(server, viewer, sql, { modelName: "split" })).rows).toEqual([{ a: 3, s: 1 }]);
  });
});
