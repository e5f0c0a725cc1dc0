import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type CatalogTx, insertEvent, publishEvent } from "../../platform/catalog/index.ts";
import type { Column, Dataset } from "./dataset.ts";

/** Events of this slice, written to the outbox in the transaction of the change. */

export const DATASET_CHANGED = "dataset.changed";
export const QUERY_RUN_ENDED = "query_run.ended";

/** Columns change with rows; existence is that it was made, deleted or brought back. */
const CHANGES = ["rows", "columns", "policies", "existence"] as const;
type DatasetChange = (typeof CHANGES)[number];

export const datasetChanged = z.object({
  workspaceId: z.int(),
  datasetId: z.int(),
  name: z.string(),
  version: z.int(),
  change: z.enum(CHANGES),
});

export const queryRunEnded = z.object({
  workspaceId: z.int(),
  queryId: z.int(),
  runId: z.int(),
  status: z.enum(["succeeded", "failed", "cancelled"]),
});

/** The last thing in a transaction that changes a dataset. */
export function tellOfDataset(tx: CatalogTx, dataset: Dataset, change: DatasetChange): Promise<void> {
  const { id: datasetId, workspaceId, name, version } = dataset;
  const payload: z.infer<typeof datasetChanged> = { workspaceId, datasetId, name, version, change };
  return publishEvent(tx, { topic: DATASET_CHANGED, key: String(datasetId), payload });
}

/** The same within one statement, of the row that `from` has of the dataset. */
export function insertDatasetEvent(
  { workspaceId, id: datasetId, name }: Dataset,
  change: DatasetChange,
  from: SQL,
): SQL {
  const known = JSON.stringify({ workspaceId, datasetId, name, change });
  const payload = sql`${known}::jsonb || jsonb_build_object('version', version)`;
  return insertEvent(DATASET_CHANGED, { key: sql`${String(datasetId)}::text`, payload, from });
}

export function rowsOrColumns(before: readonly Column[], after: readonly Column[]): DatasetChange {
  const textOf = (columns: readonly Column[]) =>
    JSON.stringify(columns.map(({ name, type }) => [name, type]));
  return textOf(before) === textOf(after) ? "rows" : "columns";
}

export function tellOfRun(tx: CatalogTx, ended: z.infer<typeof queryRunEnded>): Promise<void> {
  return publishEvent(tx, { topic: QUERY_RUN_ENDED, key: String(ended.queryId), payload: ended });
}
