import type {
  Column,
  ConvertOptions,
  Detected,
  FileFormat,
  QueryParam,
  RejectedRow,
} from "./analytics-options.ts";
import type { JsonRows } from "./query/result-reader.ts";

/** What the server and its query processes say to each other. */

/** An engine for exactly these views. Paths are relative to the working folder of the process. */
export interface EngineSpec {
  tableViews: readonly WireTableView[];
  memoryMb: number;
  threads: number;
  spillMb: number;
  copyMb: number;
}

export interface WireTableView {
  name: string;
  files: readonly string[];
  columns: readonly Column[];
  select: string | undefined;
  isHidden: boolean;
  isRestricted: boolean;
}

export interface RunParams {
  engine: string;
  /** Missing when the process should have the engine already; if not, it answers with `gone`. */
  spec: EngineSpec | undefined;
  sql: string;
  params: readonly QueryParam[];
  limits: { rows: number; bytes: number };
  isExplain: boolean;
  /** Keep what the limits cut off, for `next`. */
  isStream: boolean;
}

export interface RunAnswer extends JsonRows {
  columns: Column[];
  /** There is more. */
  cursor: number | undefined;
}

export interface NextParams {
  cursor: number;
  limits: { rows: number; bytes: number };
}

export interface NextAnswer extends JsonRows {
  isDone: boolean;
}

/** What the server and its loading process say to each other. */

export interface LoadSettings {
  memoryMb: number;
  threads: number;
  spillMb: number;
  /** The folders that it reads from and writes to, relative to its working folder. */
  inputs: string;
  outputs: string;
}

export interface ConvertParams {
  settings: LoadSettings;
  input: string;
  output: string;
  format: FileFormat;
  options: ConvertOptions;
}

export interface WriteAnswer {
  rows: number;
  columns: Column[];
}

export interface ConvertAnswer extends WriteAnswer {
  rejected: RejectedRow[];
  rejectedRows: number;
  detected: Detected;
  notes?: string[];
}

export interface RowsParams {
  settings: LoadSettings;
  /** One JSON object a line. */
  json: Uint8Array;
  columns: readonly Column[];
  output: string;
}

export interface MergeParams {
  settings: LoadSettings;
  inputs: readonly string[];
  columns: readonly Column[];
  output: string;
}
