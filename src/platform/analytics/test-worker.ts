/** SQL without any guard, for the tests of the walls behind it: the same engines, whatever the statement is. */
import { readFileSync, writeFileSync } from "node:fs";
import type { DuckDBInstance } from "@duckdb/node-api";
import { messageOf } from "../../kernel/errors.ts";
import { serve } from "../sandbox/index.ts";
import { lock, openEngine, withConnection } from "./engine/engine.ts";

let engine: DuckDBInstance | undefined;

async function run(sql: string): Promise<unknown> {
  try {
    return await withConnection(engine!, async (connection) =>
      (await connection.runAndReadAll(sql)).getRowsJson(),
    );
  } catch (error) {
    return `failed: ${messageOf(error)}`;
  }
}

function attempt(work: () => unknown): string {
  try {
    return String(work());
  } catch (error) {
    return `failed: ${(error as NodeJS.ErrnoException).code ?? messageOf(error)}`;
  }
}

serve({
  open: async (params) => {
    const files = params as string[];
    engine = await openEngine({ memoryMb: 256, threads: 2, spillFolder: "spill", spillMb: 64, files });
    await lock(engine);
  },
  run: (params) => run(params as string),
  read: (params) => attempt(() => readFileSync(params as string).length),
  write: (params) => attempt(() => writeFileSync(params as string, "x")),
});
