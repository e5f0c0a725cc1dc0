import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { sqlName, tableName } from "../digest.ts";

it("quotes what needs it, and nothing else", () => {
  expect(["order_id", "OrderId", "_x1"].map(sqlName)).toEqual(["order_id", "OrderId", "_x1"]);
  expect(["order date", "Order", "1st", 'a"b', "größe", ""].map(sqlName)).toEqual([
    '"order date"',
    '"Order"',
    '"1st"',
    '"a""b"',
    '"größe"',
    '""',
  ]);
  expect(tableName("orders")).toBe('"orders"');
});

it("names the column of that name in the engine, also where it is a keyword", async () => {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const keywords = await connection.runAndReadAll("SELECT keyword_name FROM duckdb_keywords()");
    for (const [keyword] of keywords.getRowsJson() as [string][]) {
      const sql = `SELECT ${sqlName(keyword)} FROM (SELECT 42 AS ${tableName(keyword)}) WHERE ${sqlName(keyword)} = 42`;
      const read = await connection.runAndReadAll(sql);
      expect(read.getRowsJson(), keyword).toEqual([[42]]);
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
});
