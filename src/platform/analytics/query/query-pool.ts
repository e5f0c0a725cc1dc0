import { AppError, isAppError } from "../../../kernel/errors.ts";
import { workspaceOf } from "../../../kernel/fair-queue.ts";
import type { OsUser, Sandbox, SandboxLog } from "../../sandbox/index.ts";
import type { EngineLimits, TableView } from "../analytics-options.ts";
import { EngineTrial } from "../engine-trial.ts";
import { LIMITS } from "../limits.ts";
import { LinkedFolder } from "../linked-folder.ts";
import type { EngineSpec } from "../wire.ts";
import { OwnProcesses } from "./own-processes.ts";
import { engineKey } from "./quarantine.ts";
import { COPIES, OVERHEAD_MB, type QueryCallOptions, QueryProcess } from "./query-process.ts";

interface QueryPoolOptions {
  tempFolder: string;
  /** Processes that are there all the time. */
  workers: number;
  /** Those that may join them for a while. */
  extraWorkers: number;
  /** Of each process. */
  memoryMb: number;
  threads: number;
  /** Whom process number n becomes; undefined without root. */
  readerOf(worker: number): OsUser;
  log: SandboxLog;
}

/** An engine that a process has, or had before it was replaced: then it is told again what belongs to it. */
export interface Engine {
  key: string;
  /** What the process calls it: another name each time, so that closing an old one never hits a new one. */
  id: string;
  worker: QueryProcess;
  memoryMb: number;
  /** What the process may read, and what it has to make of that. */
  ready: Promise<{ linked: LinkedFolder; spec: EngineSpec }>;
  /** Once it is ready. */
  linked?: LinkedFolder;
  parts: ReadonlySet<string>;
  /** The process was told. */
  isKnown: boolean;
  /** To be closed as soon as nobody uses it. */
  isForgotten: boolean;
  users: number;
  usedAt: number;
}

/** Engines may take more together than there is: hardly ever do all of them need their share at once. */
const SHARES = 2;
/** Processes without long statements that are kept running while there are such statements. */
const KEPT_FREE = 2;

/** The processes that run queries, and which of them has which engine ready. */
export class QueryPool {
  readonly #trial = new EngineTrial();
  readonly #options: QueryPoolOptions;
  readonly #workers: QueryProcess[];
  /** For workspaces that are kept away from the others. */
  readonly own: OwnProcesses;
  readonly #sweeper: NodeJS.Timeout;
  #isClosed = false;
  #lastEngine = 0;

  constructor(options: QueryPoolOptions) {
    this.#options = options;
    this.#workers = Array.from({ length: options.workers }, (_, index) => this.#makeWorker(index));
    this.own = new OwnProcesses({
      make: (number, scope) => {
        options.log.warn({ scope }, "a workspace gets a query process of its own");
        return this.#makeWorker(number, LIMITS.analytics.ownCancelGraceMs);
      },
      end: (worker) => this.#retire(worker),
      firstNumber: this.#mostWorkers,
    });
    this.#sweeper = setInterval(() => this.#closeIdle(), LIMITS.analytics.extraWorkerIdleMs / 2).unref();
  }

  get sandboxes(): Sandbox[] {
    return this.#all.map(({ sandbox }) => sandbox);
  }

  get sandbox(): Sandbox {
    return this.#workers[0]!.sandbox;
  }

