import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../../test/support/analytics.ts";
import { type Column, inferColumns, type JsonValue, type Part, widenColumns } from "../index.ts";

let analytics: TestAnalytics;
beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
});
afterAll(() => analytics.remove());

const push = (rows: Record<string, unknown>[], columns?: Column[]): Promise<Part> =>
  analytics.rowsToPart({ rows, key: analytics.key(), ...(columns && { columns }) });

async function read(parts: readonly Part[], columns: readonly Column[]): Promise<JsonValue[][]> {
  const tableView = {
    name: "t",
    parts: parts.map(({ path }) => path),
    columns,
    version: parts.map(({ key }) => key).join(),
  };
  return (await analytics.query({ scope: "w", tableViews: [tableView], sql: "SELECT * FROM t" })).rows;
}

describe("types of rows", () => {
  it.each<[string, unknown[], string]>([
    ["integers", [1, -2], "BIGINT"],
    ["numbers", [1, 2.5], "DOUBLE"],
    ["unsafe integers", [2 ** 60], "DOUBLE"],
    ["bigints", [2n ** 60n], "BIGINT"],
    ["huge bigints", [2n ** 90n, 1], "DECIMAL(38,0)"],
    ["absurd bigints", [10n ** 50n], "VARCHAR"],
    ["minus zero", [-0], "DOUBLE"],
    ["booleans", [true, null], "BOOLEAN"],
    ["texts", ["a"], "VARCHAR"],
    ["dates", ["2024-01-01", null], "DATE"],
    ["no dates", ["2024-13-01"], "VARCHAR"],
    ["dates and times", ["2024-01-01", "2024-01-01T10:00"], "TIMESTAMP"],
    ["times in zones", ["2024-01-01T10:00:00Z", "2024-01-01 10:00"], "TIMESTAMP WITH TIME ZONE"],
    ["dates and text", ["2024-01-01", "soon"], "VARCHAR"],
    ["numbers and text", [1, "x"], "VARCHAR"],
    ["booleans and numbers", [true, 1], "VARCHAR"],
    ["lists", [[1], [2.5], []], "DOUBLE[]"],
    ["empty lists", [[]], "NULL[]"],
    ["lists of anything", [[1, { a: 1 }]], "JSON[]"],
    ["objects", [{ a: 1 }, { b: "x" }], 'STRUCT("a" BIGINT, "b" VARCHAR)'],
    ["objects in other spellings", [{ a: 1 }, { A: 1 }], "JSON"],
    ["objects and scalars", [{ a: 1 }, 1], "JSON"],
    ["lists and objects", [[1], { a: 1 }], "JSON"],
    ["empty objects", [{}], "JSON"],
    ["nothing", [null, undefined], "NULL"],
  ])("%s", (_, values, type) => {
    expect(inferColumns(values.map((v) => ({ v })))).toEqual([{ name: "v", type }]);
  });
});

