import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

let server: TestServer;
let admin: string;

const MODEL = `
version: "0.1.1"
semantic_model:
  - name: shop
    description: A small shop
    datasets:
      - name: orders
        source: shop.public.Orders
        primary_key: [id]
        fields:
          - { name: id, expression: { dialects: [{ dialect: ANSI_SQL, expression: id }] } }
          - { name: total, expression: { dialects: [{ dialect: ANSI_SQL, expression: net * 2 }] } }
          - { name: region, expression: { dialects: [{ dialect: ANSI_SQL, expression: region }] } }
    metrics:
      - { name: revenue, expression: { dialects: [{ dialect: ANSI_SQL, expression: SUM(orders.net) }] } }
`;

beforeAll(async () => {
  server = await startTestServer();
  admin = await server.token({ role: "admin" });
  await makeDataset(server, admin, "Orders", [
    { id: 1, net: 10, region: "North", secret: "a" },
    { id: 2, net: 20, region: "South", secret: "b" },
  ]);
  await resultOf(server, admin, "save_semantic_model", { content: MODEL, publish: true });
});
afterAll(() => server.stop());

describe("execute_query", () => {
  it("runs", async () => {
    console.log(await resultOf(server, admin, "list_semantic_models", {}));
    console.log(await resultOf(server, admin, "get_semantic_model", { modelName: "shop" }));
    console.log(
      await resultOf(server, admin, "get_datasets", { modelName: "shop", datasets: [{ name: "orders" }] }),
    );
    const args = {
      modelName: "shop",
      sql: 'SELECT *, $1 AS x FROM "orders" WHERE total > $2 ORDER BY id',
      params: ["a", "20"],
    };
    console.log(await resultOf(server, admin, "execute_query", args));
    const { result } = await callTool(server, admin, "execute_query", {
      ...args,
      sql: "SELECT secret FROM orders",
    });
    console.log(JSON.stringify(result));
    console.log(
      JSON.stringify((await callTool(server, admin, "read_semantic_model", { modelName: "shop" })).result),
    );
  });
});
