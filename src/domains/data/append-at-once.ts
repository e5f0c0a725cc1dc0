import { sql } from "drizzle-orm";
import { type Catalog, notifyOfEvents, type StorageClaim } from "../../platform/catalog/index.ts";
import { insertDatasetEvent, rowsOrColumns } from "./data-events.ts";
import type { Column, Dataset, DatasetPart } from "./dataset.ts";

interface AppendedRow extends Pick<Dataset, "version" | "policies">, Record<string, unknown> {
  row_count: string;
  bytes: string;
}

/**
 * One more part of a dataset, in a single statement instead of a transaction of seven. It waits for others who change
 * the dataset; undefined when they changed what this was worked out from.
 */
export async function appendAtOnce(
  { db }: Catalog,
  existing: Dataset,
  part: DatasetPart,
  change: {
    columns: Column[];
    refreshedAt: Date;
    refreshedBy: number;
    claim: StorageClaim | undefined;
  },
): Promise<Dataset | undefined> {
  const { columns, refreshedAt, refreshedBy, claim } = change;
  const told = insertDatasetEvent(existing, rowsOrColumns(existing.columns, columns), sql`changed`);
  const { rows } = await db.execute<AppendedRow>(sql`
    WITH changed AS (
      UPDATE datasets SET columns = ${JSON.stringify(columns)}, version = version + 1,
        row_count = row_count + ${part.rowCount}, bytes = bytes + ${part.bytes}, refreshed_at = ${refreshedAt},
        refreshed_by = ${refreshedBy}
      WHERE id = ${existing.id} AND deleted_at IS NULL AND name = ${existing.name}
        AND columns = ${JSON.stringify(existing.columns)} AND source = ${JSON.stringify(existing.source)}
        AND policies = ${JSON.stringify(existing.policies)}
        AND ${claim?.holds() ?? sql`true`}
      RETURNING id, version, row_count, bytes, policies
    ), added AS (
      INSERT INTO dataset_parts (dataset_id, blob_key, row_count, bytes, sha256, from_version)
      SELECT id, ${part.blobKey}, ${part.rowCount}, ${part.bytes}, ${part.sha256}, version FROM changed
    ), told AS (${told})
    SELECT version, row_count, bytes, policies, ${notifyOfEvents} FROM changed`);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { version, policies } = row;
  const counts = { rowCount: Number(row.row_count), bytes: Number(row.bytes) };
  return { ...existing, columns, version, policies, refreshedAt, refreshedBy, ...counts };
}
