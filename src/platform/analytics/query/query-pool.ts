import { createHash } from "node:crypto";
import { extname, join } from "node:path";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import {
  type Account,
  type CallOptions,
  createSandbox,
  type Sandbox,
  type SandboxLog,
} from "../../sandbox/index.ts";
import type { EngineLimits, Relation } from "../analytics-options.ts";
import { Shelf } from "../shelf.ts";
import type { EngineSpec } from "../wire.ts";

export interface QueryPoolOptions {
  tempFolder: string;
  workers: number;
  memoryMb: number;
  threads: number;
  /** Whom process number n becomes; undefined without root. */
  readerOf(worker: number): Account;
  log: SandboxLog;
}

/** An engine that a process has, or had before it was replaced: then it is told again what belongs to it. */
interface Engine {
  key: string;
  /** What the process calls it: another name each time, so that closing an old one never hits a new one. */
  id: string;
  worker: Worker;
  /** What the process may read, and what it has to make of that. */
  ready: Promise<{ shelf: Shelf; spec: EngineSpec }>;
  /** Once it is ready. */
  shelf?: Shelf;
  parts: ReadonlySet<string>;
  /** The process was told. */
  isKnown: boolean;
  /** To be closed as soon as nobody uses it. */
  isForgotten: boolean;
  users: number;
  usedAt: number;
}

interface Worker {
  sandbox: Sandbox;
  reader: Account;
  running: number;
  engines: Map<string, Engine>;
}

/** Node itself and the engine's own needs, which its memory limit does not count. */
const OVERHEAD_MB = 256;
/** Engines may take more together than there is: hardly ever do all of them need their share at once. */
const SHARES = 4;
/** The part of a process's memory that copies of small relations may take. */
const COPIES = 8;
const WORKER_MODULE = join(import.meta.dirname, `query-worker${extname(import.meta.filename)}`);

/** The processes that run queries, and which of them has which engine ready. */
export class QueryPool {
  readonly #options: QueryPoolOptions;
  readonly #workers: Worker[];
  readonly #sweeper: NodeJS.Timeout;
  #isClosed = false;
  #lastEngine = 0;

  constructor(options: QueryPoolOptions) {
    this.#options = options;
    this.#workers = Array.from({ length: options.workers }, (_, index) => this.#makeWorker(index));
    this.#sweeper = setInterval(() => this.#closeIdle(), LIMITS.analytics.engineIdleMs / 10).unref();
  }

  get sandboxes(): Sandbox[] {
    return this.#workers.map(({ sandbox }) => sandbox);
  }

