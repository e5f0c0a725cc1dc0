import { constants } from "node:fs";
import { chown, type FileHandle, mkdir, open, stat, unlink } from "node:fs/promises";
import { extname, join } from "node:path";
import { AppError } from "../../../kernel/errors.ts";
import { FairQueue } from "../../../kernel/fair-queue.ts";
import { randomText } from "../../../kernel/ids.ts";
import { lazily } from "../../../kernel/lazily.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import type { FolderBlobStore } from "../../blobs/index.ts";
import { type Account, createSandbox, hasDied, type Sandbox, type SandboxLog } from "../../sandbox/index.ts";
import type {
  Column,
  ConvertRequest,
  ConvertResult,
  MergeRequest,
  Part,
  RowsRequest,
} from "../analytics-options.ts";
import { Shelf } from "../shelf.ts";
import type { LoadSettings, WriteAnswer } from "../wire.ts";
import { parseConverted, parseProgress, parseWritten } from "./load-answers.ts";

export interface LoaderOptions {
  blobs: FolderBlobStore;
  tempFolder: string;
  memoryMb: number;
  threads: number;
  reader: Account;
  log: SandboxLog;
}

const WORKER_MODULE = join(import.meta.dirname, `load-worker${extname(import.meta.filename)}`);
const OVERHEAD_MB = 200;

/** The process that turns files and rows into Parquet parts, and the way of the parts into blob storage. */
export class Loader {
  readonly sandbox: Sandbox;
  readonly #options: LoaderOptions;
  readonly #conversions = jobQueue("imports", LIMITS.analytics.conversions);
  readonly #smallJobs = jobQueue("pushes", LIMITS.analytics.smallJobs);
  /** Once there is one. */
  #desk: Desk | undefined;
  readonly #openDesk = lazily(
    async () => {
      const desk = await this.#makeDesk();
      this.#desk = desk;
      return desk;
    },
    ({ isInPlace }) => isInPlace,
  );

  constructor(options: LoaderOptions) {
    this.#options = options;
    const { tempFolder, memoryMb, log, reader } = options;
    this.sandbox = createSandbox({
      name: "load",
      module: WORKER_MODULE,
      tempFolder,
      // What the engines do not count must not be the end of them.
      memoryMb: Math.ceil(1.25 * memoryMb),
      requestTimeoutMs: LIMITS.analytics.jobMs,
      // One more for the probe, which must not wait for an import.
      concurrency: LIMITS.analytics.conversions + LIMITS.analytics.smallJobs + 1,
      cancelGraceMs: LIMITS.analytics.cancelGraceMs,
      env: { UV_THREADPOOL_SIZE: "16" },
      allowRead: [tempFolder],
      permissionModel: "addons",
      lowPriority: false,
      user: reader,
      log,
    });
  }

  async convert(request: ConvertRequest): Promise<ConvertResult> {
    const { source, format, key, options = {}, signal, onProgress } = request;
    return this.#workOnFiles(request, async (desk, name) => {
      const input = await place(desk.inputs, source, name);
      const params = { settings: desk.settings, input, output: desk.outputPath(name), format, options };
      const answer = parseConverted(
        await this.sandbox.call("convert", params, {
          timeoutMs: LIMITS.analytics.convertMs,
          signal,
          ...(onProgress && { onProgress: (value) => onProgress(parseProgress(value)) }),
        }),
      );
      return { ...answer, part: await this.#store(desk, name, key, answer) };
    });
  }

  async rowsToPart(request: RowsRequest, json: Uint8Array, columns: readonly Column[]): Promise<Part> {
    return this.#work(this.#smallJobs, request, (desk, name) =>
      this.#write(desk, name, "rows", { json, columns }, request),
    );
  }

  async mergeParts(request: MergeRequest): Promise<Part> {
    const { parts, columns, isPortable = false } = request;
    return this.#workOnFiles(request, async (desk, name) => {
      const inputs = await desk.put(parts, name);
      return this.#write(desk, name, "merge", { inputs, columns, isPortable }, request);
    });
  }

  async probe(): Promise<void> {
    const { settings } = await this.#openDesk();
    await this.sandbox.call("probe", { settings });
  }

  async close(): Promise<void> {
    await this.sandbox.close();
    await this.#desk?.remove();
  }

  async #write(
    desk: Desk,
    name: string,
    method: string,
    given: object,
    { key, signal }: { key: string; signal?: AbortSignal | undefined },
  ): Promise<Part> {
    const params = { ...given, settings: desk.settings, output: desk.outputPath(name) };
    const call = (): Promise<unknown> =>
      this.sandbox.call(method, params, { timeoutMs: LIMITS.analytics.jobMs, signal });
    // Nothing has happened yet, and the one to blame is most likely a file that was read at the same time.
    const answer = await call().catch((error: unknown) => (hasDied(error) ? call() : Promise.reject(error)));
    return this.#store(desk, name, key, parseWritten(answer));
  }

  #workOnFiles<T>(
    request: { scope?: string; signal?: AbortSignal | undefined },
    work: (desk: Desk, name: string) => Promise<T>,
  ): Promise<T> {
    return this.#work(this.#conversions, request, (desk, name) =>
      work(desk, name).finally(() => desk.inputs.clear(name)),
    );
  }

  /** Does a job in its turn, under a name of its own; what it made by that name is gone afterwards. */
  async #work<T>(
    queue: FairQueue,
    { scope, signal }: { scope?: string; signal?: AbortSignal | undefined },
    work: (desk: Desk, name: string) => Promise<T>,
  ): Promise<T> {
    const name = randomText(12);
    const leave = await queue.enter(scope ?? name, signal);
    try {
      const desk = await this.#openDesk();
      return await work(desk, name).finally(() => desk.clearResult(name));
    } finally {
      leave();
    }
  }

  async #makeDesk(): Promise<Desk> {
    const { tempFolder, memoryMb, threads, reader } = this.#options;
    const [inputs, outputs] = await Promise.all([
      Shelf.make(tempFolder, reader),
      Shelf.make(tempFolder, reader),
    ]);
    const results = join(outputs.folder, "made");
    await mkdir(results, { mode: 0o700 });
    if (reader !== undefined) await chown(results, reader.uid, reader.gid);
    const settings: LoadSettings = {
      memoryMb: memoryMb - OVERHEAD_MB,
      threads,
      spillMb: LIMITS.analytics.spillMb,
      inputs: inputs.pathOf(""),
      outputs: outputs.pathOf("made"),
    };
    return new Desk(inputs, outputs, results, settings);
  }

  /** Copies the part out of the reach of the process that wrote it; once this answers, it is there to stay. */
  async #store(desk: Desk, name: string, key: string, { rows, columns }: WriteAnswer): Promise<Part> {
    const { blobs } = this.#options;
    const file = await open(join(desk.results, `${name}.parquet`), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const info = await file.stat();
      if (!info.isFile()) throw new TypeError("the loading process left something strange");
      const stored = await blobs.put(key, piecesOf(file, info.size));
      return { ...stored, path: blobs.pathOf(key), rows, columns };
    } finally {
      await file.close();
    }
  }
}

