import type { OsUser } from "./os-users.ts";
import type { FileIdentity } from "./procfs.ts";
import type { SandboxLog } from "./sandbox-process.ts";

export interface SandboxOptions {
  /** For the log. */
  name: string;
  /** The file that calls `serve` of worker-channel.ts. It imports all it needs when it is loaded. */
  module: string;
  /** Private working folders are made in here. May lie below a folder that the other user cannot enter. */
  tempFolder: string;
  /** Of the whole process; Node itself takes about 60. */
  memoryMb: number;
  /** What it may take at this moment, where that is less. */
  memoryNowMb?: () => number;
  /**
   * Private memory that it may ask the kernel for, used or not; beyond it, asking fails inside the process. Node
   * and its threads ask for a gigabyte that they never use.
   */
  addressMb?: number;
  /** From the call to its answer, waiting included. */
  requestTimeoutMs: number;
  /** Calls in the process at a time; when it ends, all of them fail. */
  concurrency?: number;
  maxQueuedCalls?: number;
  maxParamsBytes?: number;
  maxResultBytes?: number;
  cancelGraceMs?: number;
  /** Whom to become when the server is root. Sandboxes that must not touch each other take different ones. */
  user: OsUser;
  /** All that the process finds in its environment. */
  env?: Readonly<Record<string, string>>;
  /** Folders that it may read besides its code, as far as the permission model is concerned. */
  allowRead?: readonly string[];
  /** Node's own walls; "addons" lets native code in, which they cannot hold. */
  permissionModel?: "strict" | "addons" | "off";
  /** Whether all others come first when there is too much to do; false for what somebody waits for, which gives way to the server alone. */
  lowPriority?: boolean;
  log: SandboxLog;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  onProgress?: (value: unknown) => void;
  timeoutMs?: number;
  /** The process has the call now. */
  onBegin?: () => void;
  /** The process is done with the call, which may be later than the answer: after a timeout it has to be stopped. */
  onEnd?: () => void;
}

/**
 * A child process for work on what strangers gave us. Its answers are a stranger's too: parse them.
 *
 * Always: an empty environment, no descriptor besides the channel, a private working folder that goes with it,
 * umask 077, limits on time, memory (the heap by V8, all of it by looking 40 times a second, on Linux), queue
 * and message size; it dies when the server dies, however that happens; a crash fails its own calls only.
 *
 * As root, too: another user without groups or capabilities, which can neither read what is closed to others
 * nor write anywhere but in its folder. The module is loaded before that, so the project may lie in a folder
 * that the user cannot enter; what a library loads later must lie elsewhere.
 *
 * Where util-linux is at hand (every Debian): no network, no way to rights by setuid programs, no core dumps,
 * bounded files. The network goes away without root as well, where the kernel allows user namespaces.
 *
 * Without root, the process is the same user as the server: what keeps it from the server's files is only Node's
 * permission model, which holds JavaScript (no files but its code and its folder, no processes, no threads) and
 * does not hold native code. `describe()` tells which of these walls stand on this machine.
 */
export interface Sandbox {
  call(method: string, params: unknown, options?: CallOptions): Promise<unknown>;
  describe(): Promise<SandboxWalls>;
  /** A call would be taken at once: no process has to start first. */
  readonly isReady: boolean;
  /** What its process holds in memory; undefined when there is none, or where nobody can tell. */
  residentMb(): number | undefined;
  /** Whether its process has opened this very file; undefined when there is none, or where nobody can tell. */
  hasOpen(file: FileIdentity): boolean | undefined;
  /** Whether others come first from now on, as far as this process goes; the next one begins as it was told to. */
  yieldToOthers(isLow: boolean): void;
  /** Ends the process unless there is something for it to do; the next call starts another. */
  rest(): void;
  /** Calls that are under way fail with `unavailable`. */
  close(): Promise<void>;
}

export interface SandboxWalls {
  otherUser: { uid: number; gid: number } | undefined;
  networkBlocked: boolean;
  noNewPrivileges: boolean;
  resourceLimits: boolean;
  lowPriority: boolean;
  memoryWatched: boolean;
  permissionModel: "strict" | "addons" | "off";
}
