import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../kernel/errors.ts";
import { type FileLock, tryFileLock } from "../temp/index.ts";

const POLL_MS = 10;

/** Runs `work` in one process at a time. */
export async function withStartLock<T>(file: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const lock = await takeLock(file, timeoutMs);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function takeLock(file: string, timeoutMs: number): Promise<FileLock> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const lock = tryFileLock(file);
    if (lock !== undefined) return lock;
    if (Date.now() > deadline) {
      throw new AppError(
        "unavailable",
        "Another process has been starting the embedded database for too long.",
        { hint: `End the process that holds ${file} and try again.` },
      );
    }
    await sleep(POLL_MS);
  }
}