  /**
   * Any process, for what needs no data. Of two that are equally busy, the one with more engines: what it parses now
   * it will probably be asked to run, and then knows already.
   */
  call(method: string, params: object, options: QueryCallOptions): Promise<unknown> {
    const [worker] = this.#workers.toSorted(
      (a, b) =>
        Number(a.isApart) - Number(b.isApart) ||
        Number(b.sandbox.isReady) - Number(a.sandbox.isReady) ||
        a.running - b.running ||
        b.engines.size - a.engines.size,
    );
    return worker!.call("", method, params, options);
  }

  /** A tiny query through each process that runs and takes new ones; it does not count as use of it. */
  async probe(): Promise<void> {
    const free = this.#workers.filter((worker) => !worker.isApart);
    const ask = (worker: QueryProcess): Promise<unknown> => worker.sandbox.call("version", {});
    const running = free.filter(({ sandbox }) => sandbox.isReady).map((worker) => () => ask(worker));
    await this.#trial.probe(running, async () => {
      const [worker] = free;
      if (worker === undefined) return;
      await ask(worker);
      if (worker.isIdle && worker.engines.size === 0) worker.sandbox.rest();
    });
  }

  /** Occupies a process that has, or gets, an engine for these views. */
  async acquire(scope: string, tableViews: readonly TableView[], limits: EngineLimits = {}): Promise<Lease> {
    if (this.#isClosed) throw stopping();
    const key = engineKey(workspaceOf(scope), tableViews, limits);
    const worker = this.#choose(scope, key);
    const engine = this.#engineIn(worker, key, tableViews, limits);
    return lease(scope, engine, async () => this.#leave(engine, scope));
  }

  /** The same in a process that no other workspace uses, alone. */
  async acquireOwn(
    scope: string,
    isHeavy: boolean,
    tableViews: readonly TableView[],
    limits: EngineLimits = {},
  ): Promise<Lease> {
    if (this.#isClosed) throw stopping();
    const { worker, giveBack } = await this.own.take(workspaceOf(scope), isHeavy);
    const key = engineKey(workspaceOf(scope), tableViews, limits);
    const engine = this.#engineIn(worker, key, tableViews, limits);
    const release = (): Promise<void> => {
      this.#leave(engine, scope);
      return giveBack();
    };
    return lease(scope, engine, release);
  }

  /** How many long statements of a workspace, or of a person in it, run in processes that are shared with others. */
  longOf(scope: string): number {
    return this.#workers.reduce((sum, worker) => sum + worker.longOf(scope), 0);
  }

  /** Lets go of engines that hold on to these files. Queries that run now may finish. */
  forget(parts: readonly string[]): void {
    const engines = this.#all.flatMap((worker) => [...worker.engines.values()]);
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
    this.own.close();
    const workers = this.#all;
    await Promise.all(workers.map(({ sandbox }) => sandbox.close()));
    await Promise.all(workers.map((worker) => removeShelves(worker)));
  }

  get #all(): QueryProcess[] {
    return [...this.#workers, ...this.own.workers];
  }

  get #mostWorkers(): number {
    return this.#options.workers + this.#options.extraWorkers;
  }

  #makeWorker(index: number, cancelGraceMs?: number): QueryProcess {
    const { tempFolder, memoryMb, readerOf, log } = this.#options;
    return new QueryProcess({
      name: `query ${index + 1}`,
      tempFolder,
      memoryMb,
      reader: readerOf(index),
      log,
      ...(cancelGraceMs !== undefined && { cancelGraceMs }),
      onChange: () => this.#keepFree(),
    });
  }

  /** Another process, if there may be one: with the first number that none has. */
  #addWorker(): QueryProcess | undefined {
    if (this.#isClosed || this.#workers.length >= this.#mostWorkers) return undefined;
    const worker = this.#makeWorker(this.#workers.length);
    this.#workers.push(worker);
    return worker;
  }

  /** One for whoever comes next, and one in case that it is another heavy statement: nobody waits for a start. */
  #keepFree(): void {
    if (this.#isClosed) return;
    let free = this.#workers.filter((worker) => !worker.isApart);
    if (free.length < KEPT_FREE) free = free.concat(this.#addWorker() ?? []);
    for (const { sandbox } of free.slice(0, KEPT_FREE)) {
      if (!sandbox.isReady) sandbox.call("version", {}).catch(() => undefined);
    }
  }

  /**
   * One that has the engine and is running, unless it is full; to start a process takes longer than to make an engine.
   * Who has statements running gets his next ones beside them: many at once, all of them heavy, leave the others alone.
   * Where long statements run nothing new begins, so that a heavy statement delays and endangers only what began
   * beside it. Who has long statements in several processes gets his next ones there: he shall not have all of them.
   * Processes that will be gone in a moment count only where he has all but one.
   */
  #choose(scope: string, key: string): QueryProcess {
    const { queriesPerWorker, longProcessesPerUser } = LIMITS.analytics;
    const sorted = this.#workers.toSorted((a, b) => a.running - b.running || a.engines.size - b.engines.size);
    const open = sorted.filter(({ running }) => running < queriesPerWorker);
    const own = open.filter((worker) => worker.isApartFor(scope));
    const lasting = own.filter((worker) => !worker.isInDanger);
    if (lasting.length >= longProcessesPerUser || own.length >= this.#mostWorkers - 1) {
      return lasting[0] ?? own[0]!;
    }
    const free = open.filter((worker) => !worker.isApart);
    const ready = free.filter(({ sandbox }) => sandbox.isReady);
    return (
      ready.find((worker) => worker.runningOf(scope) > 0) ??
      ready.find(({ engines }) => engines.has(key)) ??
      ready.find(({ running }) => running === 0) ??
      free[0] ??
      this.#addWorker() ??
      open[0] ??
      sorted[0]!
    );
  }

  #engineIn(
    worker: QueryProcess,
    key: string,
    tableViews: readonly TableView[],
    limits: EngineLimits,
  ): Engine {
    const kept = worker.engines.get(key);
    if (kept?.linked?.isInPlace === false) this.#forget(kept);
    return worker.engines.get(key) ?? this.#makeEngine(worker, key, tableViews, limits);
  }

  #leave(engine: Engine, scope: string): void {
    const { worker } = engine;
    worker.leave(engine, scope);
    if (engine.isForgotten && engine.users === 0) this.#close(engine);
    this.#makeRoom(worker);
  }

  #makeEngine(
    worker: QueryProcess,
    key: string,
    tableViews: readonly TableView[],
    limits: EngineLimits,
  ): Engine {
    const all = this.#limitsOf(limits);
    const ready = this.#furnish(worker, tableViews, all);
    this.#lastEngine += 1;
    const engine: Engine = {
      key,
      id: String(this.#lastEngine),
      worker,
      memoryMb: all.memoryMb,
      ready,
      parts: new Set(tableViews.flatMap(({ parts }) => parts)),
      isKnown: false,
      isForgotten: false,
      users: 0,
      usedAt: performance.now(),
    };
    worker.engines.set(key, engine);
    ready.then(
      ({ linked }) => {
        engine.linked = linked;
      },
      () => drop(engine),
    );
    return engine;
  }

  async #furnish(
    worker: QueryProcess,
    tableViews: readonly TableView[],
    limits: Required<EngineLimits>,
  ): Promise<{ linked: LinkedFolder; spec: EngineSpec }> {
    const { tempFolder } = this.#options;
    const linked = await LinkedFolder.make(tempFolder, worker.reader);
    try {
      const placed = await Promise.all(
        tableViews.map(async (tableView, number) => {
          const { name, parts, columns, select, isHidden = false, isRestricted = false } = tableView;
          const files = parts.map((part, index) => linked.put(part, `${number}-${index}.parquet`));
          return { name, files: await Promise.all(files), columns, select, isHidden, isRestricted };
        }),
      );
      return { linked, spec: { tableViews: placed, ...limits } };
    } catch (error) {
      await linked.remove();
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

  #makeRoom(worker: QueryProcess): void {
    const surplus = worker.engines.size - LIMITS.analytics.enginesPerWorker;
    if (surplus <= 0) return;
    const idle = [...worker.engines.values()].filter(({ users }) => users === 0);
    for (const engine of idle.toSorted((a, b) => a.usedAt - b.usedAt).slice(0, surplus)) this.#close(engine);
  }

  #closeIdle(): void {
    const before = performance.now() - LIMITS.analytics.engineIdleMs;
    const engines = this.#all.flatMap((worker) => [...worker.engines.values()]);
    for (const engine of engines) if (engine.users === 0 && engine.usedAt < before) this.#close(engine);
    this.#endSurplus();
    this.own.endIdle();
  }

  /** The last one, so that their numbers stay without gaps. */
  #endSurplus(): void {
    const last = this.#workers.at(-1);
    const before = performance.now() - LIMITS.analytics.extraWorkerIdleMs;
    const isSurplus = this.#workers.length > this.#options.workers;
    if (!isSurplus || last === undefined || !last.isIdle || last.usedAt > before) return;
    this.#workers.pop();
    void this.#retire(last);
  }

  #retire(worker: QueryProcess): Promise<void> {
    return worker.sandbox
      .close()
      .then(() => removeShelves(worker))
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, "a query process could not be ended");
      });
  }

  #close(engine: Engine): void {
    drop(engine);
    const { id, worker } = engine;
    engine.ready
      .then(({ linked }) => worker.sandbox.call("close", { engine: id }).finally(() => linked.remove()))
      .catch((error: unknown) => {
        if (!this.#isClosed) this.#options.log.warn({ err: error }, "a query engine could not be closed");
      });
  }
}

