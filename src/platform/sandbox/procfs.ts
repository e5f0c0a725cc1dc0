import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { LIMITS } from "./limits.ts";

/** An idle process is looked at less often. */
const IDLE_TICKS = 10;

export interface MemoryWatch {
  stop(): void;
}

/** Calls `onExceeded` once when the process holds more in memory than it may at that moment. Linux only. */
export function watchMemory(
  pid: number,
  limitMb: () => number,
  isBusy: () => boolean,
  onExceeded: (residentMb: number) => void,
): MemoryWatch {
  let tick = 0;
  const timer = setInterval(() => {
    tick += 1;
    if (!isBusy() && tick % IDLE_TICKS !== 0) return;
    const residentMb = residentMbOf(pid);
    if (residentMb === undefined || residentMb <= limitMb()) return;
    clearInterval(timer);
    onExceeded(residentMb);
  }, LIMITS.sandbox.memoryPollMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Resident set size of a process; undefined when it has gone, or where there is no /proc. */
export function residentMbOf(pid: number): number | undefined {
  try {
    const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return match === null ? undefined : Number(match[1]) / 1_024;
  } catch {
    return undefined;
  }
}

/** As `nice` has it: a tenth of what others get, while others want something. */
export const LOW_NICENESS = 10;
/** Niceness of interactive work: it gives way to the server itself, which everybody waits for, and hardly to anything else. */
export const ENGINE_NICENESS = 3;

/**
 * How far a process gives way to others. Linux counts niceness by thread; and where it groups processes by session
 * (each sandbox has one of its own) it is the group's that counts. Without root a thread's cannot be taken back, so
 * there it is left alone.
 */
export function setNiceness(pid: number, niceness: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // It has gone, or there are no groups.
  }
  if (process.geteuid?.() !== 0) return;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), niceness);
  } catch {
    // It has gone, or a thread of it.
  }
}

/** Identity of a file (device and inode), whatever its name leads to by now. */
export interface FileIdentity {
  dev: number;
  ino: number;
}

/** Open file descriptors: the process has opened this very file; undefined where the system does not tell. */
export function hasOpen(pid: number, { dev, ino }: FileIdentity): boolean | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const opened = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
      return opened?.dev === dev && opened.ino === ino;
    });
  } catch {
    return undefined;
  }
}
