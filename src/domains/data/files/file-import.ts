import type {
  Column,
  ConvertOptions,
  Detected,
  Part,
  RejectedRow,
} from "../../../platform/analytics/index.ts";
import type { FileSource } from "../../../platform/files/index.ts";

export const FILE_TYPES = ["csv", "tsv", "json", "ndjson", "xml", "excel", "parquet"] as const;

export type FileType = (typeof FILE_TYPES)[number];

/** What is not said is detected. */
export interface FileOptions extends ConvertOptions {
  /** Of an Excel file: its name, or its number counted from 1. */
  sheet?: string | number;
  /** Which elements of an XML or JSON file are the rows: `catalog/book`. The whole file as one row: `.`. */
  rowPath?: string;
}

export interface FileImport {
  source: FileSource;
  /** Whose file it is (a workspace): where several wait, all workspaces have their turn. */
  scope?: string;
  /** The key of the new part in blob storage. */
  key: string;
  /** What the caller says it is. */
  fileType?: string | undefined;
  options?: FileOptions;
  signal?: AbortSignal;
  onProgress?: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  stage: "fetch" | "unpack" | "read" | "convert";
  /** Of this stage; undefined when nobody knows how much there is. */
  fraction: number | undefined;
}

export interface DetectedFile extends Omit<Detected, "format" | "encoding"> {
  format: FileType;
  /** Of a text. */
  encoding?: string;
  compression?: "gzip";
  /** The sheet that was read, and all that there are. */
  sheet?: string;
  sheets?: string[];
  rowPath?: string;
}

export interface ImportedFile {
  part: Part;
  rows: number;
  columns: Column[];
  /** The first ones. `line` is the row of an Excel sheet; of XML, and of JSON that is no array of objects, it counts rows. */
  rejected: RejectedRow[];
  rejectedRows: number;
  detected: DetectedFile;
  /** What a reader should know about how the file was taken. */
  notes: string[];
  bytes: number;
  fileName?: string;
}
