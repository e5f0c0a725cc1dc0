import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, it } from "vitest";
import { readSums, withExactSums } from "./exact-sums.ts";
import { parseTree } from "./syntax-tree.ts";

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create()).connect();
});

const TABLES = [
  {
    columns: [
      { name: "amount", type: "DOUBLE" },
      { name: "Price", type: "FLOAT" },
      { name: "units", type: "BIGINT" },
      { name: "exact", type: "DECIMAL(18,2)" },
      { name: "both", type: "DOUBLE" },
    ],
  },
  { columns: [{ name: "both", type: "BIGINT" }] },
];

async function sumsOf(sql: string) {
  const reader = await connection.runAndReadAll("SELECT json_serialize_sql($1::VARCHAR)", [sql]);
  return readSums(parseTree(String(reader.value(0, 0))));
}

describe("exact sums", () => {
  it.each<[sql: string, exact: string]>([
    ["SELECT sum(amount), AVG(t.price) FROM t", "SELECT fsum(amount), fAVG(t.price) FROM t"],
    ["SELECT 'ä€', sum ( amount * units ) FROM t", "SELECT 'ä€', fsum ( amount * units ) FROM t"],
    [
      "SELECT g, sum(amount) AS amount FROM t GROUP BY g HAVING sum(amount) > 1 ORDER BY sum(amount)",
      "SELECT g, fsum(amount) AS amount FROM t GROUP BY g HAVING fsum(amount) > 1 ORDER BY fsum(amount)",
    ],
    [
      "SELECT sum(amount) FILTER (WHERE units > 1) FROM t",
      "SELECT fsum(amount) FILTER (WHERE units > 1) FROM t",
    ],
    [
      "SELECT sum(CASE WHEN units > 1 THEN amount ELSE 0 END) FROM t",
      "SELECT fsum(CASE WHEN units > 1 THEN amount ELSE 0 END) FROM t",
    ],
    [
      "SELECT sum(coalesce(amount, 0)), sum(-amount) FROM t",
      "SELECT fsum(coalesce(amount, 0)), fsum(-amount) FROM t",
    ],
    [
      "WITH m AS (SELECT g, sum(amount) AS total FROM t GROUP BY g) SELECT avg(total) FROM m",
      "WITH m AS (SELECT g, fsum(amount) AS total FROM t GROUP BY g) SELECT favg(total) FROM m",
    ],
    [
      "SELECT sum(amount) FROM (SELECT t.amount AS amount FROM t)",
      "SELECT fsum(amount) FROM (SELECT t.amount AS amount FROM t)",
    ],
  ])("%s", async (sql, exact) => {
    expect(withExactSums(sql, await sumsOf(sql), TABLES)).toBe(exact);
  });

  it.each([
    "SELECT sum(units), sum(exact), sum(both), count(amount), max(amount) FROM t",
    "SELECT sum(nothing), sum(t.s.amount) FROM t",
    // Another meaning of the name.
    "SELECT sum(amount) FROM (SELECT units AS amount FROM t)",
    "SELECT sum(amount) FROM (SELECT amount FROM t UNION ALL SELECT units AS amount FROM t)",
    "SELECT sum(amount) FROM range(3) AS r(amount), (SELECT 1)",
    "WITH amount AS (SELECT 1) SELECT sum(amount) FROM t, amount a(amount)",
    "SELECT sum(DISTINCT amount) FROM t",
    "SELECT sum(amount) OVER () FROM t",
    "SELECT fsum(amount), sum(amount) FROM t",
    'SELECT "sum"(amount) FROM t',
    "SELECT sum(CAST(amount AS INTEGER)) FROM t",
    "SELECT sum(length(amount)) FROM t",
  ])("leaves %s as it is", async (sql) => {
    expect(withExactSums(sql, await sumsOf(sql), TABLES)).toBeUndefined();
  });

  it.each<[sql: string, isComputed: boolean]>([
    ["SELECT * FROM t", false],
    ["SELECT a, t.b AS c FROM t WHERE a + 1 > 2 ORDER BY abs(a) LIMIT 3", false],
    ["SELECT * FROM (SELECT a FROM t)", false],
    ["SELECT a * 2 FROM t", true],
    ["SELECT * FROM (SELECT sum(a) AS a FROM t)", true],
    ["SELECT a, lag(a) OVER () FROM t", true],
  ])("of %s: computed %s", async (sql, isComputed) => {
    expect(await sumsOf(sql)).toMatchObject({ isComputed });
  });
});