function stopping(): AppError {
  return new AppError("unavailable", "The server is stopping.");
}

async function removeShelves({ engines }: QueryProcess): Promise<void> {
  for (const result of await Promise.allSettled([...engines.values()].map(({ ready }) => ready))) {
    if (result.status === "fulfilled") await result.value.linked.remove();
  }
}

async function lease(scope: string, engine: Engine, release: () => Promise<void>): Promise<Lease> {
  // Counted before anything is awaited, so that nobody closes it in between.
  engine.worker.occupy(engine, scope);
  try {
    const { spec } = await engine.ready;
    return new Lease(scope, engine, spec, release);
  } catch (error) {
    void release();
    throw error;
  }
}

function drop(engine: Engine): void {
  const { engines } = engine.worker;
  if (engines.get(engine.key) === engine) engines.delete(engine.key);
}

/** A place in a process, until `release`. */
export class Lease {
  readonly #scope: string;
  readonly #engine: Engine;
  readonly #spec: EngineSpec;
  /** Resolves when the place is free again: in a process of its own, when that has really ended the statement. */
  readonly release: () => Promise<void>;

  constructor(scope: string, engine: Engine, spec: EngineSpec, release: () => Promise<void>) {
    this.#scope = scope;
    this.#engine = engine;
    this.#spec = spec;
    this.release = release;
  }

  /** Runs something on the engine; a process that is new or was replaced is told what belongs to it. */
  async run(params: object, options: QueryCallOptions): Promise<unknown> {
    const { id, isKnown } = this.#engine;
    if (!isKnown) return this.#tell(params, options);
    try {
      return await this.call("run", { ...params, engine: id, spec: undefined }, options);
    } catch (error) {
      if (!isAppError(error) || error.code !== "gone" || error.data.engine !== id) throw error;
      return this.#tell(params, options);
    }
  }

  call(method: string, params: object, options: QueryCallOptions = {}): Promise<unknown> {
    return this.#engine.worker.call(this.#scope, method, params, options);
  }

  async #tell(params: object, options: QueryCallOptions): Promise<unknown> {
    const answer = await this.call("run", { ...params, engine: this.#engine.id, spec: this.#spec }, options);
    this.#engine.isKnown = true;
    return answer;
  }
}
