import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll } from "vitest";
import type { ConvertOptions, JsonValue } from "../../src/platform/analytics/index.ts";
import { type CsvAnswer, convertCsv } from "../../src/platform/analytics/load/csv/csv-convert.ts";

export interface ConvertedCsv extends CsvAnswer {
  values: JsonValue[][];
}

/** Converts as the loading process does it, but in this one: many files in little time, and all that is told of them. */
export function csvConverter(): (
  content: string | Buffer,
  options?: ConvertOptions,
) => Promise<ConvertedCsv> {
  let engine: DuckDBInstance;
  let folder: string;
  let last = 0;
  beforeAll(async () => {
    engine = await DuckDBInstance.create(":memory:", { enable_external_file_cache: "false" });
    folder = await mkdtemp(join(tmpdir(), "kenning-csv-"));
  });
  afterAll(async () => {
    engine.closeSync();
    await rm(folder, { recursive: true, force: true });
  });
  return async (content, options = {}) => {
    last += 1;
    const [input, output, workFile] = ["csv", "parquet", "work"].map((end) => join(folder, `${last}.${end}`));
    await writeFile(input!, content);
    const connection = await engine.connect();
    const settings = { memoryMb: 1_000, threads: 1, spillMb: 0, inputs: folder, outputs: folder };
    const files = { input: input!, output: output!, workFile: workFile!, format: "csv" as const };
    const context = { signal: new AbortController().signal, progress: () => {} };
    try {
      const answer = await convertCsv({ connection, settings, ...files, options }, context);
      const reader = await connection.runAndReadAll(`SELECT * FROM read_parquet('${output}')`);
      return { ...answer, values: reader.getRowsJson() as JsonValue[][] };
    } finally {
      connection.closeSync();
    }
  };
}

export function typesOf({ columns }: CsvAnswer): string {
  return columns.map(({ type }) => type).join(" ");
}
