import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../test/support/analytics.ts";
import { silentLog } from "../../../test/support/database.ts";
import { TestClock } from "../../../test/support/identity.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";
import { MS, systemClock } from "../../kernel/time.ts";
import { type Catalog, openCatalog } from "../../platform/catalog/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { Data } from "./data.ts";
import type { Dataset } from "./dataset.ts";
import { DatasetsStore } from "./datasets.store.ts";
import { replaceRows } from "./replace-rows.ts";

/** A store that remembers a dataset as it was a moment ago. */
class StaleStore extends DatasetsStore {
  stale: Dataset | undefined;

  override async findByName(workspaceId: number, name: string): Promise<Dataset | undefined> {
    const { stale } = this;
    this.stale = undefined;
    return stale ?? super.findByName(workspaceId, name);
  }
}

let server: TestServer;
let catalog: Catalog;
let analytics: TestAnalytics;
let datasets: StaleStore;
let data: Data;
let caller: Caller;
const { signal } = new AbortController();

beforeAll(async () => {
  server = await startTestServer();
  await server.token();
  catalog = await openCatalog({ home: "", databaseUrl: server.databaseUrl, log: silentLog });
  analytics = await openTestAnalytics({ workers: 1 });
  datasets = new StaleStore(catalog, systemClock);
  data = new Data({ datasets, analytics, blobs: analytics.blobs, clock: systemClock });
  const { rows } = await catalog.db.execute<{ workspace: string; user: string }>(
    'SELECT w.id AS workspace, u.id AS "user" FROM workspaces w, accounts u LIMIT 1',
  );
  const [{ workspace, user } = { workspace: "", user: "" }] = rows;
  caller = { workspace: { id: Number(workspace) }, user: { id: Number(user) } } as Caller;
});
afterAll(async () => {
  await analytics.remove();
  await catalog.close();
  await server.stop();
});

/** As a process that has gone would have called it. */
function earlierName(): string {
  return `0123456789abcdef-${randomBytes(6).toString("hex")}`;
}

describe("the sweep", () => {
  it("removes what earlier processes left, however much, and nothing that is used", async () => {
    const { id } = await data.push(caller, "Kept", [{ a: 1 }], signal);
    const used = Array.from({ length: 3 }, earlierName);
    for (const name of used)
      await catalog.db.execute(
        `INSERT INTO dataset_parts (dataset_id, blob_key, row_count, bytes, from_version) VALUES (${id}, 'parts/${name}', 1, 1, 1)`,
      );
    const folder = join(analytics.home, "blobs", "parts");
    await mkdir(folder, { recursive: true });
    const before = await readdir(folder);
    const left = Array.from({ length: 2_500 }, earlierName);
    for (const name of [...left, ...used]) await writeFile(join(folder, name), "");
    await data.sweep();
    expect((await readdir(folder)).toSorted()).toEqual([...before, ...used].toSorted());
  });

  it("can ask for more keys than a statement has parameters", async () => {
    const keys = Array.from({ length: 70_000 }, (_, n) => `parts/${n}`);
    expect((await datasets.referenced(keys)).size).toBe(0);
  });

  it("forgets datasets that were deleted long ago, with their files", async () => {
    const { id } = await data.push(caller, "Gone", [{ a: 1 }], signal);
    const [part] = await datasets.parts((await datasets.find(caller.workspace.id, id)) as Dataset);
    await catalog.db.execute(`UPDATE datasets SET deleted_at = now() - interval '31 days' WHERE id = ${id}`);
    expect(await datasets.versions.forget()).toEqual([part?.blobKey]);
    expect(await datasets.restore(caller.workspace.id, id, () => undefined)).toBe(false);
  });
});

