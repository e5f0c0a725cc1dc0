import { subscribe } from "node:diagnostics_channel";
import { afterAll } from "vitest";

declare module "vitest" {
  export interface TaskMeta {
    /** Processes that a test file started itself, of Node, PostgreSQL or a shell. */
    processes?: number;
  }
}

// Files that share a worker share its globals, and each runs this anew.
const worker = globalThis as typeof globalThis & { startedProcesses?: number };
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
});
