import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { silentLog } from "../../../test/support/database.ts";
import { makeDataset, resultOf } from "../../../test/support/datasets.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";
import { systemClock } from "../../kernel/time.ts";
import { type Catalog, openCatalog } from "../../platform/catalog/index.ts";
import { DatasetsStore } from "./datasets.store.ts";
import { LIMITS } from "./limits.ts";

let server: TestServer;
let token: string;
let catalog: pg.Client;

beforeAll(async () => {
  server = await startTestServer();
  token = await server.token({ role: "contributor" });
  catalog = new pg.Client(server.databaseUrl);
  await catalog.connect();
});
afterAll(async () => {
  await catalog.end();
  await server.stop();
});

async function partsOf(dataset_id: number): Promise<number> {
  const { rows } = await catalog.query(
    "SELECT count(*)::int AS n FROM dataset_parts WHERE dataset_id = $1 AND until_version IS NULL",
    [dataset_id],
  );
  return rows[0].n;
}

describe("compaction", () => {
  it("turns many pushes into few parts, while readers see each row once and in order", async () => {
    const name = `Busy ${randomUUID()}`;
    const dataset_id = await makeDataset(server, token, name, [{ i: 0 }]);
    let pushed = 1;
    let isDone = false;
    const readers = [1, 2].map(async () => {
      while (!isDone) {
        const atLeast = pushed;
        const read = await resultOf<{ rows: { i: number }[]; totalRows: number }>(server, token, "get_data", {
          dataset_id,
        });
        expect(read.rows.length).toBe(read.totalRows);
        expect(read.rows.length).toBeGreaterThanOrEqual(atLeast);
        expect(read.rows.map(({ i }) => i)).toEqual(read.rows.map((_, index) => index));
      }
    });
    const reading = Promise.all(readers);
    reading.catch(() => undefined);
    try {
      for (; pushed < 40; pushed += 1) await makeDataset(server, token, name, [{ i: pushed }]);
      await vi.waitFor(async () => expect(await partsOf(dataset_id)).toBeLessThan(32), 60_000);
    } finally {
      isDone = true;
    }
    await reading;
    const { totalRows } = await resultOf<{ totalRows: number }>(server, token, "get_data", { dataset_id });
    expect(totalRows).toBe(40);
    const sizes = await catalog.query(
      `SELECT bytes, (SELECT sum(bytes) FROM dataset_parts WHERE dataset_id = d.id AND until_version IS NULL) AS parts
       FROM datasets d WHERE id = $1`,
      [dataset_id],
    );
    expect(sizes.rows[0].bytes).toBe(sizes.rows[0].parts);
  });
});

describe("what is to be put together", () => {
  const small = LIMITS.data.smallPartBytes - 1;
  const large = LIMITS.data.smallPartBytes;
  const many = Array.from({ length: LIMITS.data.smallParts - 1 }, () => small);
  let datasets: DatasetsStore;
  let opened: Catalog;

  beforeAll(async () => {
    opened = await openCatalog({ home: "", databaseUrl: server.databaseUrl, log: silentLog });
    datasets = new DatasetsStore(opened, systemClock);
  });
  afterAll(() => opened.close());

  /** A dataset with parts of these sizes, of one row each; its id. */
  async function scatter(name: string, sizes: readonly number[]): Promise<number> {
    const id = await makeDataset(server, token, name, [{ i: 0 }]);
    await catalog.query("DELETE FROM dataset_parts WHERE dataset_id = $1", [id]);
    for (const [index, bytes] of sizes.entries())
      await catalog.query(
        "INSERT INTO dataset_parts (dataset_id, blob_key, row_count, bytes, from_version) VALUES ($1, $2, 1, $3, 1)",
        [id, `${name}/${index}`, bytes],
      );
    return id;
  }

  it("lies side by side", async () => {
    const apart = await scatter("Apart", [...many, large, ...many]);
    const together = await scatter("Together", [large, ...many, small, large]);
    const found = (await datasets.scattered(100)).map(({ id }) => id);
    expect(found).toContain(together);
    expect(found).not.toContain(apart);
  });

  it("must hold as many rows as before", async () => {
    const id = await scatter("Lossy", [1, 2]);
    const merge = (rowCount: number) =>
      datasets.merge(id, ["Lossy/0", "Lossy/1"], {
        blobKey: `Lossy/${rowCount} rows`,
        rowCount,
        bytes: 3,
        sha256: null,
      });
    await expect(merge(1)).rejects.toThrow("parts with 2 rows became one with 1");
    expect(await partsOf(id)).toBe(2);
    expect(await merge(2)).toBe(true);
    expect(await partsOf(id)).toBe(1);
  });
});
