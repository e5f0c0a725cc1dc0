import { readFileSync } from "node:fs";
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

/** What a process holds in memory now; undefined when it has gone, or where there is no /proc. */
export function residentMbOf(pid: number): number | undefined {
  try {
    const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return match === null ? undefined : Number(match[1]) / 1_024;
  } catch {
    return undefined;
  }
}
