import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../../test/support/analytics.ts";
import type { JsonValue, QueryParam, QueryRequest, QueryResult, TableView } from "../index.ts";
import { LIMITS } from "../limits.ts";

let analytics: TestAnalytics;
let sales: TableView;
beforeAll(async () => {
  analytics = await openTestAnalytics();
  sales = await analytics.tableView("sales", [
    { id: 1, region: "north", amount: 10.5, day: "2024-01-01" },
    { id: 2, region: "south", amount: 20, day: "2024-01-02" },
    { id: 3, region: "north", amount: 30, day: "2024-02-01" },
  ]);
});
afterAll(() => analytics.remove());

async function query(sql: string, extra: Partial<QueryRequest> = {}): Promise<QueryResult> {
  return analytics.query({ scope: "w", tableViews: [sales], sql, ...extra });
}

describe("query", () => {
  it("answers with columns and rows", async () => {
    expect(
      await query("SELECT region, count(*) AS n, sum(amount) AS total FROM sales GROUP BY ALL ORDER BY ALL"),
    ).toEqual({
      columns: [
        { name: "region", type: "VARCHAR" },
        { name: "n", type: "BIGINT" },
        { name: "total", type: "DOUBLE" },
      ],
      rows: [
        ["north", 2, 40.5],
        ["south", 1, 20],
      ],
      truncated: false,
    });
  });

  it("tells columns with the same name apart", async () => {
    const { columns, rows } = await query("SELECT 1 AS a, 2 AS a, 3 AS A");
    expect(new Set(columns.map(({ name }) => name)).size).toBe(3);
    expect(rows).toEqual([[1, 2, 3]]);
  });

  it.each([
    "SELECT * FROM sales;",
    "SELECT * FROM sales -- all",
    "FROM sales",
    "WITH x AS (FROM sales) SELECT * FROM x;;",
  ])("says that a limit cut the rows of %s", async (sql) => {
    const { rows, truncated } = await query(sql, { limits: { rows: 2 } });
    expect({ rows: rows.length, truncated }).toEqual({ rows: 2, truncated: "rows" });
  });

  it("says so only when there are more", async () => {
    expect(await query("SELECT id FROM sales", { limits: { rows: 3 } })).toMatchObject({ truncated: false });
    expect(await query("SELECT id FROM sales WHERE false")).toMatchObject({ rows: [], truncated: false });
  });

  it("cuts a result that is too large", async () => {
    const { rows, truncated } = await query("SELECT repeat('x', 1000) AS x FROM range(1000)", {
      limits: { bytes: 50_000 },
    });
    expect(truncated).toBe("bytes");
    expect(rows).toHaveLength(49);
    expect(await query("SELECT repeat('x', 1000)", { limits: { bytes: 100 } })).toMatchObject({
      rows: [],
      truncated: "bytes",
    });
  });

  it("counts the names of columns and the values of all rows", async () => {
    const many = Array.from({ length: 500 }, (_, n) => `i AS c${n}`).join(", ");
    const wide = await query(`SELECT ${many} FROM range(1000) t(i)`, { limits: { bytes: 32 * 1024 * 1024 } });
    expect(wide).toMatchObject({ truncated: "bytes" });
    expect(wide.rows).toHaveLength(LIMITS.analytics.resultValues / 500);
    const long = await query(`SELECT i AS "${"n".repeat(10_000)}" FROM range(1000) t(i)`);
    expect(long.truncated).toBe("bytes");
    expect(long.rows.length).toBe(Math.floor(LIMITS.analytics.resultBytes / 10_010));
  });

  it("is fair to a large result at the default limits", async () => {
    const { rows, truncated } = await query("SELECT i, 'row ' || i FROM range(1000000) t(i)");
    expect(truncated).toBe("rows");
    expect(rows).toHaveLength(10_000);
    expect(rows.at(-1)).toEqual([9_999, "row 9999"]);
  });
});

