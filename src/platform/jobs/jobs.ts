import { randomUUID } from "node:crypto";
import type { JobWithMetadata, PgBoss } from "pg-boss";
import type { z } from "zod";
import { AppError, messageOf } from "../../kernel/errors.ts";
import type { Catalog, CatalogLog, CatalogTx } from "../catalog/index.ts";
import { hasQueues, overTransaction, startBoss } from "./boss.ts";
import { type Progress, ProgressWriter, readProgress, removeOldProgress } from "./progress.ts";

const STOP_TIMEOUT_MS = 20_000;
/** A worker that dies is noticed after this long, and its job is tried again. */
const HEARTBEAT_SECONDS = 30;
/** New jobs wake their worker at once; polling only catches what a notification missed. */
const POLL_SECONDS = 30;
const CANCEL_CHECK_MS = 1_000;
const ENQUEUE_TRIES = 5;
/** How much later than due a retry is looked for: once if all is quick, and once more if it was not. */
const RETRY_SLACKS_MS = [100, 3_000];
/** After a start there may be jobs of a process that was killed; they are due a little later. */
const FIRST_LOOKS_MS = [3_000, 10_000];

export interface JobContext {
  id: string;
  /** 1 for the first try. */
  attempt: number;
  /** Aborts when the job is cancelled, takes too long, or Kenning stops. */
  signal: AbortSignal;
  progress(fraction: number, note?: string): void;
}

/** May run more than once for one job, so it must not mind. Its result is kept as JSON. */
export type JobHandler<T> = (data: T, context: JobContext) => Promise<unknown>;

export interface JobOptions {
  /** Jobs of this name at work at the same time in one process. */
  concurrency: number;
  /** Further tries after the first one failed. */
  retries: number;
  /** Wait before the first retry; it doubles with each one. */
  retryDelaySeconds: number;
  longestRetryDelaySeconds: number;
  timeoutSeconds: number;
  /** Whether jobs have keys that keep others back. Without, one whose process died is tried again sooner. */
  keyed: boolean;
  /** When Kenning stops: let it finish, or tell it to end, to be tried again by the next process. */
  onStop: "finish" | "abort";
  /** How long finished jobs can be asked for. */
  keepSeconds: number;
}

const DEFAULTS: JobOptions = {
  concurrency: 1,
  retries: 3,
  retryDelaySeconds: 2,
  longestRetryDelaySeconds: 600,
  timeoutSeconds: 900,
  keyed: true,
  onStop: "finish",
  keepSeconds: 7 * 86_400,
};

export interface EnqueueOptions {
  /** The job exists if and only if this transaction commits. */
  tx?: CatalogTx;
  /** At most one job with this key waits and one runs; enqueueing again returns the waiting one. */
  singletonKey?: string;
  startAfter?: Date;
}

export interface JobStatus {
  id: string;
  name: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  attempt: number;
  progress: Progress | undefined;
  result: unknown;
  error: string | undefined;
  createdAt: Date;
  startedAt: Date | undefined;
  finishedAt: Date | undefined;
}

interface Definition {
  name: string;
  schema: z.ZodType;
  handler: JobHandler<unknown>;
  options: JobOptions;
}

const STATES = {
  created: "waiting",
  retry: "waiting",
  active: "running",
  completed: "done",
  failed: "failed",
  cancelled: "cancelled",
} as const;

/** Work that outlives the request that asked for it. Nothing is loaded or asked of the database before the first job. */
export class Jobs {
  readonly #catalog: Catalog;
  readonly #log: CatalogLog;
  readonly #definitions = new Map<string, Definition>();
  readonly #queues = new Map<string, Promise<void>>();
  readonly #running = new Map<string, { controller: AbortController; onStop: JobOptions["onStop"] }>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #boss: Promise<PgBoss> | undefined;
  /** Begins with the first job that is enqueued. */
  #isDormant = false;
  #waking: Promise<void> | undefined;
  #cancelWatch: NodeJS.Timeout | undefined;

  constructor(catalog: Catalog, log: CatalogLog) {
    this.#catalog = catalog;
    this.#log = log;
  }

