import type { FileHandle } from "node:fs/promises";
import { TextDecoder } from "node:util";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS as ENGINE } from "../../../../platform/analytics/limits.ts";
import {
  ElementSplitter,
  excerptOf,
  fileChunks,
  type JsonElement,
  type JsonKind,
  JsonScanner,
  type JsonVisitor,
} from "../../../../platform/files/index.ts";
import { LIMITS as FILES } from "../../../../platform/files/limits.ts";
import { markedEncoding } from "../detect-format.ts";
import {
  type Batch,
  LineWriter,
  noRows,
  type OnFraction,
  type ReadOptions,
  rowTooLarge,
  someNames,
  type TableReader,
  tooManyColumns,
} from "./table-reader.ts";
import { distinctNames, KIND, kindOfText } from "./value-kinds.ts";

const NEWLINE = 10;

/** Plan of the second pass, which reads the rows. */
interface Rows {
  file: FileHandle;
  encoding: string | undefined;
  /** The array whose elements they are; without it, the values of the file. */
  array: ArrayFound | undefined;
  /** True if they are the members of the top-level object. */
  isKeyed?: boolean;
}

/**
 * JSON that is not simply an array of objects or an object a line:
 *
 * - an object around an array of objects: the array's elements are the rows, if there is one such array on the
 *   least deep level that has any; otherwise the object is one row
 * - an array of arrays: each is a row; the first one names the columns if it holds nothing but texts, and those below
 *   are something else (`headerSigns`)
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
  const splitter = splitterOf(array !== undefined || isKeyed);
  for await (const { chunk, fraction } of utf8Chunks(file, encoding, array)) {
    yield { items: splitter.push(chunk), fraction };
  }
  yield { items: splitter.finish(), fraction: 1 };
}

function splitterOf(isInside: boolean): ElementSplitter {
  return new ElementSplitter({ isInside, mostBytes: FILES.files.rowBytes, tooLarge: rowTooLarge });
}

function elementsOf(json: string): JsonElement[] {
  const splitter = splitterOf(true);
  return [...splitter.push(Buffer.from(json)), ...splitter.finish()];
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
  if (width > ENGINE.analytics.columns) throw tooManyColumns();
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

interface ArrayFound {
  path: string;
  depth: number;
  start: number;
  end: number;
  kinds: Set<JsonKind>;
}

/** Share of fields that objects must have in common to be rows of one table. */
const ALIKE = 0.75;

/** Finds the arrays of a JSON file that lie in objects only, and what the file as a whole is. */
class RowFinder implements JsonVisitor {
  readonly arrays: ArrayFound[] = [];
  /** The values that stand in the file one after the other; usually there is one. */
  readonly top = { count: 0, kinds: new Set<JsonKind>() };
  /** Members of the outermost object, and how often each name occurs in them. */
  readonly members = { count: 0, objects: 0, names: new Map<string, number>() };
  readonly #open: (ArrayFound | "object" | "value")[] = [];
  readonly #names: string[] = [];
  #name = "";

  begin(kind: JsonKind, at: number): boolean {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.top.count += 1;
      this.top.kinds.add(kind);
    } else if (typeof parent === "object") parent.kinds.add(kind);
    if (parent === "object" && this.#open.length === 1) {
      this.members.count += 1;
      if (kind === "object") this.members.objects += 1;
    }
    const isInArray = typeof parent === "object";
    if (kind === "array" && !isInArray) return this.#beginArray(at);
    const isSearched = kind === "object" && !isInArray && this.#open.length < FILES.files.jsonSearchDepth;
    this.#open.push(isSearched ? "object" : "value");
    if (isSearched && this.#open.length > 1) this.#names.push(this.#name);
    return !isSearched;
  }

  end(at: number): void {
    const ended = this.#open.pop();
    if (typeof ended === "object") ended.end = at;
    else if (ended === "object") this.#names.pop();
  }

