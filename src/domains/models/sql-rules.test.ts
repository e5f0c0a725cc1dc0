import { describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/mcp.ts";
import { shopServer, textOf } from "../../../test/support/models.ts";
import { PATHS } from "../../../test/support/rpc.ts";

/** The rules of execute_query as the contract lists them, through the endpoint; `guard/` tries many more statements. */

const { server, shop } = await shopServer();

async function run(sql: string): Promise<{ isError: boolean; text: string }> {
  const args = { modelName: "shop", sql, store: false };
  const answer = await callTool(server, shop.viewer, "execute_query", args, PATHS.models);
  return { isError: answer.result?.isError !== false, text: textOf(answer) };
}

async function refused(statements: readonly string[], expected: RegExp): Promise<void> {
  for (const sql of statements) {
    const { isError, text } = await run(sql);
    expect(isError, sql).toBe(true);
    expect(text, sql).toMatch(expected);
  }
}

async function allowed(statements: readonly string[]): Promise<void> {
  for (const sql of statements) expect(await run(sql), sql).toMatchObject({ isError: false });
}

describe("one statement", () => {
  it("[models.sql.one] [models.sql.parser] is all that is allowed, as DuckDB's own parser counts", async () => {
    await refused(
      [
        "SELECT 1; SELECT 2",
        "SELECT 1;; SELECT 2",
        "SELECT ';'; DROP TABLE orders",
        "SELECT 1; --\nSELECT 2",
      ],
      /statements|SELECT/,
    );
    await allowed([
      "SELECT ';' AS a",
      "SELECT 1 AS a;",
      "SELECT '; DROP TABLE orders --' AS a",
      "SELECT $$; x $$ AS a",
    ]);
  });

  it("with a number that no column can hold is refused, and not a fault of ours", async () => {
    await refused(["SELECT 1e309 AS a", "SELECT id FROM orders WHERE id < -1e400"], /number.* out of range/);
    await allowed(["SELECT 1e308 AS a, 'Infinity' AS b, 'inf'::DOUBLE > 1 AS c"]);
  });

  it("[models.sql.select] is a SELECT, a set operation or a recursive CTE", async () => {
    await allowed([
      "SELECT * FROM orders",
      "FROM orders",
      "SELECT id FROM orders UNION ALL SELECT id FROM customers",
      "SELECT id FROM orders EXCEPT SELECT id FROM customers",
      "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t",
      "WITH o AS (SELECT * FROM orders) SELECT count(*) AS n FROM o",
      "VALUES (1), (2)",
    ]);
    await refused(
      [
        "INSERT INTO orders VALUES (1)",
        "UPDATE orders SET id = 1",
        "DELETE FROM orders",
        "CREATE TABLE x AS SELECT 1",
        "DROP TABLE orders",
        "COPY orders TO '/tmp/x.csv'",
        "ATTACH '/tmp/x.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 9",
        "PRAGMA version",
        "CALL duckdb_settings()",
        "DESCRIBE orders",
        "SHOW TABLES",
        "SUMMARIZE orders",
        "BEGIN",
        "EXPORT DATABASE '/tmp/x'",
      ],
      /SELECT|not allowed|syntax/,
    );
  });

  it("[models.sql.explain] may be explained", async () => {
    await allowed([
      "EXPLAIN SELECT * FROM orders",
      "explain /* why */ FROM orders",
      "EXPLAIN SELECT 1 UNION SELECT 2",
      "EXPLAIN WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t",
    ]);
    await refused(["EXPLAIN DELETE FROM orders", "EXPLAIN COPY orders TO '/tmp/x'"], /SELECT/);
  });

  it("[models.sql.analyze] is never run by EXPLAIN ANALYZE", async () => {
    await refused(
      [
        "EXPLAIN ANALYZE SELECT * FROM orders",
        "explain analyze select 1",
        "EXPLAIN /* ... */ ANALYZE SELECT 1",
        "EXPLAIN -- x\nANALYZE SELECT 1",
        "EXPLAIN/**/ANALYZE/**/SELECT 1",
        "EXPLAIN (ANALYZE) SELECT 1",
      ],
      /EXPLAIN ANALYZE is not allowed/,
    );
  });
});

describe("tables", () => {
  it("[models.sql.bare] are datasets by their bare names", async () => {
    await allowed(["SELECT * FROM orders", 'SELECT * FROM "orders"', "SELECT * FROM ORDERS o, customers c"]);
    await refused(
      ["SELECT * FROM shop.orders", "SELECT * FROM shop.public.orders", 'SELECT * FROM "public"."orders"'],
      /names a schema or database/,
    );
    await refused(["SELECT * FROM Secrets", "SELECT (SELECT max(id) FROM elsewhere)"], /There is no dataset/);
  });

  it("[models.sql.catalogs] are none of the engine's, however they are written", async () => {
    const schemas = ["information_schema", "pg_catalog", "main", "temp", "system"];
    await refused(
      [
        ...schemas.flatMap((schema) => [
          `SELECT * FROM ${schema}.tables`,
          `SELECT * FROM "${schema}"."tables"`,
          `SELECT * FROM ${schema.toUpperCase()}.tables`,
          `SELECT 1 WHERE EXISTS (SELECT 1 FROM ${schema}.tables)`,
        ]),
        "SELECT * FROM sqlite_master",
        'SELECT * FROM "SQLite_Master"',
        "SELECT * FROM Information_Schema . Tables",
      ],
      /belongs to the engine|not allowed/,
    );
    // Not SQL of DuckDB at all, so the parser says so.
    await refused(
      ['SELECT * FROM U&"information_schema".tables', "SELECT * FROM $$information_schema$$.tables"],
      /./,
    );
  });

  it("[models.sql.scopes] have no name that begins with _scope_ or duckdb_", async () => {
    await refused(
      [
        "SELECT * FROM duckdb_columns",
        "SELECT * FROM DUCKDB_tables",
        'SELECT * FROM "_scope_other"."x"',
        'SELECT * FROM "_SCOPE_base".d1',
        "SELECT * FROM _scope_x",
        "WITH _scope_x AS (SELECT 1) SELECT * FROM _scope_x",
      ],
      /belongs to the engine/,
    );
  });
});

describe("functions", () => {
  it("[models.sql.table-functions] in FROM are on a short list", async () => {
    await allowed([
      "SELECT * FROM generate_series(1, 3)",
      "SELECT * FROM range(3)",
      "SELECT * FROM unnest([1, 2])",
      "SELECT * FROM (VALUES (1), (2)) AS t(a)",
    ]);
    const calls = [
      ..."read_csv read_csv_auto read_parquet read_json read_json_auto read_blob read_text"
        .split(" ")
        .map((name) => `${name}('/etc/passwd')`),
      "parse_sql('SELECT 1')",
      "json_serialize_sql('SELECT 1')",
      "duckdb_settings()",
      "duckdb_tables()",
      "DuckDB_Secrets()",
      "glob('/*')",
      "query('SELECT 1')",
      "sniff_csv('/etc/passwd')",
    ];
    await refused(
      calls.flatMap((call) => [`SELECT * FROM ${call}`, `SELECT 1 WHERE EXISTS (FROM ${call})`]),
      /table function .* is not allowed/i,
    );
  });

  it("[models.sql.scalar-functions] that read files, sequences or SQL are refused anywhere in the tree", async () => {
    const calls = [
      "read_text('/etc/passwd')",
      "read_blob('/etc/passwd')",
      "pg_read_file('/etc/passwd')",
      "pg_ls_dir('/')",
      "duckdb_secrets()",
      "nextval('s')",
      "currval('s')",
      "parse_sql('SELECT 1')",
      "json_serialize_sql('SELECT 1')",
      "JSON_Serialize_SQL('SELECT 1')",
      "getenv('HOME')",
    ];
    await refused(
      calls.flatMap((call) => [
        `SELECT ${call}`,
        `SELECT * FROM orders WHERE id = (SELECT max(${call}) FROM customers)`,
        `SELECT count(*) FROM orders GROUP BY ${call}`,
        `SELECT list_transform([1], x -> ${call})`,
      ]),
      /is not allowed|is not known here/,
    );
  });
});

describe("what is no SQL", () => {
  it("[models.sql.words] comes back in the parser's own words", async () => {
    expect((await run("SELEC 1")).text).toMatch(/syntax error at or near "SELEC"/);
    expect((await run("SELECT 'open")).text).toMatch(/unterminated quoted string/);
    expect((await run("SELECT (1")).text).toMatch(/syntax error/);
    await refused(["", "   ", "-- only a comment", "/* only a comment */", ";"], /no statement|sql/i);
  });

  it("[models.sql.sole] cannot be let through by any argument", async () => {
    const args = { modelName: "shop", sql: "SELECT * FROM read_text('/etc/passwd')", validate: false };
    const answer = await callTool(server, shop.admin, "execute_query", args, PATHS.models);
    expect(textOf(answer)).toMatch(/Unknown argument validate/);
    const { isError } = await run("SELECT * FROM read_text($1)");
    expect(isError).toBe(true);
  });
});

describe("the engine", () => {
  it("[models.engine.external] reads no files, reaches no network and writes nothing", async () => {
    await refused(
      [
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM 'https://example.com/x.csv'",
        'SELECT * FROM "s3://bucket/x.parquet"',
        "COPY (SELECT 1) TO '/tmp/kenning-never.csv'",
      ],
      /is no dataset|files cannot be read|SELECT/,
    );
  });
});
