import { open } from "node:fs/promises";
import {
  type Analytics,
  type ConvertOptions,
  type FileFormat,
  storableType,
} from "../../../platform/analytics/index.ts";
import type { FolderBlobStore } from "../../../platform/blobs/index.ts";
import {
  ANY_TYPE,
  type CsvFormat,
  type CsvPiece,
  type RowBatch,
  type SniffCsv,
  type SourceColumn,
  type Truncation,
} from "../connectors/index.ts";
import { LIMITS } from "../limits.ts";

export interface Spooled {
  path: string;
  format: FileFormat;
  options: ConvertOptions;
  /** None of a CSV file: whoever reads it finds them, and its rows. */
  columns: readonly SourceColumn[];
  rows: number | undefined;
  truncated: Truncation | null;
}

type Batch = (Omit<RowBatch, "rows"> & { rows: readonly unknown[][] }) | CsvPiece;

/**
 * Writes rows to a file as they come, so that memory holds one batch, and CSV as it is. The next batch is asked for
 * when one is written, and none any more when the file would be too large.
 */
export async function spool(
  batches: AsyncIterable<Batch>,
  path: string,
  onRows: (rows: number) => void,
  mostBytes: number = LIMITS.queries.spoolBytes,
): Promise<Spooled> {
  const file = await open(path, "wx", 0o600);
  const lines = new JsonLines();
  let csvFormat: CsvFormat | undefined;
  let columns: readonly SourceColumn[] = [];
  let rows = 0;
  let bytes = 0;
  let truncated: Truncation | null = null;
  try {
    for await (const batch of batches) {
      const isCsv = "csv" in batch;
      if (isCsv) csvFormat = batch.format;
      else columns = batch.columns;
      const piece = isCsv ? batch.csv : Buffer.from(lines.of(columns, batch.rows));
      bytes += piece.length;
      if (bytes > mostBytes) {
        truncated = "bytes";
        break;
      }
      if (piece.length > 0) await file.appendFile(piece);
      if (isCsv) continue;
      rows += batch.rows.length;
      truncated = batch.truncated ?? truncated;
      onRows(rows);
    }
  } finally {
    await file.close();
  }
  if (csvFormat !== undefined) {
    return { path, format: "csv", options: csvOptions(csvFormat), columns: [], rows: undefined, truncated };
  }
  return { path, format: "ndjson", options: jsonOptions(columns), columns, rows, truncated };
}

/**
 * The type under which a column of a source is kept. Bytes stay the base64 that they come as: that is how they are
 * shown, too. Spans of time stay text, because Parquet holds neither negative ones nor their microseconds.
 */
export function storedType(type: string): string {
  if (type === ANY_TYPE) return "NULL";
  return type === "BLOB" || type === "INTERVAL" ? "VARCHAR" : storableType(type);
}

/** How a file of JSON lines is to be read again. */
function jsonOptions(columns: readonly SourceColumn[]): ConvertOptions {
  const typed = columns.filter(({ type }) => type !== ANY_TYPE);
  const types = Object.fromEntries(typed.map(({ name, type }) => [name, storedType(type)]));
  return { types, encoding: "utf-8" };
}

/** Options of a CSV file; those that were not given are left out, so that they are detected. */
function csvOptions(format: CsvFormat): ConvertOptions {
  return Object.fromEntries(Object.entries(format).filter(([, value]) => value !== undefined));
}

class JsonLines {
  #keys: string[] = [];

  of(columns: readonly SourceColumn[], rows: readonly unknown[][]): string {
    let isFirst = this.#keys.length < columns.length;
    if (isFirst) this.#keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
    const lines = rows.map((row) => {
      const fields: string[] = [];
      for (let index = 0; index < columns.length; index += 1) {
        const value = row[index] ?? null;
        // The first row names all columns, so that they keep their order; later ones leave out what is missing.
        if (value !== null || isFirst) fields.push(this.#keys[index] + JSON.stringify(value));
      }
      isFirst = false;
      return `{${fields.join(",")}}\n`;
    });
    // Without rows nobody has named the columns yet.
    if (rows.length === 0) this.#keys = [];
    return lines.join("");
  }
}

interface DescribeParts {
  analytics: Analytics;
  blobs: FolderBlobStore;
  newPartKey(): string;
}

/** The columns of a CSV file, as a run would find them in its beginning: by converting that, and forgetting it. */
export function csvSniffer({ analytics, blobs, newPartKey }: DescribeParts): SniffCsv {
  return async (head, format, signal) => {
    const { columns, part } = await analytics.convert({
      source: { bytes: head },
      format: "csv",
      key: newPartKey(),
      options: csvOptions(format),
      ...(signal && { signal }),
    });
    await blobs.delete(part.key);
    return columns;
  };
}
