import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobWithMetadata, PgBoss } from "pg-boss";
import type { z } from "zod";
import { AppError, messageOf } from "../../kernel/errors.ts";
import type { Catalog, CatalogLog } from "../catalog/index.ts";
import {
  DEAD_LETTERS,
  hasQueues,
  type JobOutput,
  makeDeadLetters,
  messageIn,
  overTransaction,
  POLL_SECONDS,
  POLLING,
  readDeadLetters,
  startBoss,
} from "./boss.ts";
import {
  DEFAULT_OPTIONS,
  type EnqueueOptions,
  type GivenUpHandler,
  type JobHandler,
  type JobOptions,
  type JobStatus,
} from "./job-options.ts";
import { claimJob, handBackJob, type JobTry, jobRows, Tries } from "./tries.ts";

const STOP_TIMEOUT_MS = 20_000;
/** A worker that dies is noticed after this long, and its job is tried again. */
const HEARTBEAT_SECONDS = 30;
const HEARTBEAT_MS = HEARTBEAT_SECONDS * 1_000;
/** How often whoever waits for one job looks whether it can work on it. */
const LOOK_MS = 250;
/** Every so many looks, jobs of processes that were killed are looked for. */
const SUPERVISED_LOOKS = 40;
const ENQUEUE_TRIES = 5;
/** How much later than due a retry is looked for: once if all is quick, and once more if it was not. */
const RETRY_SLACKS_MS = [100, 3_000];
/** When a job that was given back is due. */
const HANDED_BACK_MS = [2_100, 5_000];
/** After a start there may be jobs of a process that was killed; they are due a little later. */
const FIRST_LOOKS_MS = [3_000, 10_000];
/** By then one that was killed just before the start has missed its heartbeat. */
const TAKE_OVER_MS = HEARTBEAT_MS + 1_000;

interface Definition {
  name: string;
  schema: z.ZodType;
  handler: JobHandler<unknown>;
  onGivenUp?: GivenUpHandler<unknown> | undefined;
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
  readonly #tries: Tries;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Workers of this process, by the name of their jobs. */
  readonly #workers = new Map<string, string>();
  #boss: Promise<PgBoss> | undefined;
  /** Begins with the first job that is enqueued. */
  #isDormant = false;
  #waking: Promise<void> | undefined;

  constructor(catalog: Catalog, log: CatalogLog) {
    this.#catalog = catalog;
    this.#log = log;
    this.#tries = new Tries(catalog, log);
  }

