import { readFile } from "node:fs/promises";
import type { JsonValue, QueryBatch } from "../../platform/analytics/index.ts";
import type { Data, Page } from "./data.ts";

export interface ExportOptions {
  format: "csv" | "json" | "parquet";
  escapeFormulas: boolean;
  signal: AbortSignal;
}

export interface ExportedFile {
  mimeType: string;
  content: Buffer;
}

export async function exportRows(
  data: Data,
  page: Page,
  { format, escapeFormulas, signal }: ExportOptions,
): Promise<ExportedFile> {
  if (format === "csv")
    return { mimeType: "text/csv; charset=utf-8", content: Buffer.from(toCsv(page, escapeFormulas)) };
  if (format === "json")
    return { mimeType: "application/json", content: Buffer.from(JSON.stringify(page.rows)) };
  const content = await data.withTemporaryPart(page, signal, (path) => readFile(path));
  return { mimeType: "application/vnd.apache.parquet", content };
}

/** RFC 4180, with a header, and nested values as JSON. */
function toCsv({ columns, rows }: Pick<Page, "columns" | "rows">, escapeFormulas: boolean): string {
  const names = columns.map(({ name }) => name);
  const lines = rows.map((row) => names.map((name) => row[name] ?? null));
  return [names, ...lines].map((line) => csvLine(line, escapeFormulas)).join("");
}

/** A whole dataset as the text of a file, a piece at a time: never more of it in memory than one batch. */
export async function* textOf(
  batches: AsyncIterable<QueryBatch>,
  format: "csv" | "json",
): AsyncGenerator<string> {
  let rowsBefore = 0;
  let isBegun = false;
  for await (const { columns, rows } of batches) {
    const names = columns.map(({ name }) => name);
    const header = format === "csv" ? csvLine(names, false) : "[";
    const lines = rows.map((row, index) => {
      if (format === "csv") return csvLine(row, false);
      const object = JSON.stringify(
        Object.fromEntries(names.map((name, place) => [name, row[place] ?? null])),
      );
      return `${rowsBefore + index === 0 ? "\n" : ",\n"}${object}`;
    });
    yield (isBegun ? "" : header) + lines.join("");
    rowsBefore += rows.length;
    isBegun = true;
  }
  if (format === "json") yield "\n]\n";
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
