import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName, quoteText } from "../../../../kernel/sql-text.ts";
import { LIMITS } from "../../../files/limits.ts";
import { isDateIn } from "./csv-date-columns.ts";
import { dateFormatsOf } from "./csv-dates.ts";
import { firstRecords, type Renamed } from "./csv-dialect.ts";
import { type CsvFile, firstValues, readTexts } from "./csv-file.ts";
import { exampleOf } from "./csv-numbers.ts";
import { isNoValueWordSql } from "./csv-types.ts";

const SHOWN = 5;
const SHOWN_CHARACTERS = 80;

/** What stands above the table is no part of it, but may tell what it is about. */
export function aboveNotes(lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines
    .slice(0, 3)
    .map((line) => JSON.stringify(line.slice(0, SHOWN_CHARACTERS).toWellFormed()));
  const what =
    lines.length === 1 ? "A line above the table was" : `${lines.length} lines above the table were`;
  return [
    `${what} left out: ${shown.join(", ")}${lines.length > shown.length ? " …" : ""}. To read from another line, say options.skip_lines.`,
  ];
}

/** Of a file of one column: what stands in its values and does not cut them. */
export function wholeNotes(left: string | undefined): string[] {
  if (left === undefined) return [];
  const sign = JSON.stringify(left);
  return [
    `The file was read as one column, with ${sign} as part of its values. If it stands between columns, say so in options.delimiter.`,
  ];
}

/** Of quotes that a program may have escaped in a way that this file's rows do not show. */
export function backslashNotes(records: readonly (readonly string[])[]): string[] {
  const found = records.flat().find((value) => value.includes('\\"'));
  if (found === undefined) return [];
  const shown = JSON.stringify(found.slice(0, SHOWN_CHARACTERS).toWellFormed());
  return [
    `Values with a backslash before a quote, such as ${shown}, were taken as they stand. If they are cut at the wrong places, say options.delimiter or options.quote.`,
  ];
}

/** Columns that could not keep their name because another has it. */
export function renamedNotes(renamed: readonly Renamed[]): string[] {
  const taken = renamed.filter(({ from, to }) => from !== "" && from !== to);
  if (taken.length === 0) return [];
  const shown = taken.slice(0, SHOWN).map(({ from, to }) => `"${from}" is "${to}"`);
  const more = taken.length > shown.length ? ` and ${taken.length - shown.length} more` : "";
  return [`Names that come again were changed: ${shown.join(", ")}${more}.`];
}

/** What a reader should know about rows and columns that were not as the header has them. */
export function shapeNotes(
  { dropped, columns, header }: CsvFile,
  { shortRows, extra }: { shortRows: number; extra: number },
): string[] {
  const left = columns.length - dropped.size;
  const unnamed = extra - dropped.size;

  return [
    ...(unnamed <= 0
      ? []
      : [
          `The rows have ${left} fields, but the header has ${left - unnamed === 1 ? "one name" : `${left - unnamed} names`}: ${unnamed === 1 ? "the column at the end has" : "the columns at the end have"} none.`,
        ]),
    ...(shortRows === 0
      ? []
      : [
          `${shortRows.toLocaleString("en")} rows have fewer than ${columns.length} fields; the missing ones have no value.`,
        ]),
    ...(dropped.size === 0
      ? []
      : [
          `${dropped.size === 1 ? "A column" : `${dropped.size} columns`} after the first ${left} had ${header ? "no name and no value" : "no value"} and ${dropped.size === 1 ? "was" : "were"} left out.`,
        ]),
  ];
}

const NUMBER_TYPE = /^(?:BIGINT|DOUBLE|DECIMAL)/;

/** What a reader should know about values that were not taken as they stand in the file. */
export function valueNotes({ columns, words, units, pluses }: CsvFile): string[] {
  const told = (word: string): string => (word === "" ? "A blank" : JSON.stringify(word));
  const byWords = Map.groupBy(words, ([, found]) => found.map(told).join(", "));
  const byUnit = Map.groupBy(units, ([, unit]) => unit);
  const names = (members: readonly (readonly [number, unknown])[]): string =>
    someColumns(members.map(([index]) => columns[index]!.name));
  const signed = [...pluses].flatMap((index) =>
    NUMBER_TYPE.test(columns[index]!.type) ? [[index, undefined] as const] : [],
  );
  return [
    ...(signed.length === 0
      ? []
      : [
          `Numbers in ${names(signed)} had a plus in front, which is left out. To keep it, give the column the type VARCHAR in options.types.`,
        ]),
    ...[...byWords].map(
      ([found, members]) =>
        `${found} was read as no value in ${names(members)}. To keep it, give the column the type VARCHAR in options.types.`,
    ),
    ...[...byUnit].map(
      ([unit, members]) =>
        `Numbers in ${names(members)} are in ${unit}, which is left out: ${exampleOf(unit)}.`,
    ),
  ];
}

/** A value that is not of the kind of most others in its column. */
interface Misfit {
  value: string;
  place: string;
}

interface Mostly {
  index: number;
  /** "numbers" or "dates". */
  kind: string;
  /** SQL that is true for a value of that kind. */
  isOne: string;
  misfit: Misfit | undefined;
}

const LEAST_VALUES = 10;
const MOST_SHARE = 0.8;
/** Each costs a look at the file up to the value that is told. */
const COLUMNS_LOOKED_AT = 5;
const VALUE_CHARACTERS = 40;
/** Zeros in front make identifiers, of which nobody expects that they are numbers. */
const IDENTIFIER = /^[+-]?0\d+$/;