describe("parameters", () => {
  it.each<[string, QueryParam, JsonValue]>([
    ["SELECT $1 + 1", 41, 42],
    ["SELECT $1 || '!'", "it's; DROP TABLE x --", "it's; DROP TABLE x --!"],
    ["SELECT $1", "ü😀", "ü😀"],
    ["SELECT $1", 2 ** 40, 2 ** 40],
    ["SELECT $1", 1.5, 1.5],
    ["SELECT $1", Number.NaN, "NaN"],
    ["SELECT $1", 12345678901234567890n, "12345678901234567890"],
    ["SELECT $1", true, true],
    ["SELECT $1", null, null],
    ["SELECT $1", new Date("2024-01-01T10:00:00.5Z"), "2024-01-01T10:00:00.5Z"],
    ["SELECT $1", Buffer.from([1, 2, 255]), "AQL/"],
    ["SELECT list_sum($1)", [1, 2, null, 3], 6],
    ["SELECT $1[1]", ["a", null], "a"],
    ["SELECT $1", [], []],
    ["SELECT $1 + 1", { type: "DATE", value: "2024-02-28" }, "2024-02-29"],
    ["SELECT $1 * 3", { type: "DECIMAL(10,2)", value: "0.10" }, 0.3],
    ["SELECT count(*) FROM sales WHERE day >= $1", "2024-01-02", 2],
    ["SELECT count(*) FROM sales WHERE amount > $1", 10, 3],
    ["SELECT count(*) FROM sales WHERE region = ANY($1)", ["south", "west"], 1],
    ["SELECT count(*) FROM sales WHERE id IN (SELECT unnest($1))", [1, 3, 9], 2],
    ["SELECT DATE '2024-01-01' + $1", 31, "2024-02-01"],
    ["SELECT id FROM sales ORDER BY id LIMIT $1", 1, 1],
  ])("%s, case %#", async (sql, param, expected) => {
    expect((await query(sql, { params: [param] })).rows).toEqual([[expected]]);
  });

  it.each<[string, QueryParam[], RegExp]>([
    ["SELECT $1", [], /1 parameters, but 0/],
    ["SELECT 1", [1], /0 parameters, but 1/],
    ["SELECT $1", [["a", 1]], /mixes/],
    ["SELECT $1", [{ type: "DATE) FROM x; --", value: "x" }], /is not a type/],
    ["SELECT $1", [{ type: "DATE", value: "soon" }], /soon/],
    ["SELECT $1", [2n ** 200n], /38 digits/],
    ["SELECT $1", [new Date("x")], /invalid date/],
  ])("%s is refused, case %#", async (sql, params, message) => {
    await expect(query(sql, { params })).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringMatching(message),
    });
  });
});

