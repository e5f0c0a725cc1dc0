import { createReadStream, createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";

/** How the fields of a CSV file are told apart. */
export interface Quoting {
  delimiter: string;
  quote: string;
  escape: string;
}

export interface Renamed {
  position: number;
  from: string;
  to: string;
}

const DELIMITERS = [",", ";", "\t", "|"];
/** Records that are looked at to find out how they are laid out. */
export const SAMPLE_RECORDS = 200;
/** Of the records, how many have to have as many fields so that these make a table. */
const LEAST_SHARE = 0.3;

/**
 * The delimiter that cuts most of the first records into the same number of fields. DuckDB's own detection
 * insists on all of them, and takes a file with a few broken rows for one with a single column. Undefined when none does.
 */
export function detectDelimiter(text: string, quote: string): string | undefined {
  const candidates = DELIMITERS.map((delimiter) => ({ delimiter, score: score(text, delimiter, quote) }));
  const best = candidates.reduce((a, b) => (b.score > a.score ? b : a));
  if (best.score > 0) return best.delimiter;
  // Rows of all lengths make a table, too, where the first one is cut: a column has one name only.
  const first = text.trimStart();
  return DELIMITERS.find(
    (delimiter) => parseRecord(first, 0, { delimiter, quote, escape: quote }).fields.length > 1,
  );
}

/** Share of the records that have as many fields as most have; more fields decide between equals. */
function score(text: string, delimiter: string, quote: string): number {
  const counts = fieldCounts(text, { delimiter, quote, escape: quote });
  const fields = mostCommon(counts.filter((count) => count > 1));
  if (fields === undefined) return 0;
  const share =
    counts.filter((count) => count === fields).length / counts.filter((count) => count > 0).length;
  // A few marks in a column of texts cut nothing.
  if (share < LEAST_SHARE) return 0;
  return share + Math.min(fields, 1_000) / 1_000_000;
}

/** Fields of each of the first records; 0 for one without any value. */
function fieldCounts(text: string, quoting: Quoting): number[] {
  const counts: number[] = [];
  for (let at = 0; counts.length < SAMPLE_RECORDS && at < text.length; ) {
    const { fields, end, isComplete } = parseRecord(text, at, quoting);
    if (!isComplete && counts.length > 0 && text.length > WHOLE_CHARACTERS) break;
    counts.push(fields.every((field) => field === "") ? 0 : fields.length);
    at = end;
  }
  return counts;
}

/** The number that comes most often. */
export function mostCommon(counts: readonly number[]): number | undefined {
  const times = Map.groupBy(counts, (count) => count);
  return [...times].toSorted((a, b) => b[1].length - a[1].length)[0]?.[0];
}

export interface Field {
  value: string;
  isQuoted: boolean;
  /** Blanks before its quote, if any. */
  blanks?: { from: number; to: number };
}

export interface CsvRecord {
  fields: Field[];
  /** Where its line ends, and where the next record begins. */
  stop: number;
  end: number;
  /** False when the text ended before the record did. */
  isComplete: boolean;
  /** Whether a quote has no end, or something stands behind it. */
  isBroken: boolean;
}

interface ReadOptions {
  /** Whether a value whose quote has no end in this text may have one behind it; otherwise the quote is a part of it. */
  mayGoOn?: (valueStart: number) => boolean;
  /** Longest value in quotes; behind that, the quote is believed to be a part of the value. */
  longest?: number;
  /** Whether nothing is read behind what is broken. */
  isStrict?: boolean;
  /** Whether more fields than there may be columns are refused at once. */
  isBounded?: boolean;
}

/** One record as it is written, blanks and all. */
export function readRecord(
  text: string,
  start: number,
  quoting: Quoting,
  {
    mayGoOn = () => true,
    longest = Number.POSITIVE_INFINITY,
    isStrict = false,
    isBounded = false,
  }: ReadOptions = {},
): CsvRecord {
  const { delimiter, quote } = quoting;
  const fields: Field[] = [];
  // Millions of delimiters in a row must not become as many objects: one too many tells enough.
  const keep = (field: Field): void => {
    if (fields.length <= LIMITS.analytics.columns) fields.push(field);
    else if (isBounded) throw tooManyColumns();
  };
  let isBroken = false;
  for (let at = start; ; ) {
    const first = skipBlanks(text, at, delimiter);
    const isQuoted = quote !== "" && text.startsWith(quote, first);
    const quoted = isQuoted ? readQuoted(text, first + quote.length, quoting, longest) : undefined;
    if (quoted === "open" && mayGoOn(first + quote.length)) {
      keep({ value: "", isQuoted });
      return { fields, stop: text.length, end: text.length, isComplete: false, isBroken: true };
    }
    const { value, end } = typeof quoted === "object" ? quoted : readBare(text, at, quoting);
    let stop = end;
    if (typeof quoted === "object") {
      const behind = skipBlanks(text, end, delimiter);
      stop = endOfField(text, behind, delimiter);
      isBroken ||= stop !== behind;
      keep({ value, isQuoted, ...(first > at && { blanks: { from: at, to: first } }) });
    } else {
      isBroken ||= isQuoted;
      keep({ value, isQuoted: false });
    }
    const isCut = stop >= text.length && !(isStrict && isBroken);
    if (isCut) return { fields, stop, end: text.length, isComplete: false, isBroken };
    if (!text.startsWith(delimiter, stop) || (isStrict && isBroken))
      return { fields, stop, end: afterLineEnd(text, stop), isComplete: true, isBroken };
    at = stop + delimiter.length;
  }
}

interface ReadValue {
  value: string;
  end: number;
}

/** Open where the text ends before the value; undefined where the value would be too long. */
function readQuoted(
  text: string,
  start: number,
  { quote, escape: sign }: Quoting,
  longest: number,
): ReadValue | "open" | undefined {
  let value = "";
  for (let at = start; ; ) {
    const close = text.indexOf(quote, at);
    const before = close === -1 ? at + longest : close;
    const escapeAt = sign === quote ? -1 : text.slice(at, before).indexOf(sign);
    const stop = escapeAt === -1 ? (close === -1 ? text.length : close) : at + escapeAt;
    if (stop - start > longest) return undefined;
    value += text.slice(at, stop);
    if (escapeAt !== -1) {
      const escaped = [quote, sign].find((each) => text.startsWith(each, stop + sign.length));
      value += escaped ?? sign;
      at = stop + sign.length + (escaped?.length ?? 0);
      continue;
    }
    if (close === -1) return "open";
    at = close + quote.length;
    if (!text.startsWith(quote, at)) return { value, end: at };
    value += quote;
    at += quote.length;
  }
}

function readBare(text: string, start: number, { delimiter, quote, escape: sign }: Quoting): ReadValue {
  let value = "";
  for (let at = start; ; ) {
    const stop = endOfField(text, at, delimiter);
    const escapeAt = sign === "\\" ? text.slice(at, stop + 1).indexOf(sign) : -1;
    if (escapeAt === -1 || at + escapeAt >= stop) return { value: value + text.slice(at, stop), end: stop };
    const after = at + escapeAt + 1;
    const escaped = text.startsWith("\r\n", after)
      ? "\r\n"
      : [sign, delimiter, quote, '"', "\n"].find((each) => each !== "" && text.startsWith(each, after));
    value += text.slice(at, after - 1) + (escaped ?? sign);
    at = after + (escaped?.length ?? 0);
  }
}

interface ParsedRecord {
  fields: string[];
  end: number;
  isComplete: boolean;
}

/** The values of the record that begins at `start`. Fields without quotes lose the blanks around them. */
export function parseRecord(text: string, start: number, quoting: Quoting): ParsedRecord {
  const mayGoOn = (from: number): boolean =>
    text.length > WHOLE_CHARACTERS && text.length - from < CUT_CHARACTERS;
  const { fields, end, isComplete } = readRecord(text, start, quoting, { mayGoOn, isBounded: true });
  return { fields: fields.map(({ value, isQuoted }) => (isQuoted ? value : value.trim())), end, isComplete };
}

/** Longest value that is believed to go on where the text was cut off. */
const CUT_CHARACTERS = 64 * 1024;

function tooManyColumns(): AppError {
  const most = LIMITS.analytics.columns.toLocaleString("en");
  return new AppError("too_large", `The file has more than ${most} columns.`, {
    hint: "Check the delimiter, or turn columns into rows.",
  });
}

function skipBlanks(text: string, start: number, delimiter: string): number {
  let at = start;
  while ((text[at] === " " || text[at] === "\t") && text[at] !== delimiter) at += 1;
  return at;
}

function endOfField(text: string, start: number, delimiter: string): number {
  let at = start;
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r" && !text.startsWith(delimiter, at))
    at += 1;
  return at;
}

function afterLineEnd(text: string, at: number): number {
  return text[at] === "\r" && text[at + 1] === "\n" ? at + 2 : at + 1;
}

/** Records that are looked at here, before the engine is asked. */
const FIRST_RECORDS = 200;

/** The first records, whatever they hold; empty lines are passed over. */
export function recordsOf(text: string, skippedLines: number, quoting: Quoting): string[][] {
  const records: string[][] = [];
  for (let at = skipLines(text, skippedLines); records.length <= FIRST_RECORDS && at < text.length; ) {
    const { fields, end, isComplete } = parseRecord(text, at, quoting);
    if (!isComplete && records.length > 1 && end - at > 0 && text.length > WHOLE_CHARACTERS) break;
    if (fields.length > 1 || fields[0] !== "") records.push(fields);
    at = end;
  }
  return records;
}

/** A shorter text is the whole file, so that its last record was not cut off. */
export const WHOLE_CHARACTERS = 200 * 1024;

/** The first rows of a table, short ones filled up with nothing, with the lines on which they begin. */
export function* firstRecords(
  text: string,
  table: Quoting & { skippedLines: number; header: boolean; columns: readonly unknown[] },
): Generator<{ fields: string[]; line: number }> {
  let at = skipLines(text, table.skippedLines);
  let line = table.skippedLines + 1;
  for (let record = table.header ? -1 : 0; record < FIRST_RECORDS && at < text.length; record += 1) {
    const { fields, end, isComplete } = parseRecord(text, at, table);
    // The last record may have been cut off, and a broken one says nothing.
    const isWhole = (isComplete || record <= 0) && fields.length <= table.columns.length;
    while (isWhole && fields.length < table.columns.length) fields.push("");
    if (record >= 0 && isWhole && fields.some((field) => field !== "")) yield { fields, line };
    line += text.slice(at, end).split(/\r\n|\r|\n/).length - 1;
    at = end;
  }
}

/** The delimiter that Excel is told in the first line, and leaves there when it saves: `sep=;`. */
export function toldDelimiter(text: string): string | undefined {
  return /^"?sep=([^\r\n])"?(?:\r\n|\r|\n)/i.exec(text)?.[1];
}

/** Where the record after some lines begins. */
export function skipLines(text: string, lines: number): number {
  let at = 0;
  for (let line = 0; line < lines && at < text.length; line += 1)
    at = afterLineEnd(text, endOfField(text, at, "\n"));
  return at;
}

/**
 * Names for columns. Headers are kept as they are, but for two cases that a table cannot have: an empty one
 * becomes `column_3` (its position), and one that is there already, whatever its case, gets `_2`, `_3` and so on.
 */
export function nameColumns(headers: readonly string[]): { names: string[]; renamed: Renamed[] } {
  const taken = new Set(headers.map((header) => header.toLowerCase()));
  const used = new Set<string>();
  const renamed: Renamed[] = [];
  const names = headers.map((header, index) => {
    const from = header.replaceAll("\u0000", "");
    let to = from === "" ? `column_${index + 1}` : from;
    for (
      let number = 2;
      used.has(to.toLowerCase()) || (to !== from && taken.has(to.toLowerCase()));
      number += 1
    ) {
      to = `${from === "" ? `column_${index + 1}` : from}_${number}`;
    }
    used.add(to.toLowerCase());
    if (to !== header) renamed.push({ position: index + 1, from, to });
    return to;
  });
  return { names, renamed };
}

/** Besides the usual one: a quote in a value is doubled. */
const OTHERS = [
  { quote: '"', escape: "\\" },
  { quote: "'", escape: "'" },
  { quote: "'", escape: "\\" },
];

const HAS_ESCAPE = /\\["',;\t|\r\n]/;
const HAS_SINGLE_QUOTE = /(?:^|[,;\t|]) *'/m;
/** How many times fewer rows have to be out of line before the usual quotes are given up. */
const BETTER = 10;
const QUOTED_RECORDS = 20_000;
const MOST_BROKEN = 100;
/** Of a value in other quotes than the usual ones. */
const VALUE_CHARACTERS = 64 * 1024;

/**
 * Another quote or escape than the usual, where only that gives rows of one width. Undefined for all files whose rows
 * have one with the usual quotes, whatever signs stand in their values.
 */
export function otherQuoting(text: string, isCut: boolean, said: string | undefined): Quoting | undefined {
  const hasEscape = HAS_ESCAPE.test(text);
  const hasSingle = HAS_SINGLE_QUOTE.test(text);
  if (!hasEscape && !hasSingle) return undefined;
  const delimiter = said ?? detectDelimiter(text, '"');
  const usual = delimiter && measure(text, isCut, { delimiter, quote: '"', escape: '"' });
  if (usual && usual.flaws === 0) return undefined;
  const possible = OTHERS.filter(
    ({ quote, escape: sign }) => (sign !== "\\" || hasEscape) && (quote !== "'" || hasSingle),
  );
  const [best] = possible
    .flatMap((other) =>
      (said === undefined ? DELIMITERS : [said]).map((each) => ({ ...other, delimiter: each })),
    )
    .map((quoting) => ({ quoting, ...measure(text, isCut, quoting) }))
    .filter(({ width }) => width > 1)
    .toSorted((a, b) => a.flaws - b.flaws || b.width - a.width);
  const most = usual ? usual.flaws / BETTER : 0;
  return best !== undefined && best.flaws <= most ? best.quoting : undefined;
}

interface Fit {
  /** Fields that most records have. */
  width: number;
  /** Records that have another number of fields, or a quote at a wrong place. */
  flaws: number;
}

function measure(text: string, isCut: boolean, quoting: Quoting): Fit {
  const widths = new Map<number, number>();
  let broken = 0;
  let records = 0;
  for (let at = 0; at < text.length && records < QUOTED_RECORDS && broken < MOST_BROKEN; ) {
    const record = readRecord(text, at, quoting, { longest: VALUE_CHARACTERS });
    if (!record.isComplete && isCut) break;
    at = record.end;
    const { fields } = record;
    if (fields.every(({ value }) => value.trim() === "")) continue;
    records += 1;
    if (record.isBroken) broken += 1;
    else widths.set(fields.length, (widths.get(fields.length) ?? 0) + 1);
  }
  const [width = 0, count = 0] = [...widths].toSorted((a, b) => b[1] - a[1])[0] ?? [];
  // One row has always the width of itself.
  return records < 2 ? { width: 0, flaws: records } : { width, flaws: records - count };
}

const PIECE_BYTES = 1024 * 1024;
const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

/** Writes a file again with the usual quotes. A line that does not keep to its own stays as it is. */
export async function writeUsual(
  input: string,
  output: string,
  quoting: Quoting,
  signal: AbortSignal,
): Promise<void> {
  await rewrite(input, output, signal, (text, at, isEnd) => {
    const record = readRecord(text, at, quoting, { longest: VALUE_CHARACTERS });
    if (!record.isComplete && !isEnd && text.length - at <= LIMITS.analytics.rowBytes) return undefined;
    const isKept = record.isBroken || (!record.isComplete && !isEnd);
    const fields = record.fields.map((field) => usualField(field, quoting.delimiter));
    const lineEnd = record.isComplete ? "\n" : "";
    return {
      end: record.end,
      written: isKept ? text.slice(at, record.end) : `${fields.join(quoting.delimiter)}${lineEnd}`,
    };
  });
}

function usualField({ value, isQuoted }: Field, delimiter: string): string {
  const isBare =
    !/["\r\n]/.test(value) && !value.includes(delimiter) && !(isQuoted && value.trim() !== value);
  return isBare ? value : `"${value.replaceAll('"', '""')}"`;
}

/** Where a record ends, and what is written in its place. */
export interface Rewritten {
  end: number;
  written: string;
}

type Next = (text: string, at: number, isEnd: boolean) => Rewritten | undefined;

/** Writes a file again, record by record. Bytes are characters here, so that none is lost. */
export async function rewrite(input: string, output: string, signal: AbortSignal, next: Next): Promise<void> {
  const pieces = createReadStream(input, { highWaterMark: PIECE_BYTES, encoding: "latin1" });
  let rest = "";
  let isStart = true;
  const take = (piece: string, isEnd: boolean): Buffer => {
    const text =
      isStart && piece.startsWith(BYTE_ORDER_MARK) ? piece.slice(BYTE_ORDER_MARK.length) : rest + piece;
    isStart = false;
    const written: string[] = [];
    let at = 0;
    while (at < text.length) {
      const found = next(text, at, isEnd);
      if (found === undefined) break;
      written.push(found.written);
      at = found.end;
    }
    rest = text.slice(at);
    return Buffer.from(written.join(""), "latin1");
  };
  async function* lines(): AsyncGenerator<Buffer> {
    for await (const piece of pieces) yield take(piece as string, false);
    yield take("", true);
  }
  await pipeline(Readable.from(lines()), createWriteStream(output, { mode: 0o600 }), { signal });
}