  define<S extends z.ZodType>(
    name: string,
    schema: S,
    handler: JobHandler<z.output<S>>,
    { onGivenUp, ...given }: Partial<JobOptions> & { onGivenUp?: GivenUpHandler<z.output<S>> } = {},
  ): void {
    if (this.#definitions.has(name)) throw new Error(`the job ${name} is defined twice`);
    const asked = { ...DEFAULT_OPTIONS, ...given };
    const options = { ...asked, perGroup: given.perGroup ?? Math.max(1, Math.floor(asked.concurrency / 2)) };
    if (options.perGroup < 1 || options.perGroup >= options.concurrency)
      throw new Error(`one workspace could hold all workers of ${name}`);
    this.#definitions.set(name, {
      name,
      schema,
      handler: handler as JobHandler<unknown>,
      onGivenUp: onGivenUp as GivenUpHandler<unknown> | undefined,
      options,
    });
  }

  /**
   * Begins to work on the jobs that were defined; does nothing without any. Where there has never been a job it
   * can wait for the first one, so that a server without any starts faster; a command waits for the first that it
   * asks for itself.
   */
  async start({ at = "once" }: { at?: "once" | "first_queue" | "first_job" } = {}): Promise<void> {
    if (this.#definitions.size === 0) return;
    if (at === "first_job" || (at === "first_queue" && !(await hasQueues(this.#catalog)))) {
      this.#isDormant = true;
      return;
    }
    this.#isDormant = false;
    this.#tries.resume();
    const sender = await this.#boss;
    const boss = await this.#open("worker");
    await sender?.stop({ graceful: false, close: false });
    // What a process that was killed had at work must not wait for the next look.
    await boss.supervise();
    for (const definition of this.#definitions.values()) {
      await this.#ensureQueue(boss, definition);
      for (let worker = 0; worker < definition.options.concurrency; worker += 1) {
        const id = await this.#work(boss, definition);
        this.#workers.set(definition.name, id);
        this.#wakeLater(boss, id, FIRST_LOOKS_MS);
      }
    }
    const letters = await readDeadLetters(boss, (name) => this.#require(name));
    this.#workers.set(DEAD_LETTERS, letters);
    this.#wakeLater(boss, letters, FIRST_LOOKS_MS);
    this.#later(TAKE_OVER_MS, () => void this.#takeOver(boss).catch(() => undefined));
  }

  /** What a process had at work that was killed just before this one began. */
  async #takeOver(boss: PgBoss): Promise<void> {
    await boss.supervise();
    for (const worker of this.#workers.values()) this.#wakeLater(boss, worker, FIRST_LOOKS_MS);
  }

  /**
   * Takes no more jobs and waits for those at work; one that does not end in time is tried again later. Others may
   * enqueue meanwhile, and must call this again when they are done.
   */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#isDormant = false;
    await this.#waking?.catch(() => undefined);
    this.#tries.stopAll();
    const opened = this.#boss;
    const boss = await opened?.catch(() => undefined);
    await boss?.stop({ graceful: true, close: false, timeout: STOP_TIMEOUT_MS });
    if (this.#boss === opened) this.#boss = undefined;
  }

  /** A process that waits for the first job cannot hear of one that another process enqueued. */
  async sweep(): Promise<void> {
    if (this.#isDormant && (await hasQueues(this.#catalog))) await this.wake();
  }

  /**
   * Works on this one job and on no other until it has ended, so that a command can see to what it asked for.
   * Whoever else has taken it is waited for. When the signal aborts, the job is given back.
   */
  async workOn(id: string, signal: AbortSignal): Promise<void> {
    const { name, uuid } = parseId(id);
    const definition = this.#require(name);
    const boss = await this.#sender();
    const stop = (): void => this.#tries.stop(uuid);
    signal.addEventListener("abort", stop);
    try {
      for (let looks = 0; !signal.aborted; looks += 1) {
        if (looks % SUPERVISED_LOOKS === 0) await boss.supervise(name);
        const job = await claimJob(this.#catalog, name, uuid);
        if (job !== undefined) await this.#tryOnce(boss, job, definition);
        const state = (await jobRows(this.#catalog, [name], [uuid])).get(uuid)?.state;
        if (!isWaitingOrRunning(state)) return;
        await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** What pg-boss does around a job that one of its workers has fetched. */
  async #tryOnce(boss: PgBoss, job: Omit<JobTry, "signal">, definition: Definition): Promise<void> {
    const { id, name } = job;
    const beat = setInterval(() => void boss.touch(name, id).catch(() => undefined), HEARTBEAT_MS / 2);
    const signal = AbortSignal.timeout(definition.options.timeoutSeconds * 1_000);
    try {
      const output = await this.#run({ ...job, signal }, definition);
      if (output !== undefined) await boss.complete(name, id, output);
    } catch (error) {
      await boss.fail(name, id, { message: messageOf(error) });
    } finally {
      clearInterval(beat);
    }
  }

  /** Resolves with the id to ask for its status. */
  async enqueue(name: string, data: unknown, options: EnqueueOptions): Promise<string> {
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
    const more = {
      group: { id: options.group },
      ...(options.startAfter !== undefined && { startAfter: options.startAfter }),
    };
    for (let tries = 0; tries < ENQUEUE_TRIES; tries += 1) {
      const sent = await boss.send(name, parsed, { singletonKey, ...more, ...db });
      if (sent !== null) {
        this.#wakeWhenDue(boss, name, options.startAfter);
        return idOf(name, sent);
      }
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
    const output = (job.output ?? undefined) as JobOutput | undefined;
    const hasFailed = state === "failed" || (state === "waiting" && job.retryCount > 0);
    return {
      state,
      attempt: job.retryCount + 1,
      result: state === "done" ? output?.result : undefined,
      error: hasFailed ? (messageIn(output) ?? "it gave no reason") : undefined,
    };
  }

  /** Keeps a waiting job from running and tells a running one to end, in whichever process it runs. */
  async cancel(id: string): Promise<void> {
    const { name, uuid } = parseId(id);
    this.#require(name);
    const boss = await this.#sender();
    await boss.cancel(name, uuid);
    this.#tries.cancel(uuid);
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
    const settings = {
      deadLetter: DEAD_LETTERS,
      notify: true,
      retryLimit: options.retries,
      retryDelay: options.retryDelaySeconds,
      retryBackoff: true,
      retryDelayMax: options.longestRetryDelaySeconds,
      expireInSeconds: options.timeoutSeconds,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      deleteAfterSeconds: options.keepSeconds,
    };
    return this.#once(name, async () => {
      await this.#once(DEAD_LETTERS, () => makeDeadLetters(boss));
      await boss.createQueue(name, { policy: options.keyed ? "stately" : "standard", ...settings });
      await boss.updateQueue(name, settings);
    });
  }

  /** Makes a queue once; where that fails, whoever needs it next tries again. */
  #once(name: string, make: () => Promise<void>): Promise<void> {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const made = make();
    this.#queues.set(name, made);
    made.catch(() => this.#queues.delete(name));
    return made;
  }

  /** Resolves with the id of the worker. */
  async #work(boss: PgBoss, definition: Definition): Promise<string> {
    const { perGroup } = definition.options;
    const options = { ...POLLING, groupConcurrency: perGroup };
    let worker = "";
    worker = await boss.work(definition.name, { includeMetadata: true, ...options }, async (jobs) => {
      // pg-boss rests after each job, but there may be more than the one it was woken for.
      boss.notifyWorker(worker);
      const [job] = jobs as [JobWithMetadata<unknown>];
      // Workers that fetch in the same moment do not see each other's jobs.
      if (this.#tries.ofGroup(job) >= perGroup && (await handBackJob(this.#catalog, job))) {
        this.#wakeLater(boss, worker, HANDED_BACK_MS);
        return undefined;
      }
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

  /** Undefined when this try decides nothing about the job: another one follows, whatever became of this. */
  async #run(
    job: JobTry,
    { schema, handler, options }: Definition,
  ): Promise<{ result: unknown } | undefined> {
    const begun = this.#tries.begin(job, options.onStop);
    try {
      const result = await handler(schema.parse(job.data), {
        attempt: job.retryCount + 1,
        signal: AbortSignal.any([begun.controller.signal, this.#limited(job, options)]),
      });
      return begun.isSuperseded ? undefined : { result };
    } catch (error) {
      if (begun.isSuperseded) return undefined;
      if (begun.isStopped && (await handBackJob(this.#catalog, job).catch(() => false))) return undefined;
      throw error;
    } finally {
      await this.#tries.end(begun);
    }
  }

  /** pg-boss only says that it is over: a job is told that it took too long, and not that somebody cancelled it. */
  #limited({ signal }: JobTry, { timeoutSeconds }: JobOptions): AbortSignal {
    const controller = new AbortController();
    const message = `The job took longer than ${timeoutSeconds} s.`;
    const onAbort = () => controller.abort(new AppError("timeout", message));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    return controller.signal;
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

  /** A job that is due before the next poll would find it. */
  #wakeWhenDue(boss: PgBoss, name: string, startAfter: Date | undefined): void {
    const worker = this.#workers.get(name);
    const delayMs = (startAfter?.getTime() ?? 0) - Date.now();
    if (worker === undefined || delayMs <= 0 || delayMs >= POLL_SECONDS * 1_000) return;
    const delaysMs = RETRY_SLACKS_MS.map((slackMs) => delayMs + slackMs);
    this.#wakeLater(boss, worker, delaysMs);
  }

  #wakeLater(boss: PgBoss, worker: string, delaysMs: readonly number[]): void {
    for (const delayMs of delaysMs) this.#later(delayMs, () => boss.notifyWorker(worker));
  }

  #later(delayMs: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, delayMs).unref();
    this.#timers.add(timer);
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

function isWaitingOrRunning(state: string | undefined): boolean {
  return state === "created" || state === "retry" || state === "active";
}
