import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../kernel/errors.ts";

const POLL_MS = 10;
const SQLITE_BUSY = 5;

function tryLock(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

/**
 * Runs `work` in one process at a time. SQLite's file lock is used as a mutex because the kernel lets go
 * of it when its holder is killed, so that it can never be stale.
 */
export async function withStartLock<T>(file: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const lock = new DatabaseSync(file);
  try {
    const deadline = Date.now() + timeoutMs;
    while (!tryLock(lock)) {
      if (Date.now() > deadline) {
        throw new AppError(
          "unavailable",
          "Another process has been starting the embedded database for too long.",
          {
            hint: `End the process that holds ${file} and try again.`,
          },
        );
      }
      await sleep(POLL_MS);
    }
    return await work();
  } finally {
    lock.close();
  }
}
