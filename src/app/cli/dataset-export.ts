import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Data, type Dataset, textOf } from "../../domains/data/index.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Terminal } from "./command.ts";
import { Progress } from "./progress.ts";

const FORMATS = ["csv", "json", "parquet"] as const;

export type ExportFormat = (typeof FORMATS)[number];

interface Source {
  data: Data;
  caller: Caller;
  dataset: Dataset;
}

interface Target {
  /** A file, or - for standard output. */
  output: string;
  format: ExportFormat | undefined;
  signal: AbortSignal;
}

/** Writes a dataset of any size; there is never more of it in memory than one batch. */
export async function writeExport(source: Source, target: Target, terminal: Terminal): Promise<void> {
  const { output, signal } = target;
  const format = target.format ?? formatOf(output);
  const { data, caller, dataset } = source;
  const deliver = (content: Readable) =>
    output === "-" ? toStandardOutput(content, signal) : toFile(content, resolve(output), signal);
  if (format === "parquet") {
    if (output === "-" && process.stdout.isTTY) {
      throw new AppError("bad_request", "Parquet is nothing for a terminal.", {
        hint: "Name a file with --output, or pass it on with a pipe.",
      });
    }
    await data.withParquet(caller, dataset, signal, (path) => deliver(createReadStream(path)));
  } else {
    const progress = new Progress(terminal);
    await deliver(Readable.from(textOf(counted(source, signal, progress), format))).finally(() =>
      progress.end(),
    );
  }
  if (output !== "-") terminal.err(`Wrote ${dataset.name} (id ${dataset.id}) to ${output} as ${format}.\n`);
}

function formatOf(output: string): ExportFormat {
  const ending = extname(output).slice(1).toLowerCase();
  return FORMATS.find((format) => format === ending) ?? "csv";
}

async function* counted({ data, caller, dataset }: Source, signal: AbortSignal, progress: Progress) {
  let rows = 0;
  for await (const batch of data.stream(caller, dataset, { signal })) {
    rows += batch.rows.length;
    progress.show(`${dataset.name}: ${rows} rows`, rows / Math.max(rows, dataset.rowCount));
    yield batch;
  }
}

async function toStandardOutput(content: Readable, signal: AbortSignal): Promise<void> {
  await pipeline(content, process.stdout, { end: false, signal }).catch(orCancelled);
}

/** The file has its name only when it is whole. */
async function toFile(content: Readable, path: string, signal: AbortSignal): Promise<void> {
  const unfinished = `${path}.${process.pid}.part`;
  try {
    await pipeline(content, createWriteStream(unfinished, { flags: "wx" }), { signal });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw isFileError(error)
      ? new AppError("bad_request", `${path} cannot be written (${error.code}).`, {
          hint: "Name a file in a folder that exists and that you may write to.",
          cause: error,
        })
      : orCancelled(error);
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && !isAppError(error) && "syscall" in error;
}

function orCancelled(error: unknown): never {
  if (error instanceof Error && error.name === "AbortError") {
    throw new AppError("cancelled", "The export was stopped; no file was written.", { cause: error });
  }
  throw error;
}
