import { chmod, chown, open, rename } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { FairQueue } from "../../../kernel/fair-queue.ts";
import { timeLimit } from "../../../kernel/time.ts";
import { megabytes } from "../../../platform/files/index.ts";
import { LIMITS } from "../../../platform/files/limits.ts";
import {
  createSandbox,
  type OsUser,
  osUserOf,
  type Sandbox,
  type SandboxLog,
} from "../../../platform/sandbox/index.ts";
import { type OpenParams, type ReadReport, readBatch, readReport } from "./reader/table-reader.ts";

export interface ReaderOptions {
  tempFolder: string;
  memoryMb?: number;
  log: SandboxLog;
}

export interface ReadRequest extends Omit<OpenParams, "path"> {
  /** Of ours, with the file in it; the rows are written beside the file. */
  folder: string;
  fileName: string;
  scope?: string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((fraction: number) => void) | undefined;
}

export interface ReadFile {
  report: ReadReport;
  path: string;
}

const WORKER_MODULE = join(import.meta.dirname, "reader", `file-worker${extname(import.meta.filename)}`);

/**
 * Reads files that need more than DuckDB, each in a process of its own, which sees that one file and nothing
 * else. The rows come back over its channel, a batch when we ask for it, so they never pile up, and the process
 * has no say in where they go.
 */
export class SandboxedReader {
  readonly #options: ReaderOptions;
  readonly #queue = new FairQueue({
    what: "files",
    places: LIMITS.files.readers,
    placesPerScope: Math.max(1, LIMITS.files.readers - 1),
    waiting: LIMITS.files.waitingReaders,
    waitingPerScope: LIMITS.files.waitingReaders / 2,
    waitMs: LIMITS.files.readMs,
  });
  /** Numbers of accounts that no reader has now: each is somebody else, and can touch nothing of the other. */
  readonly #accounts = Array.from({ length: LIMITS.files.readers }, (_, number) => number);
  readonly #sandboxes = new Set<Sandbox>();
  #isClosed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  async read(request: ReadRequest): Promise<ReadFile> {
    const leave = await this.#queue.enter(request.scope ?? "", request.signal);
    const number = this.#accounts.pop() ?? 0;
    try {
      if (this.#isClosed) throw new AppError("unavailable", "The server is stopping.");
      return await this.#readInSandbox(request, osUserOf("fileReader", number));
    } finally {
      this.#accounts.push(number);
      leave();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sandboxes].map((sandbox) => sandbox.close()));
  }

  async #readInSandbox(request: ReadRequest, user: OsUser): Promise<ReadFile> {
    const { folder, fileName } = request;
    const { tempFolder, log, memoryMb = LIMITS.files.readerMemoryMb } = this.#options;
    await openFolder(folder, fileName, user);
    const sandbox = createSandbox({
      name: "file-reader",
      module: WORKER_MODULE,
      tempFolder,
      memoryMb,
      requestTimeoutMs: LIMITS.files.readMs,
      allowRead: [folder],
      user,
      log,
    });
    this.#sandboxes.add(sandbox);
    try {
      return await pull(sandbox, request, timeLimit(LIMITS.files.readMs, "Reading the file"));
    } catch (error) {
      throw readError(error, memoryMb);
    } finally {
      this.#sandboxes.delete(sandbox);
      await sandbox.close();
    }
  }
}

/** The process finds the file by a path from its own folder, because it may not be able to enter those above. */
async function pull(sandbox: Sandbox, request: ReadRequest, timeout: AbortSignal): Promise<ReadFile> {
  const { kind, folder, fileName, options, signal, onProgress } = request;
  const params: OpenParams = { kind, options, path: `../${basename(folder)}/${fileName}` };
  const opened = await sandbox.call("open", params, {
    signal,
    onProgress: (value) => onProgress?.(fractionOf(value) / 2),
  });
  const report = readReport.parse(opened);
  const path = join(folder, "rows");
  const file = await open(`${path}.part`, "wx", 0o600);
  try {
    for (let bytes = 0; ; ) {
      if (timeout.aborted)
        throw new AppError("timeout", `Reading took longer than ${LIMITS.files.readMs / 60_000} minutes.`);
      const batch = readBatch.parse(await sandbox.call("next", {}, { signal }));
      if (batch.isDone) break;
      bytes += batch.bytes.length;
      if (bytes > LIMITS.files.sourceBytes) throw tooMuch();
      await file.appendFile(batch.bytes);
      onProgress?.(0.5 + Math.min(1, batch.fraction) / 2);
    }
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
  return { report, path };
}

function fractionOf(value: unknown): number {
  const { fraction } = (value ?? {}) as { fraction?: unknown };
  return typeof fraction === "number" && fraction >= 0 && fraction <= 1 ? fraction : 0;
}

/** As root, the reader is somebody else, who gets to this folder and this file and no further. */
async function openFolder(folder: string, fileName: string, user: OsUser): Promise<void> {
  if (user === undefined) return;
  const file = join(folder, fileName);
  await chown(folder, 0, user.gid);
  await chmod(folder, 0o710);
  await chown(file, 0, user.gid);
  await chmod(file, 0o640);
}

function tooMuch(): AppError {
  return new AppError("too_large", `The rows take more than ${megabytes(LIMITS.files.sourceBytes)}.`);
}

/** A process that runs out of its heap ends before anybody sees how much it had, so an end counts as that. */
function readError(error: unknown, memoryMb: number): unknown {
  if (!isAppError(error) || !["memory", "crash"].includes(String(error.data.reason))) return error;
  return new AppError("too_large", `The file could not be read within ${memoryMb} MB of memory.`, {
    hint: "Save it as CSV, or split it.",
    cause: error,
  });
}
