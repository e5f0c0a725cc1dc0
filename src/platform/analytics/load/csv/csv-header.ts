import { isNoValueWord } from "../../../../kernel/values.ts";
import { dateFormatsOf } from "./csv-dates.ts";
import { mostCommon, parseRecord, type Quoting, SAMPLE_RECORDS, WHOLE_CHARACTERS } from "./csv-dialect.ts";

/** What the first records of a file say about its columns. */
interface Layout {
  header: boolean;
  /** One a column, as the header has them; empty where there is none. */
  headers: string[];
  /** Columns at the end that the header does not know, though the rows have them. */
  extra: number;
  notes: string[];
}

/** As many fields as most records below the first have; more where the header names more. `wanted` is what the caller says. */
export function layoutOf(records: readonly (readonly string[])[], wanted: boolean | undefined): Layout {
  const [first = [], ...below] = records;
  const usual = mostCommon((below.length > 0 ? below : records).map(({ length }) => length)) ?? 1;
  const signs = wanted === undefined ? headerSigns(first, below) : undefined;
  const header = wanted ?? signs !== "none";
  if (!header) return { header, headers: Array.from({ length: usual }, () => ""), extra: 0, notes: [] };
  const named = first.slice(0, first.findLastIndex((name) => name !== "") + 1);
  const hasRowNames = namesRows(first, below, usual);
  const headers = hasRowNames ? ["", ...first] : [...named];
  while (headers.length < usual) headers.push("");
  const extra = hasRowNames ? 0 : Math.max(0, usual - first.length);
  const notes = layoutNotes(first, named, usual, hasRowNames);
  const isList = signs === "likely" && headers.length === 1 && !isProgramName(headers[0]!, below);
  return { header, headers, extra, notes: isList ? [...notes, listNote(headers[0]!)] : notes };
}

/** R writes the names of rows, each another one, into a first column that has no name itself. */
function namesRows(first: readonly string[], below: readonly (readonly string[])[], usual: number): boolean {
  if (usual < 2 || first.length !== usual - 1 || first[0] === "" || !endsWithValues(below, usual))
    return false;
  // A row with as many fields as there are names has no name of its own.
  if (below.some(({ length }) => length === first.length)) return false;
  const names = below.map(([name = ""]) => name);
  return new Set(names).size === names.length;
}

/** As programs write names of columns, above what is not written so. */
function isProgramName(name: string, below: readonly (readonly string[])[]): boolean {
  const pattern = /^[a-z_][a-z0-9_]*$/;
  return pattern.test(name) && !below.every(([value = ""]) => pattern.test(value));
}

/** Of a list of texts nothing tells whether the first is a name. */
function listNote(name: string): string {
  const shown = JSON.stringify(name.slice(0, SHOWN_CHARACTERS).toWellFormed());
  return `The first line, ${shown}, was taken for the name of the column. If it is a value, say options.header as false.`;
}

function layoutNotes(
  first: readonly string[],
  named: readonly string[],
  usual: number,
  hasRowNames: boolean,
): string[] {
  if (hasRowNames)
    return [
      "The rows have one field more than the header has names: the first column holds the names of rows, as R writes them, and has no name itself.",
    ];
  if (first.length > named.length && first.length > usual)
    return ["The header ends with a delimiter, behind which there is neither a name nor a column."];
  return [];
}

function endsWithValues(records: readonly (readonly string[])[], width: number): boolean {
  const whole = records.filter(({ length }) => length === width);
  return whole.some((fields) => fields.at(-1) !== "");
}

const SHOWN_CHARACTERS = 80;

type Kind = "number" | "date" | "boolean" | "text";