  key(name: string): void {
    this.#name = name;
    const { names } = this.members;
    if (this.#open.length !== 2 || this.#open[1] !== "object") return;
    if (names.size < ENGINE.analytics.columns || names.has(name)) names.set(name, (names.get(name) ?? 0) + 1);
  }

  /** True for a top-level object of objects that are alike, such as `{"ann": {"age": 3}, "bob": {"age": 4}}`. */
  get isKeyed(): boolean {
    const { count, objects, names } = this.members;
    if (this.top.count !== 1 || count < 2 || objects < count || names.size === 0) return false;
    // Numbers are those of rows: each object is a column then.
    if ([...names.keys()].every((name) => /^\d+$/.test(name))) return false;
    const filled = [...names.values()].reduce((sum, times) => sum + times, 0);
    return filled / (count * names.size) >= ALIKE;
  }

  #beginArray(start: number): boolean {
    const names = this.#open.length === 0 ? [] : [...this.#names, this.#name];
    const array = {
      path: names.map(escapeName).join("/"),
      depth: names.length,
      start,
      end: start,
      kinds: new Set<JsonKind>(),
    };
    // Of many arrays in many objects only so many can be told apart in a message anyway.
    if (this.arrays.length < ENGINE.analytics.columns) this.arrays.push(array);
    this.#open.push(array);
    return false;
  }
}

