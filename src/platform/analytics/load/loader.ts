import { stat } from "node:fs/promises";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { FairQueue } from "../../../kernel/fair-queue.ts";
import { randomText } from "../../../kernel/text.ts";
import type { FolderBlobStore } from "../../blobs/index.ts";
import {
  type CallOptions,
  isProcessLost,
  type OsUser,
  type Sandbox,
  type SandboxLog,
  type SandboxWalls,
} from "../../sandbox/index.ts";
import type {
  Column,
  ConvertRequest,
  ConvertResult,
  MergeRequest,
  Part,
  RowsRequest,
} from "../analytics-options.ts";
import { EngineTrial } from "../engine-trial.ts";
import { LIMITS } from "../limits.ts";
import type { LinkedFolder } from "../linked-folder.ts";
import { type JobFolders, LoadProcess, parseConverted, parseProgress, parseWritten } from "./load-process.ts";

interface LoaderOptions {
  blobs: FolderBlobStore;
  tempFolder: string;
  memoryMb: number;
  threads: number;
  /** Whom process number n becomes; undefined without root. */
  readerOf(process: number): OsUser;
  log: SandboxLog;
}

/** Where a job is done, and under which name. */
class Job {
  readonly process: LoadProcess;
  readonly folders: JobFolders;
  readonly name = randomText(12);
  /** Until the process is done with its call, which may be later than the answer to it. */
  running: Promise<void> | undefined;

  constructor(process: LoadProcess, folders: JobFolders) {
    this.process = process;
    this.folders = folders;
  }

  call(method: string, params: object, options: CallOptions): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.running = promise;
    const onEnd = (): void => {
      this.running = undefined;
      resolve();
    };
    return this.process.sandbox.call(method, params, { ...options, onEnd });
  }
}

interface JobOptions {
  scope?: string;
  signal?: AbortSignal | undefined;
}

/**
 * The processes that turn files and rows into Parquet parts. A file has one to itself while it is read: whatever it
 * does to the engine or to the process, nobody else's work is in there. Pushes are small and our own JSON, and share.
 */
export class Loader {
  readonly #trial = new EngineTrial();
  readonly #pushes: LoadProcess;
  /** Those with nothing to do; the one that worked last comes last, and is taken first. */
  readonly #idle: LoadProcess[];
  readonly #all: readonly LoadProcess[];
  readonly #log: SandboxLog;
  readonly #conversions = jobQueue("imports", LIMITS.analytics.conversions);
  readonly #smallJobs = jobQueue("pushes", LIMITS.analytics.smallJobs);

