import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import {
  ALLOW_LOOPBACK,
  makeDatasource,
  makeQuery,
  type RunAnswer,
} from "../../../../test/support/datasources.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { type PostgresSource, startPostgresSource } from "../../../../test/support/postgres-source.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
let server: TestServer;
let token: string;
let source: PostgresSource;
let datasourceId: number;

beforeAll(async () => {
  [server, source] = await Promise.all([startTestServer(ALLOW_LOOPBACK), startPostgresSource()]);
  token = await server.token({ role: "contributor" });
  datasourceId = await makeDatasource(server, token, "Shop", source);
  await source.query(`CREATE TABLE orders AS
    SELECT i AS id, 'c' || i % 3 AS customer, (i * 1.25)::numeric(10,2) AS total, date '2026-01-01' + i AS day
    FROM generate_series(1, 2500) i`);
});
afterAll(async () => {
  await server.stop();
  await source.stop();
});

interface Read {
  rows: Record<string, unknown>[];
  columns: { name: string; type: string }[];
  totalRows: number;
}

const read = (dataset_id: number | null, limit = 100) =>
  resultOf<Read>(server, token, "get_data", { dataset_id, limit });

const create = (args: Record<string, unknown>, who = token) =>
  resultOf<RunAnswer>(server, who, "knowi_create_query", args, BI);

