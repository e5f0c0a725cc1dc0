import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Chunk, Peer } from "./scale.ts";

const FIRST = 10;
const BATCH = 20_000;

/** The little that is used of LanceDB, which is large and therefore no dependency: a folder says where it is installed. */
interface Lance {
  connect(folder: string): Promise<{ createTable(name: string, rows: object[]): Promise<Table> }>;
  Index: { fts(): unknown; btree(): unknown };
}
interface Table {
  add(rows: object[]): Promise<unknown>;
  createIndex(column: string, options: { config: unknown }): Promise<void>;
  search(text: string, type: "fts", columns: string): Asked;
  close(): void;
}
interface Asked {
  where(condition: string): Asked;
  select(columns: string[]): Asked;
  limit(count: number): Asked;
  toArray(): Promise<{ id: number | bigint }[]>;
}

/** LanceDB with an index on the words, in a temporary folder. */
export async function openLance(installed: string, chunks: readonly Chunk[]): Promise<Peer> {
  const lance = createRequire(join(installed, "x.cjs"))("@lancedb/lancedb") as Lance;
  const folder = mkdtempSync(join(tmpdir(), "kenning-bench-lance-"));
  const started = performance.now();
  const database = await lance.connect(folder);
  const table = await database.createTable("chunks", chunks.slice(0, BATCH));
  for (let at = BATCH; at < chunks.length; at += BATCH) await table.add(chunks.slice(at, at + BATCH));
  await table.createIndex("body", { config: lance.Index.fts() });
  await table.createIndex("base", { config: lance.Index.btree() });
  console.error(`LanceDB: built in ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  return {
    name: "LanceDB",
    async search(text, base) {
      const asked = table.search(text, "fts", "body").select(["id", "_score"]).limit(FIRST);
      const hits = await (base === undefined ? asked : asked.where(`base = ${base}`)).toArray();
      return hits.map(({ id }) => Number(id));
    },
    async add(chunk) {
      await table.add([chunk]);
    },
    async close() {
      table.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
