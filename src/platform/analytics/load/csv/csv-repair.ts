import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError } from "../../../../kernel/errors.ts";
import { quoteName } from "../../../../kernel/sql-text.ts";
import type { RejectedRow } from "../../analytics-options.ts";
import { LIMITS } from "../../limits.ts";
import { type Quoting, type Rewritten, readRecord, rewrite } from "./csv-dialect.ts";
import type { CsvFile } from "./csv-file.ts";

export interface Repaired {
  /** Rows that had too few fields, and were filled up with nothing. */
  shortRows: number;
  /** Lines that were left out: a quote in them has no end, or they are too long. */
  rejected: RejectedRow[];
  rejectedRows: number;
}

const UNTERMINATED = "Value with unterminated quote found.";
const TOO_LONG = `The line is longer than ${LIMITS.analytics.rowBytes.toLocaleString("en")} bytes.`;

/**
 * Writes a file again so that DuckDB reads it strictly: every line ends alike, short rows are filled up, an empty line
 * in a file of one column is no row, and a quote that is never closed costs its own line. Without that DuckDB would cut
 * long rows, or take all that follows such a quote for one value. All else stays as it is, byte by byte.
 */
export async function repairCsv(file: CsvFile, output: string, signal: AbortSignal): Promise<Repaired> {
  const repair = new Repair(file);
  await rewrite(file.path, output, signal, (text, at, isEnd) => repair.next(text, at, isEnd));
  return repair.result;
}

interface ScannedRecord {
  /** Where its line ends, and where the next one begins. */
  stop: number;
  next: number;
  fields: number;
  /** Whether a quote is not closed, or something stands behind it. */
  isBroken: boolean;
  /** Blanks before quotes, behind which DuckDB would see no value over several lines. */
  blanks?: readonly { from: number; to: number }[];
}

/** Bytes are characters here, so that none is lost. */
class Repair {
  readonly result: Repaired = { shortRows: 0, rejected: [], rejectedRows: 0 };
  readonly #quoting: Quoting;
  readonly #columns: number;
  /** Records that are no rows: lines above the table and the header. */
  readonly #above: number;
  #skipped: number;
  #line = 0;
  /** Whether the rest of a line is passed over that is too long to be read. */
  #isGiant = false;

  constructor({ delimiter, quote, columns, skippedLines, header }: CsvFile) {
    const asBytes = (text: string): string => Buffer.from(text).toString("latin1");
    this.#quoting = { delimiter: asBytes(delimiter), quote: asBytes(quote), escape: asBytes(quote) };
    this.#columns = columns.length;
    this.#skipped = skippedLines;
    this.#above = skippedLines + (header ? 1 : 0);
  }

  /** The record that begins there, repaired; undefined when more has to be read. */
  next(text: string, at: number, isEnd: boolean): Rewritten | undefined {
    if (this.#isGiant) {
      const line = endOfLine(text, at, isEnd);
      this.#isGiant = line === undefined;
      return { end: line?.next ?? text.length, written: "" };
    }
    const record = this.#recordAt(text, at, isEnd);
    if (record === undefined) return undefined;
    const written = this.#isGiant
      ? this.#left(TOO_LONG)
      : this.#repaired(withoutBlanks(text, at, record), record);
    return { end: record.next, written };
  }

