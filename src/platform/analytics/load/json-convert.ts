import { isUtf8 } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError, messageOf } from "../../../kernel/errors.ts";
import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import type { WorkerContext } from "../../sandbox/index.ts";
import type { Column, ConvertOptions, RejectedRow } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";
import { type ColumnType, parseType, sqlType } from "../types/column-types.ts";
import { parseToRewrite, rowToJson } from "../types/row-json.ts";
import { type Apart, type Row, RowTypes } from "../types/row-types.ts";
import type { ConvertAnswer, ConvertParams } from "../wire.ts";
import { dateNotes } from "./csv/csv-date-columns.ts";
import { roundedNotes } from "./csv/csv-notes.ts";
import { writeLines } from "./json-lines.ts";
import {
  hasNumberedKeys,
  type JsonLayout,
  LONG_DECIMAL,
  malformed,
  nestingDepth,
  splitJson,
  tooDeep,
  topKeys,
  valueTooLarge,
  withLongDecimals,
  withoutMark,
} from "./json-rows.ts";
import {
  detectEncoding,
  encodingName,
  encodingNotes,
  hasBadBytes,
  readHead,
  refuseBinary,
  transcode,
} from "./text-encoding.ts";
import { type PartPlan, writePart } from "./write-part.ts";

export interface JsonJob extends ConvertParams {
  connection: DuckDBConnection;
  /** Files of our own: for a text that comes in another encoding, and for rows one a line. */
  workFile: string;
}

/**
 * Turns JSON into a part in two steps. First all values are read, to find types that hold every one of them by
 * the same rules as for rows that are pushed (DuckDB's own detection drops time zones and digits), and written
 * one a line. Then DuckDB reads those lines as exactly these types.
 */
export async function convertJson(job: JsonJob, context: WorkerContext): Promise<ConvertAnswer> {
  const { connection, input, output, options, format, workFile } = job;
  const { dateFormat: saidFormat } = options;
  const head = await readHead(input, LIMITS.analytics.objectBytes);
  refuseBinary(head.bytes, format);
  if (head.fileBytes === 0 && options.columns !== undefined)
    return convertNothing(job, options.columns, context);
  const encoding =
    options.encoding === undefined ? detectEncoding(head.bytes) : encodingName(options.encoding);
  const isWritten =
    encoding !== "utf-8" || (options.encoding === undefined && hasBadBytes(head.bytes, encoding));
  const lost = isWritten ? await transcode(input, workFile, encoding, context.signal) : 0;
  const path = isWritten ? workFile : input;
  if (await isBlank(path)) throw new AppError("bad_request", "The file is empty.");
  const layout = format === "ndjson" ? "lines" : "array";
  const lines = `${workFile}.ndjson`;
  const collected = await collectRows(path, layout, lines, context);
  const columns = collected.types.columns().map((column) => applyType(column, options.types));
  const given = new Set(columns.filter(({ name }) => keyOf(options.types, name) !== undefined).map(nameOf));
  const { longestBytes } = collected;
  const { misfits, misfitRows, dates, ...written } = await writeLines(
    job,
    { path: lines, longestBytes, columns, given },
    context,
  );
  const renamed = collected.types.renamed();
  const rejectedRows = collected.rejectedRows + misfitRows;
  const isExact = ({ type }: Column): boolean => type === "VARCHAR" || type.startsWith("DECIMAL");
  const rounded = written.columns.filter((column) => collected.rounded.has(column.name) && !isExact(column));
  const left = await linesOf(misfits, path, collected, context);
  const rejected = [...collected.rejected, ...left].sort((a, b) => a.line - b.line);
  if (rejectedRows > LIMITS.analytics.rejectedMost) throw tooManyRejects(rejected);
  return {
    ...written,
    rejected: rejected.slice(0, LIMITS.analytics.rejectedRows),
    rejectedRows,
    notes: [
      ...(options.encoding === undefined ? encodingNotes(encoding, lost) : []),
      ...roundedNotes(rounded.map(nameOf)),
      ...(await dateNotes(connection, { columns: written.columns, dates, saidFormat }, output)),
    ],
    detected: {
      format: layout === "lines" ? "ndjson" : "json",
      encoding,
      ...(renamed.length > 0 && { renamed }),
    },
  };
}

/** A part without rows, of a file that had only the names of columns. */
async function convertNothing(
  { connection, output, options }: JsonJob,
  known: readonly Column[],
  context: WorkerContext,
): Promise<ConvertAnswer> {
  const columns = known.map((column) => applyType(column, options.types));
  const items = columns.map(({ name, type }) => `CAST(NULL AS ${sqlType(type)}) AS ${quoteName(name)}`);
  const plan = { select: `SELECT ${items.join(", ")} WHERE false`, columns };
  const written = await writePart(connection, plan, output, context);
  return { ...written, rejected: [], rejectedRows: 0, detected: { format: "ndjson", encoding: "utf-8" } };
}

