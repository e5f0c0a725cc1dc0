import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const LAUNCHER = join(import.meta.dirname, "../../bin/kenning");

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

interface RunOptions {
  input?: string;
  env?: Record<string, string>;
}

/** Kenning's real command line on a data folder, a port and an environment of its own. */
export class CommandLine {
  readonly home: string = mkdtempSync(join(tmpdir(), "kenning-cli-"));
  /** KENNING_HOME. */
  readonly dataFolder = join(this.home, "data");
  readonly port: number;
  readonly env: Record<string, string>;

  private constructor(port: number) {
    this.port = port;
    // As root the database runs as another user, who must be able to pass.
    chmodSync(this.home, 0o711);
    // Nothing of the tests' own environment: a setting there would change what is tested.
    this.env = {
      PATH: process.env.PATH ?? "",
      HOME: this.home,
      KENNING_HOME: this.dataFolder,
      PORT: String(port),
      // What is tested is not what newcomers are shown.
      KENNING_DEMO: "false",
    };
  }

  static async open(): Promise<CommandLine> {
    return new CommandLine(await freePort());
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  spawn(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
    // The folder is the home, so that no .env of the project is read.
    return spawn(process.execPath, [LAUNCHER, ...args], { cwd: this.home, env: { ...this.env, ...env } });
  }

  /** Runs one command to its end, in a process of its own. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const child = this.spawn(args, options.env);
    child.stdin?.end(options.input ?? "");
    return ended(child);
  }

  /** The same in this process, which saves a start of Node; one after the other. */
  async call(args: readonly string[], { input = "", env = {} }: RunOptions = {}): Promise<Ended> {
    const { runCommandLine } = await import("../../src/app/cli/command-line.ts");
    const { reportFailure } = await import("../../src/app/cli/failure.ts");
    const result: Ended = { code: 1, out: "", err: "" };
    const terminal = {
      out: (text: string) => {
        result.out += text;
      },
      err: (text: string) => {
        result.err += text;
      },
      readAll: async () => input,
    };
    const [environment, folder] = [process.env, process.cwd()];
    process.env = { ...this.env, ...env };
    process.chdir(this.home);
    try {
      result.code = await runCommandLine(args, terminal);
    } catch (error) {
      await reportFailure(error, terminal);
    } finally {
      process.chdir(folder);
      process.env = environment;
    }
    return result;
  }

  /** Starts the server and waits until it says that it is there. */
  async serve(
    env: Record<string, string> = {},
  ): Promise<{ child: ChildProcess; welcome: string; stopped: Promise<Ended> }> {
    const child = this.spawn(["serve"], env);
    const stopped = ended(child);
    let welcome = "";
    const said = new Promise<void>((resolve) => {
      child.stdout?.on("data", (chunk) => {
        welcome += chunk;
        if (welcome.includes("KENNING_TOKEN")) resolve();
      });
    });
    const early = stopped.then(({ err }) => Promise.reject(new Error(`the server ended: ${err}`)));
    early.catch(() => {});
    await Promise.race([said, early]);
    return { child, welcome, stopped };
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

async function ended(child: ChildProcess): Promise<Ended> {
  let [out, err] = ["", ""];
  child.stdout?.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    err += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}

/** Below the ports that the kernel hands out, so that nobody takes one between the look and its use; fetch refuses 10080. */
const FIRST_PORT = 11_000;
const PORTS_A_WORKER = 500;
const WORKERS = 40;
let nextPort = randomInt(PORTS_A_WORKER);

/** A port that nobody listens on. Each worker of the tests has its own range and goes round in it. */
export async function freePort(): Promise<number> {
  const worker = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS;
  for (let tries = 0; tries < PORTS_A_WORKER; tries += 1) {
    const port = FIRST_PORT + worker * PORTS_A_WORKER + (nextPort++ % PORTS_A_WORKER);
    if (await isFree(port)) return port;
  }
  throw new Error("no port is free");
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  probe.once("error", () => resolve(false));
  probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  return promise;
}
