import type { Column } from "../analytics-options.ts";
import type { DialectName } from "./dialects/index.ts";

/** What a database gave of a statement: values as `data/connectors` reads them, in the types that it told. */
export interface LiveBatch {
  columns: readonly Column[];
  rows: readonly (readonly unknown[])[];
  /** Which limit ended the rows before their end; in the last batch, if at all. */
  truncated?: "rows" | "bytes" | "pages";
}

export interface LiveLimits {
  maxRows: number;
  maxBytes: number;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** A database of the workspace's in which statements over its own tables are run. */
export interface LiveSource {
  /** The same for the same place and login, so that answers may be shared. */
  key: string;
  /** As people call it. */
  name: string;
  /** Undefined where it has no SQL that statements are translated to: its rows are copied. */
  dialect: DialectName | undefined;
  /** One statement in its own dialect, read-only, ended there when nobody reads on. */
  run(sql: string, limits: LiveLimits): AsyncIterable<LiveBatch>;
}

/** Where the rows of a view are, if not in parts. */
export interface LiveTable {
  source: LiveSource;
  /** A table by its names, or one SELECT in the database's own dialect. */
  from: { schema?: string | undefined; table: string } | { query: string };
  /** How long an answer may be given again, as its author allows. */
  freshMs: number;
  /** Types of columns there, where the dataset has another one. */
  types?: Readonly<Record<string, string>>;
}