  /**
   * Any process, for what needs no data. Of two that are equally busy, the one with more engines: what it parses now
   * it will probably be asked to run, and then knows already.
   */
  call(method: string, params: unknown, options: CallOptions): Promise<unknown> {
    const [worker] = this.#workers.toSorted(
      (a, b) => a.running - b.running || b.engines.size - a.engines.size,
    );
    return worker!.sandbox.call(method, params, options);
  }

  /** Occupies a process that has, or gets, an engine for these relations. */
  async acquire(scope: string, relations: readonly Relation[], limits: EngineLimits = {}): Promise<Lease> {
    if (this.#isClosed) throw new AppError("unavailable", "The server is stopping.");
    const key = engineKey(scope, relations, limits);
    const worker = this.#choose(key);
    const kept = worker.engines.get(key);
    if (kept?.shelf?.isInPlace === false) this.#forget(kept);
    const engine = worker.engines.get(key) ?? this.#makeEngine(worker, key, relations, limits);
    // Counted before anything is awaited, so that nobody closes it in between.
    engine.users += 1;
    worker.running += 1;
    const release = (): void => {
      engine.users -= 1;
      engine.usedAt = performance.now();
      worker.running -= 1;
      if (engine.isForgotten && engine.users === 0) this.#close(engine);
      this.#makeRoom(worker);
    };
    try {
      const { spec } = await engine.ready;
      return new Lease(engine, spec, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Lets go of engines that hold on to these files. Queries that run now may finish. */
  forget(parts: readonly string[]): void {
    const engines = this.#workers.flatMap((worker) => [...worker.engines.values()]);
    for (const engine of engines) if (parts.some((part) => engine.parts.has(part))) this.#forget(engine);
  }

  #forget(engine: Engine): void {
    engine.isForgotten = true;
    drop(engine);
    if (engine.users === 0) this.#close(engine);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    await Promise.all(this.#workers.map(({ sandbox }) => sandbox.close()));
    const engines = this.#workers.flatMap((worker) => [...worker.engines.values()]);
    for (const result of await Promise.allSettled(engines.map(({ ready }) => ready))) {
      if (result.status === "fulfilled") await result.value.shelf.remove();
    }
  }

  #makeWorker(index: number): Worker {
    const reader = this.#options.readerOf(index);
    const sandbox = createSandbox({
      name: `query ${index + 1}`,
      module: WORKER_MODULE,
      tempFolder: this.#options.tempFolder,
      memoryMb: this.#options.memoryMb,
      requestTimeoutMs: LIMITS.analytics.queryMs,
      // Each query may have one call that asks for more, and engines are closed meanwhile.
      concurrency: 4 * LIMITS.analytics.queriesPerWorker,
      cancelGraceMs: LIMITS.analytics.cancelGraceMs,
      // A waiting call of the engine occupies a thread, and the default is four.
      env: { UV_THREADPOOL_SIZE: String(4 * LIMITS.analytics.queriesPerWorker) },
      permissionModel: "addons",
      lowPriority: false,
      user: reader,
      log: this.#options.log,
    });
    return { sandbox, reader, running: 0, engines: new Map() };
  }

  #byLoad(): Worker[] {
    return this.#workers.toSorted((a, b) => a.running - b.running || a.engines.size - b.engines.size);
  }

  /** The one that has the engine, unless it is full. */
  #choose(key: string): Worker {
    const ready = this.#workers.find(
      ({ engines, running }) => engines.has(key) && running < LIMITS.analytics.queriesPerWorker,
    );
    return ready ?? this.#byLoad()[0]!;
  }

  #makeEngine(worker: Worker, key: string, relations: readonly Relation[], limits: EngineLimits): Engine {
    const ready = this.#furnish(worker, relations, limits);
    this.#lastEngine += 1;
    const engine: Engine = {
      key,
      id: String(this.#lastEngine),
      worker,
      ready,
      parts: new Set(relations.flatMap(({ parts }) => parts)),
      isKnown: false,
      isForgotten: false,
      users: 0,
      usedAt: performance.now(),
    };
    worker.engines.set(key, engine);
    ready.then(
      ({ shelf }) => {
        engine.shelf = shelf;
      },
      () => drop(engine),
    );
    return engine;
  }

  async #furnish(
    worker: Worker,
    relations: readonly Relation[],
    limits: EngineLimits,
  ): Promise<{ shelf: Shelf; spec: EngineSpec }> {
    const { tempFolder } = this.#options;
    const shelf = await Shelf.make(tempFolder, worker.reader);
    try {
      const placed = await Promise.all(
        relations.map(async (relation, number) => {
          const { name, parts, columns, select, isHidden = false, isRestricted = false } = relation;
          const files = parts.map((part, index) => shelf.put(part, `${number}-${index}.parquet`));
          return { name, files: await Promise.all(files), columns, select, isHidden, isRestricted };
        }),
      );
      return { shelf, spec: { relations: placed, ...this.#limitsOf(limits) } };
    } catch (error) {
      await shelf.remove();
      throw error;
    }
  }

  #limitsOf({ threads, memoryMb, spillMb, copyMb }: EngineLimits): Required<EngineLimits> {
    const most = this.#options.memoryMb - OVERHEAD_MB;
    return {
      threads: threads ?? this.#options.threads,
      memoryMb: memoryMb === undefined ? Math.floor(most / SHARES) : Math.min(memoryMb, most),
      spillMb: spillMb ?? LIMITS.analytics.spillMb,
      copyMb: Math.min(copyMb ?? Number.POSITIVE_INFINITY, Math.floor(this.#options.memoryMb / COPIES)),
    };
  }

  #makeRoom(worker: Worker): void {
    const surplus = worker.engines.size - LIMITS.analytics.enginesPerWorker;
    if (surplus <= 0) return;
    const idle = [...worker.engines.values()].filter(({ users }) => users === 0);
    for (const engine of idle.toSorted((a, b) => a.usedAt - b.usedAt).slice(0, surplus)) this.#close(engine);
  }

  #closeIdle(): void {
    const before = performance.now() - LIMITS.analytics.engineIdleMs;
    const engines = this.#workers.flatMap((worker) => [...worker.engines.values()]);
    for (const engine of engines) if (engine.users === 0 && engine.usedAt < before) this.#close(engine);
  }

  #close(engine: Engine): void {
    drop(engine);
    const { id, worker } = engine;
    engine.ready
      .then(({ shelf }) => worker.sandbox.call("close", { engine: id }).finally(() => shelf.remove()))
      .catch((error: unknown) => {
        if (!this.#isClosed) this.#options.log.warn({ err: error }, "a query engine could not be closed");
      });
  }
}

function drop(engine: Engine): void {
  const { engines } = engine.worker;
  if (engines.get(engine.key) === engine) engines.delete(engine.key);
}

/** A place in a process, until `release`. */
export class Lease {
  readonly #engine: Engine;
  readonly #spec: EngineSpec;
  readonly release: () => void;

  constructor(engine: Engine, spec: EngineSpec, release: () => void) {
    this.#engine = engine;
    this.#spec = spec;
    this.release = release;
  }

  /** Runs something on the engine; a process that is new or was replaced is told what belongs to it. */
  async run(params: object, options: CallOptions): Promise<unknown> {
    const { id, isKnown } = this.#engine;
    if (!isKnown) return this.#tell(params, options);
    try {
      return await this.call("run", { ...params, engine: id, spec: undefined }, options);
    } catch (error) {
      if (!isAppError(error) || error.code !== "gone" || error.data.engine !== id) throw error;
      return this.#tell(params, options);
    }
  }

  call(method: string, params: object, options: CallOptions = {}): Promise<unknown> {
    return this.#engine.worker.sandbox.call(method, params, options);
  }

  async #tell(params: object, options: CallOptions): Promise<unknown> {
    const answer = await this.call("run", { ...params, engine: this.#engine.id, spec: this.#spec }, options);
    this.#engine.isKnown = true;
    return answer;
  }
}

/** Equal exactly when everything is equal: a version alone would trust its caller with other people's rows. */
function engineKey(
  scope: string,
  relations: readonly Relation[],
  { threads, memoryMb, spillMb, copyMb }: EngineLimits,
): string {
  const all = relations.map(
    ({ name, version, parts, columns, select, isHidden = false, isRestricted = false }) => [
      name,
      version,
      select,
      isHidden,
      isRestricted,
      columns,
      parts,
    ],
  );
  return createHash("sha256")
    .update(JSON.stringify([scope, all, threads, memoryMb, spillMb, copyMb]))
    .digest("base64url");
}
