import { open } from "node:fs/promises";
import { LIMITS } from "../../../kernel/limits.ts";
import type { ConvertOptions, FileFormat } from "../../../platform/analytics/index.ts";
import { ANY_TYPE, type RowBatch, type SourceColumn, type Truncation, UNTYPED } from "../connectors/index.ts";

export interface Spooled {
  path: string;
  format: FileFormat;
  options: ConvertOptions;
  columns: readonly SourceColumn[];
  rows: number;
  truncated: Truncation | null;
}

/**
 * Writes rows to a file as they come, so that memory holds one batch. The next batch is asked for when one is
 * written, and none any more when the file would be too large.
 */
export async function spool(
  batches: AsyncIterable<Omit<RowBatch, "rows"> & { rows: readonly unknown[][] }>,
  path: string,
  onRows: (rows: number) => void,
  mostBytes: number = LIMITS.queries.spoolBytes,
): Promise<Spooled> {
  const file = await open(path, "wx", 0o600);
  let writer: LineWriter | undefined;
  let columns: readonly SourceColumn[] = [];
  let rows = 0;
  let bytes = 0;
  let truncated: Truncation | null = null;
  try {
    for await (const batch of batches) {
      columns = batch.columns;
      writer ??= isText(columns) ? new CsvLines() : new JsonLines();
      const text = writer.lines(columns, batch.rows);
      bytes += Buffer.byteLength(text);
      if (bytes > mostBytes) {
        truncated = "bytes";
        break;
      }
      if (text !== "") await file.appendFile(text);
      rows += batch.rows.length;
      truncated = batch.truncated ?? truncated;
      onRows(rows);
    }
  } finally {
    await file.close();
  }
  const { format, options } = (writer ?? new JsonLines()).reading(columns);
  return { path, format, options, columns, rows, truncated };
}

/** Rows of nothing but text whose types are still to be found: as in a CSV file, so as a CSV file. */
function isText(columns: readonly SourceColumn[]): boolean {
  return columns.length > 0 && columns.every(({ type }) => type === UNTYPED);
}

interface LineWriter {
  lines(columns: readonly SourceColumn[], rows: readonly unknown[][]): string;
  /** How the file is to be read again. */
  reading(columns: readonly SourceColumn[]): { format: FileFormat; options: ConvertOptions };
}

class JsonLines implements LineWriter {
  #keys: string[] = [];

  lines(columns: readonly SourceColumn[], rows: readonly unknown[][]): string {
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

  reading(columns: readonly SourceColumn[]) {
    const typed = columns.filter(({ type }) => type !== ANY_TYPE && type !== UNTYPED);
    // Bytes stay the base64 that they come as: that is how they are shown, too.
    const types = Object.fromEntries(
      typed.map(({ name, type }) => [name, type === "BLOB" ? "VARCHAR" : type]),
    );
    return { format: "ndjson" as const, options: { types, encoding: "utf-8" } };
  }
}

class CsvLines implements LineWriter {
  #hasHeader = false;

  lines(columns: readonly SourceColumn[], rows: readonly unknown[][]): string {
    const header = this.#hasHeader ? "" : csvLine(columns.map(({ name }) => name));
    this.#hasHeader = true;
    return header + rows.map((row) => csvLine(columns.map((_, index) => row[index] ?? null))).join("");
  }

  reading() {
    const options = { header: true, delimiter: ",", quote: '"', escape: '"', encoding: "utf-8" };
    return { format: "csv" as const, options };
  }
}

function csvLine(values: readonly unknown[]): string {
  const cells = values.map((value) => (value === null ? "" : `"${String(value).replaceAll('"', '""')}"`));
  return `${cells.join(",")}\n`;
}
