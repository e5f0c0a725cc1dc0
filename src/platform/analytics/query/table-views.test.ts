import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../../test/support/analytics.ts";
import type { JsonValue, QueryParam, QueryRequest, QueryResult, TableView } from "../index.ts";

let analytics: TestAnalytics;
let sales: TableView;
let hidden: TableView;
beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
  sales = await analytics.tableView("sales", [
    { id: 1, region: "north", amount: 10.5, day: "2024-01-01", time: "2024-01-01T10:00:00" },
    { id: 2, region: "south", amount: 20, day: "2024-01-02", time: "2024-01-02T10:00:00" },
    { id: 3, region: "north", amount: 30, day: "2024-02-01", time: "2024-02-01T10:00:00" },
  ]);
  hidden = { ...sales, name: "base", isHidden: true };
});
afterAll(() => analytics.remove());

async function query(sql: string, extra: Partial<QueryRequest> = {}): Promise<QueryResult> {
  return analytics.query({ scope: "w", tableViews: [sales], sql, ...extra });
}

describe("hidden views", () => {
  const view = (name: string, select: string): TableView => ({
    name,
    parts: [],
    columns: [],
    select,
    version: "1",
  });

  it("are what other views are made of", async () => {
    const tableViews = [
      view("north", `SELECT id, amount FROM "_scope_base"."base" WHERE region = 'north'`),
      hidden,
      view(
        "joined",
        'SELECT a.id, b.amount FROM "_scope_base"."base" a JOIN "_scope_base"."base" b USING (id) LIMIT 2',
      ),
    ];
    expect((await query("SELECT id FROM north ORDER BY id", { tableViews })).rows).toEqual([[1], [3]]);
    expect((await query("SELECT count(*) FROM joined", { tableViews })).rows).toEqual([[2]]);
  });

  it.each([
    "SELECT * FROM base",
    'SELECT * FROM "_scope_base"."base"',
    "SELECT * FROM _scope_base.base",
    'SELECT * FROM memory."_scope_base".base',
    "SELECT (SELECT max(id) FROM _SCOPE_BASE.BASE)",
    "WITH base AS (SELECT 1) SELECT * FROM _scope_base.base",
  ])("cannot be reached by %s", async (sql) => {
    const tableViews = [hidden, view("north", 'SELECT id FROM "_scope_base"."base"')];
    await expect(query(sql, { tableViews })).rejects.toMatchObject({ name: "AppError" });
  });

  it("may have the name of a visible one", async () => {
    const tableViews = [
      { ...hidden, name: "sales" },
      view("sales", 'SELECT id FROM "_scope_base"."sales" WHERE id > 1'),
    ];
    expect((await query("SELECT * FROM sales ORDER BY 1", { tableViews })).rows).toEqual([[2], [3]]);
  });
});

