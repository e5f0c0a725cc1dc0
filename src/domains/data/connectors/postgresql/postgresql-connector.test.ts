import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  castByDuckdb,
  failure,
  LIMITS_OF_TESTS,
  named,
  open,
  readRows,
} from "../../../../../test/support/connectors.ts";
import { type PostgresSource, startPostgresSource } from "../../../../../test/support/postgres-source.ts";
import { isAppError } from "../../../../kernel/errors.ts";
import type { Connector } from "../index.ts";

let source: PostgresSource;
let connector: Connector;

beforeAll(async () => {
  source = await startPostgresSource();
  connector = await open("postgresql", source);
  await source.query("CREATE TABLE orders (id int PRIMARY KEY, city text)");
  await source.query("INSERT INTO orders VALUES (1, 'Köln'), (2, 'Zürich'), (3, NULL)");
});
afterAll(() => source.stop());
afterEach(() => vi.waitFor(() => expect(source.openConnections()).toBe(0), 20_000));

describe("test, tables and columns", () => {
  it("says which server it is", async () => {
    expect(await connector.test()).toEqual({
      ok: true,
      serverVersion: expect.stringMatching(/^PostgreSQL 18/),
    });
  });

  it("lists tables and views of all kinds that the user may read, and no others", async () => {
    await source.query(
      'DROP SCHEMA IF EXISTS "odd ""name" CASCADE; DROP VIEW IF EXISTS cities; DROP MATERIALIZED VIEW IF EXISTS cached; DROP TABLE IF EXISTS parts, hidden',
    );
    await source.query(`CREATE SCHEMA "odd ""name"; GRANT USAGE ON SCHEMA "odd ""name" TO ${source.user}`);
    await source.query('CREATE TABLE "odd ""name"."Order; DROP TABLE orders; --" ("a b" int)');
    await source.query("CREATE VIEW cities AS SELECT city FROM orders");
    await source.query("CREATE MATERIALIZED VIEW cached AS SELECT city FROM orders");
    await source.query("CREATE TABLE parts (id int) PARTITION BY RANGE (id)");
    await source.query("CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10)");
    await source.query(`CREATE TABLE hidden (id int); REVOKE ALL ON hidden FROM ${source.user}`);
    expect(await connector.tables()).toEqual([
      { schema: 'odd "name', name: "Order; DROP TABLE orders; --", kind: "table" },
      { schema: "public", name: "cached", kind: "view" },
      { schema: "public", name: "cities", kind: "view" },
      { schema: "public", name: "orders", kind: "table" },
      { schema: "public", name: "parts", kind: "table" },
    ]);
  });

  it("describes the columns of a table, whatever it is called", async () => {
    expect(await connector.columns({ name: "orders" })).toEqual([
      { name: "id", type: "INTEGER" },
      { name: "city", type: "VARCHAR" },
    ]);
    const odd = { schema: 'odd "name', name: "Order; DROP TABLE orders; --" };
    expect(await connector.columns(odd)).toEqual([{ name: "a b", type: "INTEGER" }]);
  });

  it.each([
    'orders"; DROP TABLE orders; --',
    "orders; DROP TABLE orders",
    "orders WHERE pg_sleep(60) IS NULL",
    'x" UNION SELECT usename, passwd FROM pg_shadow --',
  ])("takes %j as the name of a table that does not exist", async (name) => {
    expect(await failure(connector.columns({ name }))).toMatchObject({ code: "not_found" });
    expect((await readRows(connector, "SELECT count(*) FROM orders")).rows).toEqual([["3"]]);
  });

  it.each(["", "a\0b", "x".repeat(2_000)])("refuses %j as the name of a table", async (name) => {
    expect(await failure(connector.columns({ name }))).toMatchObject({ code: "bad_request" });
  });
});

