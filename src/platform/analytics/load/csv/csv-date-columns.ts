import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError, messageOf } from "../../../../kernel/errors.ts";
import { quoteName, quoteText } from "../../../../kernel/sql-text.ts";
import {
  chooseFormats,
  type DateColumn,
  type DateMark,
  type DateOrder,
  dateFormatsOf,
  dateTypeOf,
  inWords,
  orderOf,
} from "./csv-dates.ts";
import { type CsvFile, firstValues, readTexts } from "./csv-file.ts";
import { someColumns } from "./csv-notes.ts";
import type { SurveyScope } from "./csv-survey.ts";

/** Which formats the values of columns allow, by position. */
type Fits = ReadonlyMap<number, readonly string[]>;

/** Columns with what the caller says about dates in some of them. */
type Dated = Pick<CsvFile, "columns" | "saidFormat">;

/** SQL for a date in this format; NULL for what is none. */
export function parsedDate(column: string, format: string): string {
  const text = `CASE WHEN lower(${column}) IN ${NO_DATES} THEN NULL ELSE ${column} END`;
  return `try_strptime(${text}, ${quoteText(format)})`;
}

/** Words that DuckDB takes for the first day of 1900, whatever the format. */
const NO_DATES = "('epoch', 'infinity', '-infinity')";

/** True for what was parsed, and is no year of two digits that was taken for one of the first century. */
export function isLate(parsed: string): string {
  return `coalesce(${parsed} >= TIMESTAMP '1000-01-01', false)`;
}

/** True for a value in this format. */
export function isDateIn(column: string, format: string): string {
  return isLate(parsedDate(column, format));
}

/** Formats that DuckDB is told. */
type NativeFormats = Pick<CsvFile, "dateFormat" | "timestampFormat">;

/** Finds the columns of dates in other formats than ISO 8601, each with its own. */
export async function findDates(
  connection: DuckDBConnection,
  file: CsvFile,
  { head, rows }: SurveyScope,
  given: ReadonlySet<number>,
): Promise<CsvFile> {
  const first = formatsInFirstRecords(file, head.slice(0, HEAD_CHARACTERS), given);
  if (first.size === 0) return file;
  const all = readTexts(file);
  const source = rows === undefined ? all : `(SELECT * FROM ${all} LIMIT ${rows})`;
  const early = await withLateColumns(connection, file, [source], first);
  const fits = await fitting(connection, file, source, early);
  // Rows that do not fit a type that was given are rejected: they do not speak against the format.
  for (const [index, formats] of early) if (given.has(index)) fits.set(index, formats);
  const steps = await seriesMark(connection, file, source, fits);
  const dates = chooseFormats(fits, file.saidFormat, steps ?? dateMark(file, fits));
  const columns = file.columns.map((column, index) => {
    const format = dates.get(index)?.formats[0];
    return format === undefined || given.has(index) ? column : { ...column, type: dateTypeOf(format) };
  });
  const own = [...dates].filter(([index]) => !given.has(index));
  return { ...file, columns, dates: new Map(own), ...nativeFormats(file, dates, given) };
}

/** The same among columns of text of anything that can stand after FROM. */
export async function findTextDates(
  connection: DuckDBConnection,
  table: Dated,
  source: string,
): Promise<Map<number, DateColumn>> {
  const texts = table.columns.flatMap(({ type }, index) =>
    type === "VARCHAR" ? [[index, undefined] as const] : [],
  );
  // The first rows nearly always have a value that is no date.
  const sources = [`(SELECT * FROM ${source} LIMIT ${FIRST_ROWS})`, source];
  const early = await withLateColumns(connection, table, sources, new Map(texts));
  const fits = await fitting(connection, table, source, early);
  const steps = await seriesMark(connection, table, source, fits);
  return chooseFormats(fits, table.saidFormat, steps);
}

const FIRST_ROWS = 2_048;

/** Characters that are looked at before the engine is asked. */
const HEAD_CHARACTERS = 256 * 1024;

