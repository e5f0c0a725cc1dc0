import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError, messageOf } from "../../../kernel/errors.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import type { Column, ConvertOptions } from "../analytics-options.ts";
import { sqlType } from "../types/column-types.ts";
import { quoteName, quoteText } from "../types/sql-text.ts";
import { findDates, type SniffedFormats } from "./csv-date-columns.ts";
import { type DateColumn, dateFormatsOf, isIsoFormat } from "./csv-dates.ts";
import {
  detectDelimiter,
  detectSkippedLines,
  nameColumns,
  parseRecord,
  type Renamed,
  skipLines,
  toldDelimiter,
} from "./csv-dialect.ts";
import { type CsvFile, dialectOptions, type Grouping, readCsv } from "./csv-file.ts";
import { findCandidates, group, type Shapes, settleDecimal, shapesOf } from "./csv-grouping.ts";
import type { Sample } from "./csv-sample.ts";
import { NO_NUMBER } from "./csv-thousands.ts";
import { checkColumnCount } from "./write-part.ts";

export interface DetectedCsv {
  file: CsvFile;
  renamed: Renamed[];
  /** Columns whose type the caller has chosen. */
  given: ReadonlySet<number>;
}

/** Characters that are looked at to find the delimiter. */
const DELIMITER_SAMPLE = 256 * 1024;
/** Values that are looked at to find types: as many rows as DuckDB takes by itself, fewer of a wide file. */
const SAMPLE_VALUES = 1_000_000;
const SAMPLE_ROWS = 20_480;

type Sniffing = Omit<CsvFile, "columns" | "header" | "grouping" | "dates">;

interface Sniffed extends SniffedFormats {
  skippedLines: number;
  header: boolean;
  columns: Column[];
}

/** Finds out how a file is to be read; what the options say is believed. */
export async function detectCsv(
  connection: DuckDBConnection,
  path: string,
  sample: Sample,
  options: ConvertOptions,
): Promise<DetectedCsv> {
  const quote = options.quote ?? '"';
  const told = toldDelimiter(sample.text);
  const start = told === undefined ? 0 : skipLines(sample.text, 1);
  const text = sample.text.slice(start, start + DELIMITER_SAMPLE);
  const quoting = {
    delimiter: options.delimiter ?? told ?? detectDelimiter(text, quote),
    quote,
    escape: quote,
  };
  const above = told === undefined ? 0 : 1;
  const skippedLines = options.skipLines ?? above + detectSkippedLines(text, quoting);
  // A file with too many columns must not reach the engine.
  parseRecord(sample.text, skipLines(sample.text, skippedLines), quoting);
  const sniffing: Sniffing = {
    ...quoting,
    path: sample.path,
    decimal: options.decimal ?? ".",
    dateFormat: undefined,
    timestampFormat: undefined,
    saidFormat: options.dateFormat,
    nulls: [...new Set(["", ...(options.nulls ?? [])])],
    isStrict: false,
    skippedLines,
  };
  const plain = { sniffing, sniffed: await sniff(connection, sniffing, options.header) };
  const best = await sniffDecimals(connection, plain, options);
  const grouped = await groupDigits(connection, best, { path, head: sample.text }, options);
  const { given } = grouped;
  const dated = await findDates(connection, grouped.file, sample.text.slice(0, DELIMITER_SAMPLE), {
    rows: sampleRows(grouped.file),
    given,
    sniffed: best.sniffed,
  });
  // To DuckDB most dates are text, and the first row of a file of text its header.
  if (options.header === undefined && hasDateAsName(dated)) {
    return detectCsv(connection, path, sample, { ...options, header: false });
  }
  const columns = await keepDigits(connection, dated, given);
  return { ...grouped, file: { ...dated, columns, path, isStrict: true } };
}

function hasDateAsName({ header, columns, dates }: CsvFile): boolean {
  const isDate = ([index, { formats }]: [number, DateColumn]): boolean =>
    dateFormatsOf(columns[index]!.name).some((format) => formats.includes(format));
  return header && [...dates].some(isDate);
}

interface SniffedFile {
  sniffing: Sniffing;
  sniffed: Sniffed;
}

function notCsv(error: unknown): AppError {
  const [, reason = ""] = messageOf(error).split("\n");
  const { reasonCharacters } = LIMITS.analytics;
  return new AppError("bad_request", `The file cannot be read as CSV. ${reason.slice(0, reasonCharacters)}`, {
    hint: "Check that the file is CSV; options say its delimiter, quote, header and encoding.",
    cause: error,
  });
}

