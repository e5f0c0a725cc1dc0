import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { needsRoot } from "../../../../../test/support/availability.ts";
import {
  castByDuckdb,
  failure,
  LIMITS_OF_TESTS,
  named,
  openOptions,
  readRows,
} from "../../../../../test/support/connectors.ts";
import { tempEntries } from "../../../../../test/support/temp-entries.ts";
import { ANY_TYPE, type Connector, openConnector } from "../index.ts";

const root = mkdtempSync(join(tmpdir(), "kenning-files-"));
const folder = join(root, "allowed");
afterAll(() => rmSync(root, { recursive: true, force: true }));

const open = (type: string, path: string, folders = [folder]): Promise<Connector> =>
  openConnector(type, { path }, {}, { ...openOptions, fileFolders: folders });

beforeAll(async () => {
  mkdirSync(folder);
  // The sandboxed process is another user.
  for (const path of [root, folder]) chmodSync(path, 0o755);
  makeSqlite(join(folder, "shop.db"));
  await makeDuckdb(join(folder, "shop.duckdb"));
});

function makeSqlite(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE orders (id INTEGER PRIMARY KEY, city TEXT, total REAL, day DATE, raw BLOB, big BIGINT);
    INSERT INTO orders VALUES (1, 'Köln', 1.5, '2024-02-29', x'00ff', 9223372036854775807), (2, NULL, 9e999, NULL, 'text', 5);
    CREATE VIEW cities AS SELECT city FROM orders; CREATE TABLE "odd ""; DROP TABLE orders; --" (x)`);
  database.close();
}

async function makeDuckdb(path: string): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'Asia/Kolkata'");
  await connection.run(
    "CREATE TABLE orders AS SELECT 1 AS id, 'Köln' AS city UNION ALL SELECT 2, NULL ORDER BY id",
  );
  await connection.run("CREATE VIEW cities AS SELECT city FROM orders");
  await connection.run(`CREATE TABLE "odd ""; DROP TABLE orders; --" (x int)`);
  await connection.run(`CREATE TABLE kinds AS SELECT 170141183460469231731687303715884105727::hugeint AS huge,
    1.5::decimal(10,2) AS exact, [1, NULL] AS list, {'a': 1, 'b': ['x']} AS record, map{'k': 1} AS map, '\\x00\\xFF'::blob AS bytes,
    timestamptz '2024-02-29 23:59:59+05:30' AS zoned, timestamp '2024-02-29 23:59:59.123456' AS stamp,
    timestamp_ns '2024-02-29 23:59:59.123456789' AS nano, date '0044-03-15 (BC)' AS ides, interval '14 months 3 days' AS span,
    '101'::bit AS bits, '{"a": [1]}'::json AS doc, 'nan'::double AS nan, 18446744073709551615::ubigint AS ularge,
    'b'::enum('a', 'b') AS choice, uuid '00112233-4455-6677-8899-aabbccddeeff' AS id, time '12:30:00' AS noon, NULL AS nothing`);
  connection.closeSync();
  instance.closeSync();
}

describe.each(["sqlite", "duckdb"])("%s", (type) => {
  const path = join(folder, type === "sqlite" ? "shop.db" : "shop.duckdb");
  const schema = type === "sqlite" ? {} : { schema: "main" };

  it("says what it is, and lists and describes tables", async () => {
    const connector = await open(type, path);
    expect(await connector.test()).toMatchObject({
      ok: true,
      serverVersion: expect.stringMatching(/SQLite 3|DuckDB v1/),
    });
    const tables = await connector.tables();
    expect(tables).toContainEqual({ ...schema, name: "orders", kind: "table" });
    expect(tables).toContainEqual({ ...schema, name: "cities", kind: "view" });
    const odd = { ...schema, name: 'odd "; DROP TABLE orders; --' };
    expect(tables).toContainEqual({ ...odd, kind: "table" });
    expect((await connector.columns(odd)).map(({ name }) => name)).toEqual(["x"]);
    expect(await failure(connector.columns({ name: 'orders"; DROP TABLE orders; --' }))).toMatchObject({
      code: "not_found",
    });
  });

  it("reads with parameters", async () => {
    const connector = await open(type, path);
    const { rows } = await readRows(
      connector,
      "SELECT id, ':city' AS t FROM orders WHERE city = :city OR id IN (:ids)",
      {
        parameters: { city: "Köln' OR 1=1 --", ids: [2, 7] },
      },
    );
    expect(rows).toEqual([[2, ":city"]]);
    expect(await failure(readRows(connector, "SELECT id FROM orders WHERE id = :id"))).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("the parameter id, which has no value"),
    });
  });

  it("stops at its limits", async () => {
    const connector = await open(type, path);
    const many =
      type === "sqlite"
        ? "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, 'yyyyyyyyyy' FROM n"
        : "SELECT range AS x, 'yyyyyyyyyy' FROM range(1, 100000000)";
    const byRows = await readRows(connector, many, { maxRows: 2_500 });
    expect(byRows).toMatchObject({ truncated: "rows", batches: 3 });
    expect(byRows.rows).toHaveLength(2_500);
    const byBytes = await readRows(connector, many, { maxBytes: 18_000 });
    expect(byBytes.truncated).toBe("bytes");
    expect(byBytes.rows.length).toBeGreaterThan(900);
    expect(byBytes.rows.length).toBeLessThan(1_500);
    const exact = await readRows(connector, "SELECT id FROM orders", { maxRows: 2 });
    expect(exact.truncated).toBeUndefined();
  });

  it("stops in time, and when it is cancelled", async () => {
    const connector = await open(type, path);
    const endless =
      type === "sqlite"
        ? "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
        : "SELECT count(*) FROM range(100000) a, range(100000) b, range(100000) c WHERE a.range + b.range = c.range * 3";
    const started = performance.now();
    expect(await failure(readRows(connector, endless, { timeoutMs: 700 }))).toMatchObject({
      code: "timeout",
    });
    const signal = AbortSignal.timeout(500);
    expect(await failure(readRows(connector, endless, { signal }))).toMatchObject({ code: "timeout" });
    expect(performance.now() - started).toBeLessThan(40_000);
  });

  it.each([
    "INSERT INTO orders (id) VALUES (9)",
    "ATTACH '/tmp/other' AS other",
    "SELECT 1; DELETE FROM orders",
    "PRAGMA table_info('orders')",
    "COPY orders TO '/tmp/out.csv'",
    "INSTALL httpfs",
    "SET threads = 1",
    "VACUUM INTO '/tmp/out'",
    "WITH a AS (SELECT 1) INSERT INTO orders (id) SELECT 9",
  ])("refuses %j", async (query) => {
    expect(await failure(readRows(await open(type, path), query))).toMatchObject({ code: "bad_request" });
  });

  it("reads no other file", async () => {
    const connector = await open(type, path);
    const queries =
      type === "sqlite"
        ? [
            "SELECT readfile('/etc/hostname')",
            "SELECT load_extension('/lib/x.so')",
            "SELECT * FROM pragma_database_list",
          ]
        : [
            "SELECT * FROM read_csv('/etc/hostname')",
            "SELECT * FROM '/etc/hostname'",
            "SELECT * FROM glob('/etc/*')",
            "FROM read_text('/etc/hostname')",
          ];
    for (const query of queries) {
      expect(await failure(readRows(connector, query))).toMatchObject({
        code: expect.stringMatching(/bad_request|not_found/),
      });
    }
  });

  it("opens nothing but files in allowed folders", async () => {
    const outside = join(root, "outside.db");
    writeFileSync(outside, "");
    rmSync(join(folder, `${type}-link.db`), { force: true });
    symlinkSync(outside, join(folder, `${type}-link.db`));
    expect(await failure((await open(type, path, [])).test())).toMatchObject({
      code: "forbidden",
      hint: expect.stringContaining("operator"),
    });
    for (const other of [
      outside,
      join(folder, "..", "outside.db"),
      join(folder, `${type}-link.db`),
      join(folder, "missing.db"),
      folder,
      `${folder}-else/x.db`,
      "/etc/passwd",
    ]) {
      expect(await failure((await open(type, other)).test())).toMatchObject({ code: "not_found" });
    }
    expect(await failure((await open(type, "shop.db")).test())).toMatchObject({ code: "bad_request" });
  });

  it("reads no other file that takes the place of the one that was checked", async () => {
    const allowed = join(root, `${type}-swapped`);
    mkdirSync(allowed);
    chmodSync(allowed, 0o755);
    const [file, secret, link] = [
      join(allowed, "shop"),
      join(root, `${type}-secret`),
      join(root, `${type}-link`),
    ];
    if (type === "sqlite") {
      makeSqlite(file);
      new DatabaseSync(secret).exec("CREATE TABLE hush AS SELECT 'psst' AS word");
    } else {
      await makeDuckdb(file);
      const instance = await DuckDBInstance.create(secret);
      await (await instance.connect()).run("CREATE TABLE hush AS SELECT 'psst' AS word");
      instance.closeSync();
    }
    const connector = await open(type, file, [allowed]);
    symlinkSync(secret, link);
    const reading = failure(readRows(connector, "SELECT word FROM hush"));
    // By now the path was checked, and the process that opens it is still starting.
    await sleep(60);
    renameSync(link, file);
    expect(await reading).toMatchObject({ code: expect.stringMatching(/not_found|bad_request|unavailable/) });
  });

  it("refuses what is not a database", async () => {
    const broken = join(folder, `${type}-broken`);
    writeFileSync(broken, "This is a text, and it is long enough to look like something.".repeat(200));
    expect(await failure((await open(type, broken)).test())).toMatchObject({ code: "bad_request" });
  });

  it("says so when the sandboxed process may not read the file", async (context) => {
    needsRoot(context);
    const hidden = join(folder, `${type}-hidden`);
    if (type === "sqlite") makeSqlite(hidden);
    else await makeDuckdb(hidden);
    chmodSync(hidden, 0o600);
    expect(await failure((await open(type, hidden)).test())).toMatchObject({
      code: "unavailable",
      hint: expect.stringContaining("everybody"),
    });
  });

  it("leaves no process and no folder behind", async () => {
    const connector = await open(type, path);
    for await (const _ of connector.run("SELECT * FROM orders", LIMITS_OF_TESTS)) break;
    await vi.waitFor(() => expect(tempEntries(openOptions.sandboxFolder)).toEqual([]), 20_000);
  });
});

describe("values of SQLite", () => {
  it("come as they are, and as what is promised", async () => {
    const result = await readRows(
      await open("sqlite3", join(folder, "shop.db")),
      "SELECT *, 1 + 1 AS two, id FROM orders",
    );
    expect(named(result)).toEqual([
      {
        id: 1,
        city: "Köln",
        total: 1.5,
        day: "2024-02-29",
        raw: "AP8=",
        big: "9223372036854775807",
        two: 2,
        id_2: 1,
      },
      { id: 2, city: null, total: "Infinity", day: null, raw: "dGV4dA==", big: 5, two: 2, id_2: 2 },
    ]);
    expect(result.columns.map(({ type }) => type)).toEqual([
      ...[ANY_TYPE, "VARCHAR", ANY_TYPE, ANY_TYPE, "BLOB", ANY_TYPE, ANY_TYPE, ANY_TYPE],
    ]);
  });

  it("can be read from a database in WAL mode, in use or not", async () => {
    const path = join(folder, "wal.db");
    const database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)");
    const connector = await open("sqlite", path);
    expect((await readRows(connector, "SELECT x FROM t")).rows).toEqual([[1]]);
    database.close();
    expect((await readRows(connector, "SELECT x FROM t")).rows).toEqual([[1]]);
  });
});

describe("values of DuckDB", () => {
  it("come as JSON values, and can be cast back", async () => {
    const result = await readRows(await open("duckdb", join(folder, "shop.duckdb")), "SELECT * FROM kinds");
    expect(named(result)).toEqual([
      {
        ...{ huge: "170141183460469231731687303715884105727", exact: "1.50", list: [1, null] },
        ...{ record: { a: 1, b: ["x"] }, map: [{ key: "k", value: 1 }], bytes: "AP8=" },
        ...{
          zoned: "2024-02-29T18:29:59Z",
          stamp: "2024-02-29T23:59:59.123456",
          nano: "2024-02-29T23:59:59.123456789",
        },
        ...{
          ides: "0044-03-15 (BC)",
          span: "1 year 2 months 3 days",
          bits: "101",
          doc: { a: [1] },
          nan: "NaN",
        },
        ...{
          ularge: "18446744073709551615",
          choice: "b",
          id: "00112233-4455-6677-8899-aabbccddeeff",
          noon: "12:30:00",
        },
        nothing: null,
      },
    ]);
    expect((await castByDuckdb(result))[0]).toMatchObject({
      zoned: "2024-02-29 18:29:59+00",
      bytes: "\\x00\\xFF",
    });
  });

  it("are not read while another program writes to the file", async () => {
    const path = join(folder, "shop.duckdb");
    const code = `const { DuckDBInstance } = require("@duckdb/node-api"); DuckDBInstance.create(${JSON.stringify(path)})
      .then((instance) => instance.connect()).then(() => { console.log("open"); setTimeout(() => {}, 60000); });`;
    const writer = spawn(process.execPath, ["-e", code], {
      stdio: ["ignore", "pipe", "inherit"],
      cwd: import.meta.dirname,
    });
    await new Promise((resolve) => writer.stdout.once("data", resolve));
    const error = await failure((await open("duckdb", path)).test());
    writer.kill("SIGKILL");
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("locked") });
  });
});
