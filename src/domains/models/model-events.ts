import { sql } from "drizzle-orm";
import { z } from "zod";
import { type Catalog, type CatalogTx, publishEvent } from "../../platform/catalog/index.ts";
import type { ResourceChange } from "../../registry/define-resource.ts";
import { DATASET_CHANGED, datasetChanged } from "../data/index.ts";

/** Events of this slice: a model was published, deleted or restored. */
const MODEL_CHANGED = "model.changed";

const modelChanged = z.object({
  workspaceId: z.int(),
  uuid: z.string(),
  /** With the one that it had before, if that was another. */
  names: z.array(z.string()),
});

interface Named {
  workspaceId: number;
  uuid: string;
  name: string;
}

/** The last thing in a transaction that changes which models there are, or what is published of one. */
export function tellOfModel(tx: CatalogTx, { workspaceId, uuid, name }: Named, former = name): Promise<void> {
  const names = [...new Set([name, former])];
  const payload: z.infer<typeof modelChanged> = { workspaceId, uuid, names };
  return publishEvent(tx, { topic: MODEL_CHANGED, key: uuid, payload });
}

/** The events of which resources of this slice change. */
export const RESOURCE_EVENTS: readonly string[] = [MODEL_CHANGED, DATASET_CHANGED];

interface DatasetReader extends Record<string, unknown> {
  uuid: string;
  name: string;
  /** Names in the model of the datasets that read it. */
  shown: string[];
}

/** What an event changes of the resources: which models there are, what one says, and the datasets in it. */
export async function changedResources(
  catalog: Catalog,
  { topic, payload }: { topic: string; payload: unknown },
): Promise<ResourceChange[]> {
  if (topic === MODEL_CHANGED) {
    const { workspaceId, uuid, names } = modelChanged.parse(payload);
    return allOf(workspaceId, [uuid, ...names]);
  }
  const { workspaceId, name, change } = datasetChanged.parse(payload);
  const readers = await readersOf(catalog, workspaceId, name);
  if (change !== "rows") return readers.flatMap((model) => allOf(workspaceId, [model.uuid, model.name]));
  return readers.map((model) => ({
    workspaceId,
    resource: "dataset",
    params: { id: [model.uuid, model.name], name: model.shown },
  }));
}

function allOf(workspaceId: number, id: readonly string[]): ResourceChange[] {
  return [
    { workspaceId, resource: "semantic_models", params: {} },
    { workspaceId, resource: "semantic_model", params: { id } },
    { workspaceId, resource: "dataset", params: { id } },
  ];
}

/** The published models that read a dataset. */
async function readersOf({ db }: Catalog, workspaceId: number, dataset: string): Promise<DatasetReader[]> {
  // The text of a view query is not parsed here: better one model too many than one too few.
  const { rows } = await db.execute<DatasetReader>(sql`
    SELECT uuid, name, shown FROM (
      SELECT m.uuid, m.name, array(
        SELECT d->>'name' FROM jsonb_array_elements(v.document->'datasets') d
        WHERE lower(${dataset}) IN (
            lower(d->>'source'), lower(trim('"' FROM regexp_replace(d->>'source', '^.*[.]', '')))
          )
          OR strpos(lower(d->>'viewQuery'), lower(replace(${dataset}, '"', '""'))) > 0
      ) AS shown
      FROM semantic_models m
      JOIN semantic_model_versions v ON v.model_id = m.id AND v.version = m.published_version
      WHERE m.workspace_id = ${workspaceId} AND m.deleted_at IS NULL
    ) readers
    WHERE shown <> '{}'`);
  return rows;
}
