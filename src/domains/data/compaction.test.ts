import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeDataset, resultOf } from "../../../test/support/datasets.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";

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
    const dataset_id = await makeDataset(server, token, "Busy", [{ i: 0 }]);
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
    for (; pushed < 40; pushed += 1) await makeDataset(server, token, "Busy", [{ i: pushed }]);
    await vi.waitFor(async () => expect(await partsOf(dataset_id)).toBeLessThanOrEqual(16), 20_000);
    isDone = true;
    await Promise.all(readers);
    const { totalRows } = await resultOf<{ totalRows: number }>(server, token, "get_data", { dataset_id });
    expect(totalRows).toBe(40);
  });
});
