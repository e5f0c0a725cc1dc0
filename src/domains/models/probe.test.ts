import { afterAll, beforeAll, it } from "vitest";
import { makeDataset, resultOf } from "../../../test/support/datasets.ts";
import { callTool } from "../../../test/support/mcp.ts";
import { openShop, query, saveModel, shopModel, textOf, readResource, digestOf, fieldsOf, type Shop } from "../../../test/support/models.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";
let server: TestServer; let shop: Shop;
beforeAll(async () => { server = await startTestServer(); shop = await openShop(server); });
afterAll(() => server.stop());
const out: string[] = [];
const show = (label: string, value: unknown) => out.push(`## ${label}\n${typeof value === "string" ? value : JSON.stringify(value, null, 1)}`);
const t = async (f: () => Promise<unknown>) => { try { return await f(); } catch (e) { return `ERR ${(e as Error).message}`; } };
it("probe", async () => {
  show("saved", shop.model);
  show("digest", await t(() => digestOf(server, shop.viewer)));
  show("fields", await t(() => fieldsOf(server, shop.viewer)));
  show("noscope", await callTool(server, await server.token({ scopes: ["bi:read"] }), "execute_query", { modelName: "shop", sql: "SELECT 1" }));
  show("noscope models", await callTool(server, await server.token({ scopes: ["bi:read"] }), "execute_query", { modelName: "shop", sql: "SELECT 1" }, "/mcp/acme/mcp"));
  show("viewer writes", await callTool(server, shop.viewer, "request_improvement", { modelName: "shop", title: "x", description: "y" }, "/mcp/acme/mcp"));
  show("readonly", await callTool(server, await server.token({ limits: { readOnly: true } }), "request_improvement", { modelName: "shop", title: "x", description: "y" }, "/mcp/acme/mcp"));
  show("unknown", await callTool(server, shop.viewer, "execute_query", { modelName: "shp", sql: "SELECT 1" }));
  show("explain", await t(() => query(server, shop.viewer, 'EXPLAIN SELECT * FROM orders')));
  for (const [k, sql] of Object.entries({ close: "1) FROM raw --", sub: "(SELECT max(email) FROM customers)", raw: "(SELECT max(cost) FROM raw)", scope: '(SELECT 1 FROM "_scope_base"."d1")', comment: "net -- a comment", two: "net, cost", csv: "(SELECT * FROM read_csv('/etc/passwd'))", csv2: "read_text('/etc/passwd')", star: "*", columns: "COLUMNS(*)", param: "$1", rawcol: "raw.cost", rowid: "rowid", agg: "sum(net)", semi: "net; SELECT 1", where: "net WHERE 1=1", window: "count(*) OVER ()", unnest: "unnest([1,2])", file: "filename", open: "net /* open" }))
    show(`field ${k}`, await t(async () => (await saveModel(server, shop.admin, shopModel({ name: "inj", fields: { x: sql } }), { publish: false })).problems));
  for (const [k, sql] of Object.entries({ close: "1) FROM raw --", sub: "(SELECT max(email) FROM Customers)", two: "SUM(orders.net), 1", param: "SUM(orders.net) + $1", hidden: "SUM(orders.secret)", csv: "read_csv('/etc/passwd')", comment: "SUM(orders.net) -- x" }))
    show(`metric ${k}`, await t(async () => (await saveModel(server, shop.admin, shopModel({ name: "inj", metrics: { x: sql } }), { publish: false })).problems));
  for (const [k, sql] of Object.entries({ raw: "SELECT * FROM raw", scope: 'SELECT * FROM "_scope_base"."d1"', info: "SELECT * FROM information_schema.tables", csv: "SELECT * FROM read_csv('/etc/passwd')", two: "SELECT * FROM Orders; SELECT 1", comment: "SELECT * FROM Orders -- x", close: "SELECT * FROM Orders) --", cte: "WITH Orders AS (SELECT * FROM db.public.Orders) SELECT * FROM Orders", explain: "EXPLAIN SELECT * FROM Orders", drop: "DROP TABLE Orders", join: 'SELECT o.*, c.city FROM db.public.Orders o JOIN db."public".Customers c ON c.id = o.customer_id', param: "SELECT $1 AS id, * FROM Orders", file: "SELECT * FROM '/etc/passwd'", qualcol: "SELECT public.Orders.id FROM db.public.Orders" }))
    show(`view ${k}`, await t(async () => (await saveModel(server, shop.admin, shopModel({ name: "inj", orders: { view_query: sql } }), { publish: false })).problems));
  const { id } = shop.model;
  show("res1", await readResource(server, shop.viewer, "knecta://ontologies"));
  show("res2", await readResource(server, shop.viewer, `knecta://ontologies/${id}`));
  show("res3", await readResource(server, shop.viewer, `knecta://ontologies/${id}/datasets/orders`));
  show("res4", await readResource(server, shop.viewer, `knecta://ontologies/${id}/datasets/nope`));
  show("res5", await readResource(server, shop.viewer, `knecta://ontologies/nope`));
  show("res6", await readResource(server, shop.viewer, `kenning://models/${id}`, "/mcp"));
  show("res7", await readResource(server, undefined, `kenning://models/${id}`, "/mcp"));
  show("del", await callTool(server, shop.viewer, "delete_asset", { asset_type: "semantic_model", asset_id: 1, confirm: true }));
  (await import("node:fs")).writeFileSync("/tmp/probe.txt", out.join("\n\n"));
});
