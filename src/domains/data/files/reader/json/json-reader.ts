import type { FileHandle } from "node:fs/promises";
import { AppError } from "../../../../../kernel/errors.ts";
import { LIMITS } from "../../../../../platform/analytics/limits.ts";
import { distinctNames } from "../column-names.ts";
import {
  type Batch,
  LineWriter,
  noRows,
  type OnFraction,
  type ReadOptions,
  type TableReader,
  tooManyColumns,
} from "../table-reader.ts";
import { type ArrayFound, chooseArray, otherTablesNote, RowFinder } from "./find-rows.ts";
import { ElementSplitter, elementsOf, type JsonElement } from "./json-elements.ts";
import { JsonScanner } from "./json-scanner.ts";
import { headerSigns } from "./list-header.ts";
import { utf8Chunks } from "./utf8-chunks.ts";

const NEWLINE = 10;

/** What is read again for the rows. */
interface Rows {
  file: FileHandle;
  encoding: string | undefined;
  /** The array whose elements they are; without it, the values of the file. */
  array: ArrayFound | undefined;
  /** Whether they are the members of the object that the file is. */
  isKeyed?: boolean;
}

/**
 * JSON that is not simply an array of objects or an object a line:
 *
 * - an object around an array of objects: the array's elements are the rows, if there is one such array on the
 *   least deep level that has any; otherwise the object is one row
 * - an array of arrays: each is a row; the first one names the columns if it holds nothing but texts, and those below
 *   are something else (`list-header.ts`)
 * - an array of plain values: one column, called `value`
 * - an object of objects that are alike: each is a row, and `key` holds its name
 * - several objects or arrays one after the other, laid out in whatever way: a row each
 */
export async function openJson(
  file: FileHandle,
  options: ReadOptions,
  onFraction: OnFraction,
): Promise<TableReader> {
  const { encoding } = options;
  const finder = new RowFinder();
  const scanner = new JsonScanner(finder);
  for await (const { chunk, fraction } of utf8Chunks(file, encoding)) {
    scanner.push(chunk);
    onFraction(fraction);
  }
  scanner.finish();
  const { top } = finder;
  if (top.count === 0) throw noRows("The JSON");
  const array = top.count === 1 ? chooseArray(finder.arrays, options.rowPath) : undefined;
  const kinds = array?.kinds ?? top.kinds;
  const rows = { file, encoding, array };
  const path = array === undefined || array.depth === 0 ? {} : { rowPath: array.path };
  const notes = options.rowPath === undefined ? otherTablesNote(finder.arrays, array) : [];
  if (kinds.size === 0) throw noRows("The JSON");
  if (array === undefined && options.rowPath === undefined && finder.isKeyed)
    return keyedReader({ ...rows, isKeyed: true }, finder);
  if (kinds.has("object") && kinds.size === 1) {
    const format = array === undefined ? "ndjson" : "json";
    return {
      report: { format, columns: [], notes, ...path },
      rows: () => (array === undefined ? objectLines(rows) : arrayBytes(rows, array)),
    };
  }
  if (kinds.has("object") || (kinds.has("array") && kinds.size > 1)) throw mixed();
  if (kinds.has("array")) return listReader(rows, options, path, notes);
  if (array === undefined) throw single();
  return { report: { format: "ndjson", columns: [], notes, ...path }, rows: () => valueLines(rows) };
}

async function* elements({
  file,
  encoding,
  array,
  isKeyed = false,
}: Rows): AsyncGenerator<{ items: JsonElement[]; fraction: number }> {
  const splitter = new ElementSplitter(array !== undefined || isKeyed);
  for await (const { chunk, fraction } of utf8Chunks(file, encoding, array)) {
    yield { items: splitter.push(chunk), fraction };
  }
  yield { items: splitter.finish(), fraction: 1 };
}

/** The array as it stands, on the lines on which it stands, so that an error names the right one. */
async function* arrayBytes({ file, encoding }: Rows, array: ArrayFound): AsyncGenerator<Batch> {
  for await (const { chunk } of utf8Chunks(file, encoding, { start: 0, end: array.start })) {
    yield { bytes: Buffer.from(chunk.filter((byte) => byte === NEWLINE)), fraction: 0 };
  }
  for await (const { chunk, fraction } of utf8Chunks(file, encoding, array)) yield { bytes: chunk, fraction };
}

