import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBInstance, DuckDBInstance as Instances } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EngineSpec, WireTableView } from "../wire.ts";
import { Copies, type Room } from "./copies.ts";
import { withConnection } from "./engine.ts";
import { openTableViews } from "./table-view-sql.ts";

const ROWS = 50_000;
let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kenning-copies-"));
  file = join(folder, "part.parquet");
  const rows = `SELECT i AS id, CASE WHEN i % 3 = 0 THEN 'west' ELSE 'east' END AS region, [i, i + 1] AS list,
    CASE WHEN i % 3 = 0 THEN 65 ELSE -i END AS amount FROM range(${ROWS}) t(i)`;
  await ask(await Instances.create(), `COPY (${rows}) TO '${file}'`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function ask(instance: DuckDBInstance, sql: string): Promise<unknown> {
  return withConnection(instance, async (connection) => (await connection.runAndReadAll(sql)).getRowsJson());
}

const columns = Object.entries({ id: "BIGINT", region: "VARCHAR", list: "BIGINT[]", amount: "BIGINT" }).map(
  ([name, type]) => ({ name, type }),
);
const tableView = (extra: Partial<WireTableView> = {}): WireTableView => ({
  name: "t",
  files: [file],
  columns,
  select: undefined,
  isHidden: false,
  isRestricted: false,
  ...extra,
});

async function open(tableViews: readonly WireTableView[], room: Room, extra: Partial<EngineSpec> = {}) {
  const spec = { tableViews, memoryMb: 256, threads: 2, spillMb: 16, copyMb: 64, ...extra };
  const instance = await openTableViews(spec, tableViews, await mkdtemp(join(folder, "spill-")));
  const copies = new Copies(instance, spec, room);
  const tables = async () =>
    Number(((await ask(instance, "SELECT count(*) FROM duckdb_tables()")) as string[][])[0]![0]);
  return { instance, copies, tables };
}

/** Memory without an end that tells how much of it is taken. */
function endless(): Room & { taken: number } {
  return {
    taken: 0,
    take(bytes) {
      this.taken += bytes;
      return true;
    },
    give(bytes) {
      this.taken -= bytes;
    },
  };
}

async function useUntilCopied({ copies, tables }: Awaited<ReturnType<typeof open>>, count = 1) {
  await expect
    .poll(
      async () => {
        copies.noteUse();
        return tables();
      },
      { timeout: 20_000 },
    )
    .toBe(count);
  // The views follow a moment later.
  await new Promise((resolve) => setTimeout(resolve, 200));
}

describe("copies of small views", () => {
  it("are made after some uses, and give the same rows in the same order and types", async () => {
    const room = endless();
    const engine = await open([tableView()], room);
    const questions = [
      "SELECT * FROM t",
      "DESCRIBE t",
      "SELECT region, sum(amount), max(list) FROM t GROUP BY ALL ORDER BY 1",
    ];
    const before = await Promise.all(questions.map((sql) => ask(engine.instance, sql)));
    for (let n = 0; n < 3; n += 1) engine.copies.noteUse();
    expect(room.taken).toBe(0);
    await useUntilCopied(engine);
    expect(JSON.stringify(await ask(engine.instance, "EXPLAIN FROM t"))).toMatch(/_scope_copies/);
    for (const [n, sql] of questions.entries()) expect(await ask(engine.instance, sql)).toEqual(before[n]);
    await expect(ask(engine.instance, "SELECT rowid FROM t")).rejects.toThrow(/rowid/);
    expect(room.taken).toBeGreaterThan(0);
    engine.copies.close();
    expect(room.taken).toBe(0);
  });

  it("keep the policy above them, and its barrier", async () => {
    const select = "SELECT id, amount FROM raw WHERE coalesce(region = 'west', FALSE)";
    const engine = await open([tableView({ select, isRestricted: true })], endless());
    await useUntilCopied(engine);
    const west = [[String(Math.ceil(ROWS / 3))]];
    expect(await ask(engine.instance, "SELECT count(*) FROM t")).toEqual(west);
    // It fails on every hidden row, with its amount.
    expect(await ask(engine.instance, "SELECT count(*) FROM t WHERE chr(amount::INTEGER) = 'A'")).toEqual(
      west,
    );
    await expect(ask(engine.instance, "SELECT region FROM t")).rejects.toThrow(/region/);
  });

  it("stand below views that are made of others", async () => {
    const base = tableView({ name: "d1", isHidden: true });
    const view = tableView({
      files: [],
      columns: [],
      select: 'SELECT id FROM "_scope_base"."d1" WHERE id < 5',
    });
    const engine = await open([base, view], endless());
    await useUntilCopied(engine);
    expect(await ask(engine.instance, "SELECT count(*) FROM t")).toEqual([["5"]]);
    expect(JSON.stringify(await ask(engine.instance, "EXPLAIN FROM t"))).toMatch(/_scope_copies/);
  });

  it.each<[string, Partial<EngineSpec>, Room]>([
    ["that are too large for the engine", { memoryMb: 16 }, endless()],
    ["where none are wanted", { copyMb: 0 }, endless()],
    ["for which there is no room", {}, { take: () => false, give: () => undefined }],
  ])("are not made of views %s", async (_, extra, room) => {
    const { copies, tables, instance } = await open([tableView()], room, extra);
    for (let n = 0; n < 50; n += 1) {
      copies.noteUse();
      await ask(instance, "SELECT count(*) FROM t");
    }
    expect(await tables()).toBe(0);
  });

  it("that fail leave everything as it was", async () => {
    const room = endless();
    // Read from the file, only the rows that a query wants are cast.
    const broken = columns.map((column) => (column.name === "region" ? { ...column, type: "DATE" } : column));
    const { copies, tables, instance } = await open([tableView({ columns: broken })], room);
    for (let n = 0; n < 50; n += 1) {
      copies.noteUse();
      expect(await ask(instance, "SELECT count(id) FROM t")).toEqual([[String(ROWS)]]);
    }
    expect([await tables(), room.taken]).toEqual([0, 0]);
  });
});
