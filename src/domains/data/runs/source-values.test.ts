import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { makeDatasource, makeQuery } from "../../../../test/support/datasources.ts";
import { hasMariadb, needsMariadb, startMariadb } from "../../../../test/support/mariadb.ts";
import { type PostgresSource, startPostgresSource } from "../../../../test/support/postgres-source.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

/** What becomes of values on their whole way from a database into a dataset. */

let server: TestServer;
let token: string;
let source: PostgresSource;
const folder = mkdtempSync(join(tmpdir(), "kenning-files-"));

beforeAll(async () => {
  [server, source] = await Promise.all([
    startTestServer({ env: { KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1", KENNING_FILE_FOLDERS: folder } }),
    startPostgresSource(),
  ]);
  token = await server.token({ role: "contributor" });
});
afterAll(async () => {
  await server.stop();
  await source.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function kept(name: string, datasource_id: number, query: string, more: object = {}) {
  const made = await makeQuery(server, token, { name, datasource_id, query, ...more });
  expect(made.run).toMatchObject({ status: "succeeded", error: null });
  const args = { dataset_id: made.dataset_id };
  const data = { rows: [] as Record<string, unknown>[], columns: [] as { name: string; type: string }[] };
  const { rows, columns } = await resultOf<typeof data>(server, token, "get_data", args);
  return { rows, types: Object.fromEntries(columns.map((column) => [column.name, column.type])) };
}

describe("PostgreSQL", () => {
  it("gives spans of time as text, and loses nothing of them", async () => {
    const id = await makeDatasource(server, token, "Spans", source);
    const query = `SELECT timestamp '2026-01-01' - timestamp '2026-01-02 12:30' AS minus,
      interval '1 year 2 months -3 days 04:05:06.789012' AS mixed, NULL::interval AS nothing`;
    const { rows, types } = await kept("Spans", id, query);
    expect(rows).toEqual([
      { minus: "-1 days -12:30:00", mixed: "1 year 2 months -3 days 04:05:06.789012", nothing: null },
    ]);
    expect(types).toMatchObject({ minus: "VARCHAR", mixed: "VARCHAR" });
    const empty = await kept("Spans", id, `SELECT * FROM (${query}) AS s WHERE false`, { replace: true });
    expect(empty.types).toEqual(types);
    const c9ql = "select minus, mixed where minus = '-1 days -12:30:00'";
    expect((await kept("Spans by C9QL", id, query, { c9ql })).rows).toHaveLength(1);
  });

  it("is not asked for a parameter that has no value", async () => {
    const datasource_id = await makeDatasource(server, token, "Parameters", source);
    const wish = { name: "By id", datasource_id, query: "SELECT 1 AS n WHERE 1 = :id" };
    const refused = "The query asks for the parameter id, which has no value.";
    await expect(makeQuery(server, token, wish)).rejects.toThrow(refused);
    expect((await kept("By id", datasource_id, wish.query, { parameters: { id: 1 } })).rows).toEqual([
      { n: 1 },
    ]);
  });

  it("gives values that are no numbers where the type has a place for them", async () => {
    const id = await makeDatasource(server, token, "Numbers", source);
    const query = "SELECT 'NaN'::numeric AS free, 'NaN'::numeric(5,2) AS bound, 1::numeric(5,2) AS one";
    const { rows, types } = await kept("Numbers", id, query);
    expect(types).toEqual({ free: "DOUBLE", bound: "DECIMAL(5,2)", one: "DECIMAL(5,2)" });
    expect(rows[0]).toMatchObject({ free: "NaN", bound: null });
  });
});

describe("MariaDB", () => {
  it("gives spans of time as text, and all digits of sums", async (context) => {
    needsMariadb(context);
    const mariadb = hasMariadb() ? await startMariadb() : undefined;
    if (mariadb === undefined) return;
    try {
      await mariadb.query("CREATE TABLE shop.sums (n decimal(20,4), t time(6))");
      await mariadb.query(
        "INSERT INTO shop.sums VALUES (9007199254741234.5678, '-12:30:00'), (0, '09:30:00.5')",
      );
      const id = await makeDatasource(server, token, "Maria", mariadb, "mariadb");
      const spans = await kept("Times", id, "SELECT t FROM sums ORDER BY t");
      expect(spans.rows).toEqual([{ t: "-12:30:00.000000" }, { t: "09:30:00.500000" }]);
      const { rows, types } = await kept("Sums", id, "SELECT sum(n) AS n FROM sums");
      expect({ rows, types }).toEqual({
        rows: [{ n: "9007199254741234.5678" }],
        types: { n: "DECIMAL(38,4)" },
      });
    } finally {
      await mariadb.stop();
    }
  });
});

describe("a DuckDB file", () => {
  let datasource_id: number;

  beforeAll(async () => {
    const path = join(folder, "spans.duckdb");
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run(
      "CREATE TABLE t AS SELECT INTERVAL '-90 minutes' AS minus, INTERVAL '14 months 3 days' AS long",
    );
    await connection.run("CREATE TABLE n AS SELECT 9007199254740993 AS n");
    connection.closeSync();
    instance.closeSync();
    chmodSync(folder, 0o755);
    chmodSync(path, 0o644);
    const args = { name: "Duck", type: "duckdb", database: path, connection_test: "skip" };
    ({ datasource_id } = await resultOf<{ datasource_id: number }>(server, token, "create_datasource", args));
  });

  it("gives spans of time as text", async () => {
    const { rows } = await kept("Duck", datasource_id, "SELECT * FROM t");
    expect(rows).toEqual([{ minus: "-01:30:00", long: "1 year 2 months 3 days" }]);
  });

  it("keeps what Parquet has no type for: large sums, bits and times with a zone", async () => {
    const query = "SELECT sum(n) AS total, '101'::BIT AS bits, '12:30:00+05:30'::TIMETZ AS clock FROM n";
    const { rows, types } = await kept("Sums of a file", datasource_id, query);
    expect(rows).toEqual([{ total: "9007199254740993", bits: "101", clock: "12:30:00+05:30" }]);
    expect(types).toEqual({ total: "DECIMAL(38,0)", bits: "VARCHAR", clock: "VARCHAR" });
  });

  it("speaks of rows and columns when something cannot be kept, and of no file that nobody has sent", async () => {
    const query = "SELECT 170141183460469231731687303715884105727::HUGEINT AS huge";
    const { run } = await makeQuery(server, token, { name: "Too large", datasource_id, query });
    expect(run.status).toBe("failed");
    expect(run.error).toContain('None of the 1 rows could be read. The first, in row 1: Column "huge"');
    expect(run.error).not.toMatch(/file|json/i);
  });
});
