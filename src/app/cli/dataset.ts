import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  assertName,
  type DataServices,
  type Dataset,
  type FileOptions,
  type ImportedFile,
  replaceRows,
} from "../../domains/data/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { nearest } from "../../kernel/text.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Terminal } from "./command.ts";
import { type ExportFormat, writeExport } from "./dataset-export.ts";
import { printListing } from "./listing.ts";
import { Progress } from "./progress.ts";
import { withData } from "./with-data.ts";

interface ImportInput {
  args: { file: string };
  options: {
    workspace: string;
    name: string;
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
  assertName(options.name);
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
    const { name } = options;
    const { part } = file;
    const { dataset, replaced } = options.append
      ? { dataset: await data.commit(caller, name, "append", part, source), replaced: undefined }
      : await replaceRows(data, caller, { name, part, source, allowEmpty: options["allow-empty"] });
    if (options.json) terminal.out(`${JSON.stringify(importedJson(dataset, file, replaced), null, 2)}\n`);
    else printImported(dataset, file, terminal);
    if (replaced !== undefined) {
      terminal.err(
        `This replaced ${counted(replaced.rowCount, "row")} of ${replaced.refreshedAt.toISOString()}; for 30 days they come back with: ` +
          `kenning dataset restore ${dataset.id} --workspace ${options.workspace} --version ${replaced.version}\n`,
      );
    }
  });
  return 0;
}

export async function listDatasets(
  { options }: { options: { workspace: string; json: boolean } },
  terminal: Terminal,
): Promise<number> {
  const items = await withData(async ({ data: { datasets }, callerFor }) =>
    allDatasets(datasets, (await callerFor(options.workspace)).workspace.id),
  );
  printListing(terminal, {
    items: items.map(({ id, name, rowCount, columns, bytes, version, source, refreshedAt }) => ({
      id,
      name,
      rows: rowCount,
      columns,
      bytes,
      version,
      source: source.kind,
      refreshedAt,
    })),
    json: options.json,
    columns: {
      id: ({ id }) => id,
      name: ({ name }) => name,
      rows: ({ rows }) => rows,
      columns: ({ columns }) => columns.length,
      bytes: ({ bytes }) => bytes,
      source: ({ source }) => source,
      refreshed: ({ refreshedAt }) => refreshedAt,
    },
    empty: `There are no datasets yet; make one with: kenning dataset import FILE --workspace ${options.workspace} --name NAME`,
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

export async function deleteDataset({ args, options }: OfDataset, terminal: Terminal): Promise<number> {
  const { id, name } = await withData(async ({ data: { datasets }, assets: { assets }, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const dataset = await requireDataset(datasets, caller, args.dataset);
    await assets.require("dataset", "delete").delete(caller, dataset.id);
    return dataset;
  });
  terminal.err(
    `Deleted the dataset ${name} (id ${id}); for 30 days it comes back with: kenning dataset restore ${id} --workspace ${options.workspace}\n`,
  );
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
    hint:
      meant === undefined
        ? `See: kenning dataset list --workspace ${workspace.slug}`
        : `Did you mean ${JSON.stringify(meant)}?`,
  });
}

/** Ctrl-C ends the work in an orderly way, with nothing half done left behind. */
export async function untilStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, abort);
  try {
    return await work(stop.signal);
  } finally {
    for (const signal of signals) process.off(signal, abort);
  }
}