describe("plans", () => {
  const plan = async (sql: string, extra: Partial<QueryRequest> = {}): Promise<string> =>
    JSON.stringify((await query(sql, { explain: true, ...extra })).rows);

  it("are given instead of rows", async () => {
    const { columns, rows } = await query("SELECT region, sum(amount) FROM sales GROUP BY 1", {
      explain: true,
    });
    expect(columns.map(({ name }) => name)).toEqual(["explain_key", "explain_value"]);
    expect(rows).toEqual([["physical_plan", expect.stringContaining("HASH_GROUP_BY")]]);
    expect(await plan("(SELECT 1)")).toContain("physical_plan");
    expect(await plan("FROM sales WHERE id = $1", { params: [{ fit: "2" }] })).toContain("physical_plan");
    expect(await plan("VALUES (1)")).toContain("physical_plan");
    expect(await plan("WITH a AS (FROM sales) FROM a;")).toContain("physical_plan");
  });

  it("say nothing of places", async () => {
    expect(await plan("FROM sales WHERE id > 1")).not.toMatch(/\.parquet|\.\.\//);
  });

  it.each([
    "ANALYZE SELECT 1",
    "(ANALYZE) SELECT 1",
    "(FORMAT json) SELECT 1",
    "EXPLAIN SELECT 1",
    "SELECT 1; SELECT 2",
    "/* */ ANALYZE SELECT 1",
    "DELETE FROM sales",
  ])("of %s are refused", async (sql) => {
    await expect(plan(sql)).rejects.toMatchObject({ name: "AppError" });
  });
});

describe("limits of an engine", () => {
  it("are kept for each request", async () => {
    const sql =
      "SELECT count(*) FROM (SELECT DISTINCT i, repeat('x', 50) || i AS t FROM range(3000000) r(i))";
    await expect(query(sql, { engine: { threads: 1, memoryMb: 32, spillMb: 1 } })).rejects.toMatchObject({
      code: "too_large",
    });
    expect((await query("SELECT 1", { engine: { threads: 1, memoryMb: 32, spillMb: 1 } })).rows).toEqual([
      [1],
    ]);
  });
});

describe("text that is fitted", () => {
  it.each<[string, string[], JsonValue[][]]>([
    ["SELECT id FROM sales WHERE amount > $1 ORDER BY 1", ["10.5"], [[2], [3]]],
    ["SELECT id FROM sales WHERE id > $1 ORDER BY 1", ["1.5"], [[2], [3]]],
    ["SELECT id FROM sales WHERE id > $1 ORDER BY 1", [" 1 "], [[2], [3]]],
    ["SELECT id FROM sales WHERE id = $1", ["99999999999999999999999999"], []],
    ["SELECT id FROM sales WHERE $1 < id AND region = $2", ["1", "north"], [[3]]],
    ["SELECT id FROM sales WHERE region = $2 AND id > $1", ["1", "north"], [[3]]],
    ["SELECT id FROM sales WHERE day >= $1 ORDER BY 1", ["2024-01-02"], [[2], [3]]],
    ["SELECT id FROM sales WHERE day >= $1 ORDER BY 1", ["2024-01-02 10:00:00"], [[3]]],
    ["SELECT id FROM sales WHERE time >= $1 ORDER BY 1", ["2024-01-02"], [[2], [3]]],
    ["SELECT id FROM sales WHERE id IN ($1, $2) ORDER BY 1", ["1", "3"], [[1], [3]]],
    ["SELECT id FROM sales WHERE id BETWEEN ? AND ? ORDER BY 1", ["2", "3"], [[2], [3]]],
    ["SELECT id FROM sales WHERE region LIKE $1 ORDER BY 1", ["%th' OR 1=1 --"], []],
    ["SELECT id FROM sales ORDER BY id LIMIT $1 OFFSET $2", ["1", "1"], [[2]]],
    ["SELECT $1", ["007"], [["007"]]],
    ["SELECT $1::INTEGER + 1", ["41"], [[42]]],
    ["SELECT day + $1::INTEGER FROM sales WHERE id = 1", ["1"], [["2024-01-02"]]],
    ["SELECT id FROM sales WHERE id = ANY($1::INTEGER[]) ORDER BY 1", ["[1, 2]"], [[1], [2]]],
    ["SELECT id FROM sales WHERE list_contains($1::VARCHAR[], region)", ["[south]"], [[2]]],
  ])("%s with %j", async (sql, texts, expected) => {
    const params = texts.map((fit): QueryParam => ({ fit }));
    expect((await query(sql, { params })).rows).toEqual(expected);
  });

  it.each<[string, string[], RegExp, RegExp | undefined]>([
    ["SELECT * FROM sales WHERE id > $1", ["abc"], /Parameter \$1 is "abc".*BIGINT/, undefined],
    ["SELECT * FROM sales WHERE region = $1 AND day = $2", ["x", "soon"], /Parameter \$2.*DATE/, undefined],
    ["SELECT * FROM sales WHERE id > $1", [], /1 parameters, but 0/, /\$1, \$2/],
    ["SELECT * FROM sales WHERE id > $1", ["1", "2"], /1 parameters, but 2/, undefined],
    ["SELECT * FROM sales WHERE id > $2", ["1"], /no parameter \$1/, /without gaps/],
    ["SELECT $1 + 1", ["1"], /best candidate/, /\$1::INTEGER/],
    ["SELECT * FROM range($1)", ["1"], /No function matches/, /\$1::INTEGER/],
  ])("%s with %j is refused", async (sql, texts, message, hint) => {
    const params = texts.map((fit): QueryParam => ({ fit }));
    const error = await query(sql, { params }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "bad_request", message: expect.stringMatching(message) });
    if (hint !== undefined) expect((error as { hint: string }).hint).toMatch(hint);
  });
});
