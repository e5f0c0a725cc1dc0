import { createReadStream, createWriteStream, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  assertName,
  type Data,
  type DataServices,
  type Dataset,
  type FileOptions,
  type ImportedFile,
  replaceRows,
  textOf,
} from "../../domains/data/index.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { nearest } from "../../kernel/text.ts";
import type { Caller } from "../../registry/caller.ts";
import { bareName } from "./call.ts";
import type { Terminal } from "./command.ts";
import { inShell } from "./failure.ts";
import { Progress, printListing } from "./output.ts";
import { untilStopped, withData } from "./with-services.ts";

interface ImportInput {
  args: { file: string };
  options: {
    workspace: string;
    name: string | undefined;
    append: boolean;
    type: string | undefined;
    delimiter: string | undefined;
    "no-header": boolean;
    encoding: string | undefined;
    decimal: "." | "," | undefined;
    "date-format": string | undefined;
    sheet: string | undefined;
    "row-path": string | undefined;
    "allow-empty": boolean;
    json: boolean;
  };
}

export interface OfDataset {
  args: { dataset: string };
  options: { workspace: string };
}

interface ExportInput extends OfDataset {
  options: { workspace: string; output: string; format: ExportFormat | undefined };
}

/** Most datasets of one page of the catalog. */
const PAGE = 500;
const SHOWN_REJECTED = 20;

