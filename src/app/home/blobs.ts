import { join } from "node:path";
import { type FolderBlobStore, openFolderBlobs } from "../../platform/blobs/index.ts";
import { accountOf } from "../../platform/sandbox/index.ts";

export function blobsOf(home: string): string {
  return join(home, "blobs");
}

/** The files of a home. The engine's processes read parts, and can write none. */
export function openBlobs(home: string): Promise<FolderBlobStore> {
  const readerGid = accountOf("engine", 0)?.gid;
  return openFolderBlobs({ folder: blobsOf(home), ...(readerGid !== undefined && { readerGid }) });
}
