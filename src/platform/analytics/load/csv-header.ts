import { isNoValueWord } from "../../../kernel/values.ts";
import { dateFormatsOf } from "./csv-dates.ts";
import { mostCommon } from "./csv-dialect.ts";

/** What the first records of a file say about its columns. */
export interface Layout {
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
export type HeaderSigns = "certain" | "likely" | "none";

/**
 * Whether the first record names the columns. A text above numbers, dates or truth values is a name; a value above its
 * like is none, unless it is a label: a year above what are no years, or one of 0, 1, 2 … In a file of texts the first
 * record is a header when none of its fields comes again below.
 */
export function headerSigns(first: readonly string[], below: readonly (readonly string[])[]): HeaderSigns {
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
