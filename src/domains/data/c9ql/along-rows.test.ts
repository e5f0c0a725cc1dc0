import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NOW, TestTable } from "../../../../test/support/c9ql-table.ts";
import { quoteText } from "../../../kernel/sql-text.ts";
import { compile, parseCondition } from "./index.ts";

let table: TestTable;
beforeAll(async () => {
  table = await TestTable.open();
});

describe("functions along the rows", () => {
  it.each<[query: string, rows: unknown[][]]>([
    [
      "select id, delta(Sent) order by id desc",
      [
        [4, null],
        [3, 50],
        [2, 250],
        [1, -200],
      ],
    ],
    [
      "order by id desc; select id, delta(Sent) as d",
      [
        [4, null],
        [3, 50],
        [2, 250],
        [1, -200],
      ],
    ],
    // What is ordered by the result goes along the rows as they come.
    [
      "select id, delta(Sent) as d order by d desc",
      [
        [2, 200],
        [4, -50],
        [3, -250],
        [1, null],
      ],
    ],
    [
      "select id, delta(Sent) as d where Region = West",
      [
        [1, null],
        [3, -50],
      ],
    ],
    [
      "select id, accumulate(Sent, Region, Message Type) as a",
      [
        [1, "100"],
        [2, "300"],
        [3, "50"],
        [4, "0"],
      ],
    ],
    [
      "select id, accumulate(Sent) over (partition by Region) as a",
      [
        [1, "100"],
        [2, "300"],
        [3, "150"],
        [4, "0"],
      ],
    ],
    [
      "select id, accumulate(Sent) as a group by Region",
      [
        [1, "100"],
        [2, "300"],
        [3, "150"],
        [4, "0"],
      ],
    ],
    [
      "select id, lag(Region, 1, 'none') as b limit 2",
      [
        [1, "none"],
        [2, "West"],
      ],
    ],
    ["select id, lag(Sent, 0) as b limit 1", [[1, 100]]],
    [
      "select id, growth(Sent) as g",
      [
        [1, null],
        [2, 200],
        [3, -83.33333333333334],
        [4, -100],
      ],
    ],
    [
      "select id, growth(-Sent) as g limit 2",
      [
        [1, null],
        [2, -200],
      ],
    ],
    [
      "select id, growth(Sent) as g order by id desc limit 2",
      [
        [4, null],
        [3, null],
      ],
    ],
    [
      "select id, cma(Opened) as c",
      [
        [1, 40],
        [2, 65],
        [3, 65],
        [4, 43.333333333333336],
      ],
    ],
    [
      "select id, sma(Sent, 2) as s, tma(Sent, Created, month) as t",
      [
        [1, 100, 100],
        [2, 200, 300],
        [3, 175, 175],
        [4, 25, 116.66666666666667],
      ],
    ],
    [
      "select Region, sum(Sent) as s, accumulate(sum(Sent)) as a group by Region",
      [
        ["East", "300", "300"],
        ["North", "0", "300"],
        ["West", "150", "450"],
      ],
    ],
    [
      "select Region, sum(Sent) as s, accumulate(sum(Sent)) as a group by Region order by s",
      [
        ["North", "0", "0"],
        ["West", "150", "150"],
        ["East", "300", "450"],
      ],
    ],
    ["select distinct delta(id) as d order by d", [[1], [null]]],
    ["select Region order by delta(Sent) limit 1", [["West"]]],
    [
      "select id, linear_regression(id * 2 + 1, id) as l",
      [
        [1, 3],
        [2, 5],
        [3, 7],
        [4, 9],
      ],
    ],
    [
      "select id, lag(Sent, $c9_n$(2)$) as b where Region like 's' order by id",
      [
        [1, null],
        [2, null],
        [3, 100],
      ],
    ],
  ])("%s", async (query, rows) => {
    expect(await table.values(query)).toEqual(rows);
  });

  it.each<[query: string, message: RegExp]>([
    ["where delta(Sent) > 1", /cannot contain what looks at others.*next statement/s],
    ["select delta(accumulate(Sent))", /looks at other rows itself.*two statements/s],
    ["select sum(delta(Sent))", /cannot be taken of another aggregate/],
    ["select sma(Sent, 0)", /whole number from 1 on/],
    ["select sma(Sent, Opened)", /not from a field/],
    ["select lag(Sent, 1.5)", /whole number from 0 on/],
    ["select tma(Sent, Date, 3 moons)", /"moons" is no unit of time/],
    ["select tma(Sent, Region, 1d)", /dates/],
    ["select delta(Region)", /number/],
    ["select delta()", /was given 0 arguments/],
    ["select Region, delta(Sent), count(*)", /neither grouped by nor aggregated/],
    ["select transpose(Region)", /transpose\(field, value/],
    ["select transpose(sum(Sent), Sent)", /fields of one row/],
    ["select transpose(Region, Sent), id", /stands alone/],
    ["select reverse_transpose(a)", /was given 1 arguments/],
    ["select reverse_transpose(a, b, Nothing)", /no field "Nothing"/],
  ])("%s is refused", async (query, message) => {
    const failure = await table.values(query).then(
      () => new Error("did not fail"),
      (error: Error & { hint?: string }) => error,
    );
    expect(`${failure.message} ${"hint" in failure ? failure.hint : ""}`).toMatch(message);
  });

  it("may be what a condition is about", async () => {
    const { columns } = table;
    const query = parseCondition("delta(Sent) > 100", { columns });
    const { sql } = compile(query, { columns, source: '"sales"', now: NOW, timezone: "UTC" });
    expect((await table.sql(sql)).rows.map(([id]) => id)).toEqual([2]);
  });
});

describe("transpose", () => {
  it.each<[query: string, names: string[], rows: unknown[][]]>([
    [
      "select transpose(Region, Sent, Message Type)",
      ["Message Type", "East", "North", "West"],
      [
        ["Transactional", null, "0", "100"],
        ["Promotional", "300", null, "50"],
      ],
    ],
    [
      "select Active, Region; select transpose(Active, Region)",
      ["false", "true", "null"],
      [
        [null, "West", null],
        ["East", null, null],
        [null, null, "West"],
        [null, "North", null],
      ],
    ],
    // Names that DuckDB would take for one.
    [
      "select id, concat(case when id = 2 then 'A' else 'a' end) as n, Sent where id < 3; select transpose(n, Sent, id)",
      ["id", "A", "a (2)"],
      [
        [1, null, "100"],
        [2, "300", null],
      ],
    ],
    [
      "select 'id' as n, id, Sent where id < 3; select transpose(n, Sent, id)",
      ["id", "id (2)"],
      [
        [1, "100"],
        [2, "300"],
      ],
    ],
    ["select Region, Sent where Region = $c9_r$(East)$; select transpose(Region, Sent)", ["East"], [[300]]],
    [
      "select id, Region where id < 3; select reverse_transpose(k, v, id)",
      ["id", "k", "v"],
      [
        [1, "Region", "West"],
        [2, "Region", "East"],
      ],
    ],
    [
      "select id, Region where id = 1; select reverse_transpose('k', 'v')",
      ["k", "v"],
      [
        ["id", "1"],
        ["Region", "West"],
      ],
    ],
    ["select transpose(Region, Sent, Message Type); select sum(West) as w", ["w"], [["150"]]],
  ])("%s", async (query, names, rows) => {
    expect(await table.rows(query)).toMatchObject({ names, rows });
  });

  it("refuses more columns than anybody reads", async () => {
    const wide = await TestTable.open(
      "CREATE TABLE wide AS SELECT i AS a, i AS b FROM range(501) r(i)",
      "wide",
    );
    await expect(wide.values("select transpose(a, b)", { source: "wide" })).rejects.toThrow(/more than 500/);
  });

  it("cuts long names, and keeps them apart", async () => {
    const long = await TestTable.open(
      "CREATE TABLE long AS SELECT repeat('x', 500000) || i AS a, i AS b FROM range(2) r(i)",
      "long",
    );
    const { names, rows } = await long.rows("select transpose(a, b)", { source: "long" });
    expect(names.map((name) => name.length)).toEqual([200, 204]);
    expect(rows).toEqual([
      ["0", null],
      [null, "1"],
    ]);
  });

  it("says where it cannot be used", () => {
    expect(() => table.compile("select transpose(Region, Sent)")).toThrow(/only known when it runs/);
  });
});

describe("the order of rows", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "c9ql-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("is that of a file of many row groups, also with groups", async () => {
    const file = quoteText(join(folder, "rows.parquet"));
    const rows =
      "SELECT i AS id, (i * 7919) % 1000 AS n, i % 7 AS g FROM range(200000) r(i) ORDER BY id DESC";
    const many = await TestTable.open(
      `COPY (${rows}) TO ${file} (FORMAT PARQUET, ROW_GROUP_SIZE 5000); CREATE VIEW v AS SELECT * FROM ${file}`,
      "v",
    );
    const query = "select id, g, n, accumulate(n, g) as a, delta(id) as d";
    const { sql } = many.compile(query, { source: "v" });
    const wrong = `SELECT count(*) FILTER (WHERE a <> expected OR d <> -1) FROM
      (SELECT *, sum(n) OVER (PARTITION BY g ORDER BY id DESC ROWS UNBOUNDED PRECEDING) AS expected FROM (${sql}))`;
    expect((await many.sql(wrong)).rows).toEqual([["0"]]);
  });
});
