import type { JsonSlice } from "../../kernel/json.ts";
import type { FolderBlobStore } from "../blobs/index.ts";
import type { SandboxLog, SandboxWalls } from "../sandbox/index.ts";
import type { LiveTable } from "./live/live-source.ts";

export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

export interface AnalyticsOptions {
  /** New parts go here; parts that queries name lie here or anywhere else on the same file system. */
  blobs: FolderBlobStore;
  /** A folder for this alone, on the same file system as the parts. May lie below a folder that is closed. */
  tempFolder: string;
  /** Processes that run queries. */
  workers?: number;
  /** Memory of each process that runs queries; one query may take a quarter of it before it spills to disk. */
  queryMemoryMb?: number;
  /** Memory of each process that reads files and writes parts. */
  loadMemoryMb?: number;
  /** Threads of one query or conversion. */
  threads?: number;
  log: SandboxLog;
}

/** A column's type is DuckDB's own text for it: `BIGINT`, `DECIMAL(18,2)`, `STRUCT(a INTEGER)`, `JSON`. */
export interface Column {
  name: string;
  type: string;
}

/** Where the views are that only other views may name. */
export const HIDDEN_SCHEMA = "_scope_base";

/** View of a table as a query sees it: the rows of some Parquet parts, in this order. */
export interface TableView {
  name: string;
  /** Absolute paths, possibly none. */
  parts: readonly string[];
  /** What is not in a part is NULL in its rows; what is of another type is cast. */
  columns: readonly Column[];
  /**
   * Trusted SQL that stands between the rows and the query. It selects from `raw`, the rows of the parts, and from
   * hidden views; without columns there is no `raw`.
   */
  select?: string;
  /** Only the `select` of others may name it, as `"_scope_base"."<name>"`; a query cannot reach it. */
  isHidden?: boolean;
  /**
   * Its `select` keeps rows from the caller. Then nothing of the query is evaluated on those rows, and neither
   * statistics nor plans tell of them (docs/decisions/0006-policies-and-the-optimiser.md).
   */
  isRestricted?: boolean;
  /** Its rows are in a database of the workspace's, where statements over it run; it has no parts. */
  live?: LiveTable | undefined;
  version: string;
}

/**
 * Text, numbers and so on are bound as what they are; anything else says its type and is cast from text. Text that
 * is to be fitted becomes what the statement expects at its place: a number beside a number, a date beside a date.
 */
export type QueryParam =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | Uint8Array
  | readonly (null | boolean | number | bigint | string)[]
  | { type: string; value: string }
  | { fit: string };

export interface QueryLimits {
  rows: number;
  /** Of the rows as JSON, each with the names of its columns. */
  bytes: number;
  ms: number;
}

export interface EngineLimits {
  threads?: number;
  /** Never more than the process has. */
  memoryMb?: number;
  /** Disk for what does not fit into memory. */
  spillMb?: number;
  /** Memory that all engines of a process may take for copies of small views that are often asked; 0 for none. */
  copyMb?: number;
}

export interface QueryRequest {
  /** Whose query it is (`kernel/fair-queue.ts`): queries of one workspace share ten places, and never an engine with others. */
  scope: string;
  tableViews: readonly TableView[];
  /** One SELECT. */
  sql: string;
  params?: readonly QueryParam[];
  limits?: Partial<QueryLimits>;
  /** Give the plan of the SELECT instead of its rows. Nothing is run. */
  explain?: boolean;
  /** What the engine may take, where it is not to be the default. Engines with other limits are other engines. */
  engine?: EngineLimits;
  /** So many rows of each live view stand for all of them: for whoever looks at data that nobody has described. */
  sampleRows?: number;
  signal?: AbortSignal | undefined;
}

export interface QueryResult {
  columns: Column[];
  /** In the order of the columns. */
  rows: JsonValue[][];
  /** Which limit cut the rows off, if any; too many values count as too many bytes. */
  truncated: false | "rows" | "bytes";
}

export interface QueryBatch {
  columns: Column[];
  rows: JsonValue[][];
}

export type FileFormat = "csv" | "tsv" | "json" | "ndjson" | "parquet";

/** Whose work it is: one scope never takes all places. */
interface Scoped {
  scope?: string;
  signal?: AbortSignal | undefined;
}

export interface ConvertRequest extends Scoped {
  /** A path that is handed over is gone afterwards; otherwise a file that others may not read is copied first. */
  source: { path: string; handOver?: boolean } | { bytes: Uint8Array };
  format: FileFormat;
  /** The key of the new part in blob storage. */
  key: string;
  options?: ConvertOptions;
  onProgress?: (progress: { fraction: number }) => void;
}

/** What is not said is detected. */
export interface ConvertOptions {
  delimiter?: string;
  quote?: string;
  header?: boolean;
  /** Any label that the Encoding Standard knows: utf-8, utf-16le, windows-1252, iso-8859-15, shift_jis … */
  encoding?: string;
  decimal?: "." | ",";
  /** As in strptime: `%d.%m.%Y`, `%d.%m.%Y %H:%M`. For CSV. */
  dateFormat?: string;
  /** Lines before the header. */
  skipLines?: number;
  /** Texts that mean "no value", besides the empty one. */
  nulls?: readonly string[];
  /** Types of columns by name; a row that does not fit is then rejected instead of widening the column. */
  types?: Readonly<Record<string, string>>;
  /** All columns of JSON that we have written ourselves: where it has no rows, nothing else tells them. */
  columns?: readonly Column[];
}

