import { extname, join } from "node:path";
import { isWithin } from "../../../kernel/fair-queue.ts";
import {
  type CallOptions,
  createSandbox,
  isProcessLost,
  type OsUser,
  type Sandbox,
  type SandboxLog,
} from "../../sandbox/index.ts";
import { LIMITS } from "../limits.ts";
import type { Engine } from "./query-pool.ts";

/** Node itself and the engine's own needs, which its memory limit does not count. */
export const OVERHEAD_MB = 256;
/** The part of a process's memory that copies of small views may take. */
export const COPIES = 8;
/** Private memory that Node and its threads ask for without using it. */
const UNUSED_ADDRESS_MB = 1_024;
/** The engine keeps addresses of memory that it gave back. */
const ADDRESSES = 2;

const WORKER_MODULE = join(import.meta.dirname, `query-worker${extname(import.meta.filename)}`);

export interface QueryProcessOptions {
  name: string;
  tempFolder: string;
  memoryMb: number;
  reader: OsUser;
  log: SandboxLog;
  cancelGraceMs?: number;
  /** A statement in it has become a long one, or was one and has ended; or the process has ended under one. */
  onChange(): void;
}

export interface QueryCallOptions extends CallOptions {
  /** It has become a long one; `isFirst` says that no other one was in its process, which may be what made it slow. */
  onLong?: (isFirst: boolean) => void;
}

/** A call that is under way. */
interface Call {
  scope: string;
  isLong: boolean;
  /** Its caller has been answered; if it does not stop, the process is killed. */
  isAbandoned: boolean;
}

/** A process that runs queries, and what it is busy with. */
export class QueryProcess {
  readonly sandbox: Sandbox;
  readonly reader: OsUser;
  readonly engines = new Map<string, Engine>();
  /** Places that are taken in it. */
  running = 0;
  usedAt = performance.now();
  readonly #options: QueryProcessOptions;
  readonly #calls = new Set<Call>();
  /** Told when nothing is under way any more. */
  readonly #waiting: (() => void)[] = [];
  /** Those in use, also such as were forgotten meanwhile. */
  readonly #used = new Set<Engine>();
  readonly #places = new Map<string, number>();
  /** What it held when the last query came to find it idle. */
  #idleMb = 0;

  constructor(options: QueryProcessOptions) {
    const { name, tempFolder, memoryMb, reader, log } = options;
    this.#options = options;
    this.reader = reader;
    this.sandbox = createSandbox({
      name,
      module: WORKER_MODULE,
      tempFolder,
      memoryMb,
      memoryNowMb: () => this.#promisedMb(),
      addressMb: UNUSED_ADDRESS_MB + ADDRESSES * memoryMb,
      requestTimeoutMs: LIMITS.analytics.queryMs,
      // Each query may have one call that asks for more, and engines are closed meanwhile.
      concurrency: 4 * LIMITS.analytics.queriesPerWorker,
      cancelGraceMs: options.cancelGraceMs ?? LIMITS.analytics.cancelGraceMs,
      // A waiting call of the engine occupies a thread, and the default is four.
      env: { UV_THREADPOOL_SIZE: String(4 * LIMITS.analytics.queriesPerWorker) },
      permissionModel: "addons",
      lowPriority: false,
      user: reader,
      log,
    });
  }

  /** Long statements run in it: nobody else's are to be delayed or lost with them. */
  get isApart(): boolean {
    return this.#calls.values().some(({ isLong }) => isLong);
  }

  isApartFor(scope: string): boolean {
    return this.longOf(scope) > 0;
  }

  /** How many long statements of a workspace, or of a person in it, run in it. */
  longOf(scope: string): number {
    return [...this.#calls].filter((call) => call.isLong && isWithin(call.scope, scope)).length;
  }

  /** Nothing is under way in it, with a place or without. */
  get isIdle(): boolean {
    return this.running === 0 && this.#calls.size === 0;
  }

  /** Resolves when the process has really ended everything that it was asked for. */
  whenIdle(): Promise<void> {
    if (this.#calls.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** It may be killed soon, with everything in it. */
  get isInDanger(): boolean {
    return this.#calls.values().some(({ isAbandoned }) => isAbandoned);
  }

  /** Places in it that somebody has. */
  runningOf(scope: string): number {
    return this.#places.get(scope) ?? 0;
  }

  occupy(engine: Engine, scope: string): void {
    this.#places.set(scope, this.runningOf(scope) + 1);
    if (this.running === 0) this.#idleMb = this.sandbox.residentMb() ?? 0;
    this.running += 1;
    engine.users += 1;
    this.#used.add(engine);
  }

  leave(engine: Engine, scope: string): void {
    const left = this.runningOf(scope) - 1;
    if (left > 0) this.#places.set(scope, left);
    else this.#places.delete(scope);
    this.usedAt = performance.now();
    this.running -= 1;
    engine.users -= 1;
    engine.usedAt = this.usedAt;
    if (engine.users === 0) this.#used.delete(engine);
  }

  /** Something that takes long counts as long until the process has really ended it, whoever still waits for it. */
  call(
    scope: string,
    method: string,
    params: object,
    { onLong, ...options }: QueryCallOptions = {},
  ): Promise<unknown> {
    const call: Call = { scope, isLong: false, isAbandoned: false };
    this.#calls.add(call);
    this.usedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const onBegin = (): void => {
      const becomeLong = (): void => {
        const isFirst = !this.isApart;
        this.#setApart(call);
        onLong?.(isFirst);
      };
      timer = setTimeout(becomeLong, LIMITS.analytics.longQueryMs).unref();
    };
    const onEnd = (): void => {
      clearTimeout(timer);
      this.#calls.delete(call);
      this.usedAt = performance.now();
      if (this.#calls.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
      if (!call.isLong) return;
      if (!this.isApart) this.sandbox.yieldToOthers(false);
      this.#options.onChange();
    };
    return this.sandbox
      .call(method, params, { ...options, onBegin, onEnd })
      .catch((error: unknown) => {
        if (isProcessLost(error)) this.#options.onChange();
        throw error;
      })
      .finally(() => {
        call.isAbandoned = true;
      });
  }

  #setApart(call: Call): void {
    call.isLong = true;
    this.sandbox.yieldToOthers(true);
    this.#options.onChange();
  }

  /** What the engines in use were promised, beside what is there without them. */
  #promisedMb(): number {
    const { memoryMb } = this.#options;
    const promised = this.#used.values().reduce((sum, engine) => sum + engine.memoryMb, 0);
    if (promised === 0) return memoryMb;
    return Math.max(this.#idleMb, OVERHEAD_MB + memoryMb / COPIES) + promised;
  }
}
