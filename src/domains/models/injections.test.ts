import { beforeAll, describe, expect, it } from "vitest";
import { makeDataset } from "../../../test/support/datasets.ts";
import { query, type ShopWish, saveModel, shopModel, shopServer } from "../../../test/support/models.ts";

/** The SQL of a model stands inside views, in front of policies: it can be nothing but what it claims to be. */

const { server, shop } = await shopServer();
beforeAll(async () => {
  await makeDataset(server, shop.admin, "Secrets", [{ code: "sesame" }]);
});

/** The errors that the author sees at once; to publish it is refused with the same. */
async function errorsOf(wish: ShopWish): Promise<string> {
  const content = shopModel({ name: "attack", ...wish });
  const { problems } = await saveModel(server, shop.admin, content, { publish: false });
  const errors = problems.filter(({ severity }) => severity === "error");
  expect(errors).not.toEqual([]);
  await expect(saveModel(server, shop.admin, content)).rejects.toThrow(/^The model attack was not published/);
  return errors.map(({ message }) => message).join("\n");
}

const EXPRESSIONS: [sql: string, expected: RegExp][] = [
  ["1) FROM raw --", /syntax error at or near "\)"/],
  ["1) AS x FROM Secrets --", /syntax error/],
  ["net FROM raw", /It is not one expression/],
  ["net, cost", /It is not one expression/],
  ["net AS x, cost AS y", /It is not one expression/],
  ["net; SELECT 1", /It is not one expression/],
  ["net WHERE TRUE", /It is not one expression/],
  ["net UNION ALL SELECT cost", /It is not one expression/],
  ["net ORDER BY 1", /It is not one expression/],
  ["DISTINCT net", /It is not one expression/],
  ["(SELECT max(code) FROM Secrets)", /It selects from a table/],
  ["(SELECT max(cost) FROM raw)", /It selects from a table/],
  ["(SELECT count(*) FROM customers)", /It selects from a table/],
  ["EXISTS (FROM orders)", /It selects from a table/],
  ["net IN (SELECT id FROM Orders)", /It selects from a table/],
  ['(SELECT 1 FROM "_scope_base"."d1")', /It selects from a table/],
  ["(SELECT 1 FROM information_schema.tables)", /It selects from a table/],
  ["(SELECT content FROM read_text('/etc/passwd'))", /table function read_text is not allowed/],
  ["(SELECT 1 FROM read_csv('/etc/passwd'))", /table function read_csv is not allowed/],
  ["(SELECT 1 FROM '/etc/passwd')", /It selects from a table/],
  ["getenv('HOME')", /getenv is not allowed/],
  ["net /* never ends", /unterminated/],
  ["'never ends", /unterminated/],
  ["$1", /parameter/],
  ["-- nothing", /./],
];

describe("a field that is no expression", () => {
  it.each([
    ...EXPRESSIONS,
    ["raw.cost", /cannot be computed/],
    ["customers.city", /cannot be computed/],
    ["rowid", /does not have|cannot be computed/],
    ["filename", /does not have|cannot be computed/],
    ["sum(net)", /The field x of orders cannot be computed as sum\(net\)/],
    ["COLUMNS(*)", /not one column but several|cannot be computed/],
    ["*", /cannot be computed/],
  ] as [string, RegExp][])("%j is a problem of its own", async (sql, expected) => {
    expect(await errorsOf({ fields: { x: sql } })).toMatch(expected);
  });

  it("does not take the other fields with it", async () => {
    const { problems } = await saveModel(
      server,
      shop.admin,
      shopModel({ name: "attack", fields: { x: "sum(net)" } }),
      {
        publish: false,
      },
    );
    expect(problems.map(({ path }) => path)).toEqual(["datasets.orders.fields.x"]);
  });
});

describe("a metric that is no expression", () => {
  it.each([
    ...EXPRESSIONS,
    ["SUM(secrets.code)", /The metric x cannot be computed/],
    ["SUM(orders.nothing)", /The metric x cannot be computed/],
  ] as [string, RegExp][])("%j is a problem", async (sql, expected) => {
    expect(await errorsOf({ metrics: { x: sql } })).toMatch(expected);
  });
});

