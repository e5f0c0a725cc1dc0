import { quoteList, quoteName, quoteText } from "../../../../kernel/sql-text.ts";
import { isNoValueWord } from "../../../../kernel/values.ts";
import type { Column } from "../../analytics-options.ts";
import { LIMITS } from "../../limits.ts";
import type { DateColumn } from "./csv-dates.ts";
import { firstRecords, type Quoting } from "./csv-dialect.ts";
import { type DecimalMark, type Marks, type Unit, withoutUnit } from "./csv-numbers.ts";
import { withoutWords } from "./csv-types.ts";

/** Columns of text whose digits stand in groups, by position counted from 0. */
export interface Grouping {
  /** Those that are numbers; their type is in `columns`. */
  grouped: ReadonlyMap<number, Marks>;
  /** Those that may also be decimals. They stay text. */
  ambiguous: ReadonlyMap<number, Marks>;
  /** The decimal mark that is known from an option, or from the columns that are its witnesses. */
  settled: { decimal: DecimalMark; witnesses: readonly number[] | undefined } | undefined;
}

/** A CSV file in UTF-8, and how to read it. */
export interface CsvFile extends Quoting {
  path: string;
  /** Where the values are that are only looked at, all as text; in the file itself without it. */
  table?: string | undefined;
  /** Whether we have written the file again, so that each line ends alike. */
  isRepaired?: boolean;
  header: boolean;
  skippedLines: number;
  /** The same for DuckDB, to which a value over several lines is one. */
  skippedRecords: number;
  decimal: DecimalMark;
  /** Of the columns that DuckDB reads as dates by itself: those in ISO 8601, and those whose type is given. */
  dateFormat: string | undefined;
  timestampFormat: string | undefined;
  /** What the caller says about some dates. */
  saidFormat: string | undefined;
  nulls: readonly string[];
  /** By position: words that mean no value in this column, and the unit that all of its values have. */
  words: ReadonlyMap<number, readonly string[]>;
  units: ReadonlyMap<number, Unit>;
  /** Columns of numbers some of which have a plus in front. */
  pluses: ReadonlySet<number>;
  /** Columns at the end that have neither a name nor a value. */
  dropped: ReadonlySet<number>;
  /** Types as they were detected or given. */
  columns: readonly Column[];
  grouping: Grouping;
  /** Columns of dates in other formats, by position; their type is in `columns`. */
  dates: ReadonlyMap<number, DateColumn>;
}

function dialectOptions(file: CsvFile, isStrict: boolean): string[] {
  const { rowBytes } = LIMITS.analytics;
  return [
    `delim = ${quoteText(file.delimiter)}`,
    `quote = ${quoteText(file.quote)}`,
    `escape = ${quoteText(file.escape)}`,
    `decimal_separator = ${quoteText(file.decimal)}`,
    `nullstr = ${quoteList(file.nulls)}`,
    `strict_mode = ${isStrict}`,
    // Else DuckDB would take the first line end for it, which may be one inside of a name.
    ...(file.isRepaired ? ["new_line = '\\n'"] : []),
    // Given together, because DuckDB would take sixteen rows of the largest size for a buffer. Two are enough,
    // and what stays in the processor's cache is read faster.
    `max_line_size = ${rowBytes}`,
    `buffer_size = ${2 * rowBytes}`,
    ...(file.dateFormat === undefined ? [] : [`dateformat = ${quoteText(file.dateFormat)}`]),
    ...(file.timestampFormat === undefined ? [] : [`timestampformat = ${quoteText(file.timestampFormat)}`]),
  ];
}

/**
 * Reads columns as these types. Rows that cannot be read go to the table `rejects`. Without one it is only a look at
 * the values: lines may end in different ways there, long rows are cut, and what cannot be read is passed over. Values
 * come without words that mean none, and without units, but in columns that are `isRaw`.
 */
export function readCsv(
  file: CsvFile,
  types: readonly string[],
  rejects: string | undefined,
  isRaw: (index: number) => boolean = () => false,
): string {
  const source =
    rejects === undefined && file.table !== undefined ? quoteName(file.table) : scan(file, types, rejects);
  const cleaned = file.columns.flatMap(({ name }, index) =>
    types[index] === "VARCHAR" && !isRaw(index) ? (cleanValue(file, index, quoteName(name)) ?? []) : [],
  );
  return cleaned.length === 0 ? source : `(SELECT * REPLACE (${cleaned.join(", ")}) FROM ${source})`;
}

/** A look at all columns as text. */
export function readTexts(file: CsvFile): string {
  const texts = file.columns.map(() => "VARCHAR");
  return readCsv(file, texts, undefined);
}

/** The values of these columns in the first records, without those that mean none. */
export function* firstValues(
  text: string,
  file: CsvFile,
  columns: ReadonlyMap<number, unknown> | ReadonlySet<number>,
): Generator<{ index: number; value: string; line: number }> {
  for (const { fields, line } of firstRecords(text, file)) {
    if (columns.size === 0) return;
    for (const index of columns.keys()) {
      const value = fields[index]!.trim();
      const isNothing = value === "" || file.nulls.includes(value) || isNoValueWord(value);
      if (!isNothing) yield { index, value, line };
    }
  }
}

function scan(file: CsvFile, types: readonly string[], rejects: string | undefined): string {
  const columns = file.columns.map(({ name }, index) => `${quoteText(name)}: ${quoteText(types[index]!)}`);
  const options = [
    quoteText(file.path),
    "auto_detect = false",
    ...dialectOptions(file, rejects !== undefined),
    `header = ${file.header}`,
    `skip = ${file.skippedRecords}`,
    `columns = {${columns.join(", ")}}`,
    ...(rejects === undefined ? ["ignore_errors = true"] : rejectOptions(rejects)),
  ];
  return `read_csv(${options.join(", ")})`;
}

/** The column without words that mean no value, and without its unit; undefined when it has neither. */
function cleanValue({ words, units }: CsvFile, index: number, column: string): string | undefined {
  const found = words.get(index);
  const unit = units.get(index);
  if (found === undefined && unit === undefined) return undefined;
  const value = withoutWords(column, found ?? []);
  return `${unit === undefined ? value : withoutUnit(`(${value})`, unit)} AS ${column}`;
}

function rejectOptions(table: string): string[] {
  return [
    "store_rejects = true",
    `rejects_table = ${quoteText(table)}`,
    `rejects_scan = ${quoteText(`${table}_scan`)}`,
    `rejects_limit = ${LIMITS.analytics.rejectedMost}`,
  ];
}
