import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError, messageOf } from "../../../kernel/errors.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import type { Column, ConvertOptions } from "../analytics-options.ts";
import { sqlType } from "../types/column-types.ts";
import { quoteName, quoteText } from "../types/sql-text.ts";
import {
  detectDelimiter,
  detectSkippedLines,
  nameColumns,
  parseRecord,
  type Renamed,
  skipLines,
} from "./csv-dialect.ts";
import { type CsvFile, dialectOptions, readCsv } from "./csv-file.ts";
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

type Sniffing = Omit<CsvFile, "columns" | "header">;

interface Sniffed {
  skippedLines: number;
  header: boolean;
  columns: Column[];
  dateFormat: string | undefined;
  timestampFormat: string | undefined;
}

/** The beginning of the file, once as text and once as a file that ends with a line. */
export interface Sample {
  text: string;
  path: string;
}

/** Finds out how a file is to be read; what the options say is believed. */
export async function detectCsv(
  connection: DuckDBConnection,
  path: string,
  sample: Sample,
  options: ConvertOptions,
): Promise<DetectedCsv> {
  const quote = options.quote ?? '"';
  const text = sample.text.slice(0, DELIMITER_SAMPLE);
  const quoting = {
    delimiter: options.delimiter ?? detectDelimiter(text, quote),
    quote,
    escape: options.escape ?? quote,
  };
  const skippedLines = options.skipLines ?? detectSkippedLines(text, quoting);
  // A file with too many columns must not reach the engine.
  parseRecord(sample.text, skipLines(sample.text, skippedLines), quoting);
  const sniffing: Sniffing = {
    ...quoting,
    path: sample.path,
    decimal: options.decimal ?? ".",
    dateFormat: options.dateFormat,
    timestampFormat: options.timestampFormat,
    nulls: options.nulls ?? [""],
    isStrict: false,
    skippedLines,
  };
  const plain = { sniffing, sniffed: await sniff(connection, sniffing, options.header) };
  const best = await sniffDecimals(connection, plain, options);
  const detected = name(best, sample.text, options);
  const columns = await keepDigits(connection, detected);
  return { ...detected, file: { ...detected.file, columns, path, isStrict: true } };
}

interface SniffedFile {
  sniffing: Sniffing;
  sniffed: Sniffed;
}

function notCsv(error: unknown): AppError {
  const [, reason = ""] = messageOf(error).split("\n");
  const { reasonCharacters } = LIMITS.analytics;
  return new AppError("bad_request", `The file cannot be read as CSV. ${reason.slice(0, reasonCharacters)}`, {
    hint: "Say delimiter, quote and header, or check that the file is CSV.",
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
    dateFormat: options.dateFormat ?? dateFormat,
    timestampFormat: options.timestampFormat ?? timestampFormat,
  };
  const file: CsvFile = { ...sniffing, ...formats, header, skippedLines, columns };
  return { file, renamed: header ? renamed : [], given };
}

function givenType(types: ConvertOptions["types"], name: string): string | undefined {
  const key = Object.keys(types ?? {}).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : types?.[key];
}

/** DuckDB takes whole numbers that do not fit into 64 bits for floating point, which forgets their last digits. */
async function keepDigits(
  connection: DuckDBConnection,
  { file, given }: DetectedCsv,
): Promise<readonly Column[]> {
  const indexes = file.columns.flatMap(({ type }, index) =>
    type === "DOUBLE" && !given.has(index) ? [index] : [],
  );
  if (indexes.length === 0) return file.columns;
  const texts = file.columns.map(() => "VARCHAR");
  const rows = Math.max(100, Math.min(SAMPLE_ROWS, Math.floor(SAMPLE_VALUES / file.columns.length)));
  const items = indexes.map((index) => {
    const column = quoteName(file.columns[index]!.name);
    return `bool_and(regexp_full_match(${column}, '[+-]?[0-9]+')), max(length(${column}))`;
  });
  const sample = `SELECT * FROM ${readCsv(file, texts, undefined)} LIMIT ${rows}`;
  const reader = await connection.runAndReadAll(`SELECT ${items.join(", ")} FROM (${sample})`);
  return file.columns.map((column, index) => {
    const place = indexes.indexOf(index);
    if (place === -1 || reader.value(2 * place, 0) !== true) return column;
    const digits = Number(reader.value(2 * place + 1, 0));
    return { ...column, type: digits <= 38 ? "DECIMAL(38,0)" : "VARCHAR" };
  });
}