describe("values", () => {
  it.each<[string, JsonValue]>([
    ["9007199254740991::BIGINT", 9007199254740991],
    ["9007199254740992::BIGINT", "9007199254740992"],
    ["(-9223372036854775808)::BIGINT", "-9223372036854775808"],
    ["18446744073709551615::UBIGINT", "18446744073709551615"],
    ["170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727"],
    ["12.50::DECIMAL(10,2)", 12.5],
    ["-0.01::DECIMAL(4,2)", -0.01],
    ["12345678901234567.89::DECIMAL(38,2)", "12345678901234567.89"],
    ["0.1::FLOAT", 0.1],
    ["16777217::FLOAT", 16777216],
    ["'nan'::DOUBLE", "NaN"],
    ["'-inf'::DOUBLE", "-Infinity"],
    ["'inf'::FLOAT", "Infinity"],
    ["DATE '2024-02-29'", "2024-02-29"],
    ["DATE '0001-01-01'", "0001-01-01"],
    ["DATE 'infinity'", "infinity"],
    ["TIMESTAMP '2024-01-01 00:00:00'", "2024-01-01T00:00:00"],
    ["TIMESTAMP '2024-01-01 10:11:12.123456'", "2024-01-01T10:11:12.123456"],
    ["TIMESTAMP '1969-12-31 23:59:59.9'", "1969-12-31T23:59:59.9"],
    ["TIMESTAMP 'infinity'", "infinity"],
    ["TIMESTAMPTZ '2024-01-01 10:00:00+02'", "2024-01-01T08:00:00Z"],
    ["TIMESTAMP_NS '2024-01-01 10:11:12.123456789'", "2024-01-01T10:11:12.123456789"],
    ["TIMESTAMP_S '2024-01-01 10:11:12'", "2024-01-01T10:11:12"],
    ["TIMESTAMP_MS '2024-01-01 10:11:12.5'", "2024-01-01T10:11:12.5"],
    ["TIME '10:11:12.5'", "10:11:12.5"],
    ["INTERVAL '1 year 2 months 3 days 4 hours 5.5 seconds'", "P1Y2M3DT4H5.5S"],
    ["INTERVAL '-90 minutes'", "PT-1H-30M"],
    ["INTERVAL '0 days'", "P0D"],
    ["'\\x00\\xFF'::BLOB", "AP8="],
    ["'6f1b0f2e-7c11-4a0a-8b1a-3b5a3f5a4d11'::UUID", "6f1b0f2e-7c11-4a0a-8b1a-3b5a3f5a4d11"],
    ["'b'::ENUM('a','b')", "b"],
    ["'0101'::BIT", "0101"],
    ["[1, NULL, 9007199254740993]", [1, null, "9007199254740993"]],
    ["[[1],[]]", [[1], []]],
    ["[1.5, 2]::DOUBLE[2]", [1.5, 2]],
    [
      "{'a': 1, 'b c': [DATE '2024-01-01'], '__proto__': 2}",
      { a: 1, "b c": ["2024-01-01"], ["__proto__"]: null },
    ],
    ["MAP {'x': 1, 'y': NULL}", { x: 1, y: null }],
    ["MAP {1: 'a'}", [{ key: 1, value: "a" }]],
    ["union_value(num := 2)", 2],
    ['\'{"a":[1,{"b":null}]}\'::JSON', { a: [1, { b: null }] }],
    ["to_json('x')", "x"],
    ["NULL", null],
    ["'a\\nb\"c\u2028'", 'a\\nb"c\u2028'],
  ])("%s", async (expression, expected) => {
    expect(JSON.stringify((await query(`SELECT ${expression}`)).rows)).toBe(JSON.stringify([[expected]]));
  });

  it("survive a part", async () => {
    const row = {
      integer: 1,
      big: 9007199254740993n,
      huge: 12345678901234567890n,
      number: 1.5,
      nan: Number.NaN,
      flag: true,
      text: "ü😀\u0000'\"",
      day: "2024-02-29",
      time: "2024-02-29T10:11:12.123456",
      zoned: "2024-02-29T10:11:12+01:00",
      at: new Date("2024-01-01T00:00:00Z"),
      list: [1, 2, null],
      nested: { a: { b: ["x"] }, c: null },
      mixed: [1, "x", { y: 1 }],
      none: null,
      bytes: Buffer.from([1, 2, 3]),
    };
    const tableView = await analytics.tableView("weird", [row]);
    const result = await analytics.query({ scope: "w", tableViews: [tableView], sql: "SELECT * FROM weird" });
    const found = Object.fromEntries(result.columns.map(({ name }, index) => [name, result.rows[0]![index]]));
    expect(found).toEqual({
      ...row,
      big: "9007199254740993",
      huge: "12345678901234567890",
      nan: "NaN",
      zoned: "2024-02-29T09:11:12Z",
      at: "2024-01-01T00:00:00Z",
      bytes: "AQID",
    });
  });
});