export interface Part {
  key: string;
  path: string;
  bytes: number;
  sha256: string;
  rows: number;
  columns: Column[];
}

export interface RejectedRow {
  line: number;
  reason: string;
}

export interface Detected {
  format: FileFormat;
  encoding: string;
  delimiter?: string;
  quote?: string;
  escape?: string;
  header?: boolean;
  decimal?: "." | ",";
  /** Of numbers with thousands separators; by column where they differ, from each other or in the decimal mark. */
  thousands?: string | { column: string; thousands: string; decimal: string }[];
  /** Of dates that are not written as ISO 8601 has it; by column where they differ. */
  dateFormat?: string | { column: string; format: string }[];
  timestampFormat?: string | { column: string; format: string }[];
  skippedLines?: number;
  /** Headers that were empty, or the same as an earlier one but for case. Positions count from 1. */
  renamed?: { position: number; from: string; to: string }[];
}

export interface ConvertResult {
  part: Part;
  rows: number;
  columns: Column[];
  /** The first ones. */
  rejected: RejectedRow[];
  rejectedRows: number;
  detected: Detected;
  /** What a reader should know about how the file was taken. */
  notes?: string[];
}

/** Parse tree by DuckDB's own parser; only SELECTs have one. */
export type SerializedSql =
  | { ok: true; statements: JsonValue[] }
  | { ok: false; type: string; message: string; position: number | undefined };

export interface AnalyticsWalls {
  query: SandboxWalls;
  load: SandboxWalls;
  duckdb: string;
}

/**
 * DuckDB over Parquet parts, in processes of its own. What each of them can reach:
 *
 * - A query sees views, which are views over exactly the parts that it names, and nothing else: the tree of
 *   DuckDB's own parser has to show one SELECT from those names (`query/syntax-tree.ts`), the engine has access
 *   to no other file, takes no settings and no extensions (`engine/engine.ts`), and there is one engine for each
 *   scope and set of views.
 * - Rows that a view's policy hides are as if they were not there, in results, errors, statistics and plans
 *   (`isRestricted`, docs/decisions/0006-policies-and-the-optimiser.md); how long a query takes may still tell.
 * - As root the process is another user in an empty network, to whom only the parts are linked that its engines
 *   need (`linked.ts`). It cannot write them, though the engine itself would let SQL write what it may read; it
 *   can write nothing but its own folder and what is open to everybody (/tmp). Each process is yet another user.
 * - Without root, the process is the same user as the server. Then only the check of the tree and the engine's
 *   own walls stand between SQL and the server's files, and nothing stands between a bug of the engine and them;
 *   the network is still closed where the kernel allows it. What the engine by itself would allow is then kept
 *   away by the check of the tree alone: writing to the parts that it reads, and logs (`enable_logging`) anywhere
 *   that the server may write. `describe()` tells which walls there are, and `walls.test.ts` tries them.
 * - Files of strangers are read by other processes, with SQL of ours alone; each file has one to itself meanwhile.
 */
export interface Analytics {
  query(request: QueryRequest): Promise<QueryResult>;
  /** Batches as they come; the engine waits while nobody takes one. Without limits on rows and bytes. */
  queryStream(request: QueryRequest): AsyncIterable<QueryBatch>;
  serializeSql(sql: string, signal?: AbortSignal): Promise<SerializedSql>;
  convert(request: ConvertRequest): Promise<ConvertResult>;
  rowsToPart(request: RowsRequest): Promise<Part>;
  mergeParts(request: MergeRequest): Promise<Part>;
  /**
   * Lets go of files that were deleted. Engines that are kept ready hold on to their parts, so that the space of
   * a deleted part is free only when they are closed: after ten minutes, or by this.
   */
  forget(parts: readonly string[]): void;
  describe(): Promise<AnalyticsWalls>;
  /** A tiny query through each of these engines; fails when one does not answer. */
  probe(engines: "query" | "load"): Promise<void>;
  /** What there is to do now, and what the processes hold that do it. */
  load(): AnalyticsLoad;
  close(): Promise<void>;
}

export interface AnalyticsLoad {
  queriesRunning: number;
  queriesWaiting: number;
  processes: number;
  /** Of all processes together, where the system tells it. */
  memoryMb: number;
}

/** Rows, or a list of them that is still JSON. */
export type Rows = readonly Readonly<Record<string, unknown>>[] | JsonSlice;

export interface RowsRequest extends Scoped {
  rows: Rows;
  key: string;
  /** The types to write; without it they are read off the rows. */
  columns?: readonly Column[];
  /** The columns that the rows will stand beside: their types are widened to hold both, or it is a `conflict`. */
  into?: readonly Column[];
}

export interface MergeRequest extends Scoped {
  parts: readonly string[];
  key: string;
  columns: readonly Column[];
  /** For others to read: without the newer encodings of Parquet, in which parts are kept. */
  isPortable?: boolean;
}
