import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../kernel/errors.ts";
import { type Account, identity, SERVER_ENV } from "./data-folder.ts";
import { birthOf, hasArgument } from "./process-table.ts";
import { type Ending, StartFailure } from "./start-failure.ts";

export const PORT = 5432;
const POLL_MS = 4;
const PROBE_TIMEOUT_MS = 2_000;

/** Lock file of a running server, postmaster.pid. */
export interface Postmaster {
  pid: number;
  status: "starting" | "ready" | "stopping";
}

export function socketPath(folder: string): string {
  return join(folder, `.s.PGSQL.${PORT}`);
}

function readLockFile(dataFolder: string): Postmaster | undefined {
  try {
    const lines = readFileSync(join(dataFolder, "postmaster.pid"), "utf8").split("\n");
    const status = lines[7]?.trim();
    return {
      pid: Number(lines[0]),
      status: status === "ready" || status === "stopping" ? status : "starting",
    };
  } catch {
    return undefined;
  }
}

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const answer = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
    socket.setTimeout(PROBE_TIMEOUT_MS, () => answer(true));
  });
}

/**
 * The server that runs on a data folder, if one does. The socket is asked too, because a server in another
 * container has a process number that means nothing here.
 */
export async function findPostmaster(
  dataFolder: string,
  socketFolder: string,
): Promise<Postmaster | undefined> {
  const found = readLockFile(dataFolder);
  if (found === undefined) return undefined;
  if (hasArgument(found.pid, dataFolder)) return found;
  return (await accepts(socketPath(socketFolder))) ? found : undefined;
}

/**
 * Removes the lock files of a server that is gone when their process number now belongs to something else:
 * PostgreSQL itself would take that for a running server. Only to be called with the lock on the data folder.
 */
export function removeStaleLocks(dataFolder: string, socketFolder: string): void {
  const stale = readLockFile(dataFolder);
  if (stale === undefined || birthOf(stale.pid) === undefined) return;
  rmSync(join(dataFolder, "postmaster.pid"), { force: true });
  rmSync(`${socketPath(socketFolder)}.lock`, { force: true });
}

interface StartOptions {
  program: string;
  dataFolder: string;
  socketFolder: string;
  logFile: string;
  account: Account | undefined;
  /** The lock on the data folder, which the server holds from now on. */
  lock: number;
  /** More server settings. */
  settings: Readonly<Record<string, string>>;
  timeoutMs: number;
}

/** What is not for an operator to change, so it is said anew at each start. */
function requiredSettings(socketFolder: string): Record<string, string> {
  return {
    listen_addresses: "",
    port: String(PORT),
    unix_socket_directories: socketFolder,
    unix_socket_permissions: "0700",
    fsync: "on",
    full_page_writes: "on",
    logging_collector: "off",
  };
}

function openLog(file: string): number {
  try {
    renameSync(file, `${file}.1`);
  } catch {
    // The first start has no earlier log to keep.
  }
  return openSync(file, "a", 0o600);
}

/** Starts a server in its own session (a Ctrl-C is for Kenning alone) and returns when it takes connections. */
export async function startPostmaster(options: StartOptions): Promise<Postmaster> {
  const { dataFolder, logFile } = options;
  const settings = { ...requiredSettings(options.socketFolder), ...options.settings };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = openLog(logFile);
  const child = spawn(options.program, ["-D", dataFolder, ...flags], {
    stdio: ["ignore", log, log, options.lock],
    detached: true,
    cwd: "/",
    env: SERVER_ENV,
    ...identity(options.account),
  });
  closeSync(log);
  child.unref();
  let ending: Ending | undefined;
  child.once("exit", (code, signal) => {
    ending ??= { code, signal };
  });
  child.once("error", (error) => {
    ending ??= { error };
  });
  const deadline = Date.now() + options.timeoutMs;
  while (ending === undefined) {
    const found = readLockFile(dataFolder);
    if (found !== undefined && found.pid === child.pid && found.status === "ready") return found;
    if (Date.now() > deadline) {
      child.kill("SIGINT");
      throw new AppError("timeout", `The embedded database was not ready after ${options.timeoutMs} ms.`, {
        hint: `Its log is ${logFile}.`,
      });
    }
    await sleep(POLL_MS);
  }
  throw StartFailure.fromLog(readFileSync(logFile, "utf8"), logFile, ending);
}
