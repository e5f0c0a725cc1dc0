import { AppError } from "../../../kernel/errors.ts";
import { abortError } from "../../../kernel/time.ts";
import { LIMITS } from "../limits.ts";

/** A value that can stand in the place of a parameter. */
export type Scalar = string | number | boolean | null;

/**
 * Values by name, for `:name` in SQL and `{name}` in a REST path. A list stands for its values with commas in
 * between, as in `IN (:names)`.
 */
export type Parameters = Readonly<Record<string, Scalar | readonly Scalar[]>>;

/**
 * The type is DuckDB's name for it (`BIGINT`, `DECIMAL(10,2)`, `TIMESTAMP WITH TIME ZONE` …) and every value
 * can be cast to it, or `ANY_TYPE`. Values are JSON values:
 *
 * - whole numbers of up to 32 bits and floating point: a number (`"NaN"`, `"Infinity"` and `"-Infinity"` as text);
 * - larger whole numbers and decimals: text, so that no digit is lost;
 * - dates and times: ISO text; with a time zone always in UTC and with a Z;
 * - BLOB: base64; JSON (also arrays and records): the value itself;
 * - all else: text.
 */
export interface SourceColumn {
  name: string;
  type: string;
}

/** The type of a column whose values speak for themselves, as in JSON. */
export const ANY_TYPE = "ANY";

export interface SourceTable {
  schema?: string;
  name: string;
  kind: "table" | "view";
}

export type TableName = Pick<SourceTable, "schema" | "name">;

/** Which limit ended a result before its end. */
export type Truncation = "rows" | "bytes" | "pages";

export interface RowBatch {
  /**
   * The same in every batch, except that later ones may have more at the end (REST: fields of later pages), and a
   * decimal may have become floating point, when a value came that it cannot hold. What the last one says, holds for
   * all rows.
   */
  columns: readonly SourceColumn[];
  rows: unknown[][];
  /** Stands in the last batch, if at all. */
  truncated?: Truncation;
}

/** Known format of a CSV file; the rest is detected. */
export interface CsvFormat {
  delimiter?: string | undefined;
  encoding?: string | undefined;
  header?: boolean | undefined;
  decimal?: "." | "," | undefined;
}

/**
 * A piece of a CSV file, as it came. Its rows are not for a connector to find: files that are fetched are read by
 * the same reader as files that are imported.
 */
export interface CsvPiece {
  csv: Buffer;
  format: CsvFormat;
}

export interface RunOptions {
  parameters?: Parameters;
  /** More rows are not read; the last batch says so. It does not hold for CSV. */
  maxRows: number;
  /** Of all values together; the last batch says when they were reached. CSV that has more is an error. */
  maxBytes: number;
  /** For everything, from the connection to the last row. */
  timeoutMs: number;
  /** A statement of ours, translated from DuckDB's SQL: where a database can be told to mean the same, it is. */
  isTranslated?: boolean;
  signal?: AbortSignal;
}

export interface Reached {
  ok: true;
  serverVersion?: string;
  /** A sentence about what is not as one would expect. */
  note?: string;
}

/**
 * One datasource. Nothing is held open between two calls. Failures are AppErrors that hold neither credentials
 * nor the insides of a client library.
 */
export interface Connector {
  test(signal?: AbortSignal): Promise<Reached>;
  /** Bounded by `LIMITS.datasources.tables`. */
  tables(signal?: AbortSignal): Promise<SourceTable[]>;
  columns(table: TableName, signal?: AbortSignal): Promise<SourceColumn[]>;
  /**
   * What is wrong with the query at first sight is thrown at once, all else when batches are asked for. There is at
   * least one, so that the columns of an empty result are known. It reads on only when the next one is asked for;
   * whoever stops asking ends the query on the server, too.
   */
  run(query: string, options: RunOptions): AsyncIterable<RowBatch | CsvPiece>;
}

/** For queries of our own, which ask for few rows. */
export function metadataOptions(signal: AbortSignal | undefined): RunOptions {
  const { metadataMs, tables, rowBytes } = LIMITS.datasources;
  const limits = { maxRows: tables, maxBytes: rowBytes, timeoutMs: metadataMs };
  return signal === undefined ? limits : { ...limits, signal };
}

/** All batches as one. */
export async function readAll(batches: AsyncIterable<RowBatch>): Promise<RowBatch> {
  let columns: RowBatch["columns"] = [];
  const rows: unknown[][] = [];
  for await (const batch of batches) {
    columns = batch.columns;
    rows.push(...batch.rows);
  }
  return { columns, rows };
}

export interface Deadline {
  /** Its reason is an AppError: `timeout`, or `cancelled` when the caller's own signal did it. */
  signal: AbortSignal;
  /** Remaining time, at least a millisecond. */
  leftMs(): number;
  clear(): void;
}

/** One limit for all that belongs to a call: look-up, connection, query, rows. */
export function startDeadline(timeoutMs: number, callers: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const endsAt = performance.now() + timeoutMs;
  const onCancel = (): void => controller.abort(abortError(callers, "The query"));
  const timer = setTimeout(() => {
    controller.abort(
      new AppError("timeout", `The datasource needed more than ${timeoutMs / 1_000} s.`, {
        hint: "Ask for less, or raise the time limit.",
      }),
    );
  }, timeoutMs);
  if (callers?.aborted) onCancel();
  else callers?.addEventListener("abort", onCancel, { once: true });
  return {
    signal: controller.signal,
    leftMs: () => Math.max(1, Math.floor(endsAt - performance.now())),
    clear() {
      clearTimeout(timer);
      callers?.removeEventListener("abort", onCancel);
    },
  };
}

/** Waits for `work`, but not longer than the signal lets it; what comes of the work later is of no interest. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  if (signal.aborted) throw signal.reason;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
