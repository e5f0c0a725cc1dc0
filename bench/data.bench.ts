import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Child } from "./data/child.ts";
import { benchImports } from "./data/imports.ts";
import type { Hello } from "./data/mcp.ts";
import { benchPushes } from "./data/pushes.ts";
import { benchQueries } from "./data/queries.ts";
import { CSV_ROW_BYTES, makeCsv, makeParquet } from "./data/tables.ts";

/**
 * What it costs to have data in Kenning instead of in files: imports, questions and pushes, each in turns with the
 * engine below it. Everything is made in a temporary folder, which is gone afterwards.
 */
const { values } = parseArgs({
  options: {
    /** A twentieth of the size: under a minute. */
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "imports,queries,pushes" },
  },
});
const share = values.quick ? 1 / 20 : 1;
const wanted = new Set(values.only.split(","));
const CSV_BYTES = 1e9 * share;
const PARQUET_ROWS = 20_000_000 * share;

const folder = mkdtempSync(join(tmpdir(), "kenning-bench-data-"));
// As many as Kenning takes for one query or import.
const threads = String(Math.min(availableParallelism(), 8));
const duckdb = await Child.start("duckdb", [threads]);
const kenning = await Child.start<Hello>("kenning");
try {
  if (wanted.has("imports")) {
    const csv = await makeCsv(duckdb, folder, Math.round(CSV_BYTES / CSV_ROW_BYTES));
    await benchImports({ csv, folder, rounds: values.quick ? 2 : 3 }, duckdb, kenning);
    rmSync(csv);
  }
  if (wanted.has("queries")) {
    const parquet = await makeParquet(duckdb, folder, PARQUET_ROWS);
    await benchQueries({ parquet, rounds: values.quick ? 5 : 9 }, duckdb, kenning);
  }
  if (wanted.has("pushes"))
    await benchPushes({ roundMs: values.quick ? 500 : 3_000, rounds: values.quick ? 2 : 3 }, kenning);
} finally {
  await Promise.all([duckdb.stop(), kenning.stop()]);
  rmSync(folder, { recursive: true, force: true });
}
