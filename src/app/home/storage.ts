import { randomBytes } from "node:crypto";
import { existsSync, type StatsFs } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FolderBlobStore, openFolderBlobs, storeIdFile } from "../../platform/blobs/index.ts";
import { osUserOf } from "../../platform/sandbox/index.ts";
import { ownedTempPath } from "../../platform/temp/index.ts";

const SENTENCES: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full.",
  EDQUOT: "The disk quota is used up.",
  EROFS: "The storage can only be read.",
  EACCES: "The storage may not be written.",
};

/** Writes a small file durably and reads it again; a sentence when that cannot be done. */
export async function storageProblem(folder: string): Promise<string | undefined> {
  if (!existsSync(storeIdFile(folder))) return "The storage for files is not there.";
  try {
    await tryOut(ownedTempPath(join(folder, ".tmp")));
    return undefined;
  } catch (error) {
    const sentence = SENTENCES[(error as NodeJS.ErrnoException).code ?? ""];
    if (sentence === undefined) throw error;
    return sentence;
  }
}

async function tryOut(path: string): Promise<void> {
  const bytes = randomBytes(64);
  const file = await open(path, "wx+", 0o600);
  try {
    await file.write(bytes);
    await file.sync();
    const { buffer } = await file.read({ buffer: Buffer.alloc(bytes.length), position: 0 });
    if (!buffer.equals(bytes)) throw new Error("the storage does not give back what was written");
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

interface DiskNeeds {
  diskFreeBytes: number;
  diskFreeFiles: number;
}

/** What is short, in a sentence; undefined while there is enough. */
export function diskProblem(
  { bavail, bsize, files, ffree }: Pick<StatsFs, "bavail" | "bsize" | "files" | "ffree">,
  { diskFreeBytes, diskFreeFiles }: DiskNeeds,
): string | undefined {
  if (bavail * bsize < diskFreeBytes) return "The disk is full, or nearly so.";
  // Some file systems do not count their files.
  return files > 0 && ffree < diskFreeFiles ? "The disk has no room for more files." : undefined;
}

export function blobsOf(home: string): string {
  return join(home, "blobs");
}

/** The files of a home. The engine's processes read parts, and can write none. */
export function openBlobs(home: string): Promise<FolderBlobStore> {
  const readerGid = osUserOf("engine", 0)?.gid;
  return openFolderBlobs({ folder: blobsOf(home), ...(readerGid !== undefined && { readerGid }) });
}
