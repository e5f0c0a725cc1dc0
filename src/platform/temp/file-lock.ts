import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { AppError } from "../../kernel/errors.ts";

const SQLITE_BUSY = 5;

/** A lock on a file, held until it is released or its process ends, however that ends. */
export interface FileLock {
  release(): void;
}

/**
 * Takes the lock on `file` and makes the file if need be; undefined when another has it. SQLite's lock is used
 * because the kernel lets go of it when its holder dies, and because it holds between containers that share a
 * folder, whatever their host names and process numbers are.
 */
export function tryFileLock(file: string): FileLock | undefined {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    // One that is there is not opened: closing it again would let go of a lock that this process has on it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    closeToOthers(file);
  }
  return tryExistingLock(file);
}

/** Whoever can read it can lock it, and so hold up whoever waits for it. */
function closeToOthers(file: string): void {
  try {
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  } catch {
    // It is somebody else's, or has gone.
  }
}

/** The same for a file that must be there already: undefined when it is not. */
export function tryExistingLock(file: string): FileLock | undefined {
  const address = pathToFileURL(file);
  address.searchParams.set("mode", "rw");
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(address);
    // Nothing is ever written, so no journal is wanted on the disk, for which a full disk would have no room.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    const held = lock;
    return { release: () => held.close() };
  } catch (error) {
    lock?.close();
    const isTaken = (error as { errcode?: number }).errcode === SQLITE_BUSY;
    if (isTaken || !existsSync(file)) return undefined;
    throw new AppError("unavailable", `The file ${file} cannot be locked.`, {
      hint: "Keep KENNING_HOME on a file system with locks, as local disks have them, and NFS with its lock service.",
      cause: error,
    });
  }
}