describe("values", () => {
  const VALUES = `SELECT true AS yes, (-32768)::int2 AS small, 2147483647 AS whole, 9223372036854775807 AS large,
    1.5::real AS single, 0.1::float8 AS double, 'NaN'::float8 AS nan, '-Infinity'::float8 AS minus_infinity,
    12345678901234567890.123456789::numeric(38,9) AS exact, 1e50::numeric AS free, 'NaN'::numeric(5,2) AS no_number,
    sum(9223372036854775807) AS total, 'ä"😀' AS text, 'x'::char(3) AS padded, 'y'::varchar AS variable,
    date '2024-02-29' AS day, date '0044-03-15 BC' AS ides, date 'infinity' AS never,
    timestamp '2024-02-29 23:59:59.123456' AS stamp, timestamptz '2024-02-29 23:59:59+05:30' AS zoned,
    time '24:00:00' AS midnight, timetz '12:00:00+05:30' AS zoned_time,
    interval '-1 year 2 months 3 days -04:05:06.789' AS span,
    '{"a": [1, {"b": 12345678901234567890}]}'::jsonb AS doc, '"x"'::json AS doc_text,
    '{00112233-4455-6677-8899-aabbccddeeff}'::uuid AS id, '\\x00ff10'::bytea AS bytes, B'101' AS bits,
    ARRAY[1, NULL, 3] AS numbers, ARRAY[ARRAY['a,b', 'c"d'], ARRAY['{}', NULL]] AS grid, '{}'::int[] AS empty,
    ARRAY['2024-01-01'::date] AS days, '[0:1]={1.5,2}'::numeric[] AS bounded, int4range(1, 5) AS range,
    '10.0.0.0/8'::cidr AS net, 5::oid AS oid, NULL::text AS nothing`;

  it("come as JSON values of DuckDB's types", async () => {
    const result = await readRows(connector, VALUES);
    expect(JSON.parse(JSON.stringify(result.rows))).toEqual(result.rows);
    expect(named(result)[0]).toEqual({
      ...{ yes: true, small: -32_768, whole: 2_147_483_647, large: "9223372036854775807" },
      ...{ single: 1.5, double: 0.1, nan: "NaN", minus_infinity: "-Infinity" },
      ...{ exact: "12345678901234567890.123456789", free: `1${"0".repeat(50)}`, no_number: null },
      ...{ total: "9223372036854775807", text: 'ä"😀', padded: "x  ", variable: "y" },
      ...{ day: "2024-02-29", ides: "0044-03-15 (BC)", never: "infinity" },
      ...{ stamp: "2024-02-29T23:59:59.123456", zoned: "2024-02-29T18:29:59Z" },
      ...{ midnight: "24:00:00", zoned_time: "12:00:00+05:30" },
      span: "-10 months 3 days -04:05:06.789",
      ...{ doc: { a: [1, { b: "12345678901234567890" }] }, doc_text: "x" },
      ...{ id: "00112233-4455-6677-8899-aabbccddeeff", bytes: "AP8Q", bits: "101" },
      ...{ numbers: [1, null, 3], empty: [], days: ["2024-01-01"], bounded: ["1.5", "2"] },
      grid: [
        ["a,b", 'c"d'],
        ["{}", null],
      ],
      ...{ range: "[1,5)", net: "10.0.0.0/8", oid: 5, nothing: null },
    });
  });

  it("can all be cast by the analytics engine to the types that they say they have", async () => {
    const result = await readRows(connector, VALUES);
    expect((await castByDuckdb(result))[0]).toMatchObject({
      ...{ large: "9223372036854775807", exact: "12345678901234567890.123456789", nan: "nan" },
      ...{ stamp: "2024-02-29 23:59:59.123456", zoned: "2024-02-29 18:29:59+00", ides: "0044-03-15 (BC)" },
      ...{ span: "-10 months 3 days -04:05:06.789", bytes: "\\x00\\xFF\\x10", bits: "101" },
      grid: '[["a,b","c\\"d"],["{}",null]]',
    });
  });

  it("have columns even when there are no rows, and no two columns of one name", async () => {
    const empty = await readRows(
      connector,
      'SELECT id, id, id AS "ID", \'\' AS "id_2" FROM orders WHERE false',
    );
    expect(empty).toEqual({
      batches: 1,
      rows: [],
      columns: [
        { name: "id", type: "INTEGER" },
        { name: "id_2", type: "INTEGER" },
        { name: "ID_3", type: "INTEGER" },
        { name: "id_2_2", type: "VARCHAR" },
      ],
    });
  });
});

