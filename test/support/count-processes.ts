import { subscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { afterAll } from "vitest";

declare module "vitest" {
  export interface TaskMeta {
    /** Processes that a test file started itself, of Node, PostgreSQL or a shell. */
    processes?: number;
    /** Processor time of the file and of those of its processes that have ended. */
    cpuSeconds?: number;
  }
}

// Files that share a worker share its globals, and each runs this anew.
const worker = globalThis as typeof globalThis & { startedProcesses?: number; cpuSecondsTold?: number };
if (worker.startedProcesses === undefined) {
  worker.startedProcesses = 0;
  subscribe("child_process", () => {
    worker.startedProcesses = (worker.startedProcesses ?? 0) + 1;
  });
}

const before = worker.startedProcesses;
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are wanted, which is none.
afterAll(({}, file) => {
  file.meta.processes = (worker.startedProcesses ?? 0) - before;
  // From the end of the file before, so that loading this one counts as well.
  const seconds = cpuSeconds();
  file.meta.cpuSeconds = seconds - (worker.cpuSecondsTold ?? 0);
  worker.cpuSecondsTold = seconds;
});

const TICKS_A_SECOND = 100;

/** Of this process and of its children that have ended; without /proc of this process alone. */
function cpuSeconds(): number {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
}
