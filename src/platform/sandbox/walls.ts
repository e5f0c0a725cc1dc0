import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "./limits.ts";

/** A program that sets up one wall and then becomes the program behind it. */
type Wrapper = readonly string[];

export interface Walls {
  /** No network at all, not even loopback. */
  network: Wrapper | undefined;
  /** Programs with the setuid bit give no rights back. */
  noNewPrivileges: Wrapper | undefined;
  /** No core dumps, no huge files, a bounded number of open files and of processes. */
  resourceLimits: ((addressMb: number | undefined) => Wrapper) | undefined;
  lowPriority: Wrapper | undefined;
}

const FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];
/** Threads count, and all sandboxes of one user are counted together. */
const MOST_PROCESSES = 1_024;

let found: Promise<Walls> | undefined;

/** Which walls this machine has, found out by building each of them once. */
export function findWalls(): Promise<Walls> {
  found ??= tryWalls();
  return found;
}

async function tryWalls(): Promise<Walls> {
  const isRoot = process.geteuid?.() === 0;
  const { fileBytes, openFiles } = LIMITS.sandbox;
  const limits = ["--core=0:0", `--nofile=${openFiles}:${openFiles}`, `--fsize=${fileBytes}:${fileBytes}`];
  const [network, noNewPrivileges, resourceLimits, lowPriority] = await Promise.all([
    // Without root the network can still be left behind, inside a user namespace, where the kernel allows those.
    tryWrapper("unshare", [...(isRoot ? [] : ["--user", "--map-current-user"]), "--net", "--"]),
    tryWrapper("setpriv", ["--no-new-privs", "--"]),
    // Without root the limit on processes would count everything that the user runs.
    tryWrapper("prlimit", [...limits, ...(isRoot ? [`--nproc=${MOST_PROCESSES}:${MOST_PROCESSES}`] : [])]),
    tryWrapper("nice", ["-n", "10"]),
  ]);
  return {
    network,
    noNewPrivileges,
    resourceLimits: resourceLimits && withMemory(resourceLimits),
    lowPriority,
  };
}

/** RLIMIT_DATA and not RLIMIT_AS: of the latter V8 alone takes ten gigabytes, which it reserves without using them. */
function withMemory(limits: Wrapper): (addressMb: number | undefined) => Wrapper {
  return (addressMb) => {
    const bytes = (addressMb ?? 0) * 1024 * 1024;
    return [...limits, ...(addressMb === undefined ? [] : [`--data=${bytes}:${bytes}`]), "--"];
  };
}

async function tryWrapper(program: string, args: readonly string[]): Promise<Wrapper | undefined> {
  const path = findProgram(program);
  const harmless = findProgram("true");
  if (path === undefined || harmless === undefined) return undefined;
  const works = await new Promise<boolean>((resolve) => {
    const trial = spawn(path, [...args, harmless], {
      stdio: "ignore",
      env: {},
      timeout: LIMITS.sandbox.startMs,
    });
    trial.once("error", () => resolve(false));
    trial.once("exit", (code) => resolve(code === 0));
  });
  return works ? [path, ...args] : undefined;
}

export function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
