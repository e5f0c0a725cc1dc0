import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { freemem, totalmem } from "node:os";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { VERSION } from "../version.ts";
import { type Finding, fail, ok, sizeText, warn } from "./check.ts";

const PROBE_MS = 3_000;
/** The state of a socket in /proc/net/tcp. */
const LISTENING = "0A";
const LOW_MEMORY_BYTES = 256 * 2 ** 20;

/** The port is free, or Kenning itself has it. */
export async function checkPort({ server: { port, host } }: Config): Promise<Finding> {
  const answer = await whoListens(host, port);
  if (answer === "nobody") return tryToListen(host, port);
  if (answer === "stranger") {
    return fail(`Something other than Kenning listens on port ${port}.`, "Stop it, or choose another PORT.");
  }
  const message = `Kenning ${answer.version} is running on port ${port}.`;
  if (answer.version === VERSION) return ok(message);
  return warn(`${message} Installed is ${VERSION}.`, "Restart the server.");
}

async function whoListens(host: string, port: number): Promise<"nobody" | "stranger" | { version: string }> {
  // To every address means: also to this one.
  const name = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[host] ?? (host.includes(":") ? `[${host}]` : host);
  try {
    const response = await fetch(`http://${name}:${port}/api/health/live`, {
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const { status, version } = (await response.json()) as { status?: unknown; version?: unknown };
    return status === "ok" && typeof version === "string" ? { version } : "stranger";
  } catch (error) {
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    return cause?.code === "ECONNREFUSED" ? "nobody" : "stranger";
  }
}

function tryToListen(host: string, port: number): Promise<Finding> {
  const { promise, resolve } = Promise.withResolvers<Finding>();
  const probe = createServer();
  probe.once("error", (error: NodeJS.ErrnoException) => {
    resolve(
      fail(
        `Kenning cannot listen on port ${port} of ${host} (${error.code}).`,
        "Change PORT or KENNING_HOST.",
      ),
    );
  });
  probe.listen(port, host, () =>
    probe.close(() => resolve(ok(`Port ${port} of ${host} is free; the server is not running.`))),
  );
  return promise;
}

/** Memory of everything that works for this data folder: servers, commands, database, sandboxes. */
export function checkMemory({ storage, server }: Config): Finding {
  const free = availableBytes();
  const machine = `${sizeText(free)} of ${sizeText(totalmem())} are available`;
  // With a database elsewhere there are no leases: the server is whoever listens on its port.
  const roots =
    storage.databaseUrl === null
      ? [...leaseHolders(storage.home), ...postmaster(storage.home)]
      : listenersOn(server.port);
  const processes = processTree(roots);
  const used = processes.reduce((sum, pid) => sum + memoryOf(pid), 0);
  const message =
    processes.length === 0
      ? `${machine}; no server is running.`
      : `The running server and its ${processes.length - 1} child processes use ${sizeText(used)}; ${machine}.`;
  return free < LOW_MEMORY_BYTES
    ? warn(message, "Give the machine more memory, or stop something else.")
    : ok(message);
}

/** Other processes that use the embedded database: each leaves a file named after itself. */
export function leaseHolders(home: string): number[] {
  return listed(join(home, "postgres", "leases"))
    .map((name) => Number(/^lease-(\d+)-/.exec(name)?.[1]))
    .filter((pid) => pid > 0 && pid !== process.pid && isAlive(pid));
}

function postmaster(home: string): number[] {
  const pid = Number(read(join(home, "postgres", "data", "postmaster.pid")).split("\n")[0]);
  return pid > 0 && isAlive(pid) ? [pid] : [];
}

/** The processes that listen on a TCP port, as far as we may look. */
export function listenersOn(port: number): number[] {
  const sockets = ["/proc/net/tcp", "/proc/net/tcp6"]
    .flatMap((file) => read(file).split("\n"))
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local = "", , state]) =>
        state === LISTENING && Number.parseInt(local.split(":")[1] ?? "", 16) === port,
    )
    .map((fields) => `socket:[${fields[9]}]`);
  if (sockets.length === 0) return [];
  const holds = (pid: string) =>
    listed(`/proc/${pid}/fd`).some((fd) => sockets.includes(linkOf(`/proc/${pid}/fd/${fd}`)));
  return listed("/proc")
    .filter((name) => /^\d+$/.test(name) && holds(name))
    .map(Number);
}

/** The processes and all their descendants, each once, without this very command. */
function processTree(roots: readonly number[]): number[] {
  const parents = new Map(
    listed("/proc").flatMap((name) => (/^\d+$/.test(name) ? [[Number(name), parentOf(Number(name))]] : [])),
  );
  const isOurs = (pid: number | undefined, depth = 0): boolean => {
    if (pid === undefined || pid <= 1 || depth > 64) return false;
    return roots.includes(pid) || isOurs(parents.get(pid), depth + 1);
  };
  return [...parents.keys()].filter((pid) => pid !== process.pid && isOurs(pid));
}

function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** The proportional share where the kernel tells it, so that shared pages are counted once. */
function memoryOf(pid: number): number {
  const kib =
    /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`)) ??
    /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`));
  return Number(kib?.[1] ?? 0) * 1024;
}

function availableBytes(): number {
  const kib = /^MemAvailable:\s+(\d+)/m.exec(read("/proc/meminfo"))?.[1];
  return kib === undefined ? freemem() : Number(kib) * 1024;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
