import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  castByDuckdb,
  failure,
  LIMITS_OF_TESTS,
  named,
  open,
  readRows,
  testNetwork,
} from "../../../../../test/support/connectors.ts";
import { hasMariadb, type Mariadb, needsMariadb, startMariadb } from "../../../../../test/support/mariadb.ts";
import { TEST_CERT, TEST_KEY } from "../../../../../test/support/web-servers.ts";
import { isAppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";
import type { Connector } from "../index.ts";

let server: Mariadb;
let connector: Connector;

beforeAll(async () => {
  if (!hasMariadb()) return;
  server = await startMariadb({ tls: { key: TEST_KEY, cert: TEST_CERT } });
  connector = await open("mariadb", server);
  await server.query("CREATE TABLE shop.orders (id int PRIMARY KEY, city varchar(50)) ENGINE=InnoDB");
  await server.query("CREATE TABLE shop.notes (id int) ENGINE=MyISAM");
  await server.query("INSERT INTO shop.orders VALUES (1, 'Köln'), (2, 'Zürich'), (3, NULL)");
});
afterAll(() => server?.stop());
beforeEach(needsMariadb);
afterEach(() => vi.waitFor(async () => expect(await server?.connections()).toBe(0), 20_000));

describe("test, tables and columns", () => {
  it("says which server it is", async () => {
    expect(await connector.test()).toEqual({ ok: true, serverVersion: expect.stringMatching(/MariaDB/) });
    const asMysql = await open("mysql", server);
    expect(await asMysql.test()).toMatchObject({ ok: true });
  });

  it("lists and describes tables and views, whatever they are called", async () => {
    await server.query("CREATE OR REPLACE VIEW shop.cities AS SELECT city FROM shop.orders");
    await server.query("CREATE OR REPLACE TABLE shop.`Order; DROP TABLE ``orders``; --x` (`a b` int)");
    const odd = { schema: "shop", name: "Order; DROP TABLE `orders`; --x" };
    expect(await connector.tables()).toEqual([
      { schema: "shop", name: "cities", kind: "view" },
      { schema: "shop", name: "notes", kind: "table" },
      { ...odd, kind: "table" },
      { schema: "shop", name: "orders", kind: "table" },
    ]);
    expect(await connector.columns(odd)).toEqual([{ name: "a b", type: "INTEGER" }]);
    expect(await connector.columns({ name: "orders" })).toEqual([
      { name: "id", type: "INTEGER" },
      { name: "city", type: "VARCHAR" },
    ]);
  });

  it.each([
    "orders`; DROP TABLE orders; -- ",
    "orders; DROP TABLE orders",
    "orders` WHERE sleep(60) -- ",
    "x\\`y",
  ])("takes %j as the name of a table that does not exist", async (name) => {
    expect(await failure(connector.columns({ name }))).toMatchObject({
      code: expect.stringMatching(/not_found|bad_request/),
    });
    expect((await readRows(connector, "SELECT count(*) FROM orders")).rows).toEqual([["3"]]);
  });
});

describe("values", () => {
  beforeAll(async () => {
    if (!hasMariadb()) return;
    await server.query("SET SESSION sql_mode = '', time_zone = '+05:30'");
    await server.query(`CREATE TABLE shop.kinds (tiny tinyint, utiny tinyint unsigned, flag bit(1), bits bit(64),
      small smallint, usmall smallint unsigned, medium mediumint, whole int, uwhole int unsigned, large bigint,
      ularge bigint unsigned, single float, dbl double, exact decimal(30,10), uexact decimal(5,2) unsigned,
      big decimal(65,10), day date, nday date, pday date, stamp datetime(6), nstamp datetime, zoned timestamp(3) NULL,
      span time(6), span2 time, yr year, txt varchar(20), latin varchar(20) CHARACTER SET latin1, fixed char(5),
      bin varbinary(10), longbin longblob, longtxt longtext, doc json, choice enum('a','b'), choices set('a','b'),
      place point, id uuid, net inet6, nothing text)`);
    await server.query(`INSERT INTO shop.kinds VALUES (-128, 255, 1, 18446744073709551615, -32768, 65535, -8388608,
      -2147483648, 4294967295, -9223372036854775808, 18446744073709551615, 1.5, 0.1, 12345678901234567890.0123456789, 999.99,
      '1234567890123456789012345678901234567890.5', '2024-02-29', '0000-00-00', '2024-00-15',
      '2024-02-29 23:59:59.123456', '0000-00-00 00:00:00', '2024-02-29 23:59:59.5', '-838:59:59', '09:30:00', 2024, 'ä😀''"',
      'ß', 'x', x'00ff10', x'80', 'lang', '{"a": [1, 12345678901234567890]}', 'b', 'a,b', ST_GeomFromText('POINT(1 2)'),
      '00112233-4455-6677-8899-aabbccddeeff', '::1', NULL)`);
  });

  it("come as JSON values of DuckDB's types", async () => {
    const result = await readRows(connector, "SELECT * FROM kinds");
    expect(JSON.parse(JSON.stringify(result.rows))).toEqual(result.rows);
    const [row] = named(result);
    expect(row).toMatchObject({
      ...{ tiny: -128, utiny: 255, flag: true, bits: "18446744073709551615", small: -32_768, usmall: 65_535 },
      ...{ medium: -8_388_608, whole: -2_147_483_648, uwhole: 4_294_967_295, large: "-9223372036854775808" },
      ...{ ularge: "18446744073709551615", single: 1.5, dbl: 0.1, exact: "12345678901234567890.0123456789" },
      ...{ uexact: "999.99", big: "1234567890123456789012345678901234567890.5000000000" },
      ...{ day: "2024-02-29", nday: null, pday: null, stamp: "2024-02-29T23:59:59.123456", nstamp: null },
      ...{ zoned: "2024-02-29T18:29:59.500Z", span: "-838:59:59.000000", span2: "09:30:00", yr: 2024 },
      ...{ txt: "ä😀'\"", latin: "ß", fixed: "x", bin: "AP8Q", longbin: "gA==", longtxt: "lang" },
      ...{ doc: { a: [1, "12345678901234567890"] }, choice: "b", choices: "a,b", nothing: null },
      ...{ id: "00112233-4455-6677-8899-aabbccddeeff", net: "::1" },
    });
    const types = Object.fromEntries(result.columns.map(({ name, type }) => [name, type]));
    expect(types).toMatchObject({
      ...{ utiny: "UTINYINT", uwhole: "UINTEGER", ularge: "UBIGINT", bits: "UBIGINT", flag: "BOOLEAN" },
      ...{
        exact: "DECIMAL(30,10)",
        uexact: "DECIMAL(5,2)",
        big: "DOUBLE",
        zoned: "TIMESTAMP WITH TIME ZONE",
      },
      ...{ span: "INTERVAL", doc: "JSON", id: "UUID", bin: "BLOB", place: "BLOB", longtxt: "VARCHAR" },
    });
  });

  it("can all be cast by the analytics engine to the types that they say they have", async () => {
    const result = await readRows(connector, "SELECT * FROM kinds");
    expect((await castByDuckdb(result))[0]).toMatchObject({
      ...{ bits: "18446744073709551615", exact: "12345678901234567890.0123456789", span: "-838:59:59" },
      ...{ zoned: "2024-02-29 18:29:59.5+00", bin: "\\x00\\xFF\\x10", uexact: "999.99" },
    });
  });

  it("leave out dates that do not exist, and no others", async () => {
    await server.query("SET SESSION sql_mode = 'ALLOW_INVALID_DATES'");
    await server.query("CREATE TABLE shop.days (id int, day datetime)");
    const days = [
      "2023-02-29",
      "2024-02-29",
      "1900-02-29",
      "2000-02-29",
      "2024-04-31",
      "2024-04-30",
      "0001-12-31",
    ];
    for (const [id, day] of days.entries())
      await server.query(`INSERT INTO shop.days VALUES (${id}, '${day}')`);
    const { rows } = await readRows(connector, "SELECT date(day) FROM days ORDER BY id");
    expect(rows.flat()).toEqual([null, "2024-02-29", null, "2000-02-29", null, "2024-04-30", "0001-12-31"]);
  });

  it("keep the scale of sums and averages", async () => {
    const { rows, columns } = await readRows(
      connector,
      "SELECT SUM(uexact), AVG(whole), COUNT(*), 1 = 1 FROM kinds",
    );
    expect(rows).toEqual([["999.99", "-2147483648.0000", "1", 1]]);
    expect(columns.map(({ type }) => type)).toEqual(["DECIMAL(27,2)", "DECIMAL(14,4)", "BIGINT", "INTEGER"]);
  });

  it("keep all digits of a sum that promises more than fit, as long as they do", async () => {
    await server.query("CREATE TABLE shop.sums (n decimal(20,4), wide decimal(65,4))");
    await server.query("INSERT INTO shop.sums VALUES (1234567890123234.5678, 1)");
    const fits = await readRows(connector, "SELECT sum(n) AS n, sum(wide) AS wide FROM sums");
    expect(fits.rows).toEqual([["1234567890123234.5678", "1.0000"]]);
    expect(fits.columns.map(({ type }) => type)).toEqual(["DECIMAL(38,4)", "DECIMAL(38,4)"]);
    await server.query(`INSERT INTO shop.sums VALUES (1, ${"9".repeat(40)})`);
    const wide = await readRows(connector, "SELECT wide, -wide AS minus FROM sums ORDER BY n");
    expect(wide.rows[0]).toEqual([`${"9".repeat(40)}.0000`, `-${"9".repeat(40)}.0000`]);
    expect(wide.columns.map(({ type }) => type)).toEqual(["DOUBLE", "DOUBLE"]);
  });

  it("have columns even when there are no rows", async () => {
    const empty = await readRows(connector, "SELECT id, id FROM orders WHERE false");
    expect(empty).toMatchObject({ batches: 1, rows: [], columns: [{ name: "id" }, { name: "id_2" }] });
  });
});

describe("parameters", () => {
  it("cannot end the text that they stand in", async () => {
    const query =
      "SELECT id, ':city', :text AS t FROM orders WHERE city = :city OR id IN (:ids) LIMIT :most -- :x";
    const text = "\\' OR 1=1 -- \" ` \u00bf'' 😀";
    const { rows } = await readRows(connector, query, {
      parameters: { city: "Köln' OR '1'='1", ids: [2, "3"], text, most: 2, x: 1 },
    });
    expect(rows).toEqual([
      [2, ":city", text],
      [3, ":city", text],
    ]);
    const found = await readRows(connector, "SELECT id FROM orders WHERE city = :city", {
      parameters: { city: "KÖLN" },
    });
    expect(found.rows).toEqual([[1]]);
  });
});

describe("only one statement, and only one that reads", () => {
  it.each([
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE orders",
    "SELECT '\\'; SELECT 2",
    "INSERT INTO orders VALUES (9, 'x')",
    "/*!50000 DELETE FROM orders */",
    "SELECT 1 /*! INTO OUTFILE 'x' */",
    "/*M! DELETE FROM orders */ SELECT 1",
    "SET GLOBAL max_connections = 1",
    "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE notes",
    "CALL something()",
    "KILL 1",
    "ANALYZE UPDATE orders SET id = 9",
    "# nothing",
    "SELECT 1 INTO OUTFILE '/tmp/x'",
    "SELECT 1 INTO/**/DUMPFILE '/tmp/x'",
  ])("%j is refused before anything is sent", async (query) => {
    expect(await failure(readRows(connector, query))).toMatchObject({ code: "bad_request" });
  });

  it.each([
    "SELECT write_something()",
    "SELECT write_note()",
    "WITH a AS (SELECT 1) DELETE FROM orders",
    "EXPLAIN DELETE FROM orders; ",
  ])("%j changes nothing", async (query) => {
    await server.query(
      "CREATE FUNCTION IF NOT EXISTS shop.write_something() RETURNS int BEGIN DELETE FROM shop.orders; RETURN 1; END",
    );
    await server.query(
      "CREATE FUNCTION IF NOT EXISTS shop.write_note() RETURNS int BEGIN INSERT INTO shop.notes VALUES (1); RETURN 1; END",
    );
    await readRows(connector, query).catch((error) => expect(error).toMatchObject({ code: "bad_request" }));
    const [counted] = await server.query(
      "SELECT (SELECT count(*) FROM shop.orders) AS orders, (SELECT count(*) FROM shop.notes) AS notes",
    );
    expect(counted).toEqual({ orders: 3, notes: 0 });
  });

  it.each([
    "select 1;",
    "(SELECT 1) ;",
    "-- c\nSELECT 1",
    "SELECT char_length(';')",
    "SELECT char_length('\\'') /* ; */",
    'SELECT char_length(";")',
    "SELECT 1 AS `;`",
    "VALUES (1)",
    "SELECT 2--1-2",
  ])("%j is read", async (query) => {
    expect(Number((await readRows(connector, query)).rows[0]?.[0])).toBe(1);
  });

  it("reads what is not a SELECT, too", async () => {
    expect((await readRows(connector, "SHOW TABLES")).rows.length).toBeGreaterThan(2);
    expect((await readRows(connector, "DESCRIBE orders")).rows).toHaveLength(2);
    expect((await readRows(connector, "SELECT @@session.tx_read_only")).rows).toEqual([["1"]]);
  });

  it("is not fooled by another mode for texts", async () => {
    await server.query("SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES'");
    const query = "SELECT '\\' INTO OUTFILE '/tmp/kenning-written' -- '";
    await readRows(connector, query).catch(() => undefined);
    await server.query("SET GLOBAL sql_mode = DEFAULT");
    expect(existsSync("/tmp/kenning-written")).toBe(false);
  });
});

describe("errors of the query", () => {
  it.each([
    ["SELECT nothing FROM orders", "bad_request", "Unknown column 'nothing'"],
    ["SELECT * FROM nothing", "not_found", "doesn't exist"],
    ["SELECT 1 +", "bad_request", "error in your SQL syntax"],
    ["SELECT * FROM mysql.global_priv", "bad_request", "denied"],
    ["SELECT (SELECT id FROM orders)", "bad_request", "more than 1 row"],
  ])("%s", async (query, code, message) => {
    const error = await failure(readRows(connector, query));
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(error.cause).toBeUndefined();
  });
});

describe("limits", () => {
  const MANY = "SELECT seq, repeat('y', 10) FROM seq_1_to_100000000";

  it("comes in batches and stops at the row limit", async () => {
    const result = await readRows(connector, MANY, { maxRows: 4_500 });
    expect(result).toMatchObject({ truncated: "rows", batches: 5 });
    expect(result.rows.at(-1)).toEqual(["4500", "yyyyyyyyyy"]);
    await vi.waitFor(async () => expect(await server.running()).toEqual([]), 20_000);
  });

  it("stops at the limit of bytes", async () => {
    const result = await readRows(connector, "SELECT repeat('y', 100000) FROM seq_1_to_1000000", {
      maxBytes: 1_000_000,
    });
    expect(result).toMatchObject({ truncated: "bytes" });
    expect(result.rows).toHaveLength(10);
  });

  it("does not read ahead of a reader who takes his time", async () => {
    const before = process.memoryUsage().rss;
    let rows = 0;
    for await (const batch of connector.run(
      "SELECT repeat('y', 10000) FROM seq_1_to_100000",
      LIMITS_OF_TESTS,
    )) {
      rows += "rows" in batch ? batch.rows.length : 0;
      if (rows <= 300) await delay(300);
      if (rows > 5_000) break;
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
    await vi.waitFor(async () => expect(await server.running()).toEqual([]), 20_000);
  });

  it("refuses a row that is too large, without keeping it", async () => {
    const error = await failure(readRows(connector, "SELECT repeat('y', 80000000)"));
    expect(error).toMatchObject({ code: "too_large" });
  });

  it("reads rows that fill a packet of the protocol, and refuses longer ones", async () => {
    const { rows } = await readRows(connector, "SELECT repeat('y', 16000000), 1");
    expect(String(rows[0]?.[0]).length).toBe(16_000_000);
    const longer = readRows(connector, "SELECT repeat('y', 20000000), 1");
    expect(await failure(longer)).toMatchObject({ code: "too_large" });
  });
});

describe("ending", () => {
  it("cancels on the server, too", async () => {
    const controller = new AbortController();
    const running = failure(readRows(connector, "SELECT sleep(60)", { signal: controller.signal }));
    await vi.waitFor(async () => expect(await server.running()).toEqual(["SELECT sleep(60)"]), 20_000);
    controller.abort();
    expect(await running).toMatchObject({ code: "cancelled" });
    await vi.waitFor(async () => expect(await server.running()).toEqual([]), 20_000);
  });

  it("ends a query whose reader stops", async () => {
    for await (const _ of connector.run("SELECT * FROM seq_1_to_100000000", LIMITS_OF_TESTS)) break;
    await vi.waitFor(async () => expect(await server.running()).toEqual([]), 20_000);
  });

  it("keeps the time limit", async () => {
    const error = await failure(readRows(connector, "SELECT sleep(60)", { timeoutMs: 1_000 }));
    expect(error).toMatchObject({ code: "timeout" });
    await vi.waitFor(async () => expect(await server.running()).toEqual([]), 20_000);
  });

  it("keeps it while a reader takes his time", async () => {
    const rows = connector.run("SELECT * FROM seq_1_to_10000000", { ...LIMITS_OF_TESTS, timeoutMs: 500 });
    const read = async () => {
      for await (const _ of rows) await delay(100);
    };
    expect(await failure(read())).toMatchObject({ code: "timeout" });
  });

  it("says so when the server dies half-way", async () => {
    const rows = connector.run("SELECT * FROM seq_1_to_10000000", LIMITS_OF_TESTS)[Symbol.asyncIterator]();
    await rows.next();
    const [process_] = await server.query(
      "SELECT id FROM information_schema.processlist WHERE user = 'reader'",
    );
    await server.query(`KILL CONNECTION ${process_?.id}`);
    const readOn = async () => {
      while (!(await rows.next()).done);
    };
    expect(await failure(readOn())).toMatchObject({ code: "unavailable" });
  });
});

describe("signing in", () => {
  it("says that the password is wrong, and not what it was", async () => {
    for (const password of ["hunter2-secret", ""]) {
      const error = await failure((await open("mysql", { ...server, password })).test());
      expect(error).toMatchObject({ code: "bad_request", message: expect.stringContaining("password") });
      expect(isAppError(error)).toBe(true);
      expect(JSON.stringify([error, error.message, error.stack])).not.toContain("hunter2-secret");
    }
  });

  it("says that there is no such database", async () => {
    const error = await failure((await open("mysql", { ...server, database: "nowhere" })).test());
    expect(error).toMatchObject({ code: "bad_request" });
  });

  it("lists all databases when none is named", async () => {
    const { host, port, user, password } = server;
    const everything = await open(
      "mysql",
      { host, port, user, password, database: "shop" },
      { database: undefined },
    );
    expect(await everything.tables()).toContainEqual({ schema: "shop", name: "orders", kind: "table" });
  });
});

describe("TLS", () => {
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const cipher = async (settings: Record<string, unknown>, host = "secure.test") => {
    const secured = await open("mysql", { ...server, host }, settings, {
      network: testNetwork({ resolve }),
    });
    return (await readRows(secured, "SHOW STATUS LIKE 'Ssl_cipher'")).rows[0]?.[1];
  };

  it("is used when the server can", async () => {
    expect(await cipher({ tls: "prefer" })).toMatch(/TLS_/);
    expect(await cipher({ tls: "require" })).toMatch(/TLS_/);
    expect(await cipher({ tls: "disable" })).toBe("");
  });

  it("gives each connection back", async () => {
    for (let round = 0; round < LIMITS.datasources.connections + 2; round += 1) {
      expect(await cipher({ tls: "require" })).toMatch(/TLS_/);
    }
  });

  it("checks the certificate against the name that was given", async () => {
    expect(await cipher({ tls: "verify-full", ca: TEST_CERT })).toMatch(/TLS_/);
    expect(await failure(cipher({ tls: "verify-full" }))).toMatchObject({ code: "unavailable" });
    expect(await failure(cipher({ tls: "verify-full", ca: TEST_CERT }, "other.test"))).toMatchObject({
      code: "unavailable",
    });
  });
});
