import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { makeQuery } from "../../../../test/support/datasources.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";
import { tempEntries } from "../../../../test/support/temp-entries.ts";
import { LIMITS } from "../../../platform/analytics/limits.ts";

/** Sources that are no database servers: their columns have no types of their own, or are found out. */

const CSV = 'id;name;price;day\n1;ü;1,50;01.02.2026\n2;"a""b";2,00;03.02.2026\n3;;;\n';
let server: TestServer;
let token: string;
let web: Server;
let base: string;
const seen: string[] = [];
const folder = mkdtempSync(join(tmpdir(), "kenning-files-"));

beforeAll(async () => {
  web = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization ?? "-"}`);
    if (request.url?.startsWith("/a.csv")) {
      response.writeHead(200, { "content-type": "text/csv" }).end(CSV);
      return;
    }
    if (request.url?.startsWith("/latin.csv")) {
      response.end(Buffer.from("Größe;Preis\n1.234,5;2,50\n10;3,25\n", "latin1"));
      return;
    }
    if (request.url === "/nothing") {
      response.writeHead(404).end();
      return;
    }
    if (request.url?.startsWith("/header.csv")) {
      response.end("a,b\n");
      return;
    }
    if (request.url?.startsWith("/long.csv")) {
      const long = "x".repeat(LIMITS.analytics.rowBytes + 1);
      response.writeHead(200, { "content-type": "text/csv" }).end(`id,text\n1,a\n2,${long}\n3,c\n`);
      return;
    }
    const page = Number(new URL(request.url ?? "", "http://x").searchParams.get("page"));
    const rows =
      page === 1
        ? [{ id: 1, tags: ["a"], at: "2026-01-01T00:00:00Z" }]
        : page === 2
          ? [{ id: 2.5, more: { x: 1 } }]
          : [];
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ items: rows }));
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  server = await startTestServer({
    env: { KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1", KENNING_FILE_FOLDERS: folder },
  });
  token = await server.token({ role: "contributor" });
});
afterAll(async () => {
  await server.stop();
  web.close();
  rmSync(folder, { recursive: true, force: true });
});

async function source(name: string, args: object): Promise<number> {
  const wish = { name, connection_test: "skip", ...args };
  return (await resultOf<{ datasource_id: number }>(server, token, "create_datasource", wish)).datasource_id;
}

async function rowsOf(name: string, datasource_id: number, query: string) {
  const made = await makeQuery(server, token, { name, datasource_id, query });
  expect(made.run).toMatchObject({ status: "succeeded", error: null });
  return resultOf<{ rows: unknown[]; columns: { name: string; type: string }[] }>(server, token, "get_data", {
    dataset_id: made.dataset_id,
  });
}

describe("a query on a web service or a file", () => {
  it("reads all pages of a REST API, with types as in push_data", async () => {
    const settings = { paging: { kind: "page" }, resultPath: "items" };
    const id = await source("API", { type: "rest", host: base, token: "tok-12345678", settings });
    const { rows, columns } = await rowsOf("Items", id, "/items");
    expect(columns.map(({ name }) => name)).toEqual(["id", "tags", "at", "more"]);
    expect(columns[0]?.type).toBe("DOUBLE");
    expect(columns[2]?.type).toBe("TIMESTAMP WITH TIME ZONE");
    expect(rows).toMatchObject([
      { id: 1, tags: ["a"], more: null },
      { id: 2.5, more: { x: 1 } },
    ]);
    expect(seen.at(0)).toBe("/items?page=1 Bearer tok-12345678");
  });

  it("takes an API that has nothing at its root, and says so", async () => {
    const args = { name: "Rootless", type: "rest", host: `${base}/nothing`, connection_test: "require" };
    const made = await resultOf<{ connection: object }>(server, token, "create_datasource", args);
    const message = expect.stringContaining("was reached, and answers with status 404 at /nothing.");
    expect(made.connection).toEqual({ ok: true, message });
  });

  it("takes a statement for C9QL on the rows that the URL gives, and never for a path", async () => {
    const settings = { paging: { kind: "page" }, resultPath: "items" };
    const id = await source("Stated", { type: "rest", host: `${base}/stated`, settings });
    const before = seen.length;
    expect((await rowsOf("Large", id, "select id, id * 2 as twice where id > 1")).rows).toEqual([
      { id: 2.5, twice: 5 },
    ]);
    expect(seen.slice(before).every((url) => url.startsWith("/stated?page="))).toBe(true);
    const chained = { name: "Chained", datasource_id: id, query: "select id;", c9ql: "select max(id) as m" };
    const made = await makeQuery(server, token, chained);
    expect(made.message).toContain("taken for C9QL");
    const { rows } = await resultOf<{ rows: unknown[] }>(server, token, "get_data", {
      dataset_id: made.dataset_id,
    });
    expect(rows).toEqual([{ m: 2.5 }]);
    const csv = await source("Stated CSV", { type: "csv", host: `${base}/a.csv` });
    expect((await rowsOf("Dear", csv, "SELECT name WHERE price > 1.6")).rows).toEqual([{ name: 'a"b' }]);
    const refused = (query: string) => makeQuery(server, token, { name: "No", datasource_id: id, query });
    await expect(refused("SELECT * FROM items")).rejects.toThrow(/C9QL has no from/);
    const asked = seen.length;
    for (const query of [
      "DELETE FROM items",
      "db.items.find({ a: 1 })",
      "{ items { id } }",
      '{"path": "/a b"}',
    ])
      await expect(refused(query)).rejects.toThrow(/is a path below its URL.*orders\?status=open/s);
    expect(seen).toHaveLength(asked);
    expect((await rowsOf("Blank", id, "?q=a b")).rows).toHaveLength(2);
  });

  it("says how many rows could not be read", async () => {
    const id = await source("Long", { type: "csv", host: `${base}/long.csv` });
    const made = await makeQuery(server, token, { name: "Long", datasource_id: id, query: "" });
    expect(made.run).toMatchObject({ status: "succeeded", rows: 2, rejected_rows: 1 });
    expect(made.message).toContain("1 row could not be read and is left out.");
  });

  it("finds out the types of a CSV file as an import does", async () => {
    const id = await source("CSV", { type: "csv", host: `${base}/a.csv` });
    const { rows, columns } = await rowsOf("Prices", id, "");
    expect(columns.map(({ name }) => name)).toEqual(["id", "name", "price", "day"]);
    expect(columns.map(({ type }) => type)).toEqual(["BIGINT", "VARCHAR", "DOUBLE", "DATE"]);
    expect(rows).toEqual([
      { id: 1, name: "ü", price: 1.5, day: "2026-02-01" },
      { id: 2, name: 'a"b', price: 2, day: "2026-02-03" },
      { id: 3, name: null, price: null, day: null },
    ]);
    const fileUrl = `${base}/a.csv`;
    const args = { dataset_name: "Imported", file_url: fileUrl };
    const { dataset_id } = await resultOf<{ dataset_id: number }>(server, token, "import_file", args);
    const imported = await resultOf<{ rows: unknown[] }>(server, token, "get_data", { dataset_id });
    expect(imported.rows).toEqual(rows);
  });

  it("finds out the encoding of a CSV file", async () => {
    const id = await source("Latin", { type: "csv", host: `${base}/latin.csv` });
    const { rows } = await rowsOf("Sizes", id, "");
    expect(rows).toEqual([
      { Größe: 1234.5, Preis: 2.5 },
      { Größe: 10, Preis: 3.25 },
    ]);
  });

  it("reads a CSV file with nothing but a header, also from a REST API", async () => {
    const id = await source("Header", { type: "csv", host: `${base}/header.csv` });
    const empty = await rowsOf("Nothing", id, "");
    expect(empty).toMatchObject({ rows: [], columns: [{ name: "a" }, { name: "b" }] });
    const rest = await source("Rest", { type: "rest", host: base, settings: { format: "csv" } });
    expect((await rowsOf("Rested", rest, "/latin.csv")).rows).toHaveLength(2);
  });

  it("reads an SQLite file in an allowed folder, and no other", async () => {
    const path = join(folder, "shop.sqlite");
    const file = new DatabaseSync(path);
    file.exec("CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, NULL)");
    file.close();
    // A process of another user reads it.
    chmodSync(folder, 0o755);
    chmodSync(path, 0o644);
    const { rows } = await rowsOf(
      "Lite",
      await source("Lite", { type: "sqlite", database: path }),
      "SELECT * FROM t",
    );
    expect(rows).toEqual([
      { a: 1, b: "x" },
      { a: 2, b: null },
    ]);
    const elsewhere = join(tmpdir(), `kenning-elsewhere-${process.pid}.sqlite`);
    writeFileSync(elsewhere, "");
    const made = await resultOf<{ connection: { ok: boolean } }>(server, token, "create_datasource", {
      name: "Elsewhere",
      type: "sqlite",
      database: elsewhere,
    });
    rmSync(elsewhere);
    expect(made.connection.ok).toBe(false);
  });

  it("leaves no temporary files", async () => {
    const homes = readdirSync(tmpdir()).filter((name) => name.startsWith("kenning-server-"));
    const left = () =>
      homes.flatMap((home) => {
        try {
          return tempEntries(join(tmpdir(), home, "runs"));
        } catch {
          return [];
        }
      });
    await expect.poll(left).toEqual([]);
  });
});
