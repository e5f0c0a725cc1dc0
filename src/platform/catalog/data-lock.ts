import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Account } from "./account.ts";
import { handOver } from "./data-folder.ts";

/** The descriptor under which a child gets the lock. */
const CHILD_FD = 3;
/** What flock(1) answers when somebody else has the lock. */
const TAKEN = 1;

/**
 * The lock on a data folder, which its database server inherits: the kernel lets go of it when the last process of
 * that server has ended. PostgreSQL's own check knows process numbers and shared memory, and so nothing of a server
 * in another container. Where there is no flock(1) there are no containers to tell apart either.
 */
export function tryDataLock(dataFolder: string, account: Account | undefined): number | "taken" {
  const file = join(dataFolder, "kenning.lock");
  const fd = openSync(file, "a", 0o600);
  try {
    handOver(file, 0o600, account);
    // Our descriptor and the child's are one open file, so its lock stays with us when it ends.
    const stdio = ["ignore", "ignore", "ignore", fd] as const;
    const { status } = spawnSync("flock", ["--exclusive", "--nonblock", String(CHILD_FD)], {
      stdio: [...stdio],
    });
    if (status !== TAKEN) return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return "taken";
}
