import { openCatalog } from "../../src/platform/catalog/index.ts";

/**
 * A process of its own with a catalog open on the home given as its argument, for tests that kill it.
 * It answers `{ id, sql }` with the rows and `{ id, close: true }` by closing; see catalog-processes.ts.
 */
const log = { debug() {}, info() {}, warn() {}, error() {} };
const catalog = await openCatalog({ home: process.argv[2] ?? "", log });
const send = (message: object) => process.send?.(message);

process.on("SIGINT", async () => {
  const { rows } = await catalog.pool.query("SELECT 1 AS alive");
  await catalog.close();
  send({ afterInterrupt: rows });
  process.disconnect();
});

process.on("message", async ({ id, sql, close }: { id: number; sql?: string; close?: boolean }) => {
  try {
    if (close) await catalog.close();
    send({ id, rows: sql === undefined ? [] : (await catalog.pool.query(sql)).rows });
    if (close) process.disconnect();
  } catch (error) {
    send({ id, error: String(error) });
  }
});

send({ ready: true });
