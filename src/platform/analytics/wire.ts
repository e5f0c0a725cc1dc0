import type { Column, QueryParam } from "./analytics-options.ts";
import type { JsonRows } from "./result-reader.ts";

/** What the server and its query processes say to each other. */

/** An engine for exactly these relations. Paths are relative to the working folder of the process. */
export interface EngineSpec {
  relations: readonly WireRelation[];
  memoryMb: number;
  threads: number;
  spillMb: number;
}

export interface WireRelation {
  name: string;
  files: readonly string[];
  columns: readonly Column[];
  select: string | undefined;
}

export interface RunParams {
  engine: string;
  /** Missing when the process should have the engine already; if not, it answers with `gone`. */
  spec: EngineSpec | undefined;
  sql: string;
  params: readonly QueryParam[];
  limits: { rows: number; bytes: number };
  countRows: boolean;
  /** Keep what the limits cut off, for `next`. */
  isStream: boolean;
}

export interface RunAnswer extends JsonRows {
  columns: Column[];
  totalRows: number | undefined;
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