  constructor({ readerOf, ...options }: LoaderOptions) {
    this.#log = options.log;
    const { conversions, smallJobs } = LIMITS.analytics;
    this.#pushes = new LoadProcess({ ...options, name: "push", jobs: smallJobs, reader: readerOf(0) });
    this.#idle = Array.from({ length: conversions }, (_, index) => {
      const number = index + 1;
      return new LoadProcess({ ...options, name: `load ${number}`, jobs: 1, reader: readerOf(number) });
    });
    this.#all = [this.#pushes, ...this.#idle];
  }

  get sandboxes(): Sandbox[] {
    return this.#all.map(({ sandbox }) => sandbox);
  }

  async convert(request: ConvertRequest): Promise<ConvertResult> {
    const { source, format, key, options = {}, signal, onProgress } = request;
    return this.#work(this.#conversions, request, undefined, async (job) => {
      const { process, folders, name } = job;
      const input = await place(folders.inputs, source, name);
      const params = { settings: folders.settings, input, output: folders.outputPath(name), format, options };
      const converting = job.call("convert", params, {
        timeoutMs: LIMITS.analytics.convertMs,
        signal,
        ...(onProgress && { onProgress: (value) => onProgress(parseProgress(value)) }),
      });
      const answer = parseConverted(await converting.catch(blameFile));
      return { ...answer, part: await process.store(folders, name, key, answer) };
    });
  }

  async rowsToPart(request: RowsRequest, json: Uint8Array, columns: readonly Column[]): Promise<Part> {
    return this.#work(this.#smallJobs, request, this.#pushes, (job) =>
      this.#write(job, "rows", { json, columns }, request),
    );
  }

  async mergeParts(request: MergeRequest): Promise<Part> {
    const { parts, columns, isPortable = false } = request;
    return this.#work(this.#conversions, request, undefined, async (job) => {
      const inputs = await job.folders.put(parts, job.name);
      return this.#write(job, "merge", { inputs, columns, isPortable }, request);
    });
  }

  describe(): Promise<SandboxWalls> {
    return this.#pushes.sandbox.describe();
  }

  /** Through those that run. */
  async probe(): Promise<void> {
    const running = this.#all
      .filter(({ sandbox }) => sandbox.isReady)
      .map((process) => () => process.probe());
    await this.#trial.probe(running, async () => {
      await this.#pushes.probe();
      this.#pushes.sandbox.rest();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((process) => process.close()));
  }

  async #write(
    job: Job,
    method: string,
    given: object,
    { key, signal }: { key: string; signal?: AbortSignal | undefined },
  ): Promise<Part> {
    const { process, folders, name } = job;
    const params = { ...given, settings: folders.settings, output: folders.outputPath(name) };
    const call = (): Promise<unknown> =>
      job.call(method, params, { timeoutMs: LIMITS.analytics.jobMs, signal });
    // Nothing has happened yet, and it was most likely not the doing of rows that are in our own form.
    const answer = await call().catch((error: unknown) =>
      isProcessLost(error) ? call() : Promise.reject(error),
    );
    return process.store(folders, name, key, parseWritten(answer));
  }

  /**
   * Does a job in its turn; its files are gone afterwards. Its place and its process are free again when the process
   * has really ended it: after a cancellation the caller has gone before, and the process may have to be killed.
   */
  async #work<T>(
    queue: FairQueue,
    { scope = randomText(12), signal }: JobOptions,
    shared: LoadProcess | undefined,
    work: (job: Job) => Promise<T>,
  ): Promise<T> {
    const leave = await queue.enter(scope, signal);
    // There are as many as the queue has places.
    const process = shared ?? this.#idle.pop()!;
    const release = (): void => {
      if (shared === undefined) this.#idle.push(process);
      leave();
    };
    let job: Job | undefined;
    try {
      job = new Job(process, await process.openFolders());
      return await work(job);
    } finally {
      const isLeft = job?.running !== undefined;
      const ending = this.#end(job).finally(release);
      if (!isLeft) await ending;
    }
  }

  async #end(job: Job | undefined): Promise<void> {
    try {
      await job?.running;
      await job?.folders.clear(job.name);
    } catch (error) {
      this.#log.warn({ err: error }, "files of an import cannot be removed");
    }
  }
}

/** Nothing else was in the process; but an operator or the machine may have ended it, too. */
function blameFile(error: unknown): never {
  if (!isAppError(error) || !isProcessLost(error) || error.data.reason !== "crash") throw error;
  throw new AppError("unavailable", "The process that read this file ended unexpectedly.", {
    hint: "Try it once more; if that ends the same way, save the file anew with another program, or in another format such as CSV, and import that.",
    data: error.data,
    cause: error,
  });
}

async function place(inputs: LinkedFolder, source: ConvertRequest["source"], name: string): Promise<string> {
  if ("bytes" in source) return inputs.write(source.bytes, name);
  const info = await stat(source.path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT"
      ? new AppError("not_found", "The file does not exist.", { cause: error })
      : error;
  });
  if (!info.isFile()) throw new AppError("bad_request", "This is not a file.");
  const { fileBytes } = LIMITS.analytics;
  if (info.size > fileBytes) {
    throw new AppError("too_large", `The file is larger than ${fileBytes.toLocaleString("en")} bytes.`);
  }
  return source.handOver === true ? inputs.take(source.path, name) : inputs.lend(source.path, name);
}

/** One place is always left for somebody else. */
function jobQueue(what: string, places: number): FairQueue {
  return new FairQueue({
    what,
    places,
    placesPerScope: Math.max(1, places - 1),
    waiting: LIMITS.analytics.waitingJobs,
    waitingPerScope: LIMITS.analytics.waitingJobs,
    waitMs: LIMITS.analytics.convertMs,
  });
}