describe("views", () => {
  it("may have any name, and columns with any name", async () => {
    const tableView = await analytics.tableView(`Ümsatz "2024"; DROP`, [
      { "größe (m²)": 1, 'a"b': "x", 漢字: true },
    ]);
    const sql = `SELECT "größe (m²)", "a""b", "漢字" FROM "Ümsatz ""2024""; DROP"`;
    expect((await analytics.query({ scope: "w", tableViews: [tableView], sql })).rows).toEqual([
      [1, "x", true],
    ]);
  });

  it("may be empty", async () => {
    const empty: TableView = {
      name: "empty",
      parts: [],
      columns: [
        { name: "a", type: "BIGINT" },
        { name: "b", type: "NULL" },
      ],
      version: "1",
    };
    const { columns, rows } = await query("SELECT * FROM empty", { tableViews: [empty] });
    expect({ columns, rows }).toEqual({
      columns: [
        { name: "a", type: "BIGINT" },
        { name: "b", type: "VARCHAR" },
      ],
      rows: [],
    });
    expect((await query("SELECT count(*), sum(a) FROM empty", { tableViews: [empty] })).rows).toEqual([
      [0, null],
    ]);
    await expect(query("SELECT 1", { tableViews: [{ ...empty, columns: [] }] })).rejects.toMatchObject({
      code: "bad_request",
    });
  });

  it("grow columns, types and fields over their parts", async () => {
    const parts = [
      await analytics.rowsToPart({ rows: [{ a: 1, n: { x: 1 } }], key: analytics.key() }),
      await analytics.rowsToPart({ rows: [{ a: 2.5, b: "new", n: { x: 2, y: "z" } }], key: analytics.key() }),
      await analytics.rowsToPart({ rows: [{ b: "only" }], key: analytics.key() }),
    ];
    const columns = [
      { name: "a", type: "DOUBLE" },
      { name: "b", type: "VARCHAR" },
      { name: "n", type: 'STRUCT("x" BIGINT, "y" VARCHAR)' },
      { name: "later", type: "DATE" },
    ];
    const tableView = { name: "grown", parts: parts.map(({ path }) => path), columns, version: "3" };
    expect((await query("SELECT * FROM grown", { tableViews: [tableView] })).rows).toEqual([
      [1, null, { x: 1, y: null }, null],
      [2.5, "new", { x: 2, y: "z" }, null],
      [null, "only", null, null],
    ]);
  });

  it("hide what their policy hides", async () => {
    const guarded: TableView = {
      ...sales,
      select: "SELECT * EXCLUDE (amount) FROM raw WHERE region = 'north'",
    };
    const tableViews = [guarded];
    expect((await query("SELECT * FROM sales ORDER BY id", { tableViews })).rows).toEqual([
      [1, "north", "2024-01-01"],
      [3, "north", "2024-02-01"],
    ]);
    await expect(query("SELECT amount FROM sales", { tableViews })).rejects.toMatchObject({
      code: "bad_request",
    });
    await expect(query("SELECT * FROM raw", { tableViews })).rejects.toMatchObject({ code: "bad_request" });
    expect((await query("SELECT count(*) FROM sales")).rows).toEqual([[3]]);
  });

  it("are seen in exactly the version that was asked for, even after their parts have gone", async () => {
    const first = await analytics.tableView("t", [{ a: 1 }]);
    const second = { ...(await analytics.tableView("t", [{ a: 2 }])), version: "2" };
    const sql = "SELECT a FROM t";
    expect((await query(sql, { tableViews: [first] })).rows).toEqual([[1]]);
    await analytics.blobs.delete(first.parts[0]!.slice(analytics.home.length + "/blobs/".length));
    expect((await query(sql, { tableViews: [second] })).rows).toEqual([[2]]);
    expect((await query(sql, { tableViews: [first] })).rows).toEqual([[1]]);
  });

  it("that do not exist are an error without our paths in it", async () => {
    const missing = { ...sales, parts: [`${analytics.home}/blobs/gone.parquet`] };
    await expect(query("SELECT 1", { tableViews: [missing] })).rejects.toMatchObject({
      code: "unavailable",
      data: { reason: "part_missing" },
    });
    const broken = { ...sales, columns: [{ name: "id", type: "DATE" }] };
    const cast = await query("SELECT * FROM sales", { tableViews: [broken] }).catch(
      (thrown: unknown) => thrown,
    );
    expect(cast).toMatchObject({ code: "bad_request", message: expect.not.stringContaining("../") });
  });
});