  /** Undefined when more has to be read. */
  #recordAt(text: string, start: number, isEnd: boolean): ScannedRecord | undefined {
    const isSkipped = this.#line < this.#skipped;
    const isQuoteless = isSkipped || this.#quoting.quote === "";
    const line = endOfLine(text, start, isEnd);
    if (line === undefined) {
      this.#isGiant = text.length - start > LIMITS.analytics.rowBytes;
      return this.#isGiant ? { stop: start, next: text.length, fields: 0, isBroken: false } : undefined;
    }
    const quote = isQuoteless ? -1 : text.slice(start, line.stop).indexOf(this.#quoting.quote);
    if (quote === -1) {
      const fields = isSkipped ? 0 : countFields(text.slice(start, line.stop), this.#quoting.delimiter);
      return { ...line, fields, isBroken: false };
    }
    const { fields, stop, end, isComplete, isBroken } = readRecord(text, start, this.#quoting, {
      isStrict: true,
    });
    // Whether a quote is doubled, or a line ends in two signs, shows behind the end of what was read.
    const mayGoOn = !isEnd && (!isComplete || (end === text.length && text[stop] === "\r"));
    if (mayGoOn && text.length - start <= LIMITS.analytics.rowBytes) return undefined;
    if (mayGoOn || isBroken) return { ...line, fields: this.#columns, isBroken: true };
    return {
      stop,
      next: end,
      fields: fields.length,
      isBroken,
      blanks: fields.flatMap(({ blanks }) => blanks ?? []),
    };
  }

  #repaired(text: string, { fields, isBroken }: ScannedRecord): string {
    const isHeader = this.#line >= this.#skipped && this.#line < this.#above;
    if (isBroken && !isHeader) return this.#left(UNTERMINATED);
    this.#line += 1;
    // The names are known already.
    if (isBroken) return `x${this.#quoting.delimiter.repeat(this.#columns - 1)}\n`;
    const isOne = this.#columns === 1;
    const isAbove = this.#line <= this.#above;
    // In a file of several columns an empty line is passed over, and keeps the numbers of those below.
    if (text === "") return isOne && !isAbove ? "" : "\n";
    if (isAbove) return `${text}\n`;
    if (fields > this.#columns) return `${this.#withoutEmptyEnd(text, fields)}\n`;
    if (fields === this.#columns) return `${text}\n`;
    this.result.shortRows += 1;
    return `${text}${this.#quoting.delimiter.repeat(this.#columns - fields)}\n`;
  }

  /** Delimiters with nothing behind them, as many as there are too many. */
  #withoutEmptyEnd(text: string, fields: number): string {
    let end = text.trimEnd().length;
    for (let left = fields; left > this.#columns && text.endsWith(this.#quoting.delimiter, end); left -= 1)
      end = text.slice(0, end - this.#quoting.delimiter.length).trimEnd().length;
    const isAll = countFields(text.slice(end), this.#quoting.delimiter) > fields - this.#columns;
    return isAll ? text.slice(0, end) : text;
  }

  /** A line that is left out. */
  #left(reason: string): string {
    const { rejected } = this.result;
    this.#line += 1;
    this.result.rejectedRows += 1;
    if (rejected.length < LIMITS.analytics.rejectedRows) rejected.push({ line: this.#line, reason });
    if (this.result.rejectedRows >= LIMITS.analytics.rejectedMost) throw tooManyRejects(rejected);
    return this.#columns === 1 ? "" : "\n";
  }
}

function withoutBlanks(text: string, start: number, { stop, blanks = [] }: ScannedRecord): string {
  let kept = "";
  let at = start;
  for (const { from, to } of blanks) {
    kept += text.slice(at, from);
    at = to;
  }
  return kept + text.slice(at, stop);
}

const LINE_END = /[\r\n]/g;

/** Undefined when it may not have been read yet. */
function endOfLine(
  text: string,
  start: number,
  isEnd: boolean,
): Pick<ScannedRecord, "stop" | "next"> | undefined {
  LINE_END.lastIndex = start;
  const stop = LINE_END.exec(text)?.index;
  if (stop === undefined) return isEnd ? { stop: text.length, next: text.length } : undefined;
  if (text[stop] === "\n") return { stop, next: stop + 1 };
  if (stop + 1 === text.length && !isEnd) return undefined;
  return { stop, next: text[stop + 1] === "\n" ? stop + 2 : stop + 1 };
}

function countFields(line: string, delimiter: string): number {
  let fields = 1;
  for (let at = line.indexOf(delimiter); at !== -1; at = line.indexOf(delimiter, at + delimiter.length))
    fields += 1;
  return fields;
}

export interface Rejects {
  /** The first ones. */
  rows: RejectedRow[];
  count: number;
  /** Columns (counted from 0) in which a value did not fit the type. */
  misfits: number[];
  hasBadEncoding: boolean;
  /** Whether rows have too few fields or too many, or quotes that are not closed: then the file may be repaired. */
  isRepairable: boolean;
}

/** Reject table: what DuckDB wrote down about the rows that it left out. */
export async function readRejects(
  connection: DuckDBConnection,
  table: string,
  isRepaired: boolean,
): Promise<Rejects> {
  const errors = quoteName(table);
  const summary = await connection.runAndReadAll(
    `SELECT count(DISTINCT line), count(*),
       list(DISTINCT column_idx) FILTER (error_type = 'CAST'),
       count(*) FILTER (error_type = 'INVALID ENCODING'),
       count(*) FILTER (error_type IN ('MISSING COLUMNS', 'TOO MANY COLUMNS', 'UNQUOTED VALUE'))
     FROM ${errors}`,
  );
  const [count, all, misfits, badEncodings, repairable] = summary.getRowsJS()[0] ?? [];
  const isTooMuch = Number(all) >= LIMITS.analytics.rejectedMost;
  const isRepairable = !isRepaired && Number(repairable) > 0;
  if (isTooMuch && !isRepairable) throw tooManyRejects(await firstRows(connection, errors));
  return {
    rows: await firstRows(connection, errors),
    count: Number(count),
    misfits: ((misfits ?? []) as (bigint | number)[]).map((index) => Number(index) - 1),
    hasBadEncoding: Number(badEncodings) > 0,
    isRepairable,
  };
}

async function firstRows(connection: DuckDBConnection, errors: string): Promise<RejectedRow[]> {
  const { rejectedRows, reasonCharacters } = LIMITS.analytics;
  const reader = await connection.runAndReadAll(
    `SELECT line, left(string_agg(error_message, ' ' ORDER BY column_idx), ${reasonCharacters}) AS reason
     FROM ${errors} GROUP BY line ORDER BY line LIMIT ${rejectedRows}`,
  );
  return reader.getRows().map(([line, reason]) => ({ line: Number(line), reason: String(reason) }));
}

function tooManyRejects(rows: readonly RejectedRow[]): AppError {
  const most = LIMITS.analytics.rejectedMost.toLocaleString("en");
  const [first] = rows;
  const example = first === undefined ? "" : ` The first is line ${first.line}: ${first.reason}`;
  return new AppError("bad_request", `${most} rows or more cannot be read.${example}`, {
    hint: "Check the file; options say its delimiter, quote, header and types.",
    data: { rejected: rows },
  });
}
