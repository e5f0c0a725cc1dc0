import { beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../test/support/datasets.ts";
import { callTool } from "../../../test/support/mcp.ts";
import {
  digestOf,
  fieldsOf,
  ORDERS,
  query,
  type Rows,
  readResource,
  type ShopWish,
  saveModel,
  shopModel,
  shopServer,
  textOf,
} from "../../../test/support/models.ts";

/** What policies hide stays hidden in everything that is made of a model, wherever the policies are written. */

const POLICIES = [
  { name: "north", roles: ["viewer"], rows: [{ field: "region", operator: "=", value: "North" }] },
  { name: "costs", roles: ["viewer"], hide: ["Cost"] },
];
const join = (dataset: string) =>
  `SELECT o.*, c.city FROM db.public.${dataset} o JOIN db."public"."Customers" c ON c.id = o.customer_id`;

/** Orders has policies of its own; Sales has none, so there the model's must hold. */
const WAYS: [way: string, wish: ShopWish][] = [
  ["of the dataset", { name: "dataset" }],
  ["of the model", { name: "model", source: "Sales", orders: { policies: POLICIES } }],
  ["of the datasets below a view query", { name: "view", orders: { view_query: join("Orders") } }],
  [
    "of the model over a plain view query",
    { name: "plain", orders: { view_query: "SELECT * FROM Sales", policies: POLICIES } },
  ],
  [
    "of the model over a view query with a join",
    { name: "both", orders: { view_query: join("Sales"), policies: POLICIES } },
  ],
];

const { server, shop } = await shopServer();
beforeAll(async () => {
  await makeDataset(server, shop.admin, "Sales", ORDERS);
  await resultOf(server, shop.admin, "set_dataset_policies", { dataset_id: shop.orders, policies: POLICIES });
  for (const [, wish] of WAYS) await saveModel(server, shop.admin, shopModel(wish));
});

describe.each(WAYS)("policies %s", (_way, { name: modelName = "" }) => {
  const ask = (token: string, sql: string, more: object = {}) =>
    query(server, token, sql, { modelName, ...more });
  const failure = async (token: string, sql: string) =>
    textOf(await callTool(server, token, "execute_query", { modelName, sql }));

  it("hold in queries, whatever they ask for", async () => {
    const seen = await ask(shop.viewer, "SELECT * FROM orders ORDER BY id");
    expect(seen.rows.map(({ id }) => id)).toEqual([1, 3]);
    expect(seen.columns.toSorted()).toEqual(["customer_id", "id", "net", "note", "region", "total"]);
    expect((await ask(shop.contributor, "SELECT * FROM orders")).columns).toContain("cost");
    for (const [sql, value] of [
      ["SELECT count(*) AS v FROM orders", 2],
      ["SELECT sum(net) AS v FROM orders", 40],
      ["SELECT max(orders.id) AS v FROM orders JOIN customers ON customers.id = customer_id", 3],
      ["SELECT count(*) AS v FROM orders WHERE region = 'South' OR TRUE", 2],
      ["WITH orders AS (SELECT * FROM orders) SELECT count(*) AS v FROM orders", 2],
      ["SELECT count(*) AS v FROM (FROM orders UNION ALL FROM orders)", 4],
    ] as const) {
      expect((await ask(shop.viewer, sql)).rows).toEqual([{ v: value }]);
    }
  });

  it("hold for what is computed from hidden columns", async () => {
    for (const column of ["cost", "margin", "orders.cost", "COLUMNS('cost')"]) {
      const text = await failure(shop.viewer, `SELECT ${column} FROM orders`);
      expect(text).toMatch(/not found|does not have a column|[Nn]o matching columns|margin/);
      expect(text).not.toMatch(/\b(4|9|11)\b/);
    }
    expect((await ask(shop.contributor, "SELECT sum(margin) AS m FROM orders")).rows).toEqual([{ m: 36 }]);
  });

  it("let no error tell of hidden rows", async () => {
    const sql = "SELECT sum(CAST(note AS INTEGER)) AS n FROM orders WHERE CAST(note AS INTEGER) > 0";
    expect(await failure(shop.contributor, sql)).toContain("hush-hush");
    expect((await ask(shop.viewer, sql)).rows).toEqual([{ n: 4 }]);
    // Not known to fail, so that the optimiser would be free to compute it for all rows first.
    const codes = "SELECT count(*) AS n FROM orders WHERE chr(80 - ascii(region)) > ''";
    expect(await failure(shop.contributor, codes)).toContain("-3");
    expect((await ask(shop.viewer, codes)).rows).toEqual([{ n: 2 }]);
  });

  it("hold in stored queries of others", async () => {
    const { storedQueryId } = await ask(shop.admin, "SELECT count(*) AS n FROM orders");
    const run = (token: string) => resultOf<Rows>(server, token, "execute_stored_query", { storedQueryId });
    expect((await run(shop.admin)).rows).toEqual([{ n: 3 }]);
    expect((await run(shop.viewer)).rows).toEqual([{ n: 2 }]);
  });

  it("refuse EXPLAIN, whose plan tells of hidden rows", async () => {
    expect(await failure(shop.viewer, "EXPLAIN SELECT * FROM orders")).toMatch(
      /^EXPLAIN is not allowed over/,
    );
    expect((await ask(shop.contributor, "EXPLAIN SELECT * FROM orders")).rowCount).toBeGreaterThan(0);
    expect((await ask(shop.viewer, "EXPLAIN SELECT * FROM customers")).rowCount).toBeGreaterThan(0);
  });

  it("hold in digests: no hidden field, metric, value or number of rows", async () => {
    const [overview, fields] = [
      await digestOf(server, shop.viewer, { modelName }),
      await fieldsOf(server, shop.viewer, "orders", modelName),
    ];
    expect(overview).toMatch(/^- "orders" 5 fields, PK id/m);
    expect(overview).toMatch(/^- "customers" 2 rows/m);
    expect(overview).toContain("revenue");
    expect(overview).toContain("order_customer");
    expect(fields).toContain("- **region** text *area*");
    expect(`${overview}${fields}`).not.toMatch(/cost|margin|profit|South|Northern/i);
    const whole = [
      await digestOf(server, shop.contributor, { modelName }),
      await fieldsOf(server, shop.contributor, "orders", modelName),
    ];
    for (const word of ["cost", "margin", "profit", "South", "Northern"])
      expect(whole.join("\n")).toContain(word);
  });

  it("hold in resources", async () => {
    const { content } = await readResource(
      server,
      shop.viewer,
      `knecta://ontologies/${modelName}/datasets/orders`,
    );
    expect(content?.text).toContain("name: region");
    expect(content?.text).not.toMatch(/cost|margin|South|Northern/);
    const listed = await readResource(server, shop.viewer, "kenning://models", "/mcp");
    const counts = JSON.parse(listed.content?.text ?? "") as { name: string; fieldCount: number }[];
    expect(counts.find(({ name }) => name === modelName)?.fieldCount).toBe(8);
  });
});
