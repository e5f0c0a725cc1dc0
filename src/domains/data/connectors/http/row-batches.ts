import { LIMITS } from "../../limits.ts";
import type { RowBatch, SourceColumn, Truncation } from "../connector.ts";
import type { RowLimits } from "../row-queue.ts";
import { sizeOfRow } from "../value-size.ts";

/** Rows one by one; what it returns at its end says which limit of its own it reached. */
export type RowSource = AsyncGenerator<unknown[], Truncation | undefined>;

/** Puts rows together into batches, up to the limits. Rows may be shorter than there are columns by then. */
export async function* inBatches(
  source: RowSource,
  columns: () => readonly SourceColumn[],
  { maxRows, maxBytes }: RowLimits,
): AsyncGenerator<RowBatch> {
  let rows: unknown[][] = [];
  let batchBytes = 0;
  let allRows = 0;
  let allBytes = 0;
  let hasYielded = false;
  const batch = (truncated?: Truncation): RowBatch => {
    const width = columns().length;
    const full = rows.map((row) => (row.length < width ? padded(row, width) : row));
    hasYielded = true;
    rows = [];
    batchBytes = 0;
    return { columns: columns(), rows: full, ...(truncated === undefined ? {} : { truncated }) };
  };
  try {
    for (;;) {
      const { done, value } = await source.next();
      if (done) {
        if (rows.length > 0 || value !== undefined || !hasYielded) yield batch(value);
        return;
      }
      const bytes = sizeOfRow(value);
      if (allRows + 1 > maxRows || allBytes + bytes > maxBytes) {
        yield batch(allRows + 1 > maxRows ? "rows" : "bytes");
        return;
      }
      allRows += 1;
      allBytes += bytes;
      batchBytes += bytes;
      rows.push(value);
      if (rows.length >= LIMITS.datasources.batchRows || batchBytes >= LIMITS.datasources.batchBytes)
        yield batch();
    }
  } finally {
    await source.return(undefined);
  }
}

function padded(row: readonly unknown[], width: number): unknown[] {
  return [...row, ...Array.from({ length: width - row.length }, () => null)];
}
