import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../test/support/datasets.ts";
import { callTool } from "../../../test/support/mcp.ts";
import {
  digestOf,
  fieldsOf,
  query,
  readResource,
  saveModel,
  shopModel,
  shopServer,
  textOf,
} from "../../../test/support/models.ts";
import { PATHS, rpc } from "../../../test/support/rpc.ts";

/** What depends on something hidden is hidden with it; the rest goes on working. */

const { server, shop } = await shopServer();

async function withPolicies(
  dataset_id: number,
  policies: object[],
  work: () => Promise<void>,
): Promise<void> {
  const set = (policies: object[]) =>
    resultOf(server, shop.admin, "set_dataset_policies", { dataset_id, policies });
  await set(policies.map((policy) => ({ name: "p", roles: ["viewer"], ...policy })));
  await work().finally(() => set([]));
}

describe("hidden columns", () => {
  it("take keys and relationships with them", async () => {
    await withPolicies(shop.orders, [{ hide: ["id", "customer_id"] }], async () => {
      const digest = await digestOf(server, shop.viewer);
      expect(digest).toMatch(/^- "orders" 3 rows, 5 fields — What was ordered$/m);
      expect(digest).toContain("## Relationships (0)");
      expect(digest).not.toContain("order_customer");
      expect(await fieldsOf(server, shop.viewer)).not.toMatch(/customer_id|\*\*id/);
      const scope = { scope: "relationships" };
      expect(await digestOf(server, shop.viewer, scope)).not.toContain("customer_id");
      expect(await digestOf(server, shop.contributor, scope)).toContain("customer_id");
    });
  });

  it("do not show in a plan either", async () => {
    await withPolicies(shop.orders, [{ hide: ["cost"] }], async () => {
      const { rows } = await query(server, shop.viewer, "EXPLAIN SELECT * FROM orders");
      expect(JSON.stringify(rows)).not.toContain("cost");
    });
  });

  it("that are all there is take the dataset with them, in every list and completion", async () => {
    const all = ["id", "name", "city", "email"];
    await withPolicies(shop.customers, [{ hide: all }], async () => {
      expect(await digestOf(server, shop.viewer)).not.toContain("customers");
      const query_ = callTool(server, shop.viewer, "execute_query", {
        modelName: "shop",
        sql: "FROM customers",
      });
      expect(textOf(await query_)).toMatch(/^There is no dataset "customers" in this model/);
      expect((await query(server, shop.viewer, "SELECT count(*) AS n FROM orders")).rows).toEqual([{ n: 3 }]);
      const ontology = await readResource(server, shop.viewer, `knecta://ontologies/${shop.model.id}`);
      expect(ontology.content?.text).not.toContain("ustomers");
      const uri = `knecta://ontologies/${shop.model.id}/datasets/customers`;
      expect((await readResource(server, shop.viewer, uri)).error).toMatchObject({
        code: -32002,
        data: { knecta_code: "DATASET_NOT_FOUND" },
      });
      const listed = await rpc(server, PATHS.agent, "resources/list", { token: shop.viewer });
      expect(listed.text).not.toContain("customers");
      const completed = await rpc(server, PATHS.agent, "completion/complete", {
        token: shop.viewer,
        params: {
          ref: { type: "ref/resource", uri: "knecta://ontologies/{id}/datasets/{name}" },
          argument: { name: "name", value: "" },
        },
      });
      expect(completed.body.result).toMatchObject({ completion: { values: ["orders"] } });
    });
  });

  it("that a view query names take its dataset away, and nothing else", async () => {
    const view_query = "SELECT id, customer_id, net, cost, region, note FROM Orders";
    await saveModel(server, shop.admin, shopModel({ name: "explicit", orders: { view_query } }));
    await withPolicies(shop.orders, [{ hide: ["cost"] }], async () => {
      const digest = await digestOf(server, shop.viewer, { modelName: "explicit" });
      expect(digest).not.toMatch(/cost|"orders"/);
      expect(digest).toContain('"customers"');
      const args = { modelName: "explicit", sql: "SELECT * FROM orders" };
      const text = textOf(await callTool(server, shop.viewer, "execute_query", args));
      expect(text).toMatch(/^There is no dataset "orders" in this model/);
      expect((await query(server, shop.viewer, "FROM customers", { modelName: "explicit" })).rowCount).toBe(
        2,
      );
    });
  });
});