/** Where the rows that were left out stand in the file, which takes another look at it. */
async function linesOf(
  misfits: readonly Misfit[],
  path: string,
  { layout }: Collector,
  { signal }: WorkerContext,
): Promise<RejectedRow[]> {
  const found = new Map<number, number>();
  const last = misfits.at(-1)?.row ?? 0;
  if (last > 0) {
    const collector = new Collector(layout, { onRow: (row, line) => found.set(row, line) });
    for await (const values of splitJson(path, layout, signal)) {
      for (const { bytes, line } of values) if (collector.rows < last) collector.take(bytes, line);
      collector.drop();
      if (collector.rows >= last) break;
    }
  }
  return misfits.map(({ row, reason }) => ({ line: found.get(row) ?? row, reason: reasonOf(reason) }));
}

async function isBlank(path: string): Promise<boolean> {
  const { bytes } = await readHead(path, LIMITS.analytics.objectBytes);
  return withoutMark(bytes).toString("utf8").trim() === "";
}

async function collectRows(
  path: string,
  layout: JsonLayout,
  output: string,
  context: WorkerContext,
): Promise<Collector> {
  const collector = await collectInto(new Collector(layout), path, output, context);
  if (collector.rows === 0) throw noRows(collector);
  if (collector.types.columns().length === 0)
    throw new AppError("bad_request", "The rows have no fields.", {
      hint: "Send objects with names and values.",
    });
  if (collector.types.twins().length === 0) return collector;
  // Names in one object that differ only in case are different fields to whoever wrote it.
  return collectInto(new Collector(layout, { apart: collector.types.apart() }), path, output, context);
}

async function collectInto(
  collector: Collector,
  path: string,
  output: string,
  context: WorkerContext,
): Promise<Collector> {
  const { layout } = collector;
  const file = await open(output, "w", 0o600);
  try {
    for await (const values of splitJson(path, layout, context.signal)) {
      for (const { bytes, line } of values) collector.take(bytes, line);
      await collector.flush(file);
    }
  } finally {
    await file.close();
  }
  return collector;
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Escapes of half characters, and of objects' second fields of a name, are rare; these lines are written anew. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

interface CollectorOptions {
  apart?: Apart;
  /** Told of each row that is kept: its number, counted from 1, and where it stands. */
  onRow?: (row: number, line: number) => void;
}

class Collector {
  readonly types: RowTypes;
  readonly rejected: RejectedRow[] = [];
  rejectedRows = 0;
  longestBytes = 0;
  rows = 0;
  /** Columns of numbers with more digits than a DOUBLE keeps. */
  readonly rounded = new Set<string>();
  readonly layout: JsonLayout;
  readonly #onRow: CollectorOptions["onRow"];
  #lines: string[] = [];

  constructor(layout: JsonLayout, { apart, onRow }: CollectorOptions = {}) {
    this.layout = layout;
    this.types = new RowTypes({ exactIntegers: true, apart });
    this.#onRow = onRow;
  }

  take(bytes: Buffer, line: number): void {
    const isTooLong = bytes.length > LIMITS.analytics.objectBytes;
    if (isTooLong && this.layout !== "lines") throw valueTooLarge(line);
    const problem = isTooLong ? "it is too long" : this.#tryTake(bytes, line);
    if (problem === undefined) return;
    // In an array nobody knows where the next value would begin.
    if (this.layout !== "lines") throw malformed(line, problem);
    this.rejectedRows += 1;
    if (this.rejectedRows > LIMITS.analytics.rejectedMost) throw tooManyRejects(this.rejected);
    if (this.rejected.length < LIMITS.analytics.rejectedRows)
      this.rejected.push({ line, reason: reasonOf(problem) });
  }

  async flush(file: FileHandle): Promise<void> {
    if (this.#lines.length === 0) return;
    await file.appendFile(`${this.#lines.join("\n")}\n`);
    this.drop();
  }

  /** Forgets the texts of the last rows. */
  drop(): void {
    this.#lines = [];
  }

  #tryTake(bytes: Buffer, line: number): string | undefined {
    if (!isUtf8(bytes)) return "it is not UTF-8";
    const text = bytes.toString("utf8").trim();
    if (text === "") return undefined;
    let row: unknown;
    try {
      row = JSON.parse(text);
    } catch (error) {
      return messageOf(error);
    }
    if (!isRow(row)) return "it is not an object";
    const { isPlain, isDeep } = this.types.add(row, hasNumberedKeys(row) ? topKeys(text) : undefined);
    if (isDeep && nestingDepth(text) > LIMITS.analytics.jsonDepth) throw tooDeep(line);
    const isSafe = isPlain && !SURROGATE.test(text) && !text.includes("\n");
    if (LONG_DECIMAL.test(text)) this.#keepDigits(text);
    else this.#keep(isSafe ? text : this.#rewritten(parseToRewrite(text)));
    this.#onRow?.(this.rows, line);
    return undefined;
  }

  #keepDigits(text: string): void {
    const { row, names } = withLongDecimals(text);
    for (const name of names) this.rounded.add(this.types.nameOf(name) ?? name);
    this.#keep(this.#rewritten(row));
  }

  #keep(line: string): void {
    this.#lines.push(line);
    this.rows += 1;
    // No character takes more than three bytes of UTF-8 for each of its units.
    if (line.length * 3 > this.longestBytes)
      this.longestBytes = Math.max(this.longestBytes, Buffer.byteLength(line));
  }

  #rewritten(row: Row): string {
    return rowToJson(row, (key) => this.types.nameOf(key));
  }
}

