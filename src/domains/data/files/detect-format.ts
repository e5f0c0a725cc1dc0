import { extname } from "node:path";
import { AppError } from "../../../kernel/errors.ts";
import type {
  Column,
  ConvertOptions,
  Detected,
  Part,
  RejectedRow,
} from "../../../platform/analytics/index.ts";
import {
  emptyFile,
  excerptOf,
  type FileSource,
  isPlainText,
  magicOf,
} from "../../../platform/files/index.ts";

export const FILE_TYPES = ["csv", "tsv", "json", "ndjson", "xml", "excel", "parquet"] as const;

export type FileType = (typeof FILE_TYPES)[number];

/** Options that are left out are detected. */
export interface FileOptions extends ConvertOptions {
  /** Of an Excel file: its name, or its number counted from 1. */
  sheet?: string | number;
  /** Which elements of an XML or JSON file are the rows: `catalog/book`. The whole file as one row: `.`. */
  rowPath?: string;
}

export interface FileImport {
  source: FileSource;
  /** Workspace of the file: the queue is round-robin by it. */
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
  /** Notes for the reader about how the file was interpreted. */
  notes: string[];
  bytes: number;
  fileName?: string;
}

interface FormatClues {
  /** The first bytes, up to `LIMITS.files.headBytes` of them. */
  bytesHead: Uint8Array;
  /** What the caller says it is. */
  fileType?: string | undefined;
  fileName?: string | undefined;
  contentType?: string | undefined;
}

interface FormatFound {
  format: FileType;
  /** Says so when the file is not what it was said to be. */
  note?: string;
}

const ALIASES: Readonly<Record<string, FileType>> = {
  ...Object.fromEntries(FILE_TYPES.map((type) => [type, type])),
  tab: "tsv",
  jsonl: "ndjson",
  geojson: "json",
  xlsx: "excel",
  xlsm: "excel",
  xltx: "excel",
  xls: "excel",
  pq: "parquet",
};

const CONTENT_TYPES: Readonly<Record<string, FileType>> = {
  "text/csv": "csv",
  "application/csv": "csv",
  "text/tab-separated-values": "tsv",
  "application/json": "json",
  "text/json": "json",
  "application/x-ndjson": "ndjson",
  "application/ndjson": "ndjson",
  "application/jsonl": "ndjson",
  "application/xml": "xml",
  "text/xml": "xml",
};

/** A type as people write it; undefined when nothing was said. */
export function parseFileType(text: string | undefined): FileType | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const name = text.trim().toLowerCase().replace(/^\./, "");
  if (Object.hasOwn(ALIASES, name)) return ALIASES[name];
  throw new AppError("bad_request", `There is no file type "${excerptOf(text)}".`, {
    hint: `Say one of ${FILE_TYPES.join(", ")}, or leave it out.`,
  });
}

/**
 * What a file is. What its bytes show for sure comes first, whatever was said about it; then what was said, the
 * name, the type from its server, and at last what it looks like. Where the file is not what it was said to be,
 * it is read as what it is, with a note; only what can be read in no way is an error.
 */
export function detectFormat({ bytesHead, fileType, fileName, contentType }: FormatClues): FormatFound {
  const declared = parseFileType(fileType);
  if (bytesHead.length === 0) throw emptyFile();
  const binary = binaryFormat(bytesHead);
  if (binary !== undefined) return real(binary, declared);
  const text = headText(bytesHead);
  refuseWebPage(text);
  if (isSpreadsheetXml(text)) return declared === "xml" ? { format: "excel" } : real("excel", declared);
  const looks = lookOf(text);
  const said = declared ?? typeOfName(fileName) ?? typeOfContent(contentType);
  if (said === undefined) return { format: looks };
  const isOneLine = /^\{.*\}\s*$/.test(text);
  return settle(said, looks, {
    isDeclared: declared !== undefined,
    isOneLine,
    isTable: isTable(text, looks),
  });
}

/** As Excel 2003 saved a workbook: its styles come first, and are not what anybody wants to import. */
function isSpreadsheetXml(text: string): boolean {
  return (
    text.startsWith("<") && /<(?:\w+:)?Workbook\b[^>]*urn:schemas-microsoft-com:office:spreadsheet/.test(text)
  );
}

/** True if the first two lines have as many delimiters, at least one. */
function isTable(text: string, looks: FileType): boolean {
  const delimiters = looks === "tsv" ? /\t/g : /[,;]/g;
  const [first = 0, second = -1] = text
    .split(/\r\n|\r|\n/, 2)
    .map((line) => line.match(delimiters)?.length ?? 0);
  return first > 0 && first === second;
}

/** A text that is said to be something; `looks` is certain only where it is JSON or XML. */
function settle(
  said: FileType,
  looks: FileType,
  { isDeclared, isOneLine, isTable }: { isDeclared: boolean; isOneLine: boolean; isTable: boolean },
): FormatFound {
  const isMarkup = looks === "json" || looks === "ndjson" || looks === "xml";
  if (said === "excel" || said === "parquet") return real(looks, said);
  // A single line of JSON can be either.
  if (isJson(said) && isJson(looks)) return { format: isOneLine ? said : looks };
  if (!isMarkup && (isJson(said) || said === "xml") && isTable) return real(looks, said);
  if (said === looks || !isMarkup) return { format: said };
  if (isJson(said) || said === "xml") return real(looks, said);
  // Anything can stand in a CSV file, so what was said of it counts, but not what its name says.
  if (!isDeclared) return { format: looks };
  return {
    format: said,
    note: `The file was read as ${said}, as it was declared, but it looks like ${looks}.`,
  };
}