describe("rows", () => {
  it("are those of the member's attribute, and none without it", async () => {
    const rows = [{ field: "region", operator: "=", value: { attribute: "region" } }];
    await withPolicies(shop.orders, [{ rows }], async () => {
      expect((await query(server, shop.viewer, "FROM orders")).rowCount).toBe(0);
    });
  });

  it("of an aggregating view query are those that are left below it", async () => {
    const view_query =
      "SELECT region, sum(net) AS net, max(cost) AS cost FROM db.public.Orders GROUP BY region";
    const fields = ["region", "net", "cost"].map((name) => ({ name, expression: name }));
    const dataset = {
      name: "sums",
      source: "Orders",
      fields,
      custom_extensions: [{ vendor_name: "COMMON", data: JSON.stringify({ view_query }) }],
    };
    await saveModel(
      server,
      shop.admin,
      JSON.stringify({ semantic_model: [{ name: "sums", datasets: [dataset] }] }),
    );
    const sums = async (token: string) =>
      (await query(server, token, "SELECT region, net FROM sums ORDER BY ALL", { modelName: "sums" })).rows;
    const north = { region: "North", net: 40 };
    expect(await sums(shop.viewer)).toEqual([north, { region: "South", net: 20 }]);
    await withPolicies(
      shop.orders,
      [{ rows: [{ field: "region", operator: "=", value: "North" }] }],
      async () => {
        expect(await sums(shop.viewer)).toEqual([north]);
        const total = "SELECT max(cost) AS top FROM sums";
        expect((await query(server, shop.viewer, total, { modelName: "sums" })).rows).toEqual([{ top: 11 }]);
      },
    );
  });
});

describe("a dataset called raw, as what lies below every view is called", () => {
  const model = (name: string, dataset: string, source: string) =>
    JSON.stringify({
      semantic_model: [
        { name, datasets: [{ name: dataset, source, fields: [{ name: "id", expression: "id" }] }] },
      ],
    });

  it("is one like any other", async () => {
    const id = await makeDataset(server, shop.admin, "raw", [
      { id: 7, tag: "a" },
      { id: 8, tag: "b" },
    ]);
    await saveModel(server, shop.admin, model("rawish", "raw", "raw"));
    await saveModel(server, shop.admin, model("disguised", "raw", "Orders"));
    const ids = async (modelName: string) =>
      (await query(server, shop.viewer, "SELECT id FROM raw ORDER BY id", { modelName })).rows.map(
        (row) => row.id,
      );
    expect(await ids("rawish")).toEqual([7, 8]);
    expect(await ids("disguised")).toEqual([1, 2, 3]);
    await withPolicies(id, [{ rows: [{ field: "tag", operator: "=", value: "a" }] }], async () => {
      expect(await ids("rawish")).toEqual([7]);
    });
    await withPolicies(shop.orders, [{ rows: [{ field: "net", operator: "<", value: 15 }] }], async () => {
      expect(await ids("disguised")).toEqual([1]);
      const sql = "SELECT count(*) AS n FROM raw AS a, (FROM raw) AS b";
      expect((await query(server, shop.viewer, sql, { modelName: "disguised" })).rows).toEqual([{ n: 1 }]);
    });
    const outside = callTool(server, shop.viewer, "execute_query", {
      modelName: "shop",
      sql: "SELECT * FROM raw",
    });
    expect(textOf(await outside)).toMatch(/^There is no dataset "raw" in this model/);
  });

  it("may be joined to others in a view query, each under its own policies", async () => {
    const view_query = "SELECT o.*, r.tag FROM Orders o JOIN raw r ON r.id = o.id + 6";
    await saveModel(
      server,
      shop.admin,
      shopModel({ name: "mixed", orders: { view_query }, fields: { tag: "tag" } }),
    );
    const ids = async () =>
      (await query(server, shop.viewer, "SELECT id FROM orders ORDER BY id", { modelName: "mixed" })).rows;
    expect(await ids()).toEqual([{ id: 1 }, { id: 2 }]);
    await withPolicies(
      shop.orders,
      [{ rows: [{ field: "region", operator: "=", value: "North" }] }],
      async () => {
        expect(await ids()).toEqual([{ id: 1 }]);
      },
    );
  });
});