export async function importDataset({ args, options }: ImportInput, terminal: Terminal): Promise<number> {
  const path = requireFile(args.file);
  const { name = bareName(path) } = options;
  assertName(name);
  await withData(async ({ data: { data, imports }, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const progress = new Progress(terminal);
    const file = await untilStopped((signal) =>
      imports.importFile({
        source: { path },
        scope: String(caller.workspace.id),
        key: data.newPartKey(),
        fileType: options.type,
        options: fileOptions(options),
        signal,
        onProgress: ({ stage, fraction }) => progress.show(`${args.file}: ${stage}`, fraction),
      }),
    ).finally(() => progress.end());
    const detail = { ...file.detected, file: file.fileName, bytes: file.bytes };
    const source = { kind: "import" as const, detail };
    const { part } = file;
    const { dataset, replaced } = options.append
      ? { dataset: await data.commit(caller, name, "append", part, source), replaced: undefined }
      : await replaceRows(data, caller, { name, part, source, allowEmpty: options["allow-empty"] });
    if (options.json) terminal.out(`${JSON.stringify(importedJson(dataset, file, replaced), null, 2)}\n`);
    else printImported(dataset, file, terminal);
    if (replaced !== undefined) {
      const rows = `${counted(replaced.rowCount, "row")} of ${replaced.refreshedAt.toISOString()}`;
      const which = `--arg asset_type=dataset --arg asset_id=${dataset.id} --arg version=${replaced.version}`;
      terminal.err(
        inShell(`This replaced ${rows}; for 30 days they come back with: {tool:restore_asset} ${which}\n`),
      );
    }
  });
  return 0;
}

export async function exportDataset({ args, options }: ExportInput, terminal: Terminal): Promise<number> {
  const { workspace, output } = options;
  await withData(async ({ data: { data, datasets }, callerFor }) => {
    const caller = await callerFor(workspace);
    const dataset = await requireDataset(datasets, caller, args.dataset);
    const { select } = await data.tableView(caller, dataset);
    if (select !== undefined) {
      terminal.err("Policies of this dataset hold for admins too: some rows or columns are left out.\n");
    }
    const source = { data, caller, dataset };
    await untilStopped((signal) => writeExport(source, { output, format: options.format, signal }, terminal));
  });
  return 0;
}

function requireFile(file: string): string {
  const path = resolve(file);
  const info = statSync(path, { throwIfNoEntry: false });
  if (info?.isFile()) return path;
  const what = info === undefined ? `There is no file ${file}.` : `${file} is not a file.`;
  throw new AppError("not_found", what, { hint: "Check the path; it is taken from the working directory." });
}

function fileOptions(options: ImportInput["options"]): FileOptions {
  const { delimiter, encoding, decimal, "date-format": dateFormat, sheet, "row-path": rowPath } = options;
  const isTab = delimiter !== undefined && ["tab", "\\t"].includes(delimiter.toLowerCase());
  return {
    ...(delimiter !== undefined && { delimiter: isTab ? "\t" : delimiter }),
    ...(options["no-header"] && { header: false }),
    ...(encoding !== undefined && { encoding }),
    ...(decimal !== undefined && { decimal }),
    ...(dateFormat !== undefined && { dateFormat }),
    ...(sheet !== undefined && { sheet: /^[1-9]\d*$/.test(sheet) ? Number(sheet) : sheet }),
    ...(rowPath !== undefined && { rowPath }),
  };
}

function importedJson(
  { id, name, version, rowCount, columns }: Dataset,
  file: ImportedFile,
  replaced: Dataset | undefined,
): object {
  const { rows, rejectedRows, rejected, detected, notes } = file;
  return {
    id,
    name,
    version,
    totalRows: rowCount,
    columns,
    rowsRead: rows,
    rowsRejected: rejectedRows,
    rejected,
    detected,
    ...(replaced !== undefined && {
      replaced: { version: replaced.version, rows: replaced.rowCount, refreshedAt: replaced.refreshedAt },
    }),
    notes,
  };
}

function printImported(dataset: Dataset, file: ImportedFile, terminal: Terminal): void {
  const { rows, rejected, rejectedRows, detected, notes } = file;
  const { id, name, rowCount, columns } = dataset;
  terminal.out(`Dataset ${name} (id ${id}): ${counted(rows, "row")} read as ${detected.format}`);
  terminal.out(rowCount === rows ? ".\n" : `; ${rowCount} rows in all.\n`);
  if (rejectedRows > 0) {
    terminal.out(`${counted(rejectedRows, "row")} rejected:\n`);
    const shown = rejected.slice(0, SHOWN_REJECTED);
    for (const { line, reason } of shown) terminal.out(`  line ${line}: ${reason}\n`);
    if (rejectedRows > shown.length) terminal.out(`  and ${rejectedRows - shown.length} more\n`);
  }
  for (const note of notes) terminal.out(`Note: ${note}\n`);
  terminal.out("\n");
  printListing(terminal, {
    items: columns,
    json: false,
    columns: { column: (column) => column.name, type: (column) => column.type },
    empty: "There are no columns.",
  });
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

async function allDatasets(datasets: DataServices["datasets"], workspaceId: number): Promise<Dataset[]> {
  const all: Dataset[] = [];
  for (;;) {
    const { total, items } = await datasets.list(workspaceId, { limit: PAGE, offset: all.length });
    all.push(...items);
    if (items.length === 0 || all.length >= total) return all;
  }
}

/** By name or by id; a word that could mean two datasets means none. */
export async function requireDataset(
  datasets: DataServices["datasets"],
  { workspace }: Caller,
  word: string,
): Promise<Dataset> {
  const named = await datasets.findByName(workspace.id, word);
  const numbered = /^\d{1,15}$/.test(word) ? await datasets.find(workspace.id, Number(word)) : undefined;
  if (named !== undefined && numbered !== undefined && named.id !== numbered.id) {
    throw new AppError(
      "conflict",
      `${word} is the name of dataset ${named.id} and the id of dataset ${numbered.name}.`,
      { hint: `Say ${named.id} or ${JSON.stringify(numbered.name)}.` },
    );
  }
  const dataset = named ?? numbered;
  if (dataset !== undefined) return dataset;
  const known = (await allDatasets(datasets, workspace.id)).map(({ name }) => name);
  const meant = nearest(word, known);
  throw new AppError("not_found", `There is no dataset ${JSON.stringify(word)} in ${workspace.slug}.`, {
    hint: meant === undefined ? "See: {tool:list_datasets}" : `Did you mean ${JSON.stringify(meant)}?`,
  });
}

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
    await deliver(Readable.from(textOf(countingRows(source, signal, progress), format))).finally(() =>
      progress.end(),
    );
  }
  if (output !== "-") terminal.err(`Wrote ${dataset.name} (id ${dataset.id}) to ${output} as ${format}.\n`);
}

function formatOf(output: string): ExportFormat {
  const ending = extname(output).slice(1).toLowerCase();
  return FORMATS.find((format) => format === ending) ?? "csv";
}

async function* countingRows({ data, caller, dataset }: Source, signal: AbortSignal, progress: Progress) {
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