async function sniff(
  connection: DuckDBConnection,
  sniffing: Sniffing,
  header: boolean | undefined,
): Promise<Sniffed> {
  const settings = [
    quoteText(sniffing.path),
    ...dialectOptions(sniffing),
    `skip = ${sniffing.skippedLines}`,
    `sample_size = ${SAMPLE_ROWS}`,
    "ignore_errors = true",
    ...(header === undefined ? [] : [`header = ${header}`]),
  ];
  const sql = `SELECT SkipRows AS skip, HasHeader AS header, to_json(Columns) AS columns,
      DateFormat AS date_format, TimestampFormat AS timestamp_format
    FROM sniff_csv(${settings.join(", ")})`;
  const reader = await connection.runAndReadAll(sql).catch((error: unknown) => {
    throw notCsv(error);
  });
  const [found] = reader.getRowObjectsJS();
  const { skip: skippedLines, header: hasHeader, columns, date_format, timestamp_format } = found ?? {};
  return {
    skippedLines: Number(skippedLines),
    header: hasHeader === true,
    columns: JSON.parse(String(columns)) as Column[],
    dateFormat: typeof date_format === "string" ? date_format : undefined,
    timestampFormat: typeof timestamp_format === "string" ? timestamp_format : undefined,
  };
}

/** A decimal comma, where reading it so turns texts into numbers and no number into text. */
async function sniffDecimals(
  connection: DuckDBConnection,
  plain: SniffedFile,
  options: ConvertOptions,
): Promise<SniffedFile> {
  if (options.decimal !== undefined || plain.sniffing.delimiter === ",") return plain;
  const sniffing: Sniffing = { ...plain.sniffing, decimal: "," };
  const comma = { sniffing, sniffed: await sniff(connection, sniffing, options.header) };
  const [before, after] = [plain, comma].map(({ sniffed }) =>
    sniffed.columns.map(({ type }) => isNumber(type)),
  );
  const isBetter = after!.some((isOne, index) => isOne && !before![index]);
  const isWorse = before!.some((isOne, index) => isOne && !after![index]);
  return isBetter && !isWorse ? comma : plain;
}

function isNumber(type: string): boolean {
  return type === "BIGINT" || type === "DOUBLE";
}

function name({ sniffing, sniffed }: SniffedFile, head: string, options: ConvertOptions): DetectedCsv {
  checkColumnCount(sniffed.columns.length);
  const { skippedLines, header, dateFormat, timestampFormat } = sniffed;
  const { fields } = parseRecord(head, skipLines(head, skippedLines), sniffing);
  const detected = sniffed.columns.map(({ name: found }) => found);
  const headers = !header ? detected.map(() => "") : fields.length === detected.length ? fields : detected;
  const { names, renamed } = nameColumns(headers);
  const given = new Set<number>();
  const columns = sniffed.columns.map(({ type }, index) => {
    const chosen = givenType(options.types, names[index]!);
    if (chosen !== undefined) given.add(index);
    return { name: names[index]!, type: chosen === undefined ? type : sqlType(chosen) };
  });
  const formats = {
    dateFormat: isIsoFormat(dateFormat) ? dateFormat : undefined,
    timestampFormat: isIsoFormat(timestampFormat) ? timestampFormat : undefined,
  };
  const grouping = { grouped: new Map(), ambiguous: new Map(), settled: undefined };
  const file = { ...sniffing, ...formats, header, skippedLines, columns, grouping, dates: new Map() };
  return { file, renamed: header ? renamed : [], given };
}

function givenType(types: ConvertOptions["types"], name: string): string | undefined {
  const key = Object.keys(types ?? {}).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : types?.[key];
}

function sampleRows({ columns }: CsvFile): number {
  return Math.max(100, Math.min(SAMPLE_ROWS, Math.floor(SAMPLE_VALUES / columns.length)));
}

/**
 * Numbers with thousands separators, which are text to DuckDB. They may also tell which mark stands before
 * decimals: beside 12,50 or 1.234,56 a column of 1.234 has thousands.
 */
