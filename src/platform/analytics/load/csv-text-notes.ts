import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import { LIMITS } from "../../files/limits.ts";
import { isDateIn } from "./csv-date-columns.ts";
import { dateFormatsOf } from "./csv-dates.ts";
import { firstRecords } from "./csv-dialect.ts";
import { type CsvFile, firstValues, readTexts } from "./csv-file.ts";
import { isNoValueWordSql } from "./csv-values.ts";
import { isLongDecimal, roundedNotes } from "./rounded-notes.ts";

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
