import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";

export interface Usage {
  ms: number;
  /** Of the process and all below it, as far as they still run. */
  cpuMs: number;
  peakMb: number;
}

const SAMPLE_MS = 50;
const TICKS_PER_SECOND = 100;

/** One of the processes that are compared, and what it and its children take. Linux only. */
export class Child<Hello = object> {
  readonly #process: ChildProcess;
  readonly hello: Hello;

  private constructor(child: ChildProcess, hello: Hello) {
    this.#process = child;
    this.hello = hello;
  }

  static async start<Hello = object>(name: string, args: string[] = []): Promise<Child<Hello>> {
    const child = fork(new URL(`./${name}-server.ts`, import.meta.url), args, { stdio: "inherit" });
    const ended = once(child, "exit").then(() => Promise.reject(new Error(`${name} ended at its start`)));
    const [hello] = (await Promise.race([once(child, "message"), ended])) as [Hello];
    // Later it ends because it is told to.
    ended.catch(() => undefined);
    return new Child(child, hello);
  }

  async ask<Answer>(message: string): Promise<Answer> {
    this.#process.send(message);
    const [answer] = (await once(this.#process, "message")) as [Answer & { error?: string }];
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  async stop(): Promise<void> {
    this.#process.send("stop");
    await once(this.#process, "exit");
  }

  /** What it and its children have taken of the processor so far. */
  cpuMs(): number {
    return cpuMs(this.#process.pid as number);
  }

  async watch<T>(work: () => Promise<T>): Promise<Usage & { answer: T }> {
    const root = this.#process.pid as number;
    let peakMb = 0;
    const timer = setInterval(() => {
      const mb = family(root).reduce((sum, pid) => sum + residentMb(pid), 0);
      peakMb = Math.max(peakMb, mb);
    }, SAMPLE_MS);
    const before = cpuMs(root);
    const started = performance.now();
    try {
      const answer = await work();
      const ms = performance.now() - started;
      return { answer, ms, cpuMs: cpuMs(root) - before, peakMb };
    } finally {
      clearInterval(timer);
    }
  }
}

function family(root: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(statOf(Number(name))?.[1]) }));
  const members = [root];
  for (const member of members)
    for (const { pid, parent } of parents) if (parent === member) members.push(pid);
  return members;
}

/** The fields of /proc/PID/stat behind the name; undefined when the process has gone. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

function cpuMs(root: number): number {
  const ticks = family(root).map((pid) => {
    const fields = statOf(pid) ?? [];
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return (ticks.reduce((sum, each) => sum + each, 0) * 1_000) / TICKS_PER_SECOND;
}

function residentMb(pid: number): number {
  try {
    const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Number(match?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