describe("parameters", () => {
  it("are bound by the server, lists too", async () => {
    const query = `SELECT id, ':city' AS text, '{"a":1}'::jsonb->>'a' AS doc /* :ids */ FROM orders
      WHERE city = :city OR id IN (:ids) -- :nobody`;
    const { rows } = await readRows(connector, query, {
      parameters: { city: "Köln' OR true --", ids: [2, "3"] },
    });
    expect(rows).toEqual([
      [2, ":city", "1"],
      [3, ":city", "1"],
    ]);
  });

  it("may be empty or nothing", async () => {
    const read = (parameters: Record<string, null | string[]>) =>
      readRows(connector, "SELECT id FROM orders WHERE city IN (:x) OR :x::text IS NULL", { parameters });
    expect((await read({ x: null })).rows).toHaveLength(3);
    expect((await read({ x: [] })).rows).toHaveLength(3);
  });
});

describe("what is wrong at first sight", () => {
  it.each([
    [
      "SELECT id FROM orders WHERE id = :id",
      "asks for the parameter id, which has no value",
      "Give id a value",
    ],
    ["SELECT :citty", "the parameter citty, which has no value", "there is one for city"],
    ["SELCT 1", "begins with SELCT is none that is known to only read", "Did you mean SELECT? Begin it with"],
    ["frobnicate 1", "begins with FROBNICATE", "Begin it with SELECT, WITH"],
    ["DELETE FROM orders", "does not only read: it begins with DELETE", "Send a query that only reads"],
    ["42", "does not begin with a word of SQL", "Begin it with SELECT, WITH"],
  ])("%s", async (query, message, hint) => {
    const error = await failure(readRows(connector, query, { parameters: { city: "Köln" } }));
    expect(error).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
    expect(source.openConnections()).toBe(0);
  });
});

describe("only one statement, and only one that reads", () => {
  it.each([
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE orders",
    "SELECT 1 /* ; */; -- x\n DELETE FROM orders",
    "",
    " ; ",
    "-- nothing",
    "INSERT INTO orders VALUES (9)",
    "/* SELECT */ DELETE FROM orders",
    "COPY orders TO PROGRAM 'cat'",
    "DO $$ BEGIN DELETE FROM orders; END $$",
    "SET TRANSACTION READ WRITE",
    "COMMIT",
    "BEGIN",
    "SELECT '\0'",
  ])("%j is refused before anything is sent", async (query) => {
    expect(await failure(readRows(connector, query))).toMatchObject({ code: "bad_request" });
    expect(source.openConnections()).toBe(0);
  });

  it.each([
    "WITH gone AS (DELETE FROM orders RETURNING id) SELECT * FROM gone",
    "SELECT set_config('transaction_read_only', 'off', false)",
    "SELECT id INTO copied FROM orders",
    "SELECT nextval('numbers')",
    "EXPLAIN ANALYZE DELETE FROM orders",
    "SELECT write_something()",
    "SELECT id FROM orders FOR UPDATE",
  ])("%j is refused by the server", async (query) => {
    await source.query(
      `CREATE SEQUENCE IF NOT EXISTS numbers; CREATE OR REPLACE FUNCTION write_something() RETURNS int LANGUAGE plpgsql AS
       $$ BEGIN SET LOCAL transaction_read_only = off; DELETE FROM orders; RETURN 1; END $$`,
    );
    await source.query(`GRANT ALL ON SEQUENCE numbers TO ${source.user}`);
    expect(await failure(readRows(connector, query))).toMatchObject({ code: "bad_request" });
    expect((await source.query("SELECT count(*)::int AS n FROM orders"))[0]).toEqual({ n: 3 });
  });

  it.each([
    "select 1 as x;",
    "  (SELECT 1 AS x) ; ; ",
    "-- c\n WITH a AS (SELECT 1 AS x) SELECT x FROM a",
    "VALUES (1)",
    "SELECT length(';') AS x",
    "SELECT length($q$;$q$) AS x",
    "SELECT length(E'\\';') - 1 AS x",
    'SELECT 1 AS ";"',
  ])("%j is read", async (query) => {
    expect((await readRows(connector, query)).rows).toEqual([[1]]);
  });

  it("reads what is not a SELECT, too", async () => {
    expect((await readRows(connector, "SHOW transaction_read_only")).rows).toEqual([["on"]]);
    expect((await readRows(connector, "TABLE orders")).rows).toHaveLength(3);
    expect((await readRows(connector, "EXPLAIN SELECT 1")).rows).toHaveLength(1);
  });
});

