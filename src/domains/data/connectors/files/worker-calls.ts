import type { Scalar, SourceColumn } from "../connector.ts";

/** What a file connector asks of its sandboxed process. Rows are fetched batch by batch: that holds it back. */
export interface OpenCall {
  path: string;
  query: string;
  values: readonly Scalar[];
}

export interface OpenAnswer {
  columns: SourceColumn[];
}

export interface NextCall {
  maxRows: number;
  maxBytes: number;
}

export interface NextAnswer {
  rows: unknown[][];
  bytes: number;
  isLast: boolean;
}
