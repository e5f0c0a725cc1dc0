import { chmod, chown, type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";

/** File mode: readable by the members of one group, or by nobody else. */
export interface FileAccess {
  readerGid: number | undefined;
}

/** A name is safe only when its folder is on the disk too. Windows cannot sync folders and needs not. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the folders of `segments` below `root` that are missing, each one durably. */
export async function makeFolders(
  root: string,
  segments: readonly string[],
  access: FileAccess,
): Promise<void> {
  let folder = root;
  for (const segment of segments) {
    folder = join(folder, segment);
    await makeFolder(folder, access);
  }
}

export async function makeFolder(folder: string, { readerGid }: FileAccess): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  if (readerGid !== undefined) {
    await chown(folder, process.geteuid?.() ?? -1, readerGid);
    await chmod(folder, 0o750);
  }
  await syncFolder(dirname(folder));
}

/** Puts the content on the disk before anybody can see its name. */
export async function sealFile(handle: FileHandle, { readerGid }: FileAccess): Promise<void> {
  if (readerGid !== undefined) {
    await Promise.all([handle.chown(process.geteuid?.() ?? -1, readerGid), handle.chmod(0o640)]);
  }
  await handle.sync();
}
