import { z } from "zod";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS as ENGINE } from "../../../../platform/analytics/limits.ts";
import { excerptOf, megabytes } from "../../../../platform/files/index.ts";
import { LIMITS } from "../../../../platform/files/limits.ts";

/** Protocol between the server and the sandboxed process that reads a file for it. */

export interface OpenParams {
  kind: "excel" | "xml" | "json";
  /** Relative to the working folder of the process. */
  path: string;
  options: ReadOptions;
}

export interface ReadOptions {
  sheet?: string | number | undefined;
  rowPath?: string | undefined;
  header?: boolean | undefined;
  skipLines?: number | undefined;
  nulls?: readonly string[] | undefined;
  encoding?: string | undefined;
}

export const readReport = z.object({
  /** Of what comes out: an object a line, or an array of objects. */
  format: z.enum(["ndjson", "json"]),
  /** Where the file itself shows what a column holds. */
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  encoding: z.string().optional(),
  rowPath: z.string().optional(),
  sheet: z.string().optional(),
  sheets: z.array(z.string()).optional(),
  header: z.boolean().optional(),
  skippedLines: z.int().optional(),
  renamed: z.array(z.object({ position: z.int(), from: z.string(), to: z.string() })).optional(),
  notes: z.array(z.string()),
});

export type ReadReport = z.output<typeof readReport>;

export const readBatch = z.object({
  bytes: z.instanceof(Uint8Array),
  isDone: z.boolean(),
  fraction: z.number(),
});

export interface ReadBatch {
  bytes: Uint8Array;
  isDone: boolean;
  fraction: number;
}

/** A file that has been looked through once, and can now be read. */
export interface TableReader {
  report: ReadReport;
  rows(): AsyncIterable<Batch>;
}

export interface Batch {
  bytes: Buffer;
  fraction: number;
}

export type OnFraction = (fraction: number) => void;

/** Collects lines into batches. */
export class LineWriter {
  #lines: string[] = [];
  #characters = 0;

  get isFull(): boolean {
    return this.#characters >= LIMITS.files.batchBytes;
  }

  write(line: string): void {
    const { rowBytes } = LIMITS.files;
    if (line.length * 3 > rowBytes && Buffer.byteLength(line) > rowBytes) throw rowTooLarge();
    this.#lines.push(line);
    this.#characters += line.length + 1;
  }

  take(): Buffer {
    this.#lines.push("");
    const bytes = Buffer.from(this.#lines.join("\n"));
    this.#lines = [];
    this.#characters = 0;
    return bytes;
  }
}

export function rowTooLarge(): AppError {
  return new AppError("too_large", `A row is larger than ${megabytes(LIMITS.files.rowBytes)}.`);
}

export function tooManyColumns(): AppError {
  const most = ENGINE.analytics.columns.toLocaleString("en");
  return new AppError("too_large", `The file has more than ${most} columns.`, {
    hint: "Turn columns into rows.",
  });
}

export function noRows(what: string): AppError {
  return new AppError("bad_request", `${what} has no rows.`, { hint: "Send at least one row of data." });
}

/** A few names for a message, however many and however long they are. */
export function someNames(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => `"${excerptOf(name)}"`);
  return names.length > shown.length ? `${shown.join(", ")} … (${names.length} in all)` : shown.join(", ");
}
