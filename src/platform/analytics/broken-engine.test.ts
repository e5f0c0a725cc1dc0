import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics, tableViewOf } from "../../../test/support/analytics.ts";
import { LastingEngine, openEngine, withConnection } from "./engine/engine.ts";

/** The engine's own words, and anything of the first one that broke it. */
const INSIDES = /INTERNAL|FATAL|Stack Trace|invalidated|libduckdb|Variant column/;
const CSV = Buffer.from(`a,b\n${Array.from({ length: 5_000 }, (_, n) => `${n},text ${n}`).join("\n")}\n`);

let analytics: TestAnalytics;
let poison: string;
beforeAll(async () => {
  analytics = await openTestAnalytics({ threads: 2, workers: 1 });
  poison = join(analytics.home, "poison.parquet");
  await makePoison(poison);
});
afterAll(() => analytics.remove());

async function writeParquet(select: string, path: string): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:");
  await withConnection(instance, (connection) =>
    connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`),
  );
  instance.closeSync();
}

/** A VARIANT whose second column has another name: reading one row of it invalidates an engine of DuckDB 1.5. */
async function makePoison(path: string): Promise<void> {
  await writeParquet("SELECT 1 AS id, {'a': 'x'}::VARIANT AS v", path);
  const bytes = await readFile(path);
  const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  bytes.write("walue", bytes.indexOf("value", footer));
  await writeFile(path, bytes);
}

function readPoison(): Promise<unknown> {
  const source = { path: poison };
  return analytics.convert({ source, format: "parquet", key: analytics.key(), scope: "attacker" });
}

/** Refused with an id, under which the log has what the caller does not hear. */
async function expectIncident(work: Promise<unknown>, code: string): Promise<void> {
  const error = await work.then(
    () => undefined,
    (reason: { message: string; hint: string; data: { incident: string } }) => reason,
  );
  expect(error).toMatchObject({ name: "AppError", code, data: { incident: expect.any(String) } });
  expect(`${error?.message} ${error?.hint}`).not.toMatch(INSIDES);
  expect(analytics.logged).toContainEqual(
    expect.objectContaining({
      message: "an engine failed",
      incident: error?.data.incident,
      detail: expect.stringMatching(/^INTERNAL Error: .*Variant column/),
    }),
  );
}

describe("what breaks an engine", () => {
  it("as a file is refused, while pushes, imports, merges and exports of others go on", async () => {
    const { key } = analytics;
    const part = await analytics.rowsToPart({ rows: [{ a: 1 }], key: key() });
    const { columns, path } = part;
    for (let round = 0; round < 3; round += 1) {
      const refused = expectIncident(readPoison(), "bad_request");
      const others = await Promise.all([
        analytics.convert({ source: { bytes: CSV }, format: "csv", key: key(), scope: "b" }),
        analytics.rowsToPart({ rows: [{ a: 1 }, { a: 2 }], key: key(), scope: "c" }),
        analytics.mergeParts({ parts: [path, path], columns, key: key(), isPortable: true, scope: "d" }),
      ]);
      expect(others.map(({ rows }) => rows)).toEqual([5_000, 2, 2]);
      await refused;
    }
    await analytics.probe("load");
  });

  it("as a part is told so, and the next merge is made", async () => {
    const columns = [{ name: "id", type: "INTEGER" }];
    const bad = {
      parts: [poison],
      columns: [...columns, { name: "v", type: "VARIANT" }],
      key: analytics.key(),
    };
    await expectIncident(analytics.mergeParts(bad), "internal");
    const { path } = await analytics.rowsToPart({ rows: [{ id: 1 }], columns, key: analytics.key() });
    expect(await analytics.mergeParts({ parts: [path], columns, key: analytics.key() })).toMatchObject({
      rows: 1,
    });
  });

  it("as a query fails alone: others of the same engine run again", async () => {
    const good = tableViewOf("good", await analytics.rowsToPart({ rows: [{ a: 1 }], key: analytics.key() }));
    const bad = { name: "bad", parts: [poison], columns: [{ name: "v", type: "VARIANT" }], version: "1" };
    const query = (sql: string) => analytics.query({ scope: "w", tableViews: [good, bad], sql });
    const counting = "SELECT count(*) FROM good, range(3000000) r(i) WHERE hash(i) % 7 < 9";
    expect(await query(counting)).toMatchObject({ rows: [[3_000_000]] });
    const neighbours = Array.from({ length: 5 }, () => query(counting));
    await expectIncident(query("SELECT v::VARCHAR FROM bad"), "internal");
    for (const { rows } of await Promise.all(neighbours)) expect(rows).toEqual([[3_000_000]]);
    expect(await query("SELECT a FROM good")).toMatchObject({ rows: [[1]] });
    await analytics.probe("query");
  });
});

describe("a Parquet file", () => {
  it("that is damaged is refused with what is wrong with it", async () => {
    const whole = await readFile(poison);
    const cut = Buffer.concat([whole.subarray(0, whole.length - 40), Buffer.from("PAR1")]);
    for (const bytes of [cut, whole.subarray(0, -4), whole.subarray(0, 9)]) {
      const reading = analytics.convert({ source: { bytes }, format: "parquet", key: analytics.key() });
      await expect(reading).rejects.toMatchObject({
        code: "bad_request",
        message: expect.stringMatching(/^The file cannot be read as PARQUET\. (?!.* Error: )/),
        hint: expect.stringContaining("damaged"),
        data: {},
      });
    }
  });

  it("may have shapes in a coordinate system", async () => {
    const path = join(analytics.home, "shapes.parquet");
    await writeParquet("SELECT 'POINT (1 2)'::GEOMETRY('OGC:CRS84') AS place", path);
    const read = await analytics.convert({ source: { path }, format: "parquet", key: analytics.key() });
    expect(read).toMatchObject({ rows: 1, columns: [{ name: "place", type: "VARCHAR" }] });
    const tableViews = [tableViewOf("t", read.part)];
    expect(await analytics.query({ scope: "w", tableViews, sql: "SELECT place FROM t" })).toMatchObject({
      rows: [["POINT (1 2)"]],
    });
  });
});

describe("an engine that is shared", () => {
  it("is opened anew when it broke, and what broke with it is done again", async () => {
    let opened = 0;
    const engine = new LastingEngine(() => {
      opened += 1;
      const spillFolder = join(analytics.home, `spill-${opened}`);
      return openEngine({ memoryMb: 256, threads: 2, spillFolder, spillMb: 64, files: [poison] });
    });
    const count = () =>
      engine.share(async (connection) => {
        const counting = "SELECT count(*) FROM range(3000000) r(i) WHERE hash(i) % 7 < 9";
        // In two steps, so that what broke the engine comes between them.
        await connection.run("SELECT 1");
        return Number((await connection.runAndReadAll(counting)).value(0, 0));
      });
    const read = () =>
      engine.share((connection) => connection.run(`SELECT * FROM read_parquet('${poison}')`));
    const counts = Array.from({ length: 6 }, count);
    await expect(read()).rejects.toThrow(/^INTERNAL Error/);
    expect(await Promise.all(counts)).toEqual(counts.map(() => 3_000_000));
    expect(await count()).toBe(3_000_000);
    expect(opened).toBe(2);
  });
});
