import { readFile } from "node:fs/promises";
import {
  type Analytics,
  type Column,
  type JsonValue,
  jsonInput,
  type Part,
  type QueryBatch,
} from "../../platform/analytics/index.ts";
import type { FolderBlobStore } from "../../platform/blobs/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Data } from "./data.ts";
import type { Dataset } from "./dataset.ts";
import { LIMITS } from "./limits.ts";

export interface ExportedFile {
  mimeType: string;
  content: Buffer;
  rows: number;
  /** There were more rows than one answer holds. */
  isCut: boolean;
}

interface TextFormat {
  mimeType: string;
  before(names: readonly string[]): string;
  row(values: readonly JsonValue[], names: readonly string[]): string;
  between: string;
  after: string;
}

/** RFC 4180, with a header, and nested values as JSON. */
function csv(escapeFormulas: boolean): TextFormat {
  return {
    mimeType: "text/csv; charset=utf-8",
    before: (names) => (names.length === 0 ? "" : csvLine(names, escapeFormulas)),
    row: (values) => csvLine(values, escapeFormulas),
    between: "",
    after: "",
  };
}

/** An array with an object a line. */
const JSON_FORMAT: TextFormat = {
  mimeType: "application/json",
  before: () => "[",
  row: (values, names) =>
    `\n${JSON.stringify(Object.fromEntries(names.map((name, place) => [name, values[place] ?? null])))}`,
  between: ",",
  after: "\n]\n",
};

/** A whole dataset as the text of a file, a piece at a time: never more of it in memory than one batch. */
export async function* textOf(
  batches: AsyncIterable<QueryBatch>,
  format: "csv" | "json",
): AsyncGenerator<string> {
  const written = format === "csv" ? csv(false) : JSON_FORMAT;
  for await (const { text } of pieces(batches, written)) yield text;
}

/** As much of the rows as one answer holds, as the text of a file. */
export async function exportText(
  batches: AsyncIterable<QueryBatch>,
  { format, escapeFormulas }: { format: "csv" | "json"; escapeFormulas: boolean },
): Promise<ExportedFile> {
  const written = format === "csv" ? csv(escapeFormulas) : JSON_FORMAT;
  const { mimeType, after } = written;
  const file = { mimeType, rows: 0, isCut: false };
  const content: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces(batches, written)) {
    const text = Buffer.from(piece.text);
    bytes += text.length;
    file.isCut = bytes > LIMITS.data.exportBytes && piece.rows > 0;
    if (file.isCut) {
      content.push(Buffer.from(after));
      break;
    }
    content.push(text);
    file.rows += piece.rows;
  }
  return { ...file, content: Buffer.concat(content) };
}

/** The text of a file, with the number of rows in each piece. */
async function* pieces(
  batches: AsyncIterable<QueryBatch>,
  { before, row: lineOf, between, after }: TextFormat,
): AsyncGenerator<{ text: string; rows: number }> {
  let rowsBefore = 0;
  let isBegun = false;
  for await (const { columns, rows } of batches) {
    const names = columns.map(({ name }) => name);
    if (!isBegun) yield { text: before(names), rows: 0 };
    const lines = rows.map((row, i) => (rowsBefore + i === 0 ? "" : between) + lineOf(row, names));
    yield { text: lines.join(""), rows: rows.length };
    rowsBefore += rows.length;
    isBegun = true;
  }
  if (!isBegun) yield { text: before([]), rows: 0 };
  yield { text: after, rows: 0 };
}

function csvLine(values: readonly JsonValue[], escapeFormulas: boolean): string {
  return `${values.map((value) => cell(value, escapeFormulas)).join(",")}\r\n`;
}

function cell(value: JsonValue, escapeFormulas: boolean): string {
  if (value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = escapeFormulas && isFormula(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Formula injection: a text that a spreadsheet would run; a plain negative number is none. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+([.,]\d+)?$/.test(text);
}

const PARQUET = "application/vnd.apache.parquet";

interface ParquetParts {
  analytics: Analytics;
  blobs: FolderBlobStore;
  newKey(): string;
  scope: string;
  signal: AbortSignal;
}

/**
 * A whole dataset, with its values as they are kept: undefined where that is more than one answer holds, or where
 * policies keep some of it from the caller.
 */
export async function wholeParquet(
  data: Pick<Data, "tableView" | "withParquet">,
  caller: Caller,
  dataset: Dataset,
  signal: AbortSignal,
): Promise<ExportedFile | undefined> {
  if (dataset.bytes > LIMITS.data.exportBytes) return undefined;
  const { isRestricted } = await data.tableView(caller, dataset);
  if (isRestricted) return undefined;
  const content = await data.withParquet(caller, dataset, signal, (path) => readFile(path));
  if (content.length > LIMITS.data.exportBytes) return undefined;
  return { mimeType: PARQUET, content, rows: dataset.rowCount, isCut: false };
}

/**
 * As much of the rows as one answer holds, as a Parquet file that every tool reads. Each batch becomes a part, and the
 * parts one file, so that a column without any value in a batch, or in all of them, is there all the same.
 */
export async function exportParquet(
  batches: AsyncIterable<QueryBatch>,
  { analytics, blobs, newKey, scope, signal }: ParquetParts,
): Promise<ExportedFile> {
  const made: Part[] = [];
  let columns: readonly Column[] = [];
  let isCut = false;
  try {
    let bytes = 0;
    for await (const batch of batches) {
      columns = batch.columns;
      if (batch.rows.length === 0) continue;
      const inputs = columns.map(jsonInput);
      const rows = batch.rows.map((row) =>
        record(
          columns,
          row.map((value, place) => inputs[place]!.convert(value)),
        ),
      );
      const read = columns.map(({ name }, place) => ({ name, type: inputs[place]!.type }));
      const part = await analytics.rowsToPart({ rows, columns: read, key: newKey(), scope, signal });
      made.push(part);
      bytes += part.bytes;
      isCut = bytes > LIMITS.data.exportBytes;
      if (isCut) break;
    }
    const kept = isCut ? made.slice(0, -1) : [...made];
    const parts = kept.map(({ path }) => path);
    const whole = await analytics.mergeParts({
      parts,
      columns,
      key: newKey(),
      isPortable: true,
      scope,
      signal,
    });
    made.push(whole);
    return { mimeType: PARQUET, content: await readFile(whole.path), rows: whole.rows, isCut };
  } finally {
    for (const { key } of made) await blobs.delete(key);
  }
}

export function record(columns: readonly Column[], row: readonly JsonValue[]): Record<string, JsonValue> {
  return Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null]));
}
