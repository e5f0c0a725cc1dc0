/** What a sandboxed module may get up to, for the tests. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { connect } from "node:net";
import { env } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { AppError } from "../../kernel/errors.ts";
import { serve } from "./worker-channel.ts";

const kept: unknown[] = [];

function attempt(work: () => unknown): string {
  try {
    return String(work());
  } catch (error) {
    return `failed: ${(error as NodeJS.ErrnoException).code ?? String(error)}`;
  }
}

function userOfThreads(): string[] {
  const users = readdirSync("/proc/self/task").map(
    (task) => /^Uid:\s*(.*)$/m.exec(readFileSync(`/proc/self/task/${task}/status`, "utf8"))?.[1] ?? "",
  );
  return [...new Set(users)];
}

function self(): Record<string, unknown> {
  return {
    env: { ...env },
    cwd: process.cwd(),
    umask: process.umask(),
    uid: process.getuid?.(),
    gid: process.getgid?.(),
    groups: process.getgroups?.(),
  };
}

serve({
  echo: (params) => params,
  pid: () => process.pid,
  crash: () => process.abort(),
  exit: () => process.exit(7),
  rejectLater: () => void Promise.reject(new Error("nobody caught this")),
  loop: () => {
    for (;;);
  },
  hogBuffers: async () => {
    for (;;) {
      kept.push(Buffer.alloc(10_000_000, 1));
      await delay(5);
    }
  },
  hogHeap: () => {
    for (;;) kept.push(Array.from({ length: 1_000 }, (_, index) => `${index}`));
  },
  sleep: async (params, { signal }) => {
    await delay(params as number, undefined, { signal });
    return "slept";
  },
  stubborn: async (params) => {
    await delay(params as number);
    return "finished all the same";
  },
  big: (params) => Buffer.alloc(params as number),
  cheat: (params) => void writeSync(3, Buffer.from(params as number[])),
  flood: () => void process.stdout.write("x".repeat(10_000_000)),
  count: async (params, { progress }) => {
    for (let step = 1; step <= (params as number); step += 1) progress({ step });
    return "counted";
  },
  refuse: () => {
    throw new AppError("bad_request", "The file is broken.", { hint: "Send another.", data: { line: 3 } });
  },
  bug: () => {
    throw new TypeError("x is not a function");
  },
  self,
  world: () => ({
    ...self(),
    nice: Number(readFileSync("/proc/self/stat", "utf8").split(" ")[18]),
    status: readFileSync("/proc/self/status", "utf8"),
    limits: readFileSync("/proc/self/limits", "utf8"),
    descriptors: readdirSync("/proc/self/fd").length,
    threads: userOfThreads(),
  }),
  read: (params) => attempt(() => readFileSync(params as string, "utf8")),
  write: (params) => attempt(() => writeFileSync(params as string, "x")),
  spawn: () => attempt(() => spawnSync("/bin/true").status),
  thread: () => attempt(() => new Worker("1", { eval: true }).threadId),
  becomeRoot: () => attempt(() => process.setuid?.(0)),
  connect: (params) =>
    new Promise((resolve) => {
      const { port, host } = params as { port: number; host: string };
      const socket = connect(port, host, () => resolve("connected"));
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(`failed: ${error.code}`));
    }),
});