async function* lines(
  rows: Rows,
  lineOf: (element: JsonElement) => string | undefined,
): AsyncGenerator<Batch> {
  const writer = new LineWriter();
  for await (const { items, fraction } of elements(rows)) {
    for (const element of items) {
      const line = lineOf(element);
      if (line !== undefined) writer.write(line);
    }
    if (writer.isFull || fraction === 1) yield { bytes: writer.take(), fraction };
  }
}

function objectLines(rows: Rows): AsyncGenerator<Batch> {
  return lines(rows, ({ text }) => text);
}

function valueLines(rows: Rows): AsyncGenerator<Batch> {
  return lines(rows, ({ text }) => `{"value":${text}}`);
}

function keyedReader(rows: Rows, { members }: RowFinder): TableReader {
  let key = "key";
  while (members.names.has(key)) key = `_${key}`;
  const lineOf = ({ name, text }: JsonElement): string => {
    const rest = text.slice(1).trimStart();
    return `{"${key}":${JSON.stringify(name)}${rest === "}" ? "" : ","}${rest}`;
  };
  const note = `The file is an object of ${members.count} objects: each is a row, and ${key} holds its name. With options.row_path "." it is one row.`;
  return { report: { format: "ndjson", columns: [], notes: [note] }, rows: () => lines(rows, lineOf) };
}

/** Lists that are looked at to see whether the first one names the columns. */
const HEADER_ROWS = 200;
const UNCLEAR_HEADER =
  "The first list was read as a row, because nothing tells it from those below. If it names the columns, say options.header true.";

async function listReader(
  rows: Rows,
  { header }: ReadOptions,
  path: { rowPath?: string },
  notes: readonly string[],
): Promise<TableReader> {
  const early: JsonElement[][] = [];
  let width = 0;
  let count = 0;
  for await (const { items } of elements(rows)) {
    for (const { text } of items) {
      const cells = elementsOf(text);
      if (early.length < HEADER_ROWS) early.push(cells);
      width = Math.max(width, cells.length);
      count += 1;
    }
  }
  if (width > LIMITS.analytics.columns) throw tooManyColumns();
  const [first = [], ...below] = early;
  const signs = headerSigns(first, below);
  const hasHeader = header ?? signs === "header";
  if (width === 0 || (hasHeader && count === 1)) throw noRows("The JSON");
  const headers = Array.from({ length: width }, (_, index) => (hasHeader ? nameOf(first[index]) : ""));
  const { names, renamed } = distinctNames(headers);
  const keys = names.map((name) => `${JSON.stringify(name)}:`);
  let isFirst = hasHeader;
  const lineOf = ({ text }: JsonElement): string | undefined => {
    if (isFirst) {
      isFirst = false;
      return undefined;
    }
    const cells = elementsOf(text);
    return `{${keys.map((key, index) => `${key}${cells[index]?.text ?? "null"}`).join(",")}}`;
  };
  const unclear = header === undefined && signs === "unclear" ? [UNCLEAR_HEADER] : [];
  const changes = hasHeader && renamed.length > 0 ? { renamed } : {};
  return {
    report: {
      format: "ndjson",
      columns: [],
      header: hasHeader,
      notes: [...notes, ...unclear],
      ...changes,
      ...path,
    },
    rows: () => lines(rows, lineOf),
  };
}

function nameOf(element: JsonElement | undefined): string {
  if (element === undefined || element.text === "null") return "";
  if (element.kind !== "text") return element.text;
  try {
    return (JSON.parse(element.text) as string).replaceAll("\u0000", "").toWellFormed();
  } catch {
    return "";
  }
}

function mixed(): AppError {
  return new AppError(
    "bad_request",
    "The rows of the JSON are not alike: some are objects and others are not.",
    {
      hint: "Send an array of objects.",
    },
  );
}

function single(): AppError {
  return new AppError("bad_request", "The JSON is a single value and not rows.", {
    hint: 'Send an array of objects: [{"name": "value"}, …].',
  });
}
