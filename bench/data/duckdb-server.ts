import { DuckDBInstance } from "@duckdb/node-api";

/** DuckDB as its documentation shows it, with as many threads as Kenning's: a message is SQL, its answer the rows. */
const [threads = "2"] = process.argv.slice(2);
const instance = await DuckDBInstance.create(":memory:", { threads });
const connection = await instance.connect();
await connection.run("SET TimeZone = 'UTC'");

process.on("message", async (sql: string) => {
  if (sql === "stop") process.exit(0);
  try {
    const started = performance.now();
    const reader = await connection.runAndReadAll(sql);
    const rows = reader.getRowsJson();
    process.send?.({ rows, ms: performance.now() - started });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.send?.({});