/** What else in the file goes with one order of day and month, when nothing goes with the other. */
function dateMark(file: CsvFile, fits: Fits): DateMark | undefined {
  const { decimal, delimiter, grouping, units, columns, header } = file;
  const found = [...units.values()];
  const money = found.find((unit) => unit === "€" || unit === "£");
  const hasThousandDots = [...grouping.grouped.values()].some(({ thousands }) => thousands === ".");
  const has12Hours = [...fits.values()].some((formats) => formats.some((format) => format.includes("%p")));
  const hasZip = header && columns.some(({ name }) => /^zip(?:[ _-]?codes?)?$/i.test(name));
  const dayFirst = [
    decimal === "," || hasThousandDots ? "the decimal comma" : undefined,
    delimiter === ";" ? "the semicolons between its fields" : undefined,
    money === undefined ? undefined : `amounts in ${money}`,
  ].filter((sign) => sign !== undefined);
  const monthFirst = [
    found.includes("$") ? "amounts in $" : undefined,
    has12Hours ? "times with AM and PM" : undefined,
    hasZip ? "ZIP codes" : undefined,
  ].filter((sign) => sign !== undefined);
  if (dayFirst.length > 0 && monthFirst.length > 0) return undefined;
  const [sign] = [...dayFirst, ...monthFirst];
  if (sign === undefined) return undefined;
  const because = `${sign} in the file, not because of the dates themselves`;
  return { order: dayFirst.length > 0 ? "day" : "month", sign: because };
}

/** Dates that are looked at for the steps between them. */
const SERIES_DATES = 5_000;

/** The order in which the dates of a column follow each other in regular steps, when it is one order in all columns. */
async function seriesMark(
  connection: DuckDBConnection,
  { columns }: Dated,
  source: string,
  fits: Fits,
): Promise<DateMark | undefined> {
  const orders = new Set<"day" | "month">();
  for (const [index, formats] of fits) {
    const dayFirst = formats.find((format) => orderOf(format) === "day");
    const monthFirst = formats.find((format) => orderOf(format) === "month");
    if (dayFirst === undefined || monthFirst === undefined) continue;
    const column = quoteName(columns[index]!.name);
    const daysIn = async (format: string): Promise<string[]> => {
      const date = `CAST(${parsedDate(column, format)} AS DATE)`;
      const reader = await connection.runAndReadAll(
        `SELECT DISTINCT CAST(${date} AS VARCHAR) AS day FROM ${source} WHERE ${column} IS NOT NULL ORDER BY day LIMIT ${SERIES_DATES}`,
      );
      return reader.getRowsJS().map(([day]) => String(day));
    };
    const order = seriesOrder({ day: await daysIn(dayFirst), month: await daysIn(monthFirst) });
    if (order !== undefined) orders.add(order);
  }
  const [order] = orders;
  if (order === undefined || orders.size > 1) return undefined;
  return { order, sign: "the regular steps in which the dates then follow each other" };
}

/** Columns whose type was given are read by DuckDB, which takes one format for all of them. */
function nativeFormats(file: CsvFile, dates: CsvFile["dates"], given: ReadonlySet<number>): NativeFormats {
  const formats = [...dates].flatMap(([index, column]) => (given.has(index) ? [column.formats[0]!] : []));
  const dateFormat = formats.find((format) => dateTypeOf(format) === "DATE");
  const timestampFormat = formats.find((format) => dateTypeOf(format) === "TIMESTAMP");
  return {
    dateFormat: dateFormat ?? file.dateFormat,
    timestampFormat: timestampFormat ?? file.timestampFormat,
  };
}

const DATE_TYPES: readonly string[] = ["DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"];

