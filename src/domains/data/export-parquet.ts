import { readFile } from "node:fs/promises";
import {
  type Analytics,
  type Column,
  type JsonValue,
  jsonInput,
  type Part,
  type QueryBatch,
} from "../../platform/analytics/index.ts";
import type { FolderBlobStore } from "../../platform/blobs/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Data } from "./data.ts";
import type { Dataset } from "./dataset.ts";
import type { ExportedFile } from "./export.ts";
import { LIMITS } from "./limits.ts";

const PARQUET = "application/vnd.apache.parquet";

export interface ParquetParts {
  analytics: Analytics;
  blobs: FolderBlobStore;
  newKey(): string;
  scope: string;
  signal: AbortSignal;
}

/**
 * A whole dataset, with its values as they are kept: undefined where that is more than one answer holds, or where
 * policies keep some of it from the caller.
 */
export async function wholeParquet(
  data: Pick<Data, "tableView" | "withParquet">,
  caller: Caller,
  dataset: Dataset,
  signal: AbortSignal,
): Promise<ExportedFile | undefined> {
  if (dataset.bytes > LIMITS.data.exportBytes) return undefined;
  const { isRestricted } = await data.tableView(caller, dataset);
  if (isRestricted) return undefined;
  const content = await data.withParquet(caller, dataset, signal, (path) => readFile(path));
  if (content.length > LIMITS.data.exportBytes) return undefined;
  return { mimeType: PARQUET, content, rows: dataset.rowCount, isCut: false };
}

/**
 * As much of the rows as one answer holds, as a Parquet file that every tool reads. Each batch becomes a part, and the
 * parts one file, so that a column without any value in a batch, or in all of them, is there all the same.
 */
export async function exportParquet(
  batches: AsyncIterable<QueryBatch>,
  { analytics, blobs, newKey, scope, signal }: ParquetParts,
): Promise<ExportedFile> {
  const made: Part[] = [];
  let columns: readonly Column[] = [];
  let isCut = false;
  try {
    let bytes = 0;
    for await (const batch of batches) {
      columns = batch.columns;
      if (batch.rows.length === 0) continue;
      const inputs = columns.map(jsonInput);
      const rows = batch.rows.map((row) =>
        record(
          columns,
          row.map((value, place) => inputs[place]!.convert(value)),
        ),
      );
      const read = columns.map(({ name }, place) => ({ name, type: inputs[place]!.type }));
      const part = await analytics.rowsToPart({ rows, columns: read, key: newKey(), scope, signal });
      made.push(part);
      bytes += part.bytes;
      isCut = bytes > LIMITS.data.exportBytes;
      if (isCut) break;
    }
    const kept = isCut ? made.slice(0, -1) : [...made];
    const parts = kept.map(({ path }) => path);
    const whole = await analytics.mergeParts({
      parts,
      columns,
      key: newKey(),
      isPortable: true,
      scope,
      signal,
    });
    made.push(whole);
    return { mimeType: PARQUET, content: await readFile(whole.path), rows: whole.rows, isCut };
  } finally {
    for (const { key } of made) await blobs.delete(key);
  }
}

export function record(columns: readonly Column[], row: readonly JsonValue[]): Record<string, JsonValue> {
  return Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null]));
}
