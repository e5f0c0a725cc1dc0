import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics, tableViewOf } from "../../../test/support/analytics.ts";
import { needsRoot } from "../../../test/support/availability.ts";
import { createSandbox, type Sandbox } from "../sandbox/index.ts";
import type { Part } from "./index.ts";
import { LinkedFolder } from "./linked-folder.ts";

/**
 * What SQL can reach when nothing stands before it: neither the guard that lets only SELECTs through, nor the
 * check in the worker. Engines refuse by themselves what is not theirs; that nothing is written even where an
 * engine would allow it (`allowed_paths` allows writing too) is the operating system's work, as root only.
 */
const GID = 65_510;
const READER = process.getuid?.() === 0 ? { uid: GID + 9, gid: GID } : undefined;
let analytics: TestAnalytics;
let part: Part;
let other: Part;
let linked: LinkedFolder;
let file: string;
let secret: string;
let sandbox: Sandbox;
let server: Server;
const connections: string[] = [];

beforeAll(async () => {
  analytics = await openTestAnalytics();
  part = await analytics.rowsToPart({ rows: [{ a: 1 }], key: analytics.key() });
  other = await analytics.rowsToPart({ rows: [{ a: "of another workspace" }], key: analytics.key() });
  secret = join(analytics.home, "secret.csv");
  await writeFile(secret, "a,b\n1,secret\n", { mode: 0o600 });
  server = createServer((socket) => {
    connections.push(String(socket.remoteAddress));
    socket.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  linked = await LinkedFolder.make(join(analytics.home, "tmp"), READER);
  file = await linked.put(part.path, "0.parquet");
  sandbox = openWall();
  await sandbox.call("open", [file]);
});
afterAll(async () => {
  await sandbox.close();
  server.close();
  await analytics.remove();
});

function openWall(): Sandbox {
  return createSandbox({
    name: "wall",
    module: join(import.meta.dirname, "test-worker.ts"),
    tempFolder: join(analytics.home, "tmp"),
    memoryMb: 700,
    requestTimeoutMs: 30_000,
    permissionModel: "off",
    log: { warn: () => undefined },
    user: READER,
  });
}

const run = (sql: string): Promise<unknown> => sandbox.call("run", sql);

describe("SQL without a guard", () => {
  it("reads what it was given", async () => {
    expect(await run(`SELECT a FROM '${file}'`)).toEqual([["1"]]);
  });

  it.each<[string, () => string]>([
    ["another part", () => `SELECT * FROM read_parquet('${other.path}')`],
    ["our files", () => `SELECT * FROM read_csv('${secret}')`],
    ["any file", () => "SELECT * FROM read_text('/etc/passwd')"],
    ["any file as bytes", () => "SELECT * FROM read_blob('/etc/hostname')"],
    ["a folder", () => "SELECT * FROM glob('/etc/*')"],
    ["the linked folder", () => `SELECT * FROM glob('${linked.pathOf("*")}')`],
    ["itself by another way", () => "SELECT * FROM read_text('/proc/self/environ')"],
    ["a database file", () => `ATTACH '${join(analytics.home, "x.db")}'`],
    ["a new database in its own folder", () => "ATTACH 'x.db'"],
    ["an extension", () => "INSTALL httpfs"],
    ["an extension that may be there", () => "LOAD httpfs"],
    ["an extension by its path", () => "LOAD '/tmp/x.duckdb_extension'"],
    [
      "the network",
      () => `SELECT * FROM read_csv('http://127.0.0.1:${(server.address() as AddressInfo).port}/x.csv')`,
    ],
    ["the network with S3", () => "SELECT * FROM 's3://bucket/x.parquet'"],
    ["a file outside by writing", () => `COPY (SELECT 1) TO '${join(analytics.home, "out.csv")}'`],
    ["a file in its own folder by writing", () => "COPY (SELECT 1) TO 'out.csv'"],
    ["a file in /tmp by writing", () => "COPY (SELECT 1) TO '/tmp/kenning-wall.csv'"],
    ["an export", () => `EXPORT DATABASE '${join(analytics.home, "dump")}'`],
    ["an import", () => "IMPORT DATABASE '/tmp'"],
    ["settings: paths", () => "SET allowed_paths = ['/etc/passwd']"],
    ["settings: folders", () => "SET allowed_directories = ['/']"],
    ["settings: access", () => "SET enable_external_access = true"],
    ["settings: memory", () => "SET memory_limit = '100GB'"],
    ["settings: threads", () => "SET threads = 64"],
    ["settings: the lock", () => "SET lock_configuration = false"],
    ["settings: resetting", () => "RESET memory_limit"],
    ["settings: by pragma", () => "PRAGMA memory_limit='100GB'"],
    ["settings: of the log", () => `SET log_query_path = '${join(analytics.home, "log")}'`],
    ["a profile", () => `SET profiling_output = '${join(analytics.home, "profile")}'`],
    ["secrets", () => "CREATE PERSISTENT SECRET s (TYPE s3, KEY_ID 'x', SECRET 'y')"],
    ["a file by COPY", () => "CREATE TABLE x (a VARCHAR); COPY x FROM '/etc/passwd'"],
    ["a file by its name alone", () => `SELECT * FROM '${secret}'`],
    ["a file by a query in a text", () => `FROM query('FROM read_csv(''${secret}'')')`],
    ["a file by a macro", () => `CREATE MACRO m() AS TABLE FROM read_csv('${secret}'); FROM m()`],
    ["a file's metadata", () => `SELECT * FROM parquet_metadata('${other.path}')`],
    ["a file by sniffing", () => `FROM sniff_csv('${secret}')`],
    ["a database by reading", () => `FROM read_duckdb('${join(analytics.home, "x.db")}')`],
    ["the environment", () => "SELECT getenv('PATH')"],
    ["the process's memory", () => "SELECT * FROM read_blob('/proc/self/mem')"],
    ["the process's open files", () => "SELECT * FROM glob('/proc/self/fd/*')"],
    ["a way around by a link", () => `SELECT * FROM read_text('${file}/../../secret.csv')`],
    ["a way around by a folder", () => `SELECT * FROM read_parquet('${linked.pathOf("")}../../blobs/**')`],
    ["a profile by pragma", () => `PRAGMA profile_output='${join(analytics.home, "profile")}'`],
    ["a secret's place", () => "SET secret_directory = '/tmp'"],
    ["another home", () => "SET home_directory = '/root'"],
    ["other files to spill to", () => "SET temp_directory = '/tmp'"],
    ["a proxy", () => "SET http_proxy = 'http://127.0.0.1:1'"],
    ["the network with a database", () => "ATTACH 'https://example.com/x.db'"],
    ["a PostgreSQL", () => "ATTACH 'host=127.0.0.1' AS pg (TYPE postgres)"],
    ["extensions from elsewhere", () => "INSTALL spatial FROM 'http://127.0.0.1:1'"],
  ])("does not reach %s", async (_, sql) => {
    expect(await run(sql())).toMatch(/^failed: /);
  });

  it("left no trace", async () => {
    expect(connections).toEqual([]);
    expect((await readdir(analytics.home)).sort()).toEqual(["blobs", "secret.csv", "tmp"]);
  });

  it("writes no log where it must not, though the engine's lock does not keep it from logging", async (context) => {
    needsRoot(context);
    const wall = openWall();
    try {
      await wall.call("open", [file]);
      for (const folder of [analytics.home, join(analytics.home, "blobs"), "/root", "/etc"]) {
        const sql = `CALL enable_logging(storage := 'file', storage_path := '${folder}')`;
        // Some end the process: a log that cannot be written is not an error of the statement.
        await wall.call("run", sql).catch(() => undefined);
        await wall.call("run", "SELECT 1").catch(() => wall.call("open", [file]));
      }
      expect((await readdir(analytics.home)).sort()).toEqual(["blobs", "secret.csv", "tmp"]);
      for (const folder of [join(analytics.home, "blobs"), "/root", "/etc"]) {
        expect((await readdir(folder)).filter((name) => /duckdb_log/.test(name))).toEqual([]);
      }
    } finally {
      await wall.close();
    }
  });

  it("cannot change or remove a part, not even the one that it reads", async (context) => {
    needsRoot(context);
    const before = await readFile(part.path);
    for (const sql of [
      `COPY (SELECT 2 AS a) TO '${file}' (FORMAT parquet)`,
      `COPY (SELECT 2 AS a) TO '${file}' (FORMAT parquet, USE_TMP_FILE false)`,
      `COPY (SELECT 2 AS a) TO '${part.path}' (FORMAT parquet, USE_TMP_FILE false)`,
      `COPY (SELECT 2 AS a) TO '${file}' (FORMAT csv, USE_TMP_FILE false)`,
    ]) {
      expect(await run(sql), sql).toMatch(/^failed: /);
    }
    expect((await readFile(part.path)).equals(before)).toBe(true);
  });
});

describe("the check in the worker", () => {
  it.each<[string, string, RegExp]>([
    [
      "SELECT * FROM enable_logging(storage := 'file', storage_path := '/tmp/kenning-wall')",
      "forbidden",
      /enable_logging/,
    ],
    ["SELECT * FROM read_parquet('x.parquet')", "forbidden", /read_parquet/],
    ["SELECT 1 WHERE EXISTS (FROM system.main.duckdb_views())", "forbidden", /duckdb_views/],
    ["FROM query('SELECT 1')", "forbidden", /query/],
    ["FROM query_table('t')", "forbidden", /query_table/],
    ["SELECT * FROM information_schema.views", "forbidden", /views/],
    ["SELECT * FROM system.main.t", "forbidden", /schema/],
    ["SELECT * FROM sqlite_master", "bad_request", /no dataset "sqlite_master"/],
    ["SELECT * FROM pg_views", "bad_request", /no dataset/],
    ["SELECT * FROM 'x.parquet'", "bad_request", /no dataset/],
    [
      'SELECT * FROM "../x.parquet", (WITH "../x.parquet" AS (SELECT 1) SELECT 2)',
      "bad_request",
      /no dataset/,
    ],
    ["SELECT (SELECT count(*) FROM nope)", "bad_request", /no dataset "nope"/],
    [
      "SELECT * FROM duckdb_views, (WITH duckdb_views AS (SELECT 1) SELECT 2)",
      "bad_request",
      /no dataset "duckdb_views"/,
    ],
    ["SHOW TABLES", "bad_request", /no dataset/],
    ["SELECT * FROM (SHOW ALL TABLES)", "bad_request", /no dataset/],
    ["DESCRIBE duckdb_views", "bad_request", /no dataset/],
    ["SELECT stats(a) FROM t", "forbidden", /stats/],
    ["SELECT current_setting('allowed_paths')", "forbidden", /current_setting/],
    ["SELECT 1\u0000 FROM nope", "bad_request", /NUL/],
    ["COPY t TO '/tmp/kenning-wall.csv'", "forbidden", /Only SELECT/],
    ["SET threads = 1", "forbidden", /Only SELECT/],
    ["ATTACH ':memory:' AS x", "forbidden", /Only SELECT/],
    ["INSTALL httpfs", "forbidden", /Only SELECT/],
    ["LOAD httpfs", "forbidden", /Only SELECT/],
    ["PRAGMA database_list", "forbidden", /Only SELECT/],
    ["CALL enable_logging()", "forbidden", /Only SELECT/],
    ["WITH x AS (SELECT 1) DELETE FROM t", "forbidden", /Only SELECT/],
  ])("refuses %s", async (sql, code, message) => {
    const query = analytics.query({ scope: "w", tableViews: [tableViewOf("t", part)], sql });
    await expect(query).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it.each([
    "WITH x AS (SELECT a FROM t), Y AS (FROM x) SELECT count(*) FROM y",
    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT count(*) - 2 FROM r",
    "SELECT count(*) FROM T, range(1), unnest([1])",
    "SELECT count(*) FROM (DESCRIBE t)",
    "SELECT count(*) FROM (PIVOT t ON a IN (1) USING count(*))",
  ])("lets %s through", async (sql) => {
    const { rows } = await analytics.query({ scope: "w", tableViews: [tableViewOf("t", part)], sql });
    expect(rows).toEqual([[1]]);
  });
});

describe("the process itself, if SQL broke out of the engine", () => {
  it("reads the parts that it was given, and no others", async (context) => {
    needsRoot(context);
    expect(await sandbox.call("read", file)).toMatch(/^\d+$/);
    expect(await sandbox.call("read", part.path)).toBe("failed: EACCES");
    expect(await sandbox.call("read", other.path)).toBe("failed: EACCES");
    expect(await sandbox.call("read", secret)).toBe("failed: EACCES");
    expect(await sandbox.call("read", `/proc/${process.pid}/environ`)).toBe("failed: EACCES");
  });

  it("writes nothing that is ours", async (context) => {
    needsRoot(context);
    for (const path of [file, part.path, linked.pathOf("new"), "../new", join(analytics.home, "new")]) {
      expect(await sandbox.call("write", path), path).toMatch(/^failed: E(?:ACCES|PERM)/);
    }
  });
});

describe("describe()", () => {
  it("says which walls there are on this machine", async () => {
    const { query, load, duckdb } = await analytics.describe();
    const isRoot = process.getuid?.() === 0;
    expect(query.otherUser).toEqual(isRoot ? { uid: GID + 1, gid: GID } : undefined);
    expect(load.otherUser).toEqual(isRoot ? { uid: 65_500, gid: GID } : undefined);
    expect(duckdb).toMatch(/^v1\./);
  });

  it("nothing is readable for everybody, and parts only for the engines' group", async (context) => {
    needsRoot(context);
    const tableView = tableViewOf("t", part);
    await analytics.query({ scope: "w", tableViews: [tableView], sql: "SELECT * FROM t" });
    const { stat } = await import("node:fs/promises");
    const { mode, uid, gid } = await stat(part.path);
    expect({ mode: mode & 0o777, uid, gid }).toEqual({ mode: 0o640, uid: 0, gid: GID });
  });
});