describe("SQL that is refused", () => {
  it.each<[string, string, RegExp]>([
    ["SELEC 1", "bad_request", /syntax error/],
    ["", "bad_request", /no SELECT/],
    ["SELECT nope FROM sales", "bad_request", /nope/],
    ["SELECT 1; SELECT 2", "bad_request", /2 statements/],
    ["CREATE TABLE x (a INT)", "forbidden", /Only SELECT/],
    ["INSERT INTO sales VALUES (1)", "forbidden", /Only SELECT/],
    ["EXPLAIN SELECT 1", "forbidden", /Only SELECT/],
    ["SELECT 'x'::INT", "bad_request", /Could not convert/],
    ["SELECT error('boom')", "bad_request", /boom/],
    ["-- nothing", "bad_request", /no SELECT/],
  ])("%s", async (sql, code, message) => {
    await expect(query(sql)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it("when it is too long, or sees too much", async () => {
    await expect(query(`SELECT ${"1+".repeat(200_000)}1`)).rejects.toMatchObject({ code: "too_large" });
    await expect(
      query("SELECT 1", { tableViews: Array.from({ length: 501 }, (_, n) => ({ ...sales, name: `t${n}` })) }),
    ).rejects.toMatchObject({ code: "too_large" });
  });

  it("when it is nested too deeply", async () => {
    await expect(query(`SELECT ${"(".repeat(20_000)}1${")".repeat(20_000)}`)).rejects.toMatchObject({
      name: "AppError",
    });
    expect((await query("SELECT 1")).rows).toEqual([[1]]);
  });
});

describe("streams", () => {
  it("brings all rows, in order, in batches", async () => {
    let next = 0;
    let batches = 0;
    for await (const { rows, columns } of analytics.queryStream({
      scope: "w",
      tableViews: [sales],
      sql: "SELECT i, repeat('x', 100) AS t FROM range(60000) r(i)",
    })) {
      expect(columns.map(({ name }) => name)).toEqual(["i", "t"]);
      for (const [i] of rows) expect(i).toBe(next++);
      batches += 1;
    }
    expect(next).toBe(60_000);
    expect(batches).toBeGreaterThan(5);
  });

  it("brings columns even without rows, and rows that are larger than a batch", async () => {
    const collect = async (sql: string): Promise<number[]> => {
      const sizes: number[] = [];
      for await (const { rows } of analytics.queryStream({ scope: "w", tableViews: [sales], sql }))
        sizes.push(rows.length);
      return sizes;
    };
    expect(await collect("SELECT * FROM sales WHERE false")).toEqual([0]);
    expect(await collect("SELECT repeat('x', 6000000) FROM range(3)")).toEqual([1, 1, 1]);
    await expect(collect("SELECT repeat('x', 60000000)")).rejects.toMatchObject({ code: "too_large" });
  });

  it("can be left early, and gives its place back", async () => {
    for (let turn = 0; turn < 25; turn += 1) {
      for await (const { rows } of analytics.queryStream({
        scope: "w",
        tableViews: [sales],
        sql: "SELECT i FROM range(100000000) r(i)",
      })) {
        expect(rows.length).toBeGreaterThan(0);
        break;
      }
    }
    expect((await query("SELECT 1")).rows).toEqual([[1]]);
  });

  it("fails in the middle with what went wrong", async () => {
    const sql = "SELECT CASE WHEN i = 90000 THEN error('late') ELSE 'x' END FROM range(100000) r(i)";
    const read = async (): Promise<void> => {
      for await (const _ of analytics.queryStream({ scope: "w", tableViews: [sales], sql }));
    };
    await expect(read()).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("late"),
    });
  });
});

describe("DuckDB's parser", () => {
  it("gives a tree of what is a SELECT", async () => {
    const tree = await analytics.serializeSql("SELECT a FROM t WHERE b = $1");
    expect(tree).toMatchObject({
      ok: true,
      statements: [{ node: { type: "SELECT_NODE", from_table: { table_name: "t" } } }],
    });
    expect(await analytics.serializeSql("SELECT 1; SELECT 2")).toMatchObject({
      ok: true,
      statements: { length: 2 },
    });
  });

  it.each(["SELEC 1", "DROP TABLE x", "COPY t TO 'x'", "SET threads = 1", "SELECT 'unfinished"])(
    "refuses %s",
    async (sql) => {
      expect(await analytics.serializeSql(sql)).toMatchObject({ ok: false, message: expect.any(String) });
    },
  );
});
