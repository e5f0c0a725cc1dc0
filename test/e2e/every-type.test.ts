import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../support/datasets.ts";
import { PATHS } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** A value of each type that a column can have, made of the number `i` of its row. */
const VALUES: Readonly<Record<string, string>> = {
  list: "['a' || i, 'b']",
  list_of_numbers: "[i, i + 1]",
  list_of_dates: "[DATE '2024-01-01' + i::INTEGER]",
  list_of_times: "[TIMESTAMP '2024-01-01 10:00:00']",
  list_of_flags: "[true, NULL]",
  nested_list: "[['a'], ['b', NULL]]",
  empty_list: "[]::VARCHAR[]",
  array: "[1, 2, 3]::INTEGER[3]",
  struct: "{'a': i, 'b': 'x'}",
  list_of_structs: "[{'a': i, 'b': ['x']}]",
  map: "MAP {'a': i}",
  json: `('{"a": ' || i || ', "b": [1]}')::JSON`,
  variant: "CASE WHEN i % 2 = 0 THEN i::VARIANT ELSE {'a': 1}::VARIANT END",
  all_null: "NULL",
  all_null_text: "NULL::VARCHAR",
  all_null_number: "NULL::DOUBLE",
  all_null_date: "NULL::TIMESTAMP",
  all_null_list: "NULL::VARCHAR[]",
  blob: "('\\xAA' || i)::BLOB",
  bit: "'0101'::BIT",
  uuid: "uuid()",
  interval: "INTERVAL (i) DAY",
  time: "TIME '10:00:00'",
  time_with_zone: "TIMETZ '10:00:00+02'",
  hugeint: "170141183460469231731687303715884105727::HUGEINT - i",
  uhugeint: "340282366920938463463374607431768211455::UHUGEINT - i",
  decimal: "(i / 3)::DECIMAL(38, 10)",
  tinyint: "(i % 3)::TINYINT",
  ubigint: "18446744073709551615::UBIGINT",
  float: "i / 7.0::FLOAT",
  not_a_number: "CASE i % 3 WHEN 0 THEN 'NaN'::DOUBLE WHEN 1 THEN 'Infinity'::DOUBLE ELSE 1 END",
  bool: "i % 2 = 0",
  enumeration: "(CASE WHEN i % 2 = 0 THEN 'red' ELSE 'blue' END)::ENUM('red', 'blue')",
  date: "DATE '2024-01-01' + i::INTEGER",
  endless_date: "CASE WHEN i % 2 = 0 THEN 'infinity'::DATE ELSE DATE '2024-01-01' END",
  ancient_date: "DATE '4000-01-01 (BC)'",
  timestamp: "TIMESTAMP '2024-01-01' + INTERVAL (i) HOUR",
  timestamp_ns: "TIMESTAMP_NS '2024-01-01 00:00:00.123456789'",
  timestamp_with_zone: "TIMESTAMPTZ '2024-01-01 00:00:00+02' + INTERVAL (i) HOUR",
  odd_text: "chr(8238) || 'ab' || chr(128169) || chr(65533) || i",
  date_text: "CASE WHEN i % 2 = 0 THEN '2024-02-30' ELSE '2024-01-01' END",
};

/** Of the others the long form tells: one of each sort is enough to see that none spoils the rest. */
const SHORT = new Set(
  "list nested_list empty_list struct map json variant all_null all_null_list blob interval hugeint decimal not_a_number enumeration endless_date ancient_date timestamp_with_zone odd_text".split(
    " ",
  ),
);
const IS_LONG = process.env.KENNING_TEST_LONG === "1";

/** Tables whose shape or names are hard rather than their types. */
const SHAPES: Readonly<Record<string, { select: string; columns: readonly string[] }>> = {
  no_rows: {
    select: "SELECT i AS id, 'x' AS word, i AS amount FROM range(0) t(i)",
    columns: ["word", "amount"],
  },
  one_null_row: { select: "SELECT NULL AS id, NULL AS word", columns: ["id", "word"] },
  many_columns: {
    select: `SELECT ${Array.from({ length: 900 }, (_, i) => `i + ${i} AS c${i}`).join(", ")} FROM range(3) t(i)`,
    columns: ["c0", "c899"],
  },
  quoted_names: {
    select: `SELECT i AS "a ""b"" c", i AS "first name", i AS "x;y--", 'w' AS "it's", i AS "semi,colon.dot" FROM range(3) t(i)`,
    columns: ['a "b" c', "first name", "x;y--", "it's", "semi,colon.dot"],
  },
  odd_names: {
    select: `SELECT i AS "\u202eabc", i AS "💩", i AS "ß ẞ", i AS "e\u0301", i AS "  ", i AS "\u200b" FROM range(3) t(i)`,
    columns: ["\u202eabc", "💩", "ß ẞ", "e\u0301", "  ", "\u200b"],
  },
  only_nested: { select: "SELECT [i] AS a, {'x': i} AS b FROM range(3) t(i)", columns: ["a", "b"] },
};

