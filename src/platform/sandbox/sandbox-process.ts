import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdir, rm } from "node:fs/promises";
import { dirname, extname, join, sep } from "node:path";
import type { Duplex, Readable } from "node:stream";
import { once } from "../../kernel/concurrency.ts";
import { strippedFlags } from "../stripped/index.ts";
import { ownedTempPath } from "../temp/index.ts";
import { LIMITS } from "./limits.ts";
import type { OsUser } from "./os-users.ts";
import { type MemoryWatch, watchMemory } from "./procfs.ts";
import {
  type BootstrapPlan,
  CHANNEL_FD,
  ENVELOPE_BYTES,
  type FromWorker,
  MessageReader,
} from "./protocol.ts";
import { findProgram, findWalls } from "./walls.ts";

/** Why a process ended; "crash" is whatever we did not do. */
export type EndReason = "crash" | "memory" | "stuck" | "folder" | "protocol" | "start" | "closed";

export interface SandboxLog {
  warn(fields: object, message: string): void;
}

export interface ProcessOptions {
  name: string;
  module: string;
  user: OsUser;
  memoryMb: number;
  memoryNowMb: () => number;
  addressMb: number | undefined;
  maxParamsBytes: number;
  maxResultBytes: number;
  tempFolder: string;
  env: Readonly<Record<string, string>>;
  allowRead: readonly string[];
  permissionModel: "strict" | "addons" | "off";
  lowPriority: boolean;
  log: SandboxLog;
}

interface ProcessEvents {
  onMessage(message: FromWorker): void;
  onEnd(reason: EndReason): void;
  isBusy(): boolean;
}

export interface SandboxProcess {
  readonly pid: number | undefined;
  /** Its private folder, without which it can do nothing. */
  readonly folder: string;
  /** It was killed and has not gone yet. */
  readonly isEnding: boolean;
  send(frame: Buffer): void;
  /** Ends at once and for good; `onEnd` follows. */
  kill(reason: EndReason): void;
}

/** Killed from outside, for want of memory for example, or by a bug of the engine: nobody else would tell. */
const ENDED_BY_ITSELF = "a sandboxed process ended by itself";

const BOOTSTRAP = join(import.meta.dirname, `bootstrap${extname(import.meta.filename)}`);
/** The most that one process may add to the log. */
const LOG_BYTES = 64 * 1024;

/** Starts one sandboxed process in a new private folder, which goes when it goes. */
export async function startProcess(options: ProcessOptions, events: ProcessEvents): Promise<SandboxProcess> {
  const folder = await privateFolder(options);
  const [program, ...args] = await commandLine(options, folder);
  const child = spawn(program!, args, {
    cwd: folder,
    env: { ...options.env },
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    // In a group of its own: Ctrl-C is for the server, which may still want to finish its calls.
    detached: true,
  });
  child.stdin?.on("error", () => undefined).end(JSON.stringify(planOf(options)));
  return supervise(child, folder, options, events);
}

function planOf({ module, user, maxParamsBytes, maxResultBytes }: ProcessOptions): BootstrapPlan {
  return { module, user, maxParamsBytes, maxResultBytes };
}

function supervise(
  child: ChildProcess,
  folder: string,
  options: ProcessOptions,
  events: ProcessEvents,
): SandboxProcess {
  let reason: EndReason = "crash";
  const watches: { stop(): void }[] = [];
  const kill = (why: EndReason): void => {
    if (reason === "crash") reason = why;
    killGroup(child);
  };
  let how: object = {};
  const onceEnded = once((): void => {
    if (reason === "crash") options.log.warn({ sandbox: options.name, ...how }, ENDED_BY_ITSELF);
    for (const watch of watches) watch.stop();
    void rm(folder, { recursive: true, force: true }).catch((error: unknown) => {
      options.log.warn({ sandbox: options.name, err: error }, "a folder of a sandbox cannot be removed");
    });
    events.onEnd(reason);
  });
  child
    .once("error", (err) => {
      how = { err };
      onceEnded();
    })
    .once("exit", (exitCode, signal) => {
      how = { exitCode, signal };
      onceEnded();
    });

  // Without descriptors or processes to spare there is no channel, and the error is on its way.
  const channel = child.stdio?.[CHANNEL_FD] as Duplex | undefined;
  const reader = new MessageReader(options.maxResultBytes + ENVELOPE_BYTES);
  channel?.on("data", (piece: Buffer) => {
    try {
      for (const message of reader.push(piece)) events.onMessage(message as FromWorker);
    } catch (error) {
      options.log.warn({ sandbox: options.name, err: error }, "a sandbox sent what it should not");
      kill("protocol");
    }
  });
  channel?.on("error", () => undefined);
  logOutput([child.stdout, child.stderr], options);
  if (child.pid !== undefined) watches.push(...watchProcess(child.pid, options, events, kill));
  return {
    pid: child.pid,
    folder,
    get isEnding() {
      return reason !== "crash";
    },
    kill,
    send: (frame) => void channel?.write(frame),
  };
}

