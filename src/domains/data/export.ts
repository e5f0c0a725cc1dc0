import type { JsonValue, QueryBatch } from "../../platform/analytics/index.ts";
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

/** What a spreadsheet would run; a plain negative number is none. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+([.,]\d+)?$/.test(text);
}
