import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";

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

export const DELIMITERS = [",", ";", "\t", "|"];
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

export interface ParsedRecord {
  fields: string[];
  /** Where the next record begins. */
  end: number;
  /** False when the text ended before the record did. */
  isComplete: boolean;
}

/** One record that begins at `start`. Fields without quotes lose the blanks around them. */
export function parseRecord(text: string, start: number, quoting: Quoting): ParsedRecord {
  const { delimiter, quote } = quoting;
  const fields: string[] = [];
  let at = start;
  for (;;) {
    const first = skipBlanks(text, at, delimiter);
    const isQuoted = quote !== "" && text.startsWith(quote, first);
    const quoted = isQuoted ? parseQuoted(text, first + quote.length, quoting) : undefined;
    const stop = endOfField(text, quoted?.end ?? at, delimiter);
    fields.push(quoted?.value ?? text.slice(at, stop).trim());
    if (fields.length > LIMITS.analytics.columns) throw tooManyColumns();
    if (stop >= text.length) return { fields, end: text.length, isComplete: false };
    if (!text.startsWith(delimiter, stop)) return { fields, end: afterLineEnd(text, stop), isComplete: true };
    at = stop + delimiter.length;
  }
}

function tooManyColumns(): AppError {
  const most = LIMITS.analytics.columns.toLocaleString("en");
  return new AppError("too_large", `The file has more than ${most} columns.`, {
    hint: "Check the delimiter, or turn columns into rows.",
  });
}

export function skipBlanks(text: string, start: number, delimiter: string): number {
  let at = start;
  while ((text[at] === " " || text[at] === "\t") && text[at] !== delimiter) at += 1;
  return at;
}

/** Undefined where the quote has no end, and so is a part of its value. */
function parseQuoted(
  text: string,
  start: number,
  { quote, escape: sign }: Quoting,
): { value: string; end: number } | undefined {
  let value = "";
  for (let at = start; ; ) {
    const close = text.indexOf(quote, at);
    if (close === -1) return mayEndLater(text, start) ? { value: "", end: text.length } : undefined;
    const after = close + quote.length;
    value += text.slice(at, close);
    if (sign !== quote || !text.startsWith(quote, after)) return { value, end: after };
    value += quote;
    at = after + quote.length;
  }
}

/** Longest value that is believed to go on where the text was cut off. */
const CUT_CHARACTERS = 64 * 1024;

function mayEndLater(text: string, start: number): boolean {
  return text.length > WHOLE_CHARACTERS && text.length - start < CUT_CHARACTERS;
}

export function endOfField(text: string, start: number, delimiter: string): number {
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