/** The process and what it may have started. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL"); // There are no groups on Windows.
  }
}

function watchProcess(
  pid: number,
  { memoryMb, memoryNowMb, name, log }: ProcessOptions,
  events: ProcessEvents,
  kill: (reason: EndReason) => void,
): { stop(): void }[] {
  const limitMb = (): number => Math.min(memoryMb, memoryNowMb());
  const memory: MemoryWatch = watchMemory(pid, limitMb, events.isBusy, (residentMb) => {
    log.warn(
      { sandbox: name, residentMb: Math.round(residentMb), memoryMb: Math.round(limitMb()) },
      "a sandbox needed too much memory",
    );
    kill("memory");
  });
  const watchdog = watchOver(pid);
  return [memory, { stop: watchdog.release }];
}

/** The walls around Node, then Node with its own limits. */
async function commandLine(options: ProcessOptions, folder: string): Promise<string[]> {
  const { lowPriority, resourceLimits, noNewPrivileges, network } = await findWalls();
  const priority = options.lowPriority ? lowPriority : undefined;
  return [
    ...[priority, resourceLimits?.(options.addressMb), noNewPrivileges, network].flatMap(
      (wrapper) => wrapper ?? [],
    ),
    process.execPath,
    `--max-old-space-size=${heapMb(options.memoryMb)}`,
    "--no-warnings",
    ...permissionFlags(options, folder),
    ...(await strippedFlags(BOOTSTRAP, options.module)),
    BOOTSTRAP,
  ];
}

/** The rest is for the program itself, for buffers and for native code. */
function heapMb(memoryMb: number): number {
  return Math.max(32, memoryMb - 96);
}

function permissionFlags({ permissionModel, module, allowRead }: ProcessOptions, folder: string): string[] {
  if (permissionModel === "off") return [];
  const readable = [...codeFolders(module), ...allowRead, folder];
  return [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${folder}`,
    ...(permissionModel === "addons" ? ["--allow-addons"] : []),
  ];
}

async function privateFolder({ tempFolder, user }: ProcessOptions): Promise<string> {
  const folder = ownedTempPath(tempFolder);
  await mkdir(folder, { mode: 0o700 });
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  return folder;
}

function logOutput(outputs: (Readable | null)[], { name, log }: ProcessOptions): void {
  let left = LOG_BYTES;
  for (const output of outputs) {
    output?.on("error", () => undefined);
    output?.on("data", (piece: Buffer) => {
      if (left <= 0) return;
      left -= piece.length;
      const text = piece.toString("utf8").slice(0, LIMITS.sandbox.logLineCharacters).trimEnd();
      log.warn({ sandbox: name, output: text }, "a sandbox wrote something");
    });
  }
}

/**
 * The folders that hold code, for Node's permission model: not the whole project, in which there may be
 * settings and data.
 */
function codeFolders(modulePath: string): string[] {
  const root = packageRoot(import.meta.dirname);
  const outer = root.lastIndexOf(`${sep}node_modules${sep}`);
  const folders = ["package.json", "src", "dist", "node_modules"].map((name) => join(root, name));
  // Installed as a package, our dependencies lie beside us.
  if (outer !== -1) folders.push(root.slice(0, outer + `${sep}node_modules`.length));
  return [...folders.filter((folder) => existsSync(folder)), dirname(modulePath)];
}

function packageRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder) throw new Error(`there is no package.json above ${start}`);
  }
}

/** Waits for the end of its input, which comes when the server ends in whatever way, and then kills. */
const SCRIPT = 'read -r _; kill -9 "-$1" "$1"';

/**
 * A process that hangs in a loop does not notice that its server was killed, so somebody else must. This is a
 * shell because nothing inside the process would do: the kernel's own signal for this is taken back when a
 * process changes its user, and threads of Node would undo its permission model.
 */
function watchOver(pid: number): { release(): void } {
  const shell = findProgram("sh");
  if (shell === undefined) return { release: () => undefined };
  const watchdog: ChildProcess = spawn(shell, ["-c", SCRIPT, "kenning-watchdog", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    env: {},
    cwd: "/",
    detached: true,
  });
  watchdog.on("error", () => undefined);
  watchdog.stdin?.on("error", () => undefined);
  watchdog.unref();
  return { release: () => void watchdog.kill("SIGKILL") };
}
