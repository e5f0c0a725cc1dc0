import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, syncFolder } from "./durable-files.ts";

/** Begins with a dot, so it is no blob. */
const FILE = ".store-id";

export function storeIdFile(folder: string): string {
  return join(folder, FILE);
}

/** What tells this storage from any other; undefined where there is none, or none that was ever opened. */
export async function readStoreId(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(storeIdFile(folder), "utf8")).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** For a storage that changes hands: whoever knew it by its id does not know it any more. */
export async function replaceStoreId(folder: string): Promise<string> {
  await rm(storeIdFile(folder), { force: true });
  return ensureStoreId(folder);
}

/** Gives the storage an id unless it has one. Servers that do so at once agree, because only one can link the file. */
export async function ensureStoreId(
  folder: string,
  wanted = randomBytes(12).toString("hex"),
): Promise<string> {
  const known = await readStoreId(folder);
  if (known !== undefined) return known;
  await makeFolder(folder, { readerGid: undefined });
  const draft = `${storeIdFile(folder)}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, `${wanted}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, storeIdFile(folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
  return (await readStoreId(folder)) ?? wanted;
}
