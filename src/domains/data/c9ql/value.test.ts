import { describe, expect, it } from "vitest";
import { TestTable } from "../../../../test/support/c9ql-table.ts";
import { isOpaque, valueType } from "./value.ts";

describe("types", () => {
  it.each([
    ["VARCHAR", "text"],
    ["BIGINT", "integer"],
    ["UTINYINT", "integer"],
    ["DECIMAL(18,2)", "decimal"],
    ["double", "float"],
    ["BOOLEAN", "boolean"],
    ["DATE", "date"],
    ["TIMESTAMP_NS", "timestamp"],
    ["TIMESTAMP WITH TIME ZONE", "timestamptz"],
    ["TIME", "time"],
    ["JSON", "json"],
    ["INTEGER[]", "list"],
    ["INTEGER[3]", "list"],
    ["MAP(VARCHAR, INTEGER)", "map"],
    ["ENUM('a', 'b)')", "other"],
    ["UUID", "other"],
    ["", "other"],
    ["no such type", "other"],
  ])("%s is %s", (name, kind) => {
    expect(valueType(name).kind).toBe(kind);
  });

  it("reads what DuckDB writes, however nested and named", async () => {
    const sql = `CREATE TABLE t AS SELECT [{'a, b': 1, '"q"': [MAP {'k': {'x)': 1.5}}], 'plain': DATE '2024-01-01'}] AS c`;
    const [column] = (await TestTable.open(sql, "t")).columns;
    const { element } = valueType(column?.type ?? "");
    expect(element?.fields?.map(({ name, type }) => [name, type.kind])).toEqual([
      ["a, b", "integer"],
      ['"q"', "list"],
      ["plain", "date"],
    ]);
    const map = element?.fields?.[1]?.type.element;
    expect(map?.element?.fields).toMatchObject([
      { name: "x)", type: { kind: "decimal", sql: "DECIMAL(2,1)" } },
    ]);
  });

  it("keeps what it does not know by name, and stops at some depth", () => {
    expect(isOpaque(valueType("UUID"))).toBe(true);
    expect(isOpaque(valueType(""))).toBe(false);
    expect(valueType(`INTEGER${"[]".repeat(5_000)}`).kind).toBe("list");
  });
});