  define<S extends z.ZodType>(
    name: string,
    schema: S,
    handler: JobHandler<z.output<S>>,
    options: Partial<JobOptions> = {},
  ): void {
    if (this.#definitions.has(name)) throw new Error(`the job ${name} is defined twice`);
    const definition = {
      name,
      schema,
      handler: handler as JobHandler<unknown>,
      options: { ...DEFAULTS, ...options },
    };
    this.#definitions.set(name, definition);
  }

  /**
   * Begins to work on the jobs that were defined; does nothing without any. Where there has never been a job it
   * can wait for the first one, so that a server without any starts faster.
   */
  async start({ lazily = false }: { lazily?: boolean } = {}): Promise<void> {
    if (this.#definitions.size === 0) return;
    if (lazily && !(await hasQueues(this.#catalog))) {
      this.#isDormant = true;
      return;
    }
    const sender = await this.#boss;
    const boss = await this.#open("worker");
    await sender?.stop({ graceful: false, close: false });
    await removeOldProgress(this.#catalog.db);
    // What a process that was killed had at work must not wait for the next look.
    await boss.supervise();
    for (const definition of this.#definitions.values()) {
      await this.#ensureQueue(boss, definition);
      for (let worker = 0; worker < definition.options.concurrency; worker += 1) {
        const id = await this.#work(boss, definition);
        this.#wakeLater(boss, id, FIRST_LOOKS_MS);
      }
    }
  }

  /** Takes no more jobs and waits for those at work; one that does not end in time is tried again later. */
  async stop(): Promise<void> {
    clearInterval(this.#cancelWatch);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#isDormant = false;
    await this.#waking?.catch(() => undefined);
    for (const { controller, onStop } of this.#running.values())
      if (onStop === "abort") controller.abort(new AppError("unavailable", "Kenning is stopping."));
    const boss = await this.#boss?.catch(() => undefined);
    await boss?.stop({ graceful: true, close: false, timeout: STOP_TIMEOUT_MS });
    this.#boss = undefined;
  }

  /** Resolves with the id to ask for its status. */
  async enqueue(name: string, data: unknown, options: EnqueueOptions = {}): Promise<string> {
    const definition = this.#require(name);
    const parsed = definition.schema.parse(data) as object;
    await this.wake();
    const boss = await this.#sender();
    await this.#ensureQueue(boss, definition);
    const db = options.tx === undefined ? {} : { db: await overTransaction(options.tx) };
    if (options.singletonKey !== undefined && !definition.options.keyed)
      throw new Error(`jobs of ${name} have no keys`);
    // The queue's policy allows one waiting and one running job a key; jobs without one get their own.
    const singletonKey = options.singletonKey ?? randomUUID();
    const startAfter = options.startAfter === undefined ? {} : { startAfter: options.startAfter };
    for (let tries = 0; tries < ENQUEUE_TRIES; tries += 1) {
      const sent = await boss.send(name, parsed, { singletonKey, ...startAfter, ...db });
      if (sent !== null) return idOf(name, sent);
      const [waiting] = await boss.findJobs(name, { key: singletonKey, queued: true, ...db });
      if (waiting !== undefined) return idOf(name, waiting.id);
      // The waiting job began to run in between, so now there is room for another.
    }
    throw new AppError(
      "conflict",
      `The job ${name} could not be enqueued: others with its key come and go too fast.`,
    );
  }

  async status(id: string): Promise<JobStatus> {
    const { name, uuid } = parseId(id);
    this.#require(name);
    const boss = await this.#sender();
    const [job] = await boss.findJobs<object>(name, { id: uuid });
    if (job === undefined) throw unknownJob(id);
    const state = STATES[job.state];
    const output = (job.output ?? undefined) as { result?: unknown; message?: string } | undefined;
    const hasFailed = state === "failed" || (state === "waiting" && job.retryCount > 0);
    return {
      id,
      name,
      state,
      attempt: job.retryCount + 1,
      progress: state === "running" ? await readProgress(this.#catalog.db, uuid) : undefined,
      result: state === "done" ? output?.result : undefined,
      error: hasFailed ? (output?.message ?? "it gave no reason") : undefined,
      createdAt: job.createdOn,
      startedAt: job.startedOn ?? undefined,
      finishedAt: job.completedOn ?? undefined,
    };
  }

  /** Keeps a waiting job from running and tells a running one to end, in whichever process it runs. */
  async cancel(id: string): Promise<void> {
    const { name, uuid } = parseId(id);
    this.#require(name);
    const boss = await this.#sender();
    await boss.cancel(name, uuid);
    this.#running.get(uuid)?.controller.abort(cancelled());
  }

  /** Makes ready for a job; call it before a transaction that is to enqueue one, which would wait for it. */
  async wake(): Promise<void> {
    if (this.#isDormant) {
      this.#isDormant = false;
      this.#waking = this.start().catch((error) => {
        this.#isDormant = true;
        throw error;
      });
    }
    await this.#waking;
  }

  #require(name: string): Definition {
    const definition = this.#definitions.get(name);
    if (definition === undefined) throw unknownJob(name);
    return definition;
  }

  /** A command that only enqueues needs no workers. */
  #sender(): Promise<PgBoss> {
    return this.#boss ?? this.#open("sender");
  }

  #open(role: "sender" | "worker"): Promise<PgBoss> {
    this.#boss = startBoss(this.#catalog, this.#log, role).catch((error) => {
      this.#boss = undefined;
      throw error;
    });
    return this.#boss;
  }

  #ensureQueue(boss: PgBoss, { name, options }: Definition): Promise<void> {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const settings = {
      notify: true,
      retryLimit: options.retries,
      retryDelay: options.retryDelaySeconds,
      retryBackoff: true,
      retryDelayMax: options.longestRetryDelaySeconds,
      expireInSeconds: options.timeoutSeconds,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      deleteAfterSeconds: options.keepSeconds,
    };
    const made = boss
      .createQueue(name, { policy: options.keyed ? "stately" : "standard", ...settings })
      .then(() => boss.updateQueue(name, settings));
    this.#queues.set(name, made);
    made.catch(() => this.#queues.delete(name));
    return made;
  }

