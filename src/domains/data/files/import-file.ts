import { constants } from "node:fs";
import { chmod, copyFile, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../kernel/errors.ts";
import { abortError } from "../../../kernel/time.ts";
import type {
  Analytics,
  ConvertOptions,
  ConvertResult,
  FileFormat,
} from "../../../platform/analytics/index.ts";
import type { BlobStore } from "../../../platform/blobs/index.ts";
import { excerptOf, type PlainFile, readSource, unpack } from "../../../platform/files/index.ts";
import type { GuardedFetch } from "../../../platform/guarded-fetch/index.ts";
import type { SandboxLog } from "../../../platform/sandbox/index.ts";
import { ownedTempPath, sweepLeftovers } from "../../../platform/temp/index.ts";
import {
  type DetectedFile,
  detectFormat,
  type FileImport,
  type FileOptions,
  type FileType,
  headText,
  type ImportedFile,
  parseFileType,
} from "./detect-format.ts";
import { type ReadReport, someNames } from "./reader/table-reader.ts";
import { SandboxedReader } from "./sandboxed-reader.ts";

interface FileImportsOptions {
  analytics: Pick<Analytics, "convert">;
  blobs: Pick<BlobStore, "delete">;
  fetch: Pick<GuardedFetch, "download">;
  /** A folder for this alone, on the same file system as the parts. May lie below a folder that is closed. */
  tempFolder: string;
  log: SandboxLog;
}

export interface FileImports {
  /** A file as one finished part. When it fails, there is neither a part nor anything else left of it. */
  importFile(request: FileImport): Promise<ImportedFile>;
  /** Imports that are under way fail with `unavailable`. */
  close(): Promise<void>;
}

/** Opening clears away what a killed process was in the middle of reading. */
export async function openFileImports(options: FileImportsOptions): Promise<FileImports> {
  const { tempFolder, log } = options;
  await mkdir(tempFolder, { recursive: true });
  // The processes that read files step through it to theirs, without being able to see what else is there.
  await chmod(tempFolder, 0o711);
  await sweepLeftovers(tempFolder);
  const reader = new SandboxedReader({ tempFolder, log });
  return {
    importFile: (request) => importFile(options, reader, request),
    close: () => reader.close(),
  };
}

async function importFile(
  options: FileImportsOptions,
  reader: SandboxedReader,
  request: FileImport,
): Promise<ImportedFile> {
  if (request.signal?.aborted) throw abortError(request.signal, "The import");
  const declared = parseFileType(request.fileType);
  const folder = ownedTempPath(options.tempFolder);
  await mkdir(folder, { mode: 0o700 });
  try {
    const source = await readSource(request.source, {
      fetch: options.fetch,
      folder,
      isBinary: declared === "excel" || declared === "parquet",
      signal: request.signal,
      onProgress: (fraction) => request.onProgress?.({ stage: "fetch", fraction }),
    });
    const file = await unpack(source, folder, {
      signal: request.signal,
      onProgress: (fraction) => request.onProgress?.({ stage: "unpack", fraction }),
    });
    const { format, note } = detectFormat({
      bytesHead: file.head,
      fileType: request.fileType,
      fileName: source.fileName,
      contentType: source.contentType,
    });
    const table = await readTable(file, format, folder, reader, request);
    const result = await convert(options, table, request);
    return {
      part: result.part,
      rows: result.rows,
      columns: result.columns,
      rejected: result.rejected,
      rejectedRows: result.rejectedRows,
      detected: detectedOf(format, file, table, result),
      notes: [
        source.note,
        note,
        ...(table.report?.notes ?? []),
        ...(result.notes ?? []),
        ...unusedOptions(request.options ?? {}, format, result),
        emptyNote(result),
      ].filter((each) => each !== undefined),
      bytes: source.bytes,
      ...(source.fileName !== undefined && { fileName: source.fileName }),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Something that DuckDB can read. */
interface Table {
  path: string;
  isOurs: boolean;
  format: FileFormat;
  /** When the file had to be read by us first. */
  report?: ReadReport;
}

async function readTable(
  file: PlainFile,
  format: FileType,
  folder: string,
  reader: SandboxedReader,
  { scope, options = {}, signal, onProgress }: FileImport,
): Promise<Table> {
  const { path, isOurs } = file;
  const kind = readerFor(format, file.head, options);
  if (kind === undefined) return { path, isOurs, format: format as FileFormat };
  const fileName = "input";
  if (isOurs) await rename(path, join(folder, fileName));
  else await copyFile(path, join(folder, fileName), constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  const { sheet, rowPath, header, skipLines, nulls, encoding } = options;
  const read = await reader.read({
    kind,
    folder,
    fileName,
    scope,
    options: { sheet, rowPath, header, skipLines, nulls, encoding },
    signal,
    onProgress: (fraction) => onProgress?.({ stage: "read", fraction }),
  });
  return { path: read.path, isOurs: true, format: read.report.format, report: read.report };
}

/** Reader that has to convert a file for DuckDB; undefined when DuckDB reads it as it is. */
function readerFor(
  format: FileType,
  head: Buffer,
  { rowPath }: FileOptions,
): "excel" | "xml" | "json" | undefined {
  switch (format) {
    case "excel":
    case "xml":
      return format;
    case "json":
      return rowPath === undefined && /^\[\s*\{/.test(headText(head)) ? undefined : "json";
    case "ndjson":
      return headText(head).startsWith("{") ? undefined : "json";
    default:
      return undefined;
  }
}

async function convert(
  { analytics, blobs }: FileImportsOptions,
  { path, isOurs, format, report }: Table,
  { scope, key, options = {}, signal, onProgress }: FileImport,
): Promise<ConvertResult> {
  const result = await analytics.convert({
    source: { path, handOver: isOurs },
    format,
    ...(scope !== undefined && { scope }),
    key,
    options: report === undefined ? optionsOf(options) : readOptionsOf(options, report),
    ...(signal && { signal }),
    onProgress: ({ fraction }) => onProgress?.({ stage: "convert", fraction }),
  });
  if (result.rows > 0 && result.rejectedRows <= result.rows) return result;
  if (result.rejectedRows === 0) {
    if (result.columns.length > 1 || !isCsv(result.detected.format) || options.header) return result;
    await blobs.delete(key);
    throw oneLine(result);
  }
  await blobs.delete(key);
  const [first] = result.rejected;
  const example = first === undefined ? "" : ` Line ${first.line}: ${excerptOf(first.reason)}`;
  const all = (result.rows + result.rejectedRows).toLocaleString("en");
  const lost =
    result.rows === 0
      ? `None of the ${all} rows could be read.`
      : `Most rows could not be read: ${result.rejectedRows.toLocaleString("en")} of ${all}.`;
  throw new AppError("bad_request", `${lost}${example}`, {
    hint: "Check the file; options say its delimiter, encoding, header and types.",
    data: { rejected: result.rejected.slice(0, 10) },
  });
}

/** A sentence, or base64 of something unknown, would be the name of a column. */
function oneLine({ columns }: ConvertResult): AppError {
  const text = excerptOf(columns[0]?.name ?? "");
  return new AppError("bad_request", `The file is a single line without a delimiter: ${text}`, {
    hint: "Send a header line and rows. If the content is base64, or the line is a header, say so in options (content_encoding, header).",
  });
}

const CSV_OPTIONS = ["delimiter", "quote", "decimal"] as const;

/** Options that had no effect. */
function unusedOptions(options: FileOptions, format: FileType, { columns }: ConvertResult): string[] {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  const missing = Object.keys(options.types ?? {}).filter((name) => !names.has(name.toLowerCase()));
  const isUnused = !isCsv(format) && CSV_OPTIONS.some((name) => options[name] !== undefined);
  const hasNoText = format === "parquet" || format === "excel" || format === "xml";
  return [
    ...(missing.length === 0 ? [] : [`The types name columns that are not there: ${someNames(missing)}.`]),
    ...(isUnused ? ["Delimiter, quote and decimal count for CSV only."] : []),
    ...(hasNoText && options.dateFormat !== undefined
      ? ["The date format counts for CSV and JSON only."]
      : []),
  ];
}

function isCsv(format: FileType): boolean {
  return format === "csv" || format === "tsv";
}

function emptyNote({ rows, columns }: ConvertResult): string | undefined {
  if (rows > 0) return undefined;
  return `The file has no rows, only the names of ${columns.length === 1 ? "a column" : `${columns.length} columns`}.`;
}

function optionsOf({
  sheet: _sheet,
  rowPath: _rowPath,
  dateFormat,
  ...options
}: FileOptions): ConvertOptions {
  return { ...options, ...(dateFormat !== undefined && { dateFormat: dateFormatOf(dateFormat) }) };
}

/** Options for the conversion that follows: those about the file are done with, those about values are left. */
function readOptionsOf({ types, dateFormat }: FileOptions, { columns }: ReadReport): ConvertOptions {
  return {
    columns,
    ...(dateFormat !== undefined && { dateFormat: dateFormatOf(dateFormat) }),
    types: { ...Object.fromEntries(columns.map(({ name, type }) => [name, type])), ...types },
  };
}

function detectedOf(
  format: FileType,
  { isUnpacked }: PlainFile,
  { report }: Table,
  { detected }: ConvertResult,
): DetectedFile {
  const compression = isUnpacked ? { compression: "gzip" as const } : {};
  if (report === undefined) return { ...detected, format, ...compression };
  const { encoding, rowPath, sheet, sheets, header, skippedLines, renamed } = report;
  const facts = {
    encoding,
    rowPath,
    sheet,
    sheets,
    header,
    skippedLines,
    renamed: renamed ?? detected.renamed,
  };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return { format, ...Object.fromEntries(known), ...compression };
}

/** Letters for parts of a date, as most programs have them; months are large and minutes small. */
const LETTERS: readonly [RegExp, string][] = [
  [/^(?:yyyy|YYYY)/, "%Y"],
  [/^(?:yy|YY)/, "%y"],
  [/^MMMM/, "%B"],
  [/^MMM/, "%b"],
  [/^MM?/, "%m"],
  [/^(?:dd?|DD?)/, "%d"],
  [/^HH?/, "%H"],
  [/^hh?/, "%I"],
  [/^mm?/, "%M"],
  [/^(?:ss?|SS)/, "%S"],
  [/^(?:tt|[aA])/, "%p"],
];

/** A date format as people write it, `DD/MM/YYYY` or `%d/%m/%Y`, in the second form. */
export function dateFormatOf(text: string): string {
  if (text.includes("%")) return text;
  let format = "";
  for (let rest = text; rest !== ""; ) {
    const [found, sign] = LETTERS.map(([letters, each]) => [letters.exec(rest)?.[0], each] as const).find(
      ([letters]) => letters !== undefined,
    ) ?? [undefined, rest[0]!];
    if (found === undefined && /[A-Za-z]/.test(sign) && sign !== "T") throw unknownFormat(text);
    format += sign;
    rest = rest.slice(found?.length ?? 1);
  }
  if (!format.includes("%")) throw unknownFormat(text);
  return format;
}

function unknownFormat(text: string): AppError {
  return new AppError("bad_request", `The date format "${excerptOf(text)}" is not known.`, {
    hint: 'Write it like "DD/MM/YYYY", "MM/DD/YYYY HH:mm" or, as in strptime, "%d/%m/%Y".',
  });
}
