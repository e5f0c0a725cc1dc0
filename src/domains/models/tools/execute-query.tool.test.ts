import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import {
  query,
  type Rows,
  refusalsOf,
  saveModel,
  shopModel,
  shopServer,
  textOf,
} from "../../../../test/support/models.ts";
import { PATHS } from "../../../../test/support/rpc.ts";
import { LIMITS as ENGINE } from "../../../platform/analytics/limits.ts";
import { LIMITS } from "../limits.ts";

const { server, shop } = await shopServer();

const failure = async (args: object, token = shop.viewer) => {
  const full = { modelName: "shop", sql: "SELECT 1 AS one", ...args };
  const answer = await callTool(server, token, "execute_query", full, PATHS.models);
  expect(answer.result?.isError).toBe(true);
  return textOf(answer);
};

describe("execute_query", () => {
  it.each([PATHS.all, PATHS.models])(
    "[models.query.returns] [models.query.placeholders] [models.engine.search-path] gives columns and rows (%s)",
    async (path) => {
      const sql = 'SELECT id, total, $1 AS word FROM "orders" WHERE total > $2 ORDER BY id';
      const args = { modelName: "shop", sql, params: ["hello", path === PATHS.all ? 20 : "20"] };
      const result = await resultOf<Rows>(server, shop.viewer, "execute_query", args, path);
      expect(result).toEqual({
        columns: ["id", "total", "word"],
        rows: [
          { id: 2, total: 40, word: "hello" },
          { id: 3, total: 60, word: "hello" },
        ],
        rowCount: 2,
        // The contract's answer has no types.
        ...(path === PATHS.all && { types: ["BIGINT", "BIGINT", "VARCHAR"] }),
        storedQueryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
      const { content } = (await callTool(server, shop.viewer, "execute_query", args, path)).result ?? {};
      // On the models' endpoint as its contract prints it; on /mcp each name stands once.
      const rows = path === PATHS.models ? result.rows : result.rows.map((row) => Object.values(row));
      expect(JSON.parse(content?.[0]?.text ?? "")).toEqual({ ...result, rows });
    },
  );

  it("[models.query.params] needs no params where there are no placeholders, and as many as there are", async () => {
    expect((await query(server, shop.viewer, "SELECT count(*) AS n FROM orders")).rows).toEqual([{ n: 3 }]);
    expect(await failure({ sql: "SELECT $1 AS a" })).toMatch(/1 parameter/);
    expect(await failure({ sql: "SELECT 1 AS a", params: ["x"] })).toMatch(/parameter/);
    expect(await failure({ params: [{}] })).toMatch(/params/);
    expect(await failure({ params: Array.from({ length: LIMITS.models.params + 1 }, () => "x") })).toMatch(
      /params/,
    );
    expect(await failure({ sql: undefined })).toMatch(/sql/);
  });

  it("joins datasets of the model, and computes its metrics", async () => {
    const sql = `SELECT c.name, SUM(orders.net) AS revenue FROM orders JOIN customers c ON c.id = orders.customer_id
      GROUP BY ALL ORDER BY name`;
    expect((await query(server, shop.viewer, sql)).rows).toEqual([
      { name: "Ada", revenue: 40 },
      { name: "Bob", revenue: 20 },
    ]);
  });

  it("keeps columns of the same name apart", async () => {
    const { columns, rows } = await query(server, shop.viewer, "SELECT 1 AS a, 2 AS a, 3 AS A");
    expect(rows).toEqual([Object.fromEntries(columns.map((name, i) => [name, i + 1]))]);
    expect(new Set(columns).size).toBe(3);
  });

  it("[models.query.store] stores unless told otherwise, and the same query once", async () => {
    const sql = "SELECT 'stored' AS word";
    const first = await query(server, shop.viewer, sql);
    expect(first.storedQueryId).toBeDefined();
    expect((await query(server, shop.viewer, sql, { store: true })).storedQueryId).toBe(first.storedQueryId);
    expect((await query(server, shop.contributor, sql)).storedQueryId).not.toBe(first.storedQueryId);
    expect(
      (await query(server, shop.viewer, "SELECT 'lost' AS w", { store: false })).storedQueryId,
    ).toBeUndefined();
    const { queries } = await resultOf<{ queries: { sql: string }[] }>(
      server,
      shop.viewer,
      "list_stored_queries",
      {},
    );
    expect(queries.filter((each) => each.sql === sql)).toHaveLength(1);
    expect(JSON.stringify(queries)).not.toContain("lost");
  });

  it("leaves nothing behind for a read-only token, or when the query fails", async () => {
    const reader = await server.token({ limits: { readOnly: true } });
    const result = await query(server, reader, "SELECT 1 AS one", { store: true });
    expect(result).toMatchObject({ columns: ["one"], rows: [{ one: 1 }], rowCount: 1 });
    expect(result).not.toHaveProperty("storedQueryId");
    await failure({ sql: "SELECT nothing FROM orders" }, reader);
    expect(await resultOf(server, reader, "list_stored_queries", {})).toEqual({ total: 0, queries: [] });
  });

  it("[models.query.rows] gives 1,000 rows, on /mcp as many as are asked for, and says when there are more", async () => {
    const rows = Array.from({ length: 1_001 }, (_, n) => ({ n }));
    await makeDataset(server, shop.admin, "Numbers", rows);
    await saveModel(
      server,
      shop.admin,
      "semantic_model: [{ name: numbers, datasets: [{ name: numbers, source: Numbers, fields: [{ name: n, expression: n }] }] }]",
    );
    const args = { modelName: "numbers", sql: "SELECT n FROM numbers" };
    const ask = (more: object, path: string) =>
      resultOf<Rows>(server, shop.viewer, "execute_query", { ...args, ...more }, path);
    const all = await ask({}, PATHS.models);
    expect(all).toMatchObject({ rowCount: 1_000, truncated: true });
    expect(all.rows).toHaveLength(1_000);
    expect(await ask({}, PATHS.all)).toMatchObject({ rowCount: 100, truncated: true });
    const some = await ask({ limit: 7 }, PATHS.all);
    expect(some).toMatchObject({ rowCount: 7, truncated: true });
    const again = { storedQueryId: some.storedQueryId, limit: 3 };
    expect(await resultOf(server, shop.viewer, "execute_stored_query", again)).toMatchObject({ rowCount: 3 });
    await expect(ask({ limit: 7 }, PATHS.models)).rejects.toThrow(/limit/);
    const fits = await ask({ sql: "SELECT n FROM numbers WHERE n < 1000" }, PATHS.models);
    expect(fits.rowCount).toBe(1_000);
    expect("truncated" in fits).toBe(false);
  });

  it.each([
    ["SELECT repeat('x', 100000) AS x FROM range(1000)", 20, /Only 20 rows fit .* OFFSET 20\./],
    [
      `SELECT ${Array.from({ length: 900 }, (_, n) => `1 AS c${n}`)} FROM range(1000)`,
      222,
      /Only 222 rows fit/,
    ],
    ["SELECT string_agg(repeat('x', 100000), '') AS x FROM range(30)", 0, /The first row alone is larger/],
  ])("gives as much of %s as one answer holds", async (sql, rowCount, note) => {
    const cut = await query(server, shop.viewer, sql.toString(), { store: false, limit: 1_000 });
    expect(cut).toMatchObject({ rowCount, truncated: true, note: expect.stringMatching(note) });
    expect(JSON.stringify(cut.rows).length).toBeLessThanOrEqual(ENGINE.analytics.resultBytes);
  });

  it("[models.query.timeout] [models.engine.limits] is bound as promised", () => {
    expect(LIMITS.models).toMatchObject({ queryMs: 30_000, queryThreads: 2, queryMemoryMb: 512 });
    expect(server.app.registry.tool("models", "execute_query")?.tool.timeoutMs).toBeGreaterThan(30_000);
  });

  it("tells a mistake in the engine's words, and nothing that is no field of the model", async () => {
    const text = await failure({ sql: "SELECT secret FROM orders" });
    expect(text).toMatch(/Referenced column "secret" not found/);
    expect(await failure({ sql: "SELECT email FROM customers" })).not.toContain("example.com");
    expect(await failure({ sql: "SELECT * FROM ordrs" })).toMatch(/Did you mean "orders"\?/);
    expect(await failure({ sql: 'SELECT * FROM "Customers_"' })).toMatch(/There is no dataset/);
  });

  it("does not know drafts, models of other tokens, or of other workspaces", async () => {
    await saveModel(server, shop.admin, shopModel({ name: "planning" }), { publish: false });
    expect(await failure({ modelName: "planning" }, shop.viewer)).toMatch(
      /^There is no semantic model "planning"/,
    );
    const limited = await server.token({ limits: { models: ["numbers"] } });
    expect(await failure({}, limited)).toMatch(/^There is no semantic model "shop"/);
    await server.app.identity.workspaces.create({ slug: "globex" });
    const foreign = await server.token({ workspace: "globex" });
    await expect(query(server, foreign, "SELECT 1 AS one")).rejects.toThrow(
      /^There is no semantic model "shop"/,
    );
  });

  it("is for those with ontologies:read", async () => {
    const wrong = await server.token({ scopes: ["bi:read"] });
    const args = { modelName: "shop", sql: "SELECT 1 AS one" };
    for (const path of [PATHS.all, PATHS.models]) {
      expect(await refusalsOf(server, wrong, "execute_query", args, path)).toEqual({
        anonymous: 401,
        wrong: expect.stringContaining("ontologies:read"),
      });
    }
  });
});
