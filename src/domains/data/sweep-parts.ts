import type { FolderBlobStore } from "../../platform/blobs/index.ts";
import type { DatasetsStore } from "./datasets.store.ts";

/** The folder of the blob storage that parts of datasets are in. */
export const PARTS = "parts";

/** Parts of earlier processes are all looked up again, of which there may be very many. */
const SWEPT_AT_ONCE = 1_000;

interface Stores {
  datasets: DatasetsStore;
  blobs: FolderBlobStore;
}

/** Removes the files of parts that nobody reads any more, and those that a killed process left unfinished. */
export async function sweepParts({ datasets, blobs }: Stores, signal?: AbortSignal): Promise<void> {
  for (const key of await datasets.versions.forget()) await blobs.delete(key);
  const isAbandoned = blobs.abandonedNames();
  let keys: string[] = [];
  for await (const { key } of blobs.list(`${PARTS}/`)) {
    if (signal?.aborted) return;
    if (!isAbandoned(key.slice(PARTS.length + 1))) continue;
    keys.push(key);
    if (keys.length < SWEPT_AT_ONCE) continue;
    await removeUnused({ datasets, blobs }, keys);
    keys = [];
  }
  await removeUnused({ datasets, blobs }, keys);
}

async function removeUnused({ datasets, blobs }: Stores, keys: readonly string[]): Promise<void> {
  const referenced = await datasets.referenced(keys);
  for (const key of keys) if (!referenced.has(key)) await blobs.delete(key);
}