/** Undefined for a column without a value. */
function formatsInFirstRecords(
  file: CsvFile,
  head: string,
  given: ReadonlySet<number>,
): Map<number, readonly string[] | undefined> {
  const said = file.saidFormat;
  const left = new Map<number, readonly string[] | undefined>();
  for (const [index, { type }] of file.columns.entries()) {
    const mayBeDate = given.has(index) ? DATE_TYPES.includes(type) : type === "VARCHAR";
    const mayBeSaid = said !== undefined && !given.has(index) && !file.grouping.grouped.has(index);
    if (mayBeDate || mayBeSaid) left.set(index, undefined);
  }
  for (const { index, value } of firstValues(head, file, left)) {
    const found = [...new Set([...(said === undefined ? [] : [said]), ...dateFormatsOf(value)])];
    if (found.length === 0 && given.has(index)) continue;
    const both = left.get(index)?.filter((format) => found.includes(format)) ?? found;
    if (both.length > 0) left.set(index, both);
    else left.delete(index);
  }
  return left;
}

/** Columns that are empty in the first records have their first value further down, in the first source that has one. */
async function withLateColumns(
  connection: DuckDBConnection,
  { columns, saidFormat }: Dated,
  sources: readonly string[],
  first: ReadonlyMap<number, readonly string[] | undefined>,
): Promise<Fits> {
  const found = new Map(first);
  for (const source of sources) {
    const late = [...found.keys()].filter((index) => found.get(index) === undefined);
    if (late.length === 0) break;
    const items = late.map((index) => `any_value(${quoteName(columns[index]!.name)})`);
    const reader = await connection.runAndReadAll(`SELECT ${items.join(", ")} FROM ${source}`);
    for (const [place, index] of late.entries()) {
      const value = reader.value(place, 0);
      const said = saidFormat === undefined ? [] : [saidFormat];
      if (typeof value === "string") found.set(index, [...new Set([...said, ...dateFormatsOf(value)])]);
    }
  }
  return new Map([...found].filter((entry): entry is [number, string[]] => (entry[1]?.length ?? 0) > 0));
}

/** Which of these formats hold for all values of a source. */
async function fitting(
  connection: DuckDBConnection,
  { columns, saidFormat }: Dated,
  source: string,
  wanted: Fits,
): Promise<Map<number, readonly string[]>> {
  const checks = [...wanted].flatMap(([index, formats]) => formats.map((format) => ({ index, format })));
  if (checks.length === 0) return new Map();
  const items = checks.map(({ index, format }) => {
    const column = quoteName(columns[index]!.name);
    return `coalesce(bool_and(${column} IS NULL OR ${isDateIn(column, format)}), false)`;
  });
  const reader = await connection
    .runAndReadAll(`SELECT ${items.join(", ")} FROM ${source}`)
    .catch((error: unknown) => {
      throw messageOf(error).includes("format specifier") ? unknownFormat(saidFormat, error) : error;
    });
  const fits = new Map<number, readonly string[]>();
  for (const [place, { index, format }] of checks.entries()) {
    if (reader.value(place, 0) === true) fits.set(index, [...(fits.get(index) ?? []), format]);
  }
  return fits;
}

function unknownFormat(format: string | undefined, cause: unknown): AppError {
  return new AppError("bad_request", `The date format ${JSON.stringify(format ?? "")} is not known.`, {
    hint: 'Write it as in strptime: "%d/%m/%Y", "%m/%d/%Y %H:%M".',
    cause,
  });
}