async function groupDigits(
  connection: DuckDBConnection,
  best: SniffedFile,
  whole: { path: string; head: string },
  options: ConvertOptions,
): Promise<DetectedCsv> {
  const named = name(best, whole.head, options);
  const shapes = await sampleShapes(connection, named, whole.head);
  if (shapes === undefined) return named;
  const given = options.decimal && { decimal: options.decimal, witnesses: undefined };
  const settled = given ?? settleDecimal(shapes);
  const isOther = settled !== undefined && settled.decimal !== named.file.decimal;
  const other = isOther && (await nameAnew(connection, best, settled.decimal, whole.head, options));
  const detected = other && isBetterGrouped(other.file, named.file, shapes, settled) ? other : named;
  const { file } = detected;
  const grouped = group(file, shapes, settled);
  const { ambiguous } = grouped.grouping;
  if (ambiguous.size === 0) return { ...detected, file: grouped };
  // The first values may be decimals as well: the column is looked at to its end, where one may tell.
  const late = await shapesOf(connection, { ...file, path: whole.path }, [...ambiguous.keys()], undefined);
  const early = [...shapes].filter(([index]) => !ambiguous.has(index));
  const all = new Map([...early, ...numbersIn(late)]);
  return { ...detected, file: group(file, all, given ?? settleDecimal(all)) };
}

/** The file with another decimal mark. */
async function nameAnew(
  connection: DuckDBConnection,
  { sniffing: before, sniffed: { header } }: SniffedFile,
  decimal: CsvFile["decimal"],
  head: string,
  options: ConvertOptions,
): Promise<DetectedCsv> {
  const sniffing: Sniffing = { ...before, decimal };
  return name({ sniffing, sniffed: await sniff(connection, sniffing, header) }, head, options);
}

/** Another decimal mark, where that gives numbers with separators and turns no other column into text. */
function isBetterGrouped(
  other: CsvFile,
  file: CsvFile,
  shapes: Shapes,
  settled: Grouping["settled"],
): boolean {
  const [before, after] = [file, other].map((each) => group(each, shapes, settled));
  const isWorse = before!.columns.some(
    ({ type }, index) => type !== "VARCHAR" && after!.columns[index]?.type === "VARCHAR",
  );
  return after!.grouping.grouped.size > 0 && !isWorse;
}

/** The shapes of columns of text that are numbers, and of what DuckDB took for decimals; undefined without any. */
async function sampleShapes(
  connection: DuckDBConnection,
  { file, given }: DetectedCsv,
  head: string,
): Promise<Shapes | undefined> {
  const candidates = findCandidates(head.slice(0, DELIMITER_SAMPLE), file, given);
  const numbers = numbersIn(await shapesOf(connection, file, candidates, sampleRows(file)));
  if (numbers.length === 0) return undefined;
  const doubles = file.columns.flatMap(({ type }, index) =>
    type === "DOUBLE" && !given.has(index) ? [index] : [],
  );
  return new Map([...numbers, ...(await shapesOf(connection, file, doubles, sampleRows(file)))]);
}

function numbersIn(shapes: Shapes): [number, readonly string[]][] {
  return [...shapes].filter(([, found]) => found.length > 0 && !found.includes(NO_NUMBER));
}

/** DuckDB takes whole numbers that do not fit into 64 bits for floating point, which forgets their last digits. */
async function keepDigits(
  connection: DuckDBConnection,
  file: CsvFile,
  given: ReadonlySet<number>,
): Promise<readonly Column[]> {
  const indexes = file.columns.flatMap(({ type }, index) =>
    type === "DOUBLE" && !given.has(index) && !file.grouping.grouped.has(index) ? [index] : [],
  );
  if (indexes.length === 0) return file.columns;
  const texts = file.columns.map(() => "VARCHAR");
  const items = indexes.map((index) => {
    const column = quoteName(file.columns[index]!.name);
    return `bool_and(regexp_full_match(${column}, '[+-]?[0-9]+')), max(length(${column}))`;
  });
  const sample = `SELECT * FROM ${readCsv(file, texts, undefined)} LIMIT ${sampleRows(file)}`;
  const reader = await connection.runAndReadAll(`SELECT ${items.join(", ")} FROM (${sample})`);
  return file.columns.map((column, index) => {
    const place = indexes.indexOf(index);
    if (place === -1 || reader.value(2 * place, 0) !== true) return column;
    const digits = Number(reader.value(2 * place + 1, 0));
    return { ...column, type: digits <= 38 ? "DECIMAL(38,0)" : "VARCHAR" };
  });
}
