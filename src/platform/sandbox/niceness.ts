import { readdirSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/** As `nice` has it: a tenth of what others get, while others want something. */
export const LOW_NICENESS = 10;
/** What somebody waits for gives way to the server itself, which everybody waits for, and hardly to anything else. */
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
