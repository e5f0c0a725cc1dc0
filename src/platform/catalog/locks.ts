import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AppError } from "../../kernel/errors.ts";
import { type FileLock, tryFileLock } from "../temp/index.ts";
import { type Account, handOver } from "./data-folder.ts";
import { birthOf } from "./process-table.ts";

const KEEPER_SCRIPT = fileURLToPath(new URL("keeper.sh", import.meta.url));
const POLL_MS = 5;
const RESPAWN_DELAY_MS = 1_000;

let leasesOfThisProcess = 0;

/**
 * A claim on the running database: `lease-<pid>-<birth>-<n>` in the folder of leases. Beside each lease
 * waits a keeper, a tiny shell outside our process group, which outlives us however we end and stops
 * the database when no other lease is alive.
 */
export class Lease {
  readonly #folder: string;
  readonly #dataFolder: string;
  readonly #name: string;
  #keeper: ChildProcess;
  #isReleased = false;

  constructor(folder: string, dataFolder: string) {
    this.#folder = folder;
    this.#dataFolder = dataFolder;
    leasesOfThisProcess += 1;
    this.#name = `lease-${process.pid}-${birthOf(process.pid)}-${leasesOfThisProcess}`;
    writeFileSync(join(folder, this.#name), "", { mode: 0o600 });
    this.#keeper = this.#startKeeper();
  }

  #startKeeper(): ChildProcess {
    const keeper = spawn("/bin/sh", [KEEPER_SCRIPT, this.#folder, this.#name, this.#dataFolder], {
      // Its standard input is our pipe: the kernel closes it when we end, also by kill -9.
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" },
    });
    keeper.stdin?.on("error", () => {});
    keeper.on("error", () => {});
    keeper.once("exit", () => {
      if (this.#isReleased) return;
      const respawn = () => {
        if (!this.#isReleased) this.#keeper = this.#startKeeper();
      };
      setTimeout(respawn, RESPAWN_DELAY_MS).unref();
    });
    keeper.unref();
    (keeper.stdin as unknown as { unref(): void } | null)?.unref();
    return keeper;
  }

  /** Gives the claim back and waits until the keeper has done its work: the last one out stops the database. */
  async release(timeoutMs: number): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    const keeper = this.#keeper;
    if (keeper.exitCode !== null || keeper.signalCode !== null || keeper.pid === undefined) {
      // The keeper is gone and was not replaced yet; a new one with a closed pipe does its work at once.
      rmSync(join(this.#folder, this.#name), { force: true });
      return this.#finish(this.#startKeeper(), timeoutMs);
    }
    return this.#finish(keeper, timeoutMs);
  }

  #finish(keeper: ChildProcess, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new AppError("timeout", `The embedded database did not stop within ${timeoutMs} ms.`));
      }, timeoutMs);
      keeper.once("exit", () => {
        clearTimeout(timer);
        resolve();
      });
      keeper.ref();
      keeper.stdin?.end();
    });
  }
}

/** `stop-<pid>-<birth>` of a keeper that is stopping the database, as long as that keeper lives. */
function isStopping(folder: string): boolean {
  return readdirSync(folder).some((name) => {
    const [kind, pid, birth] = name.split("-");
    return kind === "stop" && birthOf(Number(pid)) === birth;
  });
}

/**
 * Waits for keepers that stop the database. To be called after taking a lease: a keeper raises its flag
 * before it counts the leases, so either it sees ours and leaves the database alone, or we see its flag.
 */
export async function waitForKeepers(folder: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (isStopping(folder)) {
    if (Date.now() > deadline) {
      throw new AppError("unavailable", "The embedded database is being stopped and has not ended in time.", {
        hint: "Try again in a moment.",
      });
    }
    await sleep(POLL_MS);
  }
}

const START_POLL_MS = 10;

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
    await sleep(START_POLL_MS);
  }
}

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