describe("errors of the query", () => {
  it.each([
    ["SELECT nothing FROM orders", "bad_request", 'column "nothing" does not exist (at character 8)'],
    ["SELECT * FROM nothing", "not_found", 'relation "nothing" does not exist'],
    ["SELECT 1 +", "bad_request", "syntax error at end of input"],
    ["SELECT 1 / 0", "bad_request", "division by zero"],
    ["SELECT 1 / (3 - x) FROM generate_series(1, 9) x", "bad_request", "division by zero"],
    ["SELECT * FROM pg_authid", "bad_request", "permission denied"],
    ["SELECT $1::int", "bad_request", "requires 1"],
  ])("%s", async (query, code, message) => {
    const error = await failure(readRows(connector, query));
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(error.cause).toBeUndefined();
  });
});

describe("limits", () => {
  it("comes in batches and stops at the row limit", async () => {
    const query = "SELECT generate_series(1, 100000000) AS x, repeat('y', 10)";
    const started = performance.now();
    const result = await readRows(connector, query, { maxRows: 4_500 });
    expect(result).toMatchObject({ truncated: "rows", batches: 5 });
    expect(result.rows).toHaveLength(4_500);
    expect(result.rows.at(-1)).toEqual([4_500, "yyyyyyyyyy"]);
    expect(performance.now() - started).toBeLessThan(30_000);
    await vi.waitFor(async () => expect(await source.running()).toEqual([]), 20_000);
  });

  it("says nothing of a limit that was just not reached", async () => {
    const result = await readRows(connector, "SELECT 1 FROM generate_series(1, 1000)", { maxRows: 1_000 });
    expect(result.rows).toHaveLength(1_000);
    expect(result.truncated).toBeUndefined();
  });

  it("stops at the limit of bytes", async () => {
    const query = "SELECT repeat('y', 100000) FROM generate_series(1, 1000000)";
    const result = await readRows(connector, query, { maxBytes: 1_000_000 });
    expect(result).toMatchObject({ truncated: "bytes" });
    expect(result.rows).toHaveLength(10);
  });

  it("does not read ahead of a reader who takes his time", async () => {
    const query = "SELECT repeat('y', 10000) FROM generate_series(1, 100000)";
    const before = process.memoryUsage().rss;
    let rows = 0;
    for await (const batch of connector.run(query, LIMITS_OF_TESTS)) {
      rows += "rows" in batch ? batch.rows.length : 0;
      if (rows <= 300) await delay(300);
      if (rows > 5_000) break;
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
    await vi.waitFor(async () => expect(await source.running()).toEqual([]), 20_000);
  });

  it("refuses a row that is too large, without keeping it", async () => {
    const error = await failure(readRows(connector, "SELECT repeat('y', 80000000)"));
    expect(error).toMatchObject({ code: "too_large" });
  });

  it("refuses a query that is too long", async () => {
    const error = await failure(readRows(connector, `SELECT '${"x".repeat(300_000)}'`));
    expect(error).toMatchObject({ code: "too_large" });
  });
});

describe("ending", () => {
  it("cancels on the server, too", async () => {
    const controller = new AbortController();
    const running = failure(readRows(connector, "SELECT pg_sleep(60)", { signal: controller.signal }));
    await vi.waitFor(async () => expect(await source.running()).toEqual(["SELECT pg_sleep(60)"]), 20_000);
    controller.abort();
    expect(await running).toMatchObject({ code: "cancelled" });
    await vi.waitFor(async () => expect(await source.running()).toEqual([]), 20_000);
  });

  it("cancels between two batches", async () => {
    const controller = new AbortController();
    const query = "SELECT x, pg_sleep(0.0001) FROM generate_series(1, 1000000) x";
    const rows = connector
      .run(query, { ...LIMITS_OF_TESTS, signal: controller.signal })
      [Symbol.asyncIterator]();
    expect((await rows.next()).value.rows).toHaveLength(1_000);
    controller.abort();
    expect(await failure(rows.next())).toMatchObject({ code: "cancelled" });
    await vi.waitFor(async () => expect(await source.running()).toEqual([]), 20_000);
  });

  it("ends a query whose reader stops", async () => {
    for await (const _ of connector.run("SELECT generate_series(1, 100000000)", LIMITS_OF_TESTS)) break;
    await vi.waitFor(async () => expect(await source.running()).toEqual([]), 20_000);
  });

  it("does not begin what was cancelled before", async () => {
    const error = await failure(readRows(connector, "SELECT 1", { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: "cancelled" });
  });

  it("keeps the time limit", async () => {
    const started = performance.now();
    const error = await failure(readRows(connector, "SELECT pg_sleep(60)", { timeoutMs: 700 }));
    expect(error).toMatchObject({ code: "timeout" });
    expect(performance.now() - started).toBeLessThan(30_000);
    await vi.waitFor(async () => expect(await source.running()).toEqual([]), 20_000);
  });

  it("keeps it while a reader takes his time", async () => {
    const rows = connector.run("SELECT generate_series(1, 10000000)", { ...LIMITS_OF_TESTS, timeoutMs: 500 });
    const read = async () => {
      for await (const _ of rows) await delay(100);
    };
    expect(await failure(read())).toMatchObject({ code: "timeout" });
  });

  it("runs several queries side by side", async () => {
    const queries = Array.from({ length: 8 }, (_, i) => readRows(connector, `SELECT ${i}, pg_sleep(0.2)`));
    expect((await Promise.all(queries)).map(({ rows }) => rows[0]?.[0])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

describe("signing in", () => {
  it("says that the password is wrong, and not what it was", async () => {
    const wrong = await open("postgresql", { ...source, password: "hunter2-secret" });
    const error = await failure(wrong.test());
    expect(error).toMatchObject({ code: "bad_request", message: expect.stringContaining("password") });
    expect(isAppError(error)).toBe(true);
    expect(JSON.stringify([error, error.message, error.stack, error.cause])).not.toContain("hunter2-secret");
  });

  it("says that there is no password, and looks for none elsewhere", async () => {
    vi.stubEnv("PGPASSWORD", source.password);
    const without = await open("postgresql", { ...source, password: "" });
    const error = await failure(without.test());
    vi.unstubAllEnvs();
    expect(error).toMatchObject({ code: "bad_request", message: expect.stringContaining("password") });
  });

  it("says that there is no such database", async () => {
    const wrong = await open("postgresql", { ...source, database: "nowhere" });
    expect(await failure(wrong.test())).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("nowhere"),
    });
  });

  it("works for what speaks the same protocol", async () => {
    for (const type of ["postgres", "citus", "CockroachDB"]) {
      expect((await readRows(await open(type, source), "SELECT 1")).rows).toEqual([[1]]);
    }
  });

  it("masks the password in what the server says", async () => {
    const query = `SELECT '${source.password}'::int`;
    const error = await failure(readRows(connector, query));
    expect(error.message).toContain("***");
    expect(error.message).not.toContain(source.password);
  });
});