describe("widening", () => {
  it.each<[string, string, string]>([
    ["INTEGER", "BIGINT", "BIGINT"],
    ["UINTEGER", "INTEGER", "BIGINT"],
    ["UBIGINT", "BIGINT", "DECIMAL(38,0)"],
    ["BIGINT", "DOUBLE", "DOUBLE"],
    ["FLOAT", "INTEGER", "DOUBLE"],
    ["BIGINT", "DECIMAL(10,2)", "DECIMAL(21,2)"],
    ["DECIMAL(38,0)", "DECIMAL(10,2)", "DOUBLE"],
    ["DECIMAL(5,1)", "DECIMAL(10,4)", "DECIMAL(10,4)"],
    ["VARCHAR", "DATE", "VARCHAR"],
    ["VARCHAR", "BOOLEAN", "VARCHAR"],
    ["VARCHAR", "JSON", "VARCHAR"],
    ["VARCHAR", 'STRUCT("a" BIGINT)', "VARCHAR"],
    ["UUID", "VARCHAR", "VARCHAR"],
    ["DATE", "TIMESTAMP", "TIMESTAMP"],
    ["DATE", "TIMESTAMP_S", "TIMESTAMP"],
    ["TIMESTAMP_NS", "TIMESTAMP", "TIMESTAMP"],
    ["TIMESTAMP_NS", "TIMESTAMP_NS", "TIMESTAMP_NS"],
    ["TIMESTAMP WITH TIME ZONE", "DATE", "TIMESTAMP WITH TIME ZONE"],
    ["NULL", "DATE", "DATE"],
    ["DATE", "NULL", "DATE"],
    ["JSON", "BIGINT", "JSON"],
    ["JSON", "VARCHAR", "JSON"],
    ['STRUCT("a" BIGINT)', "JSON", "JSON"],
    ['STRUCT("a" VARCHAR)', 'STRUCT("a" JSON)', 'STRUCT("a" JSON)'],
    ["BIGINT[]", "DOUBLE[]", "DOUBLE[]"],
    ['STRUCT("a" BIGINT)', 'STRUCT("a" DOUBLE, "b" DATE)', 'STRUCT("a" DOUBLE, "b" DATE)'],
    ["MAP(VARCHAR, BIGINT)", "MAP(VARCHAR, DOUBLE)", "MAP(VARCHAR, DOUBLE)"],
    ["INT", "bigint", "BIGINT"],
    ["text", "string", "VARCHAR"],
  ])("%s and %s are %s", (a, b, type) => {
    expect(widenColumns([{ name: "v", type: a }], [{ name: "v", type: b }])).toEqual([{ name: "v", type }]);
  });

  it.each([
    ["BIGINT", "DATE", '"Größe" holds whole numbers and cannot take dates'],
    ["BIGINT", "VARCHAR", '"Größe" holds whole numbers and cannot take text'],
    ["DOUBLE", "JSON", '"Größe" holds numbers and cannot take JSON'],
    ["BOOLEAN", "BIGINT", '"Größe" holds true or false and cannot take whole numbers'],
    ["DATE", "VARCHAR", '"Größe" holds dates and cannot take text'],
    ["BOOLEAN", "VARCHAR", '"Größe" holds true or false and cannot take text'],
    ["BIGINT", "BIGINT[]", '"Größe" holds whole numbers and cannot take lists of whole numbers'],
    ['STRUCT("a" BIGINT)', "BIGINT", '"Größe" holds objects and cannot take whole numbers'],
    ['STRUCT("a" BIGINT)', 'STRUCT("a" DATE)', '"Größe.a" holds whole numbers and cannot take dates'],
    ['STRUCT("a" BIGINT)', 'STRUCT("A" BIGINT)', '"Größe" holds the field "a" and cannot take "A"'],
    ["BIGINT[]", "DATE[]", '"Größe[]" holds whole numbers and cannot take dates'],
    ["BLOB", "BIGINT", '"Größe" holds bytes and cannot take whole numbers'],
  ])("%s and %s are a conflict", (a, b, message) => {
    expect(() => widenColumns([{ name: "Größe", type: a }], [{ name: "größe", type: b }])).toThrow(
      expect.objectContaining({
        code: "conflict",
        message: `Column ${message}.`,
        data: { column: "Größe", type: a, incomingType: b },
      }),
    );
  });

  it("adds columns, keeps their order and first spelling", () => {
    const existing = [
      { name: "a", type: "BIGINT" },
      { name: "B", type: "DATE" },
    ];
    const incoming = [
      { name: "c", type: "BOOLEAN" },
      { name: "b", type: "DATE" },
      { name: "A", type: "DOUBLE" },
    ];
    expect(widenColumns(existing, incoming)).toEqual([
      { name: "a", type: "DOUBLE" },
      { name: "B", type: "DATE" },
      { name: "c", type: "BOOLEAN" },
    ]);
  });

  it.each([
    "DATE; DROP",
    "STRUCT(a",
    "DECIMAL(50,1)",
    "",
    "BIGINT[",
    `${"STRUCT(a ".repeat(30)}INT${")".repeat(30)}`,
  ])("%s is no type", (type) => {
    expect(() => widenColumns([{ name: "v", type }], [{ name: "v", type: "DATE" }])).toThrow(
      expect.objectContaining({ code: "bad_request" }),
    );
  });
});

