import type { DuckDBConnection } from "@duckdb/node-api";
import type { WorkerContext } from "../sandbox/index.ts";
import { quoteText } from "./sql-text.ts";
import type { ConvertAnswer, ConvertParams } from "./wire.ts";
import { writePart } from "./write-part.ts";

export interface CsvJob extends ConvertParams {
  connection: DuckDBConnection;
  workFile: string;
}

export async function convertCsv(job: CsvJob, context: WorkerContext): Promise<ConvertAnswer> {
  const { connection, input, output, format } = job;
  const source = `read_csv(${quoteText(input)})`;
  const written = await writePart(connection, source, output, context);
  return { ...written, rejected: [], rejectedRows: 0, detected: { format, encoding: "utf-8" } };
}