/** As in a JSON pointer. */
function escapeName(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The array whose elements are the rows; undefined when the file itself is the row. */
function chooseArray(arrays: readonly ArrayFound[], rowPath: string | undefined): ArrayFound | undefined {
  if (rowPath === ".") return undefined;
  if (rowPath !== undefined) return namedArray(arrays, rowPath.replace(/^[/]+|[/]+$/g, ""));
  const tables = tablesOf(arrays);
  const depth = Math.min(...tables.map((table) => table.depth));
  const [first, ...others] = tables.filter((table) => table.depth === depth);
  if (others.length === 0) return first;
  throw new AppError("bad_request", "The JSON has several arrays that could be the rows.", {
    hint: `Say which one by options.row_path: ${someNames([first!, ...others].map(({ path }) => path))}; or "." for one row.`,
  });
}

/** A list of plain values is part of a row; a list of objects or of lists is a table. */
function tablesOf(arrays: readonly ArrayFound[]): ArrayFound[] {
  const tables = arrays.filter(
    ({ kinds, depth }) => depth === 0 || kinds.has("object") || kinds.has("array"),
  );
  // In TopoJSON the shapes are the rows, and not the lines that they are drawn with.
  const isTopology = tables.some(({ path }) => /^objects\/[^/]+\/geometries$/.test(path));
  return isTopology ? tables.filter(({ path }) => !/^(objects\/[^/]+\/)?arcs$/.test(path)) : tables;
}

/** Says what was taken where the file has other lists that could have been. */
function otherTablesNote(arrays: readonly ArrayFound[], taken: ArrayFound | undefined): string[] {
  const others =
    taken === undefined || taken.depth === 0 ? [] : tablesOf(arrays).filter((one) => one !== taken);
  if (others.length === 0) return [];
  const names = someNames(others.map(({ path }) => path));
  return [
    `The rows are those of ${taken?.path}. Other lists in the file can be had by options.row_path: ${names}.`,
  ];
}

function namedArray(arrays: readonly ArrayFound[], rowPath: string): ArrayFound {
  const found = arrays.find(({ path }) => path === rowPath);
  if (found !== undefined) return found;
  throw new AppError("bad_request", `The JSON has no array at "${excerptOf(rowPath)}".`, {
    hint:
      arrays.length === 0 ? "It has no arrays." : `There are: ${someNames(arrays.map(({ path }) => path))}.`,
  });
}

/** Header detection: does the first of several lists name the columns? Unclear where all hold texts of one kind. */
type ListHeader = "header" | "none" | "unclear";

const IDENTIFIER = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** As programs name columns: unit_price, unitPrice, UNIT_PRICE. */
const PROGRAM_NAME = /^(?:[a-z][a-z0-9]*(?:[_A-Z][A-Za-z0-9_]*)?|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/;
const NUMBER_LIKE = /^[-+\d][\d.,:/ %-]*$/;
/** Of the values of a column, how many have to be other than texts. */
const MOST = 0.8;

function headerSigns(first: readonly JsonElement[], below: readonly (readonly JsonElement[])[]): ListHeader {
  const names = first.map(textOf);
  const areNames = names.every((name) => name !== undefined && isText(name) && !IDENTIFIER.test(name));
  if (below.length === 0 || first.length === 0 || !areNames) return "none";
  const columns = names.map((name, index) => ({
    name: name!,
    cells: below.flatMap((cells) => cells[index] ?? []),
  }));
  // A header does not repeat as a value below.
  if (columns.some(({ name, cells }) => cells.some((cell) => textOf(cell) === name))) return "none";
  if (columns.some(({ cells }) => isOther(cells))) return "header";
  const areProgramNames = names.every((name) => PROGRAM_NAME.test(name!));
  const isUnlike = columns.some(({ cells }) => cells.some((cell) => !PROGRAM_NAME.test(textOf(cell) ?? "")));
  return areProgramNames && isUnlike ? "header" : "unclear";
}

/** Undefined for what is no text. */
function textOf({ kind, text }: JsonElement): string | undefined {
  if (kind !== "text") return undefined;
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

function isText(text: string): boolean {
  return text.trim() !== "" && !NUMBER_LIKE.test(text) && kindOfText(text) === KIND.text;
}

/** Numbers, truth values, dates, lists and objects: what stands below a name, and is none itself. */
function isOther(cells: readonly JsonElement[]): boolean {
  const values = cells.filter(({ text }) => text !== "null" && text !== '""');
  const others = values.filter((cell) => {
    const text = textOf(cell);
    return text === undefined || !isText(text);
  });
  return others.length > 0 && others.length >= values.length * MOST;
}

const CHUNK_BYTES = 1024 * 1024;

/** The bytes of a text file as UTF-8 without a byte order mark; with a range, only those. */
async function* utf8Chunks(
  file: FileHandle,
  encoding: string | undefined,
  range: { start: number; end: number } = { start: 0, end: Number.POSITIVE_INFINITY },
): AsyncGenerator<{ chunk: Buffer; fraction: number }> {
  const { size } = await file.stat();
  let read = 0;
  let written = 0;
  for await (const { bytes, rawBytes } of recoded(file, encoding)) {
    read += rawBytes;
    const from = Math.max(0, range.start - written);
    const until = Math.min(bytes.length, range.end - written);
    written += bytes.length;
    if (from < until) yield { chunk: bytes.subarray(from, until), fraction: Math.min(1, read / size) };
    if (written >= range.end) return;
  }
}

async function* recoded(
  file: FileHandle,
  wanted: string | undefined,
): AsyncGenerator<{ bytes: Buffer; rawBytes: number }> {
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  for await (const chunk of fileChunks(file, { chunkBytes: CHUNK_BYTES })) {
    if (isFirst) decoder = decoderFor(wanted ?? markedEncoding(chunk) ?? "utf-8");
    const hasMark = isFirst && markedEncoding(chunk) === "utf-8";
    isFirst = false;
    if (decoder !== undefined)
      yield { bytes: Buffer.from(decoder.decode(chunk, { stream: true })), rawBytes: chunk.length };
    else yield { bytes: hasMark ? chunk.subarray(3) : chunk, rawBytes: chunk.length };
  }
  if (decoder !== undefined) yield { bytes: Buffer.from(decoder.decode()), rawBytes: 0 };
}

/** Undefined for UTF-8, which is left as it is. */
function decoderFor(label: string): TextDecoder | undefined {
  try {
    const decoder = new TextDecoder(label);
    return decoder.encoding === "utf-8" ? undefined : decoder;
  } catch {
    throw new AppError("unsupported", `The encoding "${excerptOf(label)}" is not known.`, {
      hint: "Save the file as UTF-8.",
    });
  }
}