/** Says why columns are text that begin with numbers or dates: most often a word for "no value" is among them. */
export async function textNotes(
  connection: DuckDBConnection,
  file: CsvFile,
  head: string,
  given: ReadonlySet<number>,
): Promise<string[]> {
  const columns = mostlyOther(file, head, given).slice(0, COLUMNS_LOOKED_AT);
  const notes: string[] = [];
  for (const { index, kind, isOne, misfit } of columns) {
    const found = misfit ?? (await firstMisfit(connection, file, index, isOne));
    if (found === undefined && kind === "numbers") notes.push(tooLong(file.columns[index]!.name));
    if (found === undefined || IDENTIFIER.test(found.value)) continue;
    const value = JSON.stringify(found.value.slice(0, VALUE_CHARACTERS));
    const hint = /\d/.test(found.value) ? "" : " If it means no value, say so in options.nulls.";
    notes.push(
      `Column "${file.columns[index]!.name}" is text: most values are ${kind}, but not ${value} (${found.place}).${hint}`,
    );
  }
  return notes.slice(0, LIMITS.files.notes);
}

/** Columns of fractions that have more digits than their type. */
export function digitNotes(file: CsvFile, head: string): string[] {
  const doubles = file.columns.flatMap(({ type }, index) => (type === "DOUBLE" ? [index] : []));
  const found = new Set<number>();
  for (const { fields } of doubles.length === 0 ? [] : firstRecords(head, file))
    for (const index of doubles) if (isLongDecimal(fields[index]!)) found.add(index);
  return roundedNotes([...found].map((index) => file.columns[index]!.name));
}

function tooLong(name: string): string {
  return `Column "${name}" is text: no type holds all digits of its numbers. To lose some, give it the type DOUBLE in options.types.`;
}

/** Counts of one column in the first records. */
interface Tally {
  values: number;
  numbers: number;
  formats: Map<string, number>;
  /** The first value that is no number, and the first that is no date. */
  noNumber: Misfit | undefined;
  noDate: Misfit | undefined;
}

function mostlyOther(file: CsvFile, head: string, given: ReadonlySet<number>): Mostly[] {
  const tallies = new Map<number, Tally>();
  for (const [index, { type }] of file.columns.entries()) {
    if (type !== "VARCHAR" || given.has(index) || file.grouping.ambiguous.has(index)) continue;
    tallies.set(index, {
      values: 0,
      numbers: 0,
      formats: new Map(),
      noNumber: undefined,
      noDate: undefined,
    });
  }
  if (tallies.size === 0) return [];
  const number = new RegExp(`^${numberText(file)}$`);
  for (const { index, value, line } of firstValues(head, file, tallies))
    count(tallies.get(index)!, value, `line ${line}`, number);
  return [...tallies].flatMap(([index, tally]) => kindOf(file, index, tally) ?? []);
}

function count(tally: Tally, value: string, place: string, number: RegExp): void {
  tally.values += 1;
  if (number.test(value)) tally.numbers += 1;
  else tally.noNumber ??= { value, place };
  const formats = dateFormatsOf(value);
  for (const format of formats) tally.formats.set(format, (tally.formats.get(format) ?? 0) + 1);
  if (formats.length === 0) tally.noDate ??= { value, place };
}

function kindOf(file: CsvFile, index: number, tally: Tally): Mostly | undefined {
  const least = Math.max(LEAST_VALUES, tally.values * MOST_SHARE);
  const column = quoteName(file.columns[index]!.name);
  if (tally.numbers >= least) {
    const isOne = `regexp_full_match(trim(${column}), ${quoteText(numberText(file))})`;
    return { index, kind: "numbers", isOne, misfit: tally.noNumber };
  }
  const [format, times = 0] = [...tally.formats].toSorted((a, b) => b[1] - a[1])[0] ?? [];
  if (format === undefined || times < least) return undefined;
  return { index, kind: "dates", isOne: isDateIn(column, format), misfit: tally.noDate };
}

function numberText({ decimal }: CsvFile): string {
  return `-?(?:0|[1-9][0-9]*)(?:[${decimal}][0-9]+)?(?:[eE][+-]?[0-9]+)?`;
}

/** Further down than the first records; the file is read up to it. */
async function firstMisfit(
  connection: DuckDBConnection,
  file: CsvFile,
  index: number,
  isOne: string,
): Promise<Misfit | undefined> {
  const column = quoteName(file.columns[index]!.name);
  const reader = await connection.runAndReadAll(
    `SELECT ${column}, place FROM (
       SELECT ${column}, row_number() OVER () AS place FROM ${readTexts(file)}
     ) WHERE NOT (${column} IS NULL OR ${isNoValueWordSql(column)} OR ${isOne}) LIMIT 1`,
  );
  const [row] = reader.getRowsJS();
  if (row === undefined) return undefined;
  return { value: String(row[0]), place: `row ${Number(row[1]).toLocaleString("en")}` };
}

const DOUBLE_DIGITS = 17;

/** Precision loss: a fraction has more digits than a DOUBLE keeps. */
export function isLongDecimal(number: string): boolean {
  return /[.,]/.test(number) && digitsOf(number) > DOUBLE_DIGITS;
}

/** Without zeros in front and at the end. */
function digitsOf(number: string): number {
  const [mantissa = ""] = number.toLowerCase().split("e");
  return mantissa.replace(/\D/g, "").replace(/^0+|0+$/g, "").length;
}

/** The first of these columns, and how many there are besides. */
export function someColumns(names: readonly string[]): string {
  const shown = names
    .slice(0, 5)
    .map((name) => `"${name}"`)
    .join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

export function roundedNotes(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [
    `Numbers in ${someColumns(names)} have more digits than the ${DOUBLE_DIGITS} that a DOUBLE keeps. To keep all in a column of numbers, give it the type DECIMAL(38,20) or VARCHAR in options.types.`,
  ];
}
