import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("catalog-child.ts", import.meta.url));
const LOAD_QUICKLY = ["--require", join(import.meta.dirname, "../../bin/load-quickly.cjs")];

const ROOT = join(import.meta.dirname, "../..");
/** Our own files stay where they are, also in a clone below /tmp: bound again from the folder that this began in. */
const OWN_TMP = 'cd "$0" && mount -t tmpfs none /tmp && mkdir -p "$0" && mount -c --bind . "$0" && exec "$@"';

/** Numbers its processes from 1, and has a /tmp of its own; when it is killed, all that runs in it goes at once. */
const CONTAINER = {
  execPath: "unshare",
  execArgv: [
    ...["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--ipc", "--uts", "--net"],
    ...["sh", "-c", OWN_TMP, ROOT, process.execPath, ...LOAD_QUICKLY],
  ],
};

/** Another process with a catalog open on the same home. */
export class CatalogProcess {
  readonly child: ChildProcess;
  #lastId = 0;

  private constructor(child: ChildProcess) {
    this.child = child;
  }

  static async start(home: string, options: { inContainer?: boolean } = {}): Promise<CatalogProcess> {
    const child = fork(SCRIPT, [home], {
      execArgv: LOAD_QUICKLY,
      ...(options.inContainer && CONTAINER),
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let errors = "";
    child.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    const failed = once(child, "exit").then(() => {
      throw new Error(`the other process ended: ${errors}`);
    });
    failed.catch(() => {});
    await Promise.race([once(child, "message"), failed]);
    return new CatalogProcess(child);
  }

  async query<Row = Record<string, unknown>>(sql: string): Promise<Row[]> {
    return (await this.#ask({ sql })) as Row[];
  }

  async close(): Promise<void> {
    const ended = once(this.child, "exit");
    await this.#ask({ close: true });
    await ended;
  }

  async kill(): Promise<void> {
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
  }

  #ask(request: object): Promise<unknown[]> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    const ended = () => reject(new Error("the other process ended"));
    const answer = (message: { id?: number; rows?: unknown[]; error?: string }) => {
      if (message.id !== id) return;
      if (message.error === undefined) resolve(message.rows ?? []);
      else reject(new Error(message.error));
    };
    this.child.on("message", answer);
    this.child.once("exit", ended);
    this.child.send({ id, ...request });
    return promise.finally(() => {
      this.child.off("message", answer);
      this.child.off("exit", ended);
    });
  }
}

/** The process number in the lock file of a home's server. */
export function serverPid(home: string): number {
  return Number(readFileSync(join(home, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[0]);
}

/** Whether a process runs; one that has ended and waits to be collected does not. */
export function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}