describe("a view query that is no SELECT over datasets", () => {
  it.each([
    ["SELECT * FROM raw", /There is no dataset "raw" in this workspace/],
    ['SELECT * FROM "_scope_base"."d1"', /There is no dataset|belongs to the engine/],
    ["SELECT * FROM information_schema.tables", /There is no dataset|belongs to the engine/],
    ["SELECT * FROM duckdb_settings()", /duckdb_settings is not allowed/],
    ["SELECT * FROM read_csv('/etc/passwd')", /read_csv is not allowed/],
    ["SELECT * FROM '/etc/passwd'", /There is no dataset|files/],
    ["SELECT * FROM Orders) --", /syntax error/],
    ["SELECT * FROM Orders; SELECT 1", /2 statements/],
    ["DROP TABLE Orders", /SELECT/],
    ["COPY Orders TO '/tmp/x'", /SELECT/],
    ["EXPLAIN SELECT * FROM Orders", /A view query is one SELECT/],
    ["SELECT $1 AS id, * FROM Orders", /parameter/],
    ["SELECT nothing FROM Orders", /does not fit the data/],
    ["-- nothing", /./],
  ] as [string, RegExp][])("%j is a problem", async (view_query, expected) => {
    expect(await errorsOf({ orders: { view_query } })).toMatch(expected);
  });

  it("cannot be hidden in another workspace's name", async () => {
    await server.app.identity.workspaces.create({ slug: "globex" });
    const foreign = await server.token({ workspace: "globex" });
    const content = shopModel({ orders: { view_query: "SELECT * FROM acme.public.Orders" } });
    await expect(saveModel(server, foreign, content)).rejects.toThrow(/There is no dataset/);
  });
});

describe("what looks odd but is right", () => {
  it.each([
    ["fields", { x: "net -- with a comment" }, "SELECT max(x) AS v FROM orders", 30],
    ["fields", { x: "net /* ) FROM raw */ + 1" }, "SELECT max(x) AS v FROM orders", 31],
    ["fields", { x: "'1) FROM raw --'" }, "SELECT max(x) AS v FROM orders", "1) FROM raw --"],
    [
      "fields",
      { x: "CASE WHEN net > 15 THEN 'high' ELSE 'low' END" },
      "SELECT max(x) AS v FROM orders",
      "low",
    ],
    ["fields", { x: "total + 1" }, "SELECT max(x) AS v FROM orders", 61],
    ["fields", { x: "count(*) OVER (PARTITION BY region)" }, "SELECT max(x) AS v FROM orders", 2],
    ["fields", { 'o"dd, name': "net" }, 'SELECT max("o""dd, name") AS v FROM orders', 30],
  ] as [keyof ShopWish, Record<string, string>, string, unknown][])(
    "%s %j works",
    async (part, added, sql, expected) => {
      await saveModel(server, shop.admin, shopModel({ name: "odd", [part]: added }));
      expect((await query(server, shop.viewer, sql, { modelName: "odd" })).rows).toEqual([{ v: expected }]);
    },
  );

  it.each([
    "SELECT * FROM Orders -- all of them",
    "SELECT * FROM shop.public.Orders",
    'SELECT o.* FROM "shop" . "public" . "Orders" AS o',
    "WITH o AS (SELECT * FROM db.Orders) SELECT * FROM o",
    "WITH Orders AS (SELECT * FROM db.public.Orders) SELECT * FROM Orders",
    "SELECT o.*, 'ünï: db.public.Orders' AS label FROM db.public.Orders o",
    "FROM Orders WHERE net > 0 ORDER BY id LIMIT 10",
  ])("the view query %j works", async (view_query) => {
    await saveModel(server, shop.admin, shopModel({ name: "odd", orders: { view_query } }));
    const sql = "SELECT sum(total) AS v FROM orders";
    expect((await query(server, shop.viewer, sql, { modelName: "odd" })).rows).toEqual([{ v: 120 }]);
  });
});
