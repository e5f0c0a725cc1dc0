import { afterAll, beforeAll, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../test/support/datasets.ts";
import { saveModel } from "../../../test/support/models.ts";
import { PATHS } from "../../../test/support/rpc.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";
import { withoutFloatNoise } from "../../kernel/values.ts";

let server: TestServer;
let token: string;
let dataset_id: number;
beforeAll(async () => {
  server = await startTestServer();
  token = await server.token();
  dataset_id = await makeDataset(server, token, "Sales", SALES);
});
afterAll(() => server.stop());

/** Amounts of money, of which a plain sum of doubles is 15130550.829999998. */
const CENTS = Array.from({ length: 30_000 }, (_, i) => (i * 7919 + 13) % 100_877);
const SALES = CENTS.map((cents, i) => ({ shop: i % 3, amount: cents / 100 }));
const total = (cents: readonly number[]) => cents.reduce((sum, each) => sum + each, 0) / 100;
const ofShop = (shop: number) => total(CENTS.filter((_, i) => i % 3 === shop));
const SHOPS = [0, 1, 2].map((shop) => ({ shop, Total: ofShop(shop) }));

const rows = async (args: object) =>
  (await resultOf<{ rows: Record<string, unknown>[] }>(server, token, "get_data", { ...args })).rows;

it("adds up floating-point amounts exactly in C9QL", async () => {
  const c9ql = "select shop, sum(amount) as Total group by shop order by shop";
  expect(await rows({ dataset_id, c9ql })).toEqual(SHOPS);
  expect(await rows({ dataset_id, c9ql: `${c9ql}; select sum(Total) as t` })).toEqual([{ t: total(CENTS) }]);
  const running = "select accumulate(amount) as t; select max(t) as t";
  expect(await rows({ dataset_id, c9ql: running })).toEqual([{ t: total(CENTS) }]);
  expect(await rows({ dataset_id, c9ql: "select sum(amount)" })).toEqual([{ "sum(amount)": total(CENTS) }]);
});

it("does so in widgets and their exports", async () => {
  const made = { name: "By shop", dataset_id, x_axis: "shop", y_axis: ["amount"] };
  const { widget_id } = await resultOf<{ widget_id: number }>(server, token, "create_widget", made);
  const expected = SHOPS.map(({ shop, Total }) => ({ shop, "Sum of amount": Total }));
  expect(await rows({ widget_id })).toEqual(expected);
  const args = { widgetId: widget_id };
  const file = await resultOf<{ content_base64: string }>(server, token, "knowi_export_csv", args, PATHS.bi);
  const csv = Buffer.from(file.content_base64, "base64").toString();
  for (const { Total } of SHOPS) expect(csv).toContain(`,${Total}`);
});

it("does so in SQL and in metrics of a semantic model", async () => {
  const fields = ["shop", "amount"].map((name) => ({ name, expression: name }));
  const revenue = { name: "revenue", expression: "SUM(sales.amount)" };
  const datasets = [{ name: "sales", source: "Sales", fields }];
  const model = { name: "money", datasets, metrics: [revenue] };
  await saveModel(server, token, JSON.stringify({ version: "0.1.1", semantic_model: [model] }));
  const ask = async (tool: string, args: object) =>
    (await resultOf<{ rows: unknown[] }>(server, token, tool, { modelName: "money", ...args })).rows;
  const sql = "SELECT shop, SUM(amount), avg(amount) AS mean FROM sales GROUP BY shop ORDER BY 1";
  expect(await ask("execute_query", { sql })).toEqual(
    SHOPS.map(({ shop, Total }) => ({ shop, "sum(amount)": Total, mean: withoutFloatNoise(Total / 10_000) })),
  );
  const nested =
    "WITH s AS (SELECT shop, sum(amount) AS amount FROM sales GROUP BY 1) SELECT sum(amount) AS t FROM s";
  expect(await ask("execute_query", { sql: nested })).toEqual([{ t: total(CENTS) }]);
  // Over nine million rows a plain sum is wrong by more than any rounding hides.
  const many = "SELECT sum(a.amount) AS t FROM sales a, (SELECT shop FROM sales LIMIT 301) b";
  expect(await ask("execute_query", { sql: many })).toEqual([
    { t: total(CENTS.map((cents) => cents * 301)) },
  ]);
  const asked = await resultOf(server, token, "query_metrics", { model: "money", metrics: ["revenue"] });
  expect(JSON.stringify(asked)).toContain(String(total(CENTS)));
});

it("keeps what is stored as it is", async () => {
  const odd = [{ x: 0.1 + 0.2, y: 52.520006599999995, z: 1e-7 }];
  const id = await makeDataset(server, token, "Odd", odd);
  expect(await rows({ dataset_id: id })).toEqual(odd);
  expect(await rows({ dataset_id: id, c9ql: "select * where z < 1" })).toEqual(odd);
  expect(await rows({ dataset_id: id, c9ql: "select x * 10 as x" })).toEqual([{ x: 3 }]);
});