function isJson(type: FileType): boolean {
  return type === "json" || type === "ndjson";
}

function real(format: FileType, said: FileType | undefined): FormatFound {
  if (said === undefined || said === format) return { format };
  return { format, note: `The file was said to be ${said}, but it is ${format} and was read as that.` };
}

function binaryFormat(head: Uint8Array): FileType | undefined {
  switch (magicOf(head)) {
    case "zip":
      return zipFormat(head);
    case "parquet":
      return "parquet";
    case "gzip":
      throw new AppError("unsupported", "The file is compressed twice.", { hint: "Unpack it first." });
    default:
      return undefined;
  }
}

/** Names inside a zip file stand uncompressed. Which files an Excel file begins with is up to who wrote it. */
function zipFormat(head: Uint8Array): FileType {
  const names = Buffer.from(head).toString("latin1");
  if (/xl\/|\[Content_Types\]\.xml|_rels\/\.rels|docProps\//.test(names) && !/word\/|ppt\//.test(names))
    return "excel";
  const isOpenDocument = names.includes("application/vnd.oasis.opendocument.spreadsheet");
  const kind = isOpenDocument ? "an OpenDocument spreadsheet" : "a zip archive and not an Excel file";
  throw new AppError("unsupported", `The file is ${kind}, which cannot be imported.`, {
    hint: isOpenDocument ? "Save it as .xlsx or .csv." : "Unpack it, and import the files one by one.",
  });
}

const BYTE_ORDER_MARKS: readonly [string, string][] = [
  ["efbbbf", "utf-8"],
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
];

/** The encoding that a text declares by its first bytes. */
export function markedEncoding(head: Uint8Array): string | undefined {
  const hex = Buffer.from(head.subarray(0, 3)).toString("hex");
  return BYTE_ORDER_MARKS.find(([mark]) => hex.startsWith(mark))?.[1];
}

/** The beginning of a text, without spaces before it. */
export function headText(head: Uint8Array): string {
  const encoding = markedEncoding(head) ?? unmarkedUtf16(head);
  if (encoding === undefined && !isPlainText(head)) {
    throw new AppError("unsupported", "The file is neither text nor a known kind of file.", {
      hint: `Send ${FILE_TYPES.join(", ")}. Excel and Parquet have to be sent as base64 or by URL.`,
    });
  }
  const text = new TextDecoder(encoding ?? "utf-8").decode(head).trimStart();
  if (text === "") throw emptyFile();
  return text;
}

/** Text of mostly Western letters in UTF-16 has a zero in every second byte. */
function unmarkedUtf16(head: Uint8Array): string | undefined {
  const zeros = [0, 0];
  const length = Math.min(head.length, 1_024);
  for (let at = 0; at < length; at += 1) if (head[at] === 0) zeros[at % 2]! += 1;
  const most = length / 2;
  if (zeros[1]! > most * 0.7 && zeros[0]! < most * 0.1) return "utf-16le";
  if (zeros[0]! > most * 0.7 && zeros[1]! < most * 0.1) return "utf-16be";
  return undefined;
}

function refuseWebPage(text: string): void {
  if (!/^(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i.test(text))
    return;
  throw new AppError("unsupported", "This is a web page and not a data file.", {
    hint: "Use the address of the file itself; a page like this often asks for a sign-in.",
  });
}

const JSON_OBJECT = /^\{\s*["}]/;
const JSON_ARRAY = /^\[\s*(?:[[{"\]]|(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*[,\]])/;
/** A whole object or array on the first line, and another one on the next. */
const JSON_LINES = /^(?:\{.*\}|\[.*\])[ \t]*\r?\n\s*[{[]/;

function lookOf(text: string): FileType {
  if (/^<[?!A-Za-z_:]/.test(text)) return "xml";
  if (JSON_OBJECT.test(text) || JSON_ARRAY.test(text)) return JSON_LINES.test(text) ? "ndjson" : "json";
  const line = text.slice(0, text.search(/[\r\n]|$/));
  const count = (sign: string): number => line.split(sign).length - 1;
  const tabs = count("\t");
  return tabs > count(",") && tabs > count(";") ? "tsv" : "csv";
}

function typeOfName(name: string | undefined): FileType | undefined {
  const ending = extname((name ?? "").replace(/\.gz$/i, ""))
    .slice(1)
    .toLowerCase();
  return Object.hasOwn(ALIASES, ending) ? ALIASES[ending] : undefined;
}

function typeOfContent(contentType: string | undefined): FileType | undefined {
  const type = (contentType ?? "").split(";")[0]!.trim().toLowerCase();
  if (Object.hasOwn(CONTENT_TYPES, type)) return CONTENT_TYPES[type];
  if (/^application\/[\w.-]+\+json$/.test(type)) return "json";
  return /^application\/[\w.-]+\+xml$/.test(type) ? "xml" : undefined;
}