  /** Resolves with the id of the worker. */
  async #work(boss: PgBoss, definition: Definition): Promise<string> {
    const polling = { pollingIntervalSeconds: POLL_SECONDS, notifyPollingIntervalSeconds: POLL_SECONDS };
    let worker = "";
    worker = await boss.work(definition.name, { includeMetadata: true, ...polling }, async (jobs) => {
      // pg-boss rests after each job, but there may be more than the one it was woken for.
      boss.notifyWorker(worker);
      const [job] = jobs as [JobWithMetadata<unknown>];
      try {
        return await this.#run(job, definition);
      } catch (error) {
        this.#log.warn(
          { job: idOf(job.name, job.id), attempt: job.retryCount + 1, reason: messageOf(error) },
          "a job failed",
        );
        this.#wakeForRetry(boss, worker, job, definition.options);
        throw error;
      }
    });
    return worker;
  }

  async #run(
    job: JobWithMetadata<unknown>,
    { schema, handler, options }: Definition,
  ): Promise<{ result: unknown }> {
    const controller = new AbortController();
    const progress = new ProgressWriter(this.#catalog.db, job.id);
    this.#running.set(job.id, { controller, onStop: options.onStop });
    this.#watchForCancel();
    try {
      const result = await handler(schema.parse(job.data), {
        id: idOf(job.name, job.id),
        attempt: job.retryCount + 1,
        signal: AbortSignal.any([job.signal, controller.signal]),
        progress: (fraction, note) => progress.report(fraction, note),
      });
      return { result };
    } finally {
      this.#running.delete(job.id);
      await progress.finish();
    }
  }

  /** A retry is due before the next poll would find it. */
  #wakeForRetry(boss: PgBoss, worker: string, job: JobWithMetadata<unknown>, options: JobOptions): void {
    const delaySeconds = Math.min(
      options.retryDelaySeconds * 2 ** (job.retryCount + 1),
      options.longestRetryDelaySeconds,
    );
    if (delaySeconds >= POLL_SECONDS || job.retryCount >= job.retryLimit) return;
    this.#wakeLater(
      boss,
      worker,
      RETRY_SLACKS_MS.map((slackMs) => delaySeconds * 1_000 + slackMs),
    );
  }

  #wakeLater(boss: PgBoss, worker: string, delaysMs: readonly number[]): void {
    for (const delayMs of delaysMs) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        boss.notifyWorker(worker);
      }, delayMs).unref();
      this.#timers.add(timer);
    }
  }

  /** Cancelling happens in the database, perhaps by another process: while jobs run, look there now and then. */
  #watchForCancel(): void {
    this.#cancelWatch ??= setInterval(() => {
      if (this.#running.size === 0) {
        clearInterval(this.#cancelWatch);
        this.#cancelWatch = undefined;
        return;
      }
      this.#abortCancelled().catch((error) =>
        this.#log.debug({ reason: messageOf(error) }, "jobs could not be checked"),
      );
    }, CANCEL_CHECK_MS).unref();
  }

  async #abortCancelled(): Promise<void> {
    const { rows } = await this.#catalog.pool.query<{ id: string }>(
      "SELECT id FROM pgboss.job WHERE name = ANY($1) AND id = ANY($2::uuid[]) AND state = 'cancelled'",
      [[...this.#definitions.keys()], [...this.#running.keys()]],
    );
    for (const { id } of rows) this.#running.get(id)?.controller.abort(cancelled());
  }
}

function idOf(name: string, uuid: string): string {
  return `${name}:${uuid}`;
}

function parseId(id: string): { name: string; uuid: string } {
  const [, name, uuid] = /^(.+):([0-9a-f]{8}-[0-9a-f-]{27})$/.exec(id) ?? [];
  if (name === undefined || uuid === undefined) throw unknownJob(id);
  return { name, uuid };
}

function unknownJob(id: string): AppError {
  return new AppError("not_found", `There is no job ${id.slice(0, 200)}.`);
}

function cancelled(): AppError {
  return new AppError("cancelled", "The job was cancelled.");
}