describe("pushing", () => {
  it("writes rows as a dataset's types, whatever their spelling", async () => {
    const columns = [
      { name: "Id", type: "DOUBLE" },
      { name: "name", type: "VARCHAR" },
      { name: "other", type: "DATE" },
    ];
    const part = await push([{ id: 1, NAME: 5 }, { ID: 2.5 }], columns);
    expect(part).toMatchObject({ rows: 2, columns: columns.slice(0, 2) });
    expect(await read([part], columns)).toEqual([
      [1, "5", null],
      [2.5, null, null],
    ]);
  });

  it("takes rows without any value", async () => {
    const part = await push([{ a: null }, {}, { b: undefined }]);
    expect(part).toMatchObject({
      rows: 3,
      columns: [
        { name: "a", type: "NULL" },
        { name: "b", type: "NULL" },
      ],
    });
    expect(await read([part], part.columns)).toEqual([
      [null, null],
      [null, null],
      [null, null],
    ]);
  });

  it("a value that does not fit is an error and leaves nothing", async () => {
    const key = analytics.key();
    const columns = [{ name: "a", type: "BIGINT" }];
    await expect(analytics.rowsToPart({ rows: [{ a: 1 }, { a: "x" }], key, columns })).rejects.toMatchObject({
      code: "bad_request",
      message: expect.not.stringContaining("work/"),
    });
    expect(await analytics.blobs.stat(key)).toBeUndefined();
  });

  it("refuses nothing and too much", async () => {
    await expect(push([])).rejects.toMatchObject({ code: "bad_request" });
    await expect(push([{ a: "x".repeat(50_000_000) }])).rejects.toMatchObject({ code: "too_large" });
    const wide = Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`c${index}`, 1]));
    await expect(push([wide])).rejects.toMatchObject({ code: "too_large" });
  });

  it("keeps wide rows and large ones", async () => {
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`c${index}`, index]));
    const part = await push([wide, { big: "x".repeat(5_000_000) }]);
    expect(part.columns).toHaveLength(1_001);
    expect(part.rows).toBe(2);
  });

  it("is stored before it answers, and leaves nothing else behind", async () => {
    const part = await push([{ a: 1 }]);
    expect((await analytics.blobs.stat(part.key))?.bytes).toBe(part.bytes);
    const folders = await readdir(join(analytics.home, "tmp"));
    const left = (
      await Promise.all(
        folders.map((folder) => readdir(join(analytics.home, "tmp", folder), { recursive: true })),
      )
    ).flat();
    expect(left.filter((name) => name.endsWith(".parquet") && !/\/\d+-\d+\.parquet$/.test(name))).toEqual([]);
  });

  it("a thousand rows and small batches side by side", async () => {
    const batches = await Promise.all(
      Array.from({ length: 20 }, (_, batch) =>
        push(Array.from({ length: 1_000 }, (_, row) => ({ id: batch * 1_000 + row, text: `row ${row}` }))),
      ),
    );
    const tableView = {
      name: "t",
      parts: batches.map(({ path }) => path),
      columns: batches[0]!.columns,
      version: "1",
    };
    const { rows } = await analytics.query({
      scope: "w",
      tableViews: [tableView],
      sql: "SELECT count(*), sum(id) FROM t",
    });
    expect(rows).toEqual([[20_000, 199_990_000]]);
  });
});

describe("merging", () => {
  it("makes one part of many, in order, with the types of the whole", async () => {
    const parts = [
      await push([{ a: 1, n: { x: 1 } }]),
      await push([{ a: 2.5, b: "x" }]),
      await push([{ b: "y", n: { x: 2, y: "z" } }]),
    ];
    const columns = [
      { name: "a", type: "DOUBLE" },
      { name: "n", type: 'STRUCT("x" BIGINT, "y" VARCHAR)' },
      { name: "b", type: "VARCHAR" },
      { name: "c", type: "NULL" },
    ];
    const merged = await analytics.mergeParts({
      parts: parts.map(({ path }) => path),
      key: analytics.key(),
      columns,
    });
    expect(merged.rows).toBe(3);
    expect(await read([merged], columns)).toEqual(await read(parts, columns));
  });

  it("keeps the newer encodings for ourselves", async () => {
    const rows = Array.from({ length: 50_000 }, (_, id) => ({ id, amount: id / 7, text: `text ${id}` }));
    const pushed = await push(rows);
    const merge = (isPortable?: boolean): Promise<Part> =>
      analytics.mergeParts({
        parts: [pushed.path],
        columns: pushed.columns,
        key: analytics.key(),
        ...(isPortable !== undefined && { isPortable }),
      });
    expect(await encodings(pushed)).toEqual(["PLAIN"]);
    expect(await encodings(await merge(true))).toEqual(["PLAIN"]);
    expect(await encodings(await merge())).toContain("DELTA_BINARY_PACKED");
  });

  async function encodings({ path }: Part): Promise<string[]> {
    const connection = await DuckDBConnection.create();
    const reader = await connection.runAndReadAll(
      "SELECT DISTINCT unnest(string_split(encodings, ', ')) AS encoding FROM parquet_metadata($1) ORDER BY 1",
      [path],
    );
    return reader.getRows().map(([encoding]) => String(encoding));
  }
});
