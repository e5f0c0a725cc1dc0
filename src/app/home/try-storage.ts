import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { storeIdFile } from "../../platform/blobs/index.ts";
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