describe("create_query", () => {
  it("[bi.create-query.runs] stores a query, runs it and makes a dataset of its name", async () => {
    const made = await create({
      name: "Orders",
      datasourceId,
      queryString: "SELECT * FROM orders ORDER BY id",
    });
    expect(made.run).toMatchObject({ status: "succeeded", attempt: 1, rows: 2500, error: null });
    expect(made.run.duration_ms).toBeGreaterThanOrEqual(0);
    const { rows, columns, totalRows } = await read(made.dataset_id, 2);
    expect(columns).toEqual([
      { name: "id", type: "INTEGER" },
      { name: "customer", type: "VARCHAR" },
      { name: "total", type: "DECIMAL(10,2)" },
      { name: "day", type: "DATE" },
    ]);
    expect(totalRows).toBe(2500);
    expect(rows[0]).toMatchObject({ id: 1, customer: "c1", day: "2026-01-02" });
    const { details } = await resultOf<{ details: object }>(server, token, "get_details", {
      asset_type: "dataset",
      asset_id: made.dataset_id,
    });
    expect(details).toMatchObject({
      source: { kind: "query", detail: { query: "Orders", datasource: "Shop", rowsRead: 2500 } },
    });
  });

  it("[bi.create-query.run-now] only stores it when told not to run", async () => {
    const made = await create({ name: "Later", datasourceId, queryString: "SELECT 1 AS a", runNow: false });
    expect(made).toMatchObject({ run: null, dataset_id: null });
    await expect(resultOf(server, token, "list_datasets", { query: "Later" })).resolves.toMatchObject({
      total: 0,
    });
  });

  it("applies C9QL to the result, and parameters to the text", async () => {
    const made = await makeQuery(server, token, {
      name: "By customer",
      datasource_id: datasourceId,
      query: "SELECT * FROM orders WHERE id <= :most AND customer IN (:who)",
      parameters: { most: 9, who: ["c1", "c2"] },
      c9ql: "select customer, sum(total) as total, count(*) as n group by customer order by customer",
    });
    expect(made.run).toMatchObject({ status: "succeeded", rows: 2, error: null });
    const { rows } = await read(made.dataset_id);
    expect(rows.map(({ customer, n }) => [customer, Number(n)])).toEqual([
      ["c1", 3],
      ["c2", 3],
    ]);
    expect(Number(rows[0]?.total)).toBe(15);
  });

  it("keeps all types, NULLs, odd names and texts", async () => {
    const made = await makeQuery(server, token, {
      name: "Types",
      datasource_id: datasourceId,
      query: `SELECT NULL::int AS nothing, 9223372036854775807::bigint AS big, 1.10::numeric(5,2) AS price,
        'NaN'::float8 AS nan, true AS yes, '\\x00ff41'::bytea AS bytes, '{"a": [1, null]}'::jsonb AS doc,
        ARRAY[1, 2] AS list, '2026-02-03 04:05:06.789+00'::timestamptz AS at, 'a"b' || chr(10) || 'ü😀' AS "tex""t",
        1 AS "A", 2 AS "a", interval '1 day' AS span, '0b6ad1f6-9d0c-4d6e-9a8a-0c0c0c0c0c0c'::uuid AS uuid`,
    });
    expect(made.run).toMatchObject({ status: "succeeded", rows: 1, error: null });
    const { rows, columns } = await read(made.dataset_id);
    expect(columns.map(({ name }) => name).slice(0, 3)).toEqual(["nothing", "big", "price"]);
    expect(rows[0]).toMatchObject({
      nothing: null,
      yes: true,
      doc: { a: [1, null] },
      list: [1, 2],
      'tex"t': 'a"b\nü😀',
      A: 1,
      a_2: 2,
      bytes: "AP9B",
    });
    expect(String(rows[0]?.big)).toBe("9223372036854775807");
  });

  it("makes a dataset with columns but without rows of an empty result", async () => {
    const args = { name: "None", datasource_id: datasourceId, query: "SELECT * FROM orders WHERE false" };
    const made = await makeQuery(server, token, args);
    expect(made.run).toMatchObject({ status: "succeeded", rows: 0 });
    const { rows, columns } = await read(made.dataset_id);
    expect(rows).toEqual([]);
    expect(columns.map(({ name }) => name)).toEqual(["id", "customer", "total", "day"]);
    const c9ql = "select customer, count(*) as n group by customer";
    const grouped = await makeQuery(server, token, { ...args, name: "None grouped", c9ql });
    expect(grouped.run).toMatchObject({ status: "succeeded", rows: 0 });
  });

  it("changes a query only when told to replace it", async () => {
    const args = { name: "Changing", datasource_id: datasourceId, query: "SELECT 1 AS a" };
    const first = await makeQuery(server, token, args);
    await expect(makeQuery(server, token, args)).rejects.toThrow(/already a query called Changing.*replace/);
    const second = await makeQuery(server, token, { ...args, query: "SELECT 2 AS b", replace: true });
    expect(second).toMatchObject({ query_id: first.query_id, dataset_id: first.dataset_id });
    expect((await read(second.dataset_id)).rows).toEqual([{ b: 2 }]);
  });

  it("never overwrites a dataset that came from elsewhere", async () => {
    const dataset_id = await makeDataset(server, token, "Pushed", [{ a: 1 }]);
    const args = { name: "pushed", datasource_id: datasourceId, query: "SELECT 2 AS a" };
    await expect(makeQuery(server, token, args)).rejects.toThrow(/already a dataset called pushed/);
    // Also when it came in between.
    await makeQuery(server, token, { ...args, name: "Between", run_now: false });
    const between = await makeDataset(server, token, "Between", [{ a: 1 }]);
    const { queries } = await resultOf<{ queries: { id: number }[] }>(server, token, "list_queries", {
      query: "Between",
    });
    await expect(resultOf(server, token, "run", { query_id: queries[0]?.id })).rejects.toThrow(
      /already a dataset called Between/,
    );
    expect((await read(dataset_id)).rows).toEqual([{ a: 1 }]);
    expect((await read(between)).rows).toEqual([{ a: 1 }]);
  });

  it.each([
    ["an empty query", { queryString: " ; " }, /The query is empty/],
    ["SQL that writes", { queryString: "DELETE FROM orders" }, /only read/],
    ["two statements", { queryString: "SELECT 1; DROP TABLE orders" }, /more than one statement/],
    ["a huge query", { queryString: `SELECT '${"x".repeat(200_001)}'` }, /longer than 200,000/],
    ["an unknown datasource", { datasourceId: 999_999 }, /no datasource with id 999999/],
    ["an empty name", { name: "" }, /name has 1 to/],
    ["no name", { name: undefined }, /name is required/],
    ["a text as datasource", { datasourceId: "1" }, /datasourceId/],
    ["a text as runNow", { runNow: "yes" }, /runNow/],
    ["an unknown argument", { c9ql: "select a" }, /c9ql/],
  ])("[bi.create-query.parameters] refuses %s, and stores nothing", async (_what, change, message) => {
    const args = { name: "Refused", datasourceId, queryString: "SELECT 1 AS a", ...change };
    await expect(create(args)).rejects.toThrow(message);
    expect(await resultOf(server, token, "list_queries", { query: "Refused" })).toMatchObject({ total: 0 });
  });

  it.each([
    ["a name that nothing uses", { parameters: { most: 1, mots: 1 } }, /does not use mots.*:mots/s],
    ["too many values", { parameters: { most: Array(10_001).fill(1) } }, /more than 10000 values/],
    ["too large a value", { parameters: { most: "x".repeat(2 ** 20) } }, /more than 1024 kB/],
  ])("refuses parameters with %s", async (_what, change, message) => {
    const query = "SELECT * FROM orders WHERE id <= :most";
    const args = { name: "Refused", datasource_id: datasourceId, query, run_now: false, ...change };
    await expect(makeQuery(server, token, args)).rejects.toThrow(message);
    expect(await resultOf(server, token, "list_queries", { query: "Refused" })).toMatchObject({ total: 0 });
  });

  it("takes a parameter that only C9QL asks for", async () => {
    const { run } = await makeQuery(server, token, {
      name: "C9QL parameter",
      datasource_id: datasourceId,
      query: "SELECT id FROM orders",
      c9ql: "select id where id <= $c9_most$",
      parameters: { most: 3 },
    });
    expect(run).toMatchObject({ status: "succeeded", rows: 3, error: null });
  });

  it("says where C9QL is wrong before anything is stored, and names unknown columns after the run", async () => {
    const args = { name: "Wrong", datasource_id: datasourceId, query: "SELECT 1 AS a" };
    await expect(makeQuery(server, token, { ...args, c9ql: "select a where (a > 1" })).rejects.toThrow(
      /C9QL.*1/s,
    );
    const { run } = await makeQuery(server, token, { ...args, c9ql: "select nope" });
    expect(run).toMatchObject({ status: "failed", attempt: 1 });
    expect(run.error).toMatch(/nope/);
  });

  it("fails where C9QL cannot read a text of the answer as a number", async () => {
    const query = "SELECT '1,234' AS price";
    const args = {
      name: "Unreadable",
      datasource_id: datasourceId,
      query,
      c9ql: "select sum(price) as total",
    };
    const { run } = await makeQuery(server, token, args);
    expect(run).toMatchObject({ status: "failed", attempt: 1 });
    expect(run.error).toMatch(/^C9QL: price has texts that are not numbers, such as "1,234"/);
  });

  it("tells what the database says of a wrong query, which is stored and not tried again", async () => {
    const made = await create({ name: "Typo", datasourceId, queryString: "SELECT nme FROM orders" });
    expect(made.run).toMatchObject({ status: "failed", attempt: 1 });
    expect(made.run.error).toMatch(/column "nme" does not exist/);
    expect(made.message).toMatch(/failed/);
  });

  it("is for contributors of the workspace", async () => {
    const args = { name: "X", datasourceId, queryString: "SELECT 1 AS a" };
    expect((await callTool(server, undefined, "knowi_create_query", args, BI)).status).toBe(401);
    await expect(create(args, await server.token({ role: "viewer" }))).rejects.toThrow(/bi:write/);
    await server.app.identity.workspaces.create({ slug: "other" });
    const stranger = await server.token({ workspace: "other" });
    await expect(create(args, stranger)).rejects.toThrow(/no datasource with id/);
  });
});