const PIECE_BYTES = 1024 * 1024;

/** Each piece is good until the next one is asked for: memory that is new each time costs more than the copy. */
async function* piecesOf(file: FileHandle, fileBytes: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.min(fileBytes, PIECE_BYTES));
  for (let position = 0; position < fileBytes; ) {
    const length = Math.min(buffer.length, fileBytes - position);
    const { bytesRead } = await file.read(buffer, 0, length, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

/** Where the loading process finds its inputs and leaves its outputs. */
class Desk {
  readonly inputs: Shelf;
  readonly #outputs: Shelf;
  readonly results: string;
  readonly settings: LoadSettings;

  constructor(inputs: Shelf, outputs: Shelf, results: string, settings: LoadSettings) {
    this.inputs = inputs;
    this.#outputs = outputs;
    this.results = results;
    this.settings = settings;
  }

  get isInPlace(): boolean {
    return this.inputs.isInPlace && this.#outputs.isInPlace;
  }

  outputPath(name: string): string {
    return this.#outputs.pathOf(`made/${name}.parquet`);
  }

  /** Parts, in a folder of their own. */
  async put(parts: readonly string[], name: string): Promise<string[]> {
    await this.inputs.makeFolder(name);
    return Promise.all(parts.map((part, index) => this.inputs.put(part, `${name}/${index}.parquet`)));
  }

  async clearResult(name: string): Promise<void> {
    await unlink(join(this.results, `${name}.parquet`)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }

  async remove(): Promise<void> {
    await Promise.all([this.inputs.remove(), this.#outputs.remove()]);
  }
}

async function place(inputs: Shelf, source: ConvertRequest["source"], name: string): Promise<string> {
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
