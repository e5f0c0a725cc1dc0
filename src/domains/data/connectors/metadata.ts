import { LIMITS } from "../limits.ts";
import type { RowBatch, RunOptions } from "./connector.ts";

/** For queries of our own, which ask for few rows. */
export function metadataOptions(signal: AbortSignal | undefined): RunOptions {
  const { metadataMs, tables, rowBytes } = LIMITS.datasources;
  const limits = { maxRows: tables, maxBytes: rowBytes, timeoutMs: metadataMs };
  return signal === undefined ? limits : { ...limits, signal };
}

/** All batches as one. */
export async function readAll(batches: AsyncIterable<RowBatch>): Promise<RowBatch> {
  let columns: RowBatch["columns"] = [];
  const rows: unknown[][] = [];
  for await (const batch of batches) {
    columns = batch.columns;
    rows.push(...batch.rows);
  }
  return { columns, rows };
}