/** Rows as programs push them: what they are is guessed from the values, where there are any. */
const PUSHED: Readonly<Record<string, Record<string, unknown>[]>> = {
  only_nulls: [{ a: null, b: null }],
  some_null: [{ word: "x", amount: 1, v: null }],
  lists: [{ word: "x", amount: 1, v: ["a", "b"] }],
  list_of_nulls: [{ word: "x", amount: 1, v: [null] }],
  empty_lists: [{ word: "x", amount: 1, v: [] }],
  nested: [{ word: "x", amount: 1, v: { a: { b: [1, { c: null }] } } }],
  empty_objects: [{ word: "x", amount: 1, v: {} }],
  mixed: [{ word: "x", amount: 1, v: [1, "a", { b: 2 }] }, { v: "text" }],
  odd_strings: [{ word: "\u202eab cd", amount: 1e300, v: "\ud800\u0000" }],
};

let server: TestServer;
let token: string;
let folder: string;
let engine: DuckDBInstance;
let connection: DuckDBConnection;
const ids = new Map<string, number>();

const mcp = <T = Record<string, unknown>>(tool: string, args: Record<string, unknown>) =>
  resultOf<T>(server, token, tool, args, `${PATHS.all}?toolsets=all`);

async function importParquet(name: string, select: string): Promise<void> {
  const file = join(folder, "in.parquet");
  await connection.run(`COPY (${select}) TO '${file}' (FORMAT parquet)`);
  const content = (await readFile(file)).toString("base64");
  const made = await mcp<{ dataset_id: number }>("import_file", {
    dataset_name: name,
    content,
    file_type: "parquet",
  });
  ids.set(name, made.dataset_id);
}

interface Table {
  name: string;
  make: () => Promise<void>;
  /** Columns that are drawn and grouped by. */
  columns: readonly string[];
}

const usual = ["v", "word", "amount"];
const tables: Table[] = [
  ...Object.entries(VALUES)
    .filter(([key]) => IS_LONG || SHORT.has(key))
    .map(([key, value]) => {
      const name = `kind_${key}`;
      const select = `SELECT i AS id, 'word ' || (i % 2) AS word, i * 1.5 AS amount, ${value} AS v FROM range(12) t(i)`;
      return { name, columns: usual, make: () => importParquet(name, select) };
    }),
  ...Object.entries(SHAPES).map(([key, { select, columns }]) => {
    const name = `shape_${key}`;
    return { name, columns, make: () => importParquet(name, select) };
  }),
  ...Object.entries(PUSHED).map(([key, rows]) => {
    const name = `pushed_${key}`;
    const make = async () => void ids.set(name, await makeDataset(server, token, name, rows));
    return { name, columns: key === "only_nulls" ? ["a", "b"] : usual, make };
  }),
];

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" } });
  token = await server.token();
  folder = await mkdtemp(join(tmpdir(), "kenning-types-"));
  engine = await DuckDBInstance.create(":memory:");
  connection = await engine.connect();
  await importParquet("shops", "SELECT i AS shop_id, 'Oslo' AS city, i * 10 AS seats FROM range(1, 5) t(i)");
  for (const { make } of tables) await make();
}, 120_000);
afterAll(async () => {
  connection.closeSync();
  engine.closeSync();
  await rm(folder, { recursive: true, force: true });
  await server.stop();
});

interface Asked {
  outcome: string;
  rows: Record<string, unknown>[];
}

describe("datasets with values of every type", () => {
  it("spoil no question about another one", async () => {
    const answer = await mcp<Asked>("ask_data", { question: "total seats of shops by city" });
    expect(answer).toMatchObject({ outcome: "answer", rows: [{ city: "Oslo", total_seats: 100 }] });
    const contract = { question: "total seats of shops" };
    expect(await resultOf(server, token, "knowi_ask", contract, PATHS.bi)).toMatchObject({
      outcome: "answer",
    });
  });
  it.each(tables)("$name can be asked about, searched, modelled and drawn", async ({ name, columns }) => {
    const dataset_id = ids.get(name) as number;
    const only = { dataset_ids: [dataset_id] };
    const faults: string[] = [];
    const tried = async (tool: string, args: Record<string, unknown>) => {
      try {
        return await mcp(tool, args);
      } catch (error) {
        faults.push(`${tool} ${JSON.stringify(args)}: ${(error as Error).message}`);
        return {};
      }
    };
    await tried("ask_data", { question: "how many rows are there", ...only });
    await tried("infer_semantic_model", { name, datasets: [name] });
    await tried("publish_semantic_model", { modelName: name });
    await tried("ask_question", { model: name, question: "how many rows are there" });
    await tried("search_assets", { query: name });
    await tried("get_insights", { dataset_id });
    const [x_axis, y] = columns;
    const question = `number of rows by ${x_axis}`;
    await tried("ask_data", { question, ...only });
    await tried("ask_question", { model: name, question });
    for (const widget of [
      { chart_type: "column", x_axis, y_axis: [y] },
      { chart_type: "line", x_axis: y, y_axis: [x_axis] },
      { chart_type: "datagrid2" },
    ]) {
      const made = await tried("create_widget", {
        name: `${name} ${widget.chart_type}`,
        dataset_id,
        ...widget,
      });
      await tried("get_data", { widget_id: made.widget_id });
    }
    expect(faults).toEqual([]);
  });
});
