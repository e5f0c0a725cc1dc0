import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../../test/support/analytics.ts";
import { FUNCTIONS_USED, WITH_PARAMS } from "../../../../test/support/guard-statements/honest-functions.ts";
import { QUERIES } from "../../../../test/support/guard-statements/honest-queries.ts";
import type { AppError } from "../../../kernel/errors.ts";
import type { QueryResult, TableView } from "../../../platform/analytics/index.ts";
import { type Guarded, guardSql, withColumnHelp } from "./guard.ts";

let analytics: TestAnalytics;
let tableViews: TableView[];

beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
  const kinds = [
    ["north", 2023],
    ["south", 2024],
    ["west", 2024],
  ] as const;
  const orders = Array.from({ length: 9 }, (_, n) => ({
    id: n + 1,
    customer_id: (n % 3) + 1,
    region: kinds[n % 3]![0],
    amount: 7.5 * (n + 1),
    quantity: (n % 4) + 1,
    day: `${kinds[n % 3]![1]}-0${(n % 9) + 1}-15`,
    placed: `${kinds[n % 3]![1]}-0${(n % 9) + 1}-15T10:30:00`,
    tags: n % 2 === 0 ? ["a", "b"] : ["c"],
    detail: { color: "red", size: n },
    note: JSON.stringify({ kind: n % 2 === 0 ? "gift" : "plain" }),
  }));
  tableViews = [
    await analytics.tableView("orders", orders),
    await analytics.tableView("customers", [
      { id: 1, name: "Ada", country: "UK", since: "2020-01-01" },
      { id: 2, name: "Bob", country: "US", since: "2024-01-01" },
      { id: 4, name: "Cy", country: "DE", since: "2024-06-01" },
    ]),
    await analytics.tableView("Order Items", [{ order_id: 1, sku: "x-1", price: 3.5 }]),
  ];
});
afterAll(() => analytics.remove());

function guard(sql: string): Promise<Guarded> {
  const datasets = tableViews.map(({ name }) => name);
  const serialize = (text: string) => analytics.serializeSql(text);
  return guardSql(sql, { datasets, serialize });
}

async function run(text: string, texts: readonly string[] = []): Promise<QueryResult> {
  const { sql, isExplain, datasets } = await guard(text);
  const params = texts.map((fit) => ({ fit }));
  const used = tableViews.filter(({ name }) => datasets.includes(name));
  const engine = { threads: 2, memoryMb: 512, spillMb: 64 };
  return analytics.query({ scope: "w", tableViews: used, sql, params, explain: isExplain, engine });
}

describe("the guard lets through, and the engine runs over nothing but the datasets used,", () => {
  it.each([...QUERIES, ...FUNCTIONS_USED])("%s", async (sql) => {
    expect((await run(sql)).columns.length).toBeGreaterThan(0);
  });

  it.each(WITH_PARAMS)("%s with %j", async (sql, params) => {
    expect((await run(sql, params)).columns.length).toBeGreaterThan(0);
  });

  it("is tried on many statements", () => {
    const all = [...QUERIES, ...FUNCTIONS_USED, ...WITH_PARAMS.map(([sql]) => sql)];
    expect(new Set(all).size).toBeGreaterThanOrEqual(150);
  });
});

describe("what the guard gives back", () => {
  it.each<[string, string, boolean, string[]]>([
    ["SELECT 1", "SELECT 1", false, []],
    ["SELECT * FROM ORDERS o, orders", "SELECT * FROM ORDERS o, orders", false, ["orders"]],
    ['EXPLAIN SELECT * FROM "order items"', ' SELECT * FROM "order items"', true, ["Order Items"]],
    ["/* */EXPLAIN/* */SELECT 1", "/* */SELECT 1", true, []],
    ["WITH orders AS (SELECT 1) SELECT * FROM orders", "", false, []],
    ["WITH orders AS (SELECT * FROM orders) SELECT * FROM orders", "", false, ["orders"]],
    ["SELECT * FROM customers WHERE id IN (WITH x AS (SELECT 1 AS id FROM orders) FROM x)", "", false, []],
  ])("for %s", async (text, sql, isExplain, datasets) => {
    const guarded = await guard(text);
    expect(guarded).toMatchObject({ sql: sql === "" ? text : sql, isExplain });
    expect(guarded.datasets).toEqual(expect.arrayContaining(datasets));
  });

  it("allows a word of the engine where it is a column", async () => {
    const serialize = (text: string) => analytics.serializeSql(text);
    const columns = new Map([["t", ["Current_Role"]]]);
    const options = { datasets: ["t"], columns, serialize };
    await expect(guardSql("SELECT current_role FROM t", options)).resolves.toMatchObject({ datasets: ["t"] });
    await expect(guardSql("SELECT user FROM t", options)).rejects.toThrow("user is not allowed");
    const users = { ...options, columns: new Map([["t", ["user"]]]) };
    await expect(guardSql("SELECT lower(user) FROM t", users)).resolves.toMatchObject({ datasets: ["t"] });
    const own = "SELECT x.user FROM (SELECT 1 AS user FROM t) AS x";
    await expect(guardSql(own, options)).resolves.toMatchObject({ datasets: ["t"] });
  });

  it("is what the engine says about a column that there is not, with those that there are", async () => {
    await expect(run("SELECT regoin FROM orders")).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringMatching(/regoin.*\n*.*"region"/s),
    });
    const all = tableViews.map(({ name, columns }) => [name, columns.map((each) => each.name)] as const);
    const columns = new Map(all.filter(([name]) => name === "orders"));
    const metrics = [{ name: "Revenue", sql: "SUM(orders.amount)\n  -- net" }];
    const hintOf = async (item: string) => {
      const error = await run(`SELECT ${item} FROM orders o`).catch((thrown: unknown) => thrown);
      return (withColumnHelp(error, { columns, metrics }) as AppError).hint;
    };
    expect(await hintOf("o.amonut")).toBe('Did you mean "amount"?');
    expect(await hintOf("* EXCLUDE (qantity)")).toBe('Did you mean "quantity"?');
    expect(await hintOf("o.regionality")).toMatch(/^"orders" has "region", (?!.*customers)/);
    for (const item of ["revenue", "o.revenue", "max(REVENUE)"]) {
      expect(await hintOf(item)).toBe(
        "Revenue is a metric and no column; write its formula: SUM(orders.amount) -- net",
      );
    }
  });
});
