import { type Clock, MS } from "../../kernel/time.ts";
import type { FolderBlobStore } from "../../platform/blobs/index.ts";
import type { DocumentsStore } from "./documents.store.ts";
import { DOCUMENTS } from "./knowledge.ts";
import { LIMITS } from "./limits.ts";

const SWEPT_AT_ONCE = 1_000;

interface Parts {
  documents: DocumentsStore;
  blobs: FolderBlobStore;
  clock: Clock;
}

/** Forgets what was deleted long ago, and the files that a killed process left without a document. */
export async function sweepDocuments({ documents, blobs, clock }: Parts): Promise<void> {
  const before = new Date(clock.now().getTime() - LIMITS.knowledge.keptDays * MS.day);
  for (const key of await documents.forget(before)) await blobs.delete(key);
  const isAbandoned = blobs.abandonedNames();
  let keys: string[] = [];
  const removeUnused = async (): Promise<void> => {
    const referenced = await documents.referenced(keys);
    for (const key of keys) if (!referenced.has(key)) await blobs.delete(key);
    keys = [];
  };
  for await (const { key } of blobs.list(`${DOCUMENTS}/`)) {
    if (!isAbandoned(key.slice(DOCUMENTS.length + 1))) continue;
    keys.push(key);
    if (keys.length >= SWEPT_AT_ONCE) await removeUnused();
  }
  await removeUnused();
}
