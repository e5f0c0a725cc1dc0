import type { Pool } from "pg";
import { openCatalog } from "../../src/platform/catalog/index.ts";
import type { Child } from "./child.ts";
import { callTool, type Hello } from "./mcp.ts";
import { inTurns, median, print } from "./report.ts";

const CLIENTS = 4;

/** push_data beside a durable INSERT of the same rows into the same PostgreSQL. */
export async function benchPushes(
  { roundMs, rounds }: { roundMs: number; rounds: number },
  kenning: Child<Hello>,
): Promise<void> {
  const { home } = kenning.hello;
  const log = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error };
  const catalog = await openCatalog({ home, log });
  const { pool } = catalog;
  await pool.query(
    "CREATE TABLE bench_rows (id bigint, amount double precision, day date, seen timestamptz, region text, note text)",
  );
  const lines: string[][] = [
    ["rows a call", "clients", "INSERT: calls/s", "push_data: calls/s", "ratio", "rows/s"],
  ];
  for (const size of [1, 1_000]) {
    for (const clients of [1, CLIENTS]) {
      const rows = makeRows(size);
      const push = { dataset_name: `Pushed ${size}`, rows };
      const [inserts, pushes] = (await inTurns(rounds, [
        () => perSecond(roundMs, clients, () => insert(pool, rows)),
        () => perSecond(roundMs, clients, () => callTool(kenning, "push_data", push)),
      ])) as [number[], number[]];
      const ratio = median(pushes.map((each, round) => each / (inserts[round] ?? Number.NaN)));
      const [theirs, ours] = [median(inserts), median(pushes)];
      lines.push([
        String(size),
        String(clients),
        theirs.toFixed(0),
        ours.toFixed(0),
        ratio.toFixed(2),
        (ours * size).toFixed(0),
      ]);
    }
  }
  await pool.query("DROP TABLE bench_rows");
  await catalog.close();
  print("Pushes", lines);
}

function makeRows(size: number): object[] {
  return Array.from({ length: size }, (_, id) => ({
    id,
    amount: id / 7,
    day: "2024-02-29",
    seen: "2024-02-29T12:34:56Z",
    region: ["North", "South", "East", "West"][id % 4],
    note: `He said "no, ${id}", and left`,
  }));
}

function insert(pool: Pool, rows: readonly object[]): Promise<unknown> {
  const sql = "INSERT INTO bench_rows SELECT * FROM jsonb_populate_recordset(NULL::bench_rows, $1)";
  return pool.query(sql, [JSON.stringify(rows)]);
}

async function perSecond(ms: number, clients: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  let calls = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() - started < ms) {
      await work();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, loop));
  return (calls * 1_000) / (performance.now() - started);
}