const NUMBER =
  /^[-+(]?\s?[$€£¥₹]?\s?-?(?:\d[\d.,'\u00a0\u202f\u2019 ]*|[.,]\d+)(?:[eE][+-]?\d+)?\s?[%$€£¥₹]?\)?$|^nan$|^[-+]?inf$/i;
const ISO_OR_TIME = /^\d{4}-\d{2}-\d{2}|^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

/** What a cell shows whose formula failed. */
const SHEET_ERROR = /^#(?:REF!|DIV\/0!|VALUE!|NAME\?|NUM!|NULL!)$/;

/** Undefined for what is no value. */
function kindOf(text: string): Kind | undefined {
  const value = text.trim();
  if (value === "" || isNoValueWord(value) || SHEET_ERROR.test(value)) return undefined;
  if (/^(?:true|false)$/i.test(value)) return "boolean";
  if (ISO_OR_TIME.test(value) || dateFormatsOf(value).length > 0) return "date";
  return NUMBER.test(value) ? "number" : "text";
}

const MANY_ROWS = 10;
/** A longer text among texts is rather a value: even questions of a survey are shorter. */
const NAME_CHARACTERS = 400;
/** Values in the first row, for each text above numbers, from which on it is rather data. */
const MANY_VALUES = 5;
/** Of the values of a column, how many have to be of one kind so that it is theirs. */
const MOST = 0.8;

/** The kind of most values; text when they are mixed. */
function kindOfColumn(values: readonly string[]): Kind | undefined {
  const kinds = values.flatMap((value) => kindOf(value) ?? []);
  if (kinds.length === 0) return undefined;
  const found = (["number", "date", "boolean"] as const).find(
    (kind) => kinds.filter((each) => each === kind).length >= kinds.length * MOST,
  );
  return found ?? "text";
}

/** Certain where texts stand above numbers, dates or truth values, and nothing speaks against it. */
type HeaderSigns = "certain" | "likely" | "none";

/**
 * Whether the first record names the columns. A text above numbers, dates or truth values is a name; a value above its
 * like is none, unless it is a label: a year above what are no years, or one of 0, 1, 2 … In a file of texts the first
 * record is a header when none of its fields comes again below.
 */
function headerSigns(first: readonly string[], below: readonly (readonly string[])[]): HeaderSigns {
  const kinds = first.map(kindOf);
  const likely = (isLikely: boolean): HeaderSigns => (isLikely ? "likely" : "none");
  if (below.length === 0) return likely(namesAlone(first, kinds));
  const isNumbered = areLabels(first, below[0]!) || areIndexed(first, below) || isSpan(first, below);
  let names = 0;
  let values = 0;
  let labels = 0;
  for (const [index, kind] of kinds.entries()) {
    if (kind === undefined) continue;
    const column = below.map((fields) => fields[index] ?? "");
    const usual = kindOfColumn(column);
    if (kind === "text") {
      if (usual !== undefined && usual !== "text") names += 1;
    } else if (
      isNumbered ||
      (isYear(first[index]!) && !column.filter((value) => value !== "").every(isYear))
    ) {
      labels += 1;
    } else if (kind === usual) values += 1;
  }
  // One text above many numbers can be nothing but a name, unless most beside it are values that come again and again.
  const areNames = new Set(first).size === first.length || values <= names * MANY_VALUES;
  if (values > 0) return likely(names > values || (names > 0 && areNames && below.length >= MANY_ROWS));
  if (names > 0) return "certain";
  if (isNumbered) return "likely";
  const texts = kinds.filter((kind) => kind === "text").length;
  if (texts === 0) return "none";
  if (labels > 0) return "likely";
  if (first.some((name) => name.length > NAME_CHARACTERS)) return "none";
  return likely(
    !first.some((name, index) => kinds[index] === "text" && below.some((fields) => fields[index] === name)),
  );
}

function isYear(text: string): boolean {
  return /^(?:19|20)\d\d$/.test(text.trim());
}

/** Of a file of one line: texts, and years where there are several. */
function namesAlone(first: readonly string[], kinds: readonly (Kind | undefined)[]): boolean {
  const years = first.filter(isYear).length;
  const isName = (kind: Kind | undefined, index: number): boolean =>
    kind === undefined || kind === "text" || (years > 1 && isYear(first[index]!));
  return kinds.every(isName) && (years === 0 || kinds.includes("text"));
}

/** 0, 1, 2 … after nothing, above names of rows: as pandas writes columns without names. */
function areIndexed(first: readonly string[], below: readonly (readonly string[])[]): boolean {
  const [corner, ...labels] = first;
  const areCounted = labels.length > 0 && labels.every((label, index) => label === String(index));
  return corner === "" && areCounted && below.every(([name = ""]) => name !== "");
}

/** Years of any century that follow each other, as long series have them, above rows of other things. */
function isSpan(first: readonly string[], below: readonly (readonly string[])[]): boolean {
  const found = first.flatMap((text, index) => (kindOf(text) === "number" ? [index] : []));
  const isAscending = (fields: readonly string[]): boolean =>
    found.every((index, place) => {
      const text = fields[index] ?? "";
      return (
        /^(?:1\d|20)\d\d$/.test(text) && (place === 0 || Number(text) > Number(fields[found[place - 1]!]))
      );
    });
  return found.length > LEAST_LABELS && isAscending(first) && !below.some(isAscending);
}

/** Few numbers in a row may be data. */
const LEAST_LABELS = 3;

/** 0, 1, 2 … besides texts or nothing, above a row that does not go on like that. */
function areLabels(first: readonly string[], next: readonly string[]): boolean {
  const found = first.flatMap((text, index) => (kindOf(text) === "number" ? [index] : []));
  const isCount = (fields: readonly string[]): boolean =>
    found.every((index, place) => {
      const start = Number(fields[found[0]!]);
      return /^\d+$/.test(fields[index] ?? "") && Number(fields[index]) === start + place;
    });
  const start = Number(first[found[0] ?? 0]);
  const isAlone = found.length === first.length;
  if (found.length < LEAST_LABELS || (isAlone && (start !== 0 || found.length <= LEAST_LABELS))) return false;
  return (start === 0 || start === 1) && isCount(first) && !isCount(next);
}

/** Where the table begins in a file that may have a title, a date or empty lines above it. */
interface TableStart {
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
  if (below.every((record) => PLAIN_NUMBER.test(record.text.trim()))) return true;
  const blank = `${quoting.delimiter} `;
  const areSentences = cut.every(
    (record) => record.text.split(blank).length === record.text.split(quoting.delimiter).length,
  );
  return areSentences || new Set(below.map(({ fields }) => fields.length)).size > 1;
}

/** With thousands separators or a decimal mark that could as well stand between fields. */
const PLAIN_NUMBER = /^[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:;\d{3})+|\d+(?:[,.]\d+)?)$/;

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
