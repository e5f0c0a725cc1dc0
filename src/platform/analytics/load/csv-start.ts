import { mostCommon, parseRecord, type Quoting, SAMPLE_RECORDS, WHOLE_CHARACTERS } from "./csv-dialect.ts";
import { type HeaderSigns, headerSigns } from "./csv-header.ts";

/** Where the table begins in a file that may have a title, a date or empty lines above it. */
export interface TableStart {
  skippedLines: number;
  /** DuckDB counts a value over several lines as one. */
  skippedRecords: number;
  /** What stands in those lines; empty ones are left out. */
  above: string[];
}

interface FirstRecord {
  fields: string[];
  /** Counted from 0. */
  line: number;
  text: string;
  /** Fields with something in them. */
  filled: number;
}

/** Standing where no text has it, so that nothing is cut. */
export const NO_DELIMITER = "\u001f";

/** Records among which a table has to begin. */
const MOST_ABOVE = 50;
const MOST_TITLES = 20;
const LEAST_SHARE = 0.3;

/**
 * A table begins with the first record that has as many fields as most, and fills more than half of them. What stands
 * above is a title if it has a single value, or if the record below can be nothing but a header: so a header with a
 * name missing, or with one name fewer than the rows have fields, is no title.
 */
export function findStart(text: string, quoting: Quoting): TableStart {
  const records = firstRecordsOf(text, quoting);
  const first = startIndex(records);
  const left = records.slice(0, first);
  const titles = left.filter(({ filled }) => filled > 0);
  // A line of nothing but delimiters may be a row without values: whoever misses it should read of it.
  const above = titles.length > 0 ? titles : left.filter(({ fields }) => fields.length > 1);
  return {
    skippedLines: records[first]?.line ?? 0,
    skippedRecords: first,
    above: above.map(({ text }) => withoutEnd(text, quoting.delimiter) || text.trim()),
  };
}

/** Without the delimiters that fill a title up to the width of the table. */
function withoutEnd(text: string, delimiter: string): string {
  let line = text.trim();
  while (line.endsWith(delimiter)) line = line.slice(0, -delimiter.length).trimEnd();
  return line;
}

function startIndex(records: readonly FirstRecord[]): number {
  const filled = records.filter((record) => record.filled > 0);
  const usual = mostCommon(filled.map(({ fields }) => fields.length).filter((count) => count > 1));
  const top = Math.max(
    0,
    records.findIndex((record) => record.filled > 0),
  );
  const rows = filled.filter(({ fields }) => fields.length === usual);
  if (usual === undefined || rows.length < filled.length * LEAST_SHARE) return top;
  const widest = Math.max(...rows.map((record) => record.filled));
  const isFull = (record: FirstRecord): boolean =>
    record.fields.length === usual && record.filled * 2 > widest;
  const first = firstRow(records, isFull);
  if (first <= top) return top;
  const wider = records.findIndex(({ fields, filled }) => fields.length > usual && filled === fields.length);
  // A header below remarks may have more names than the rows have fields.
  if (
    wider > top &&
    wider < first &&
    records.slice(top, wider).every(isAlone) &&
    signsAt(records, wider) === "certain"
  )
    return wider;
  const above = records.slice(top, first).filter((record) => record.filled > 0);
  const signs = signsAt(records, first);
  const isApart = records[first - 1]!.filled === 0;
  if (!isApart && usual === 2 && above.length === 1 && isName(above[0]!, records[first]!, signs)) return top;
  if (above.every(isAlone)) return first;
  const isTitle = (record: FirstRecord): boolean => isAlone(record) || (usual > 2 && record.filled === 1);
  const areTitles = above.every(isTitle);
  // What has several values in many lines is rather a table of its own.
  const rowsFrom = records.slice(first).filter((record) => record.filled > 0).length;
  if (above.length > MOST_TITLES || (!areTitles && above.length * 2 > rowsFrom)) return top;
  const isStart = signs === "certain" || (signs === "likely" && (isApart || areTitles));
  return isStart ? first : top;
}

/** A remark may be the header itself, as NumPy writes it, unless another one follows. */
function firstRow(records: readonly FirstRecord[], isFull: (record: FirstRecord) => boolean): number {
  const sample = records.slice(0, MOST_ABOVE);
  const first = sample.findIndex(isFull);
  if (first === -1 || !isRemark(sample[first]!)) return first;
  const next = sample.findIndex((record) => isFull(record) && !isRemark(record));
  return next !== -1 && signsAt(records, next) === "certain" ? next : first;
}

/** The only name above two columns, as R writes it: the first holds the names of rows. */
function isName(head: FirstRecord, next: FirstRecord, signs: HeaderSigns): boolean {
  const areQuoted = /^["']/.test(head.text) && head.text[0] === next.text[0];
  return isAlone(head) && (signs === "none" || areQuoted);
}

function signsAt(records: readonly FirstRecord[], index: number): HeaderSigns {
  const below = records.slice(index + 1).filter((record) => record.filled > 0);
  return headerSigns(
    records[index]!.fields,
    below.map(({ fields }) => fields),
  );
}

/** A single field, or a remark. */
function isAlone({ fields, text }: FirstRecord): boolean {
  return fields.length === 1 || isRemark({ text });
}

function isRemark({ text }: Pick<FirstRecord, "text">): boolean {
  return /^#\s/.test(text);
}

/**
 * Whether what looks like delimiters belongs to the values of a single column, as in `name`, `Abrahamsson, Bertil` or
 * `total`, `11,830,420`: its name has none of them, no value is quoted, and they do not make a table.
 */
export function isOneColumn(text: string, quoting: Quoting): boolean {
  const records = firstRecordsOf(text, quoting);
  const top = records.findIndex((record) => record.filled > 0 && !isRemark(record));
  const [head, next, ...rest] = records.slice(Math.max(0, top));
  if (head === undefined || next === undefined || head.fields.length > 1 || next.filled === 0) return false;
  const start = startIndex(records);
  // Several lines of a title, or an empty one, above a table.
  if (start > top && (records[start - 1]!.filled === 0 || signsAt(records, start) === "certain"))
    return false;
  const below = [next, ...rest].filter((record) => record.filled > 0);
  if (quoting.quote !== "" && below.some((record) => record.text.includes(quoting.quote))) return false;
  const cut = below.filter(({ fields }) => fields.length > 1);
  if (cut.length === 0) return true;
  if (below.every((record) => NUMBER.test(record.text.trim()))) return true;
  const blank = `${quoting.delimiter} `;
  const areSentences = cut.every(
    (record) => record.text.split(blank).length === record.text.split(quoting.delimiter).length,
  );
  return areSentences || new Set(below.map(({ fields }) => fields.length)).size > 1;
}

/** With thousands separators or a decimal mark that could as well stand between fields. */
const NUMBER = /^[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:;\d{3})+|\d+(?:[,.]\d+)?)$/;

function firstRecordsOf(text: string, quoting: Quoting): FirstRecord[] {
  const records: FirstRecord[] = [];
  let line = 0;
  for (let at = 0; records.length < SAMPLE_RECORDS && at < text.length; ) {
    const { fields, end, isComplete } = parseRecord(text, at, quoting);
    if (!isComplete && records.length > 0 && text.length > WHOLE_CHARACTERS) break;
    const raw = text.slice(at, end);
    records.push({ fields, line, text: raw, filled: fields.filter((field) => field !== "").length });
    line += raw.split(/\r\n|\r|\n/).length - 1;
    at = end;
  }
  return records;
}