/** What a reader should know about dates that can be read in two ways, once they are written to `part`. */
export async function dateNotes(
  connection: DuckDBConnection,
  file: Dated & Pick<CsvFile, "dates"> & Partial<NativeFormats>,
  part: string,
): Promise<string[]> {
  const open = [...file.dates].flatMap(([index, { formats, settledBy }]) => {
    const [format, ...others] = formats;
    const other = others.find((each) => orderOf(each) !== orderOf(format!));
    const isSure = settledBy === "caller" || settledBy === "columns" || other === undefined;
    return isSure ? [] : [{ index, format: format!, other, mark: settledBy }];
  });
  if (open.length === 0) return noneFits(file);
  const items = open.map(({ index }) => `max(day(${quoteName(file.columns[index]!.name)})) <= 12`);
  const reader = await connection.runAndReadAll(
    `SELECT ${items.join(", ")} FROM read_parquet(${quoteText(part)})`,
  );
  // Were one of the days above 12, it could not be the month; and what holds for one column holds for the others.
  const proven = new Set<DateOrder | undefined>(
    open.flatMap(({ format }, place) => {
      const order = orderOf(format);
      return order !== "year" && reader.value(place, 0) === false ? [order] : [];
    }),
  );
  const unsure = open.filter(({ format }) => !proven.has(orderOf(format)));
  const groups = Map.groupBy(unsure, ({ format, other }) => `${inWords(format)}, not ${inWords(other)}`);
  return [...groups].map(([words, members]) => {
    const names = someColumns(members.map(({ index }) => file.columns[index]!.name));
    const [{ mark, other }] = members as [(typeof members)[number]];
    const reason =
      mark === undefined
        ? "Nothing in the file tells the order of day, month and year in"
        : `Because of ${mark.sign}, this order was chosen in`;
    return `${reason} ${names}: dates were taken as ${words}. If that is wrong, import again with options.date_format ${JSON.stringify(other)}.`;
  });
}

function noneFits({
  saidFormat,
  dates,
  columns,
  dateFormat,
  timestampFormat,
}: Parameters<typeof dateNotes>[1]): string[] {
  if (saidFormat === undefined || columns.length === 0) return [];
  const isUsed =
    dateFormat === saidFormat ||
    timestampFormat === saidFormat ||
    [...dates.values()].some(({ formats }) => formats[0] === saidFormat);
  return isUsed ? [] : [`No column has dates in the format ${JSON.stringify(saidFormat)}.`];
}

/** The formats of dates, or of timestamps; by column where they differ. */
export function formatsOf(
  file: CsvFile,
  type: "DATE" | "TIMESTAMP",
): string | { column: string; format: string }[] | undefined {
  const native = type === "DATE" ? file.dateFormat : file.timestampFormat;
  const found = file.columns.flatMap((column, index) => {
    if (column.type !== type) return [];
    const iso = type === "DATE" ? "%Y-%m-%d" : undefined;
    const format = file.dates.get(index)?.formats[0] ?? native ?? iso;
    return format === undefined ? [] : [{ column: column.name, format }];
  });
  const [first] = found;
  return found.every(({ format }) => format === first?.format) ? first?.format : found;
}

/** Of the steps between dates, how many have to be the same: a month may be missing. */
const MOST = 0.9;
const LEAST_DATES = 3;

/**
 * The order of day and month in which dates follow each other in regular steps, where the other order does not make such
 * steps. 8/1/98, 9/1/98, 10/1/98 are three days of January, or the first days of three months: where both are regular,
 * a series of first days of months is meant. Dates are in ISO 8601, each once, sorted.
 */
function seriesOrder(dates: {
  day: readonly string[];
  month: readonly string[];
}): "day" | "month" | undefined {
  const [day, month] = [stepsOf(dates.day), stepsOf(dates.month)];
  if (day === month) return undefined;
  if (day === "firsts" || month === "none") return "day";
  if (month === "firsts" || day === "none") return "month";
  return undefined;
}

type Steps = "firsts" | "regular" | "none";

/** First days of months in steps of as many months each; other regular steps; or none. */
function stepsOf(dates: readonly string[]): Steps {
  if (dates.length < LEAST_DATES) return "none";
  const days = new Set(dates.map((date) => date.slice(8)));
  const months = dates.map((date) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)));
  if (days.size === 1 && isRegular(months)) return days.has("01") ? "firsts" : "regular";
  return isRegular(dates.map((date) => Date.parse(date))) ? "regular" : "none";
}

function isRegular(places: readonly number[]): boolean {
  const steps = places.slice(1).map((place, index) => place - places[index]!);
  const most = Math.max(
    ...Map.groupBy(steps, (step) => step)
      .values()
      .map((same) => same.length),
  );
  return most >= steps.length * MOST;
}