describe("rows that were replaced", () => {
  it("come back for 30 days, as often as wanted; then files that no version has are removed", async () => {
    const clock = new TestClock();
    const store = new DatasetsStore(catalog, clock);
    const mine = new Data({ datasets: store, analytics, blobs: analytics.blobs, clock });
    const replace = async (rows: Record<string, unknown>[]) => {
      const part = await analytics.rowsToPart({ rows, key: mine.newPartKey() });
      return replaceRows(mine, caller, {
        name: "Former",
        part,
        source: { kind: "import" },
        allowEmpty: false,
      });
    };
    const restore = (version: number) =>
      store.restoreVersion(caller.workspace.id, { id, version, userId: caller.user.id, mayChange: () => {} });
    const keysOf = async (dataset: Dataset) => (await store.parts(dataset)).map(({ blobKey }) => blobKey);
    const { id } = await mine.push(caller, "Former", [{ a: 1 }], signal);
    const first = await mine.push(caller, "Former", [{ a: 2 }], signal);
    const firstKeys = await keysOf(first);
    const { dataset: second, replaced } = await replace([{ b: "x" }]);
    expect(replaced).toMatchObject({ version: 2, rowCount: 2 });
    const secondKeys = await keysOf(second);
    clock.advance(29 * MS.day);
    expect(await store.versions.forget()).toEqual([]);
    const { dataset: third } = await restore(2);
    expect(third).toMatchObject({
      version: 4,
      rowCount: 2,
      columns: first.columns,
      source: { kind: "push" },
    });
    expect(await keysOf(third)).toEqual(firstKeys);
    expect((await store.versions.list(third, 9)).map(({ version }) => version)).toEqual([4, 3, 2]);

    clock.advance(2 * MS.day);
    await expect(restore(2)).rejects.toMatchObject({ code: "not_found" });
    expect(await store.versions.forget()).toEqual([]);
    expect((await store.versions.list(third, 9)).map(({ version }) => version)).toEqual([4, 3]);
    const page = await mine.read(caller, third, { limit: 9, signal });
    expect(page.rows).toEqual([{ a: 1 }, { a: 2 }]);
    const { dataset: fourth } = await replace([{ c: 0 }]);

    clock.advance(28 * MS.day + MS.minute);
    expect(await store.versions.forget()).toEqual(secondKeys);
    clock.advance(3 * MS.day);
    expect((await store.versions.forget()).toSorted()).toEqual(firstKeys.toSorted());
    expect(await store.versions.forget()).toEqual([]);
    expect((await mine.read(caller, fourth, { limit: 9, signal })).rows).toEqual([{ c: 0 }]);
  });
});

describe("a Parquet file of a whole dataset", () => {
  it("has the columns without any value, too", async () => {
    const dataset = await data.push(caller, "Empty columns", [{ a: 1, x: null }], signal);
    const { columns } = await data.withParquet(caller, dataset, signal, (path) =>
      analytics.convert({ source: { path }, format: "parquet", key: analytics.key() }),
    );
    expect(columns.map(({ name }) => name)).toEqual(["a", "x"]);
  });
});

describe("a push", () => {
  it("is not refused for types that the dataset no longer has", async () => {
    const before = await data.push(caller, "Changed", [{ a: 1 }], signal);
    const part = await analytics.rowsToPart({ rows: [{ a: "text" }], key: data.newPartKey() });
    await data.commit(caller, "Changed", "replace", part, { kind: "push" });
    datasets.stale = before;
    const after = await data.push(caller, "Changed", [{ a: "more" }], signal);
    expect(after).toMatchObject({ rowCount: 2, columns: [{ name: "a", type: "VARCHAR" }] });
    await data.push(caller, "Numbers", [{ a: 1 }], signal);
    await expect(data.push(caller, "Numbers", [{ a: "x" }], signal)).rejects.toMatchObject({
      code: "conflict",
    });
  });
});

describe("a file of a dataset", () => {
  it("is compared with what was written when it is first read after a start", async () => {
    const { blobs } = analytics;
    const dataset = await data.push(caller, "Bits", [{ a: 1 }, { a: 2 }], signal);
    const [part] = await datasets.parts(dataset);
    const path = blobs.pathOf(part?.blobKey ?? "");
    const good = await readFile(path);
    const flipped = Buffer.from(good);
    flipped[Math.floor(flipped.length / 2)]! ^= 1;
    await writeFile(path, flipped);
    const damaged: string[] = [];
    const onDamage = (key: string) => void damaged.push(key);
    const afterStart = new Data({ datasets, analytics, blobs, clock: systemClock, onDamage });
    const read = () => afterStart.tableView({ ...caller, attributes: {}, groups: [] } as never, dataset);
    for (let n = 0; n < 2; n += 1)
      await expect(read()).rejects.toMatchObject({ code: "unavailable", data: { reason: "part_damaged" } });
    // Told once, however often it is asked for; and good again when somebody puts it right.
    expect(damaged).toEqual([part?.blobKey]);
    await writeFile(path, good);
    expect(await read()).toMatchObject({ parts: [path] });
  });
});