function reasonOf(problem: string): string {
  const { reasonCharacters } = LIMITS.analytics;
  return problem.slice(0, reasonCharacters).toWellFormed();
}

function noRows({ rejected }: Collector): AppError {
  const [first] = rejected;
  if (first === undefined) return new AppError("bad_request", "The file has no rows.");
  return new AppError("bad_request", `No row can be read. Line ${first.line}: ${first.reason}`, {
    hint: "Rows are JSON objects: an array of them, or one a line.",
    data: { rejected },
  });
}

function tooManyRejects(rejected: readonly RejectedRow[]): AppError {
  const most = LIMITS.analytics.rejectedMost.toLocaleString("en");
  return new AppError("bad_request", `More than ${most} rows cannot be read.`, {
    hint: "Check that each line is a JSON object.",
    data: { rejected },
  });
}

function applyType(column: Column, types: ConvertOptions["types"]): Column {
  const key = keyOf(types, column.name);
  return key === undefined ? column : { ...column, type: sqlType(types![key]!) };
}

function keyOf(types: ConvertOptions["types"], column: string): string | undefined {
  return Object.keys(types ?? {}).find((name) => name.toLowerCase() === column.toLowerCase());
}

function nameOf({ name }: Column): string {
  return name;
}

/** A row that was left out, by its number among the rows, counted from 1. */
interface Misfit {
  row: number;
  reason: string;
}

export interface Fitting {
  /** The rows whose values fit. */
  plan: PartPlan;
  /** The first ones of those that do not. */
  misfits: Misfit[];
  misfitRows: number;
}

const SHOWN_CHARACTERS = 60;

/**
 * Tells rows that fit the types that a caller has chosen from those that do not: DuckDB fails at the first of
 * them. The chosen columns are read as JSON and cast one by one. Objects are left to DuckDB, whose cast would
 * silently drop the fields that do not fit.
 */
export async function fitRows(
  connection: DuckDBConnection,
  columns: readonly Column[],
  given: ReadonlySet<string>,
  planOf: (columns: readonly Column[]) => PartPlan,
): Promise<Fitting | undefined> {
  const isChecked = ({ name, type }: Column): boolean => given.has(name) && canCast(parseType(type));
  const checked = columns.filter(isChecked);
  if (checked.length === 0) return undefined;
  const raw = planOf(columns.map((column) => (isChecked(column) ? { ...column, type: "JSON" } : column)));
  const misfit = checked.map((column) => `(${misfitOf(column)})`).join(" OR ");
  const reasons = checked.map((column) => `CASE WHEN ${misfitOf(column)} THEN ${reasonFor(column)} END`);
  const numbered = `SELECT row_number() OVER () AS row, concat_ws(' ', ${reasons.join(", ")}) AS reason FROM (${raw.select})`;
  const { rejectedRows, reasonCharacters } = LIMITS.analytics;
  const reader = await connection.runAndReadAll(
    `SELECT row, left(reason, ${reasonCharacters}), count(*) OVER () FROM (${numbered}) WHERE reason <> ''
     ORDER BY row LIMIT ${rejectedRows}`,
  );
  const found = reader.getRows();
  const items = written(columns).map((column) =>
    isChecked(column) ? fittedItem(column) : quoteName(column.name),
  );
  return {
    plan: {
      select: `SELECT ${items.join(", ")} FROM (${raw.select}) WHERE NOT (${misfit})`,
      columns: [...columns],
    },
    misfits: found.map(([row, reason]) => ({ row: Number(row), reason: String(reason) })),
    misfitRows: Number(found[0]?.[2] ?? 0),
  };
}

/** What has no type yet is not in the part. */
function written(columns: readonly Column[]): Column[] {
  return columns.filter(({ type }) => type !== "NULL");
}

function canCast(type: ColumnType): boolean {
  switch (type.kind) {
    case "scalar":
      return type.name !== "JSON" && type.name !== "VARCHAR" && type.name !== "NULL";
    case "decimal":
      return true;
    case "list":
      return canCast(type.item);
    default:
      return false;
  }
}

function fitted({ name, type }: Column): string {
  return `TRY(CAST(${quoteName(name)} AS ${type}))`;
}

function fittedItem(column: Column): string {
  return `${fitted(column)} AS ${quoteName(column.name)}`;
}

/** Never NULL. */
function misfitOf(column: Column): string {
  return `${quoteName(column.name)} IS NOT NULL AND ${fitted(column)} IS NULL`;
}

function reasonFor({ name, type }: Column): string {
  const value = `left(CAST(${quoteName(name)} AS VARCHAR), ${SHOWN_CHARACTERS})`;
  return `${quoteText(`Column "${name}": `)} || ${value} || ${quoteText(` cannot be read as ${type}.`)}`;
}
