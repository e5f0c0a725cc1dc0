import { constants } from "node:fs";
import { chown, type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { extname, join } from "node:path";
import { z } from "zod";
import { lazily } from "../../../kernel/concurrency.ts";
import type { FolderBlobStore } from "../../blobs/index.ts";
import {
  createSandbox,
  isProcessLost,
  type OsUser,
  type Sandbox,
  type SandboxLog,
} from "../../sandbox/index.ts";
import type { Part } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";
import { LinkedFolder } from "../linked-folder.ts";
import { parseType, typeText } from "../types/column-types.ts";
import type { ConvertAnswer, LoadSettings, WriteAnswer } from "../wire.ts";

interface LoadProcessOptions {
  /** For the log. */
  name: string;
  /** Jobs at a time; they share the process's fate. */
  jobs: number;
  blobs: FolderBlobStore;
  tempFolder: string;
  memoryMb: number;
  threads: number;
  reader: OsUser;
  log: SandboxLog;
}

const WORKER_MODULE = join(import.meta.dirname, `load-worker${extname(import.meta.filename)}`);
const OVERHEAD_MB = 200;

/** A process that makes Parquet parts, with the folders where it finds its inputs and leaves its outputs. */
export class LoadProcess {
  readonly sandbox: Sandbox;
  readonly #options: LoadProcessOptions;
  /** Once there are some. */
  #folders: JobFolders | undefined;
  readonly openFolders = lazily(
    async () => {
      const folders = await this.#makeFolders();
      this.#folders = folders;
      return folders;
    },
    ({ isInPlace }) => isInPlace,
  );

  constructor(options: LoadProcessOptions) {
    this.#options = options;
    const { name, jobs, tempFolder, memoryMb, log, reader } = options;
    this.sandbox = createSandbox({
      name,
      module: WORKER_MODULE,
      tempFolder,
      // What the engines do not count must not be the end of them.
      memoryMb: Math.ceil(1.25 * memoryMb),
      requestTimeoutMs: LIMITS.analytics.jobMs,
      // One more for the probe, which must not wait for an import.
      concurrency: jobs + 1,
      cancelGraceMs: LIMITS.analytics.cancelGraceMs,
      env: { UV_THREADPOOL_SIZE: "16" },
      allowRead: [tempFolder],
      permissionModel: "addons",
      lowPriority: false,
      user: reader,
      log,
    });
  }

  async probe(): Promise<void> {
    const { settings } = await this.openFolders();
    const ask = (): Promise<unknown> => this.sandbox.call("probe", { settings });
    // One that ended just now is being replaced, and that is all that anybody notices.
    await ask().catch((error: unknown) => (isProcessLost(error) ? ask() : Promise.reject(error)));
  }

  /** Copies the part out of the reach of the process that wrote it; once this answers, it is there to stay. */
  async store(folders: JobFolders, name: string, key: string, { rows, columns }: WriteAnswer): Promise<Part> {
    const { blobs } = this.#options;
    const file = await open(
      join(folders.results, `${name}.parquet`),
      constants.O_RDONLY | constants.O_NOFOLLOW,
    );
    try {
      const info = await file.stat();
      if (!info.isFile()) throw new TypeError("the loading process left something strange");
      const stored = await blobs.put(key, piecesOf(file, info.size));
      return { ...stored, path: blobs.pathOf(key), rows, columns };
    } finally {
      await file.close();
    }
  }

  async close(): Promise<void> {
    await this.sandbox.close();
    await this.#folders?.remove();
  }

  async #makeFolders(): Promise<JobFolders> {
    const { tempFolder, memoryMb, threads, reader } = this.#options;
    const [inputs, outputs] = await Promise.all([
      LinkedFolder.make(tempFolder, reader),
      LinkedFolder.make(tempFolder, reader),
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
    return new JobFolders(inputs, outputs, results, settings);
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
export class JobFolders {
  readonly inputs: LinkedFolder;
  readonly #outputs: LinkedFolder;
  readonly results: string;
  readonly settings: LoadSettings;

  constructor(inputs: LinkedFolder, outputs: LinkedFolder, results: string, settings: LoadSettings) {
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

  /** What was there for a job, and what it made. */
  async clear(name: string): Promise<void> {
    await Promise.all([this.inputs.clear(name), rm(join(this.results, `${name}.parquet`), { force: true })]);
  }

  async remove(): Promise<void> {
    await Promise.all([this.inputs.remove(), this.#outputs.remove()]);
  }
}

/**
 * What the loading process says, read as carefully as what comes from outside: it has had the files of strangers
 * in its hands. Types come in one spelling and can only be types.
 */
const count = z.int().min(0);
const column = z.object({
  name: z.string(),
  type: z.string().transform((text) => typeText(parseType(text))),
});
const written = z.object({ rows: count, columns: z.array(column) });

const dateFormats = z.union([z.string(), z.array(z.object({ column: z.string(), format: z.string() }))]);

const detected = z.object({
  format: z.enum(["csv", "tsv", "json", "ndjson", "parquet"]),
  encoding: z.string(),
  delimiter: z.string().exactOptional(),
  quote: z.string().exactOptional(),
  escape: z.string().exactOptional(),
  header: z.boolean().exactOptional(),
  decimal: z.enum([".", ","]).exactOptional(),
  thousands: z
    .union([
      z.string(),
      z.array(z.object({ column: z.string(), thousands: z.string(), decimal: z.string() })),
    ])
    .exactOptional(),
  dateFormat: dateFormats.exactOptional(),
  timestampFormat: dateFormats.exactOptional(),
  skippedLines: count.exactOptional(),
  renamed: z.array(z.object({ position: count, from: z.string(), to: z.string() })).exactOptional(),
});

const converted = written.extend({
  rejected: z.array(z.object({ line: count, reason: z.string() })),
  rejectedRows: count,
  detected,
  notes: z.array(z.string()).exactOptional(),
});

const progress = z.object({ fraction: z.number().min(0).max(1) });

export function parseWritten(answer: unknown): WriteAnswer {
  return written.parse(answer);
}

export function parseConverted(answer: unknown): ConvertAnswer {
  return converted.parse(answer);
}

export function parseProgress(value: unknown): { fraction: number } {
  return progress.parse(value);
}
