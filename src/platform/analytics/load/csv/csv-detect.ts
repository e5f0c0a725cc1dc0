import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError, messageOf } from "../../../../kernel/errors.ts";
import { quoteName } from "../../../../kernel/sql-text.ts";
import type { ConvertOptions } from "../../analytics-options.ts";
import { LIMITS } from "../../limits.ts";
import { sqlType } from "../../types/column-types.ts";
import { checkColumnCount } from "../write-part.ts";
import { findDates } from "./csv-date-columns.ts";
import {
  detectDelimiter,
  nameColumns,
  parseRecord,
  type Renamed,
  recordsOf,
  skipLines,
  toldDelimiter,
} from "./csv-dialect.ts";
import { type CsvFile, firstValues, readTexts } from "./csv-file.ts";
import { findStart, isOneColumn, layoutOf, NO_DELIMITER } from "./csv-header.ts";
import { aboveNotes, backslashNotes, renamedNotes, wholeNotes } from "./csv-notes.ts";
import {
  findCandidates,
  group,
  NO_NUMBER,
  type Shapes,
  settleDecimal,
  shapesOf,
  unitOf,
} from "./csv-numbers.ts";
import { type Sample, type SurveyScope, surveyColumns } from "./csv-survey.ts";

export interface DetectedCsv {
  file: CsvFile;
  renamed: Renamed[];
  /** What was found in the layout that a reader should know. */
  layoutNotes: readonly string[];
  /** Columns at the end that the header does not know, though the rows have them. */
  extra: number;
  /** Columns whose type the caller has chosen. */
  given: ReadonlySet<number>;
  /** Whether the types were found by all values of the file. */
  isVerified: boolean;
}

/** Characters that are looked at to find the delimiter. */
const DELIMITER_SAMPLE = 256 * 1024;
/** Values that are looked at to find types. */
const SAMPLE_VALUES = 1_000_000;
const SAMPLE_ROWS = 20_480;

/** Finds out how a file is to be read; what the options say is believed. */
export async function detectCsv(
  connection: DuckDBConnection,
  path: string,
  sample: Sample,
  options: ConvertOptions,
): Promise<DetectedCsv> {
  const bare = layOut(sample.text, options);
  checkColumnCount(bare.file.columns.length);
  const rows = sampleRows(bare.file);
  const early = { ...bare, file: { ...bare.file, path: sample.path } };
  const found = await withTable(connection, early, rows, (copied) =>
    detectTypes(connection, copied, { head: sample.text, rows, path }, options),
  ).catch((error: unknown) => {
    throw notCsv(error);
  });
  const isWhole = sample.path === path && found.rows < rows;
  const file = { ...found.detected.file, path, table: undefined };
  const detected = { ...found.detected, file, isVerified: false };
  // A column may begin late, and a number or a date is one there as well.
  if (found.hasEmpty && !isWhole) return detectAll(connection, detected, sample.text, options);
  return detected;
}

const TABLE = "kenning sample";

/** The first rows are looked at several times, and parsed once. */
async function withTable<T>(
  connection: DuckDBConnection,
  detected: DetectedCsv,
  rows: number,
  work: (detected: DetectedCsv) => Promise<T>,
): Promise<T> {
  const { file } = detected;
  const table = quoteName(TABLE);
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${table} AS SELECT * FROM ${readTexts(file)} LIMIT ${rows}`,
  );
  try {
    return await work({ ...detected, file: { ...file, table: TABLE } });
  } finally {
    await connection.run(`DROP TABLE ${table}`);
  }
}

/** The types that hold all values of a file, after one of them did not fit what the first ones said. */
export async function detectAll(
  connection: DuckDBConnection,
  before: DetectedCsv,
  head: string,
  options: ConvertOptions,
): Promise<DetectedCsv> {
  const scope = { head, rows: undefined, path: before.file.path };
  const { detected } = await detectTypes(connection, asTexts(before), scope, options);
  return { ...detected, isVerified: true };
}

/** All columns as text, but for those whose type was given. */
export function asTexts(detected: DetectedCsv): DetectedCsv {
  const columns = detected.file.columns.map((column, index) =>
    detected.given.has(index) ? column : { ...column, type: "VARCHAR" },
  );
  return { ...detected, file: { ...detected.file, ...NOTHING_FOUND, columns } };
}

/** As it is when nothing has been found out about the values. */
const NOTHING_FOUND = {
  grouping: { grouped: new Map(), ambiguous: new Map(), settled: undefined },
  dates: new Map(),
  words: new Map(),
  units: new Map(),
  pluses: new Set<number>(),
  dropped: new Set<number>(),
};

/** Delimiter, lines above the table, header and names, from the text alone. All columns are text yet. */
function layOut(head: string, options: ConvertOptions): DetectedCsv {
  const quote = options.quote ?? '"';
  const told = toldDelimiter(head);
  const start = told === undefined ? 0 : skipLines(head, 1);
  const text = head.slice(start, start + DELIMITER_SAMPLE);
  const own = options.delimiter === undefined && told === undefined ? ownDelimiter(text, quote) : undefined;
  const quoting = { delimiter: options.delimiter ?? told ?? own!.delimiter, quote, escape: quote };
  const found = findStart(text, quoting);
  const toldLines = told === undefined ? 0 : 1;
  const skippedLines = options.skipLines ?? toldLines + found.skippedLines;
  const skippedRecords = options.skipLines ?? toldLines + found.skippedRecords;
  // A file with too many columns must not reach the engine.
  parseRecord(head, skipLines(head, skippedLines), quoting);
  const records = recordsOf(head.slice(0, start + DELIMITER_SAMPLE), skippedLines, quoting);
  const { header, headers, extra, notes } = layoutOf(records, options.header);
  const { names, renamed } = nameColumns(headers);
  const given = new Set<number>();
  const columns = names.map((name, index) => {
    const chosen = givenType(options.types, name);
    if (chosen !== undefined) given.add(index);
    return { name, type: chosen === undefined ? "VARCHAR" : sqlType(chosen) };
  });
  const file: CsvFile = {
    ...quoting,
    ...NOTHING_FOUND,
    path: "",
    decimal: options.decimal ?? ".",
    dateFormat: undefined,
    timestampFormat: undefined,
    saidFormat: options.dateFormat,
    nulls: [...new Set(["", ...(options.nulls ?? [])])],
    header,
    skippedLines,
    skippedRecords,
    columns,
  };
  const above = options.skipLines === undefined ? found.above : [];
  const layoutNotes = [
    ...aboveNotes(above),
    ...wholeNotes(own?.left),
    ...backslashNotes(records),
    ...notes,
    ...(header ? renamedNotes(renamed) : []),
  ];
  return { file, renamed: header ? renamed : [], layoutNotes, extra, given, isVerified: false };
}

/** One that is nowhere in a file of a single column, whose values may have any; `left` is what then cuts nothing. */
function ownDelimiter(text: string, quote: string): { delimiter: string; left?: string } {
  if (/^[\s,;|]*$/.test(text)) throw onlyDelimiters();
  const delimiter = detectDelimiter(text, quote);
  if (delimiter === undefined) return { delimiter: NO_DELIMITER };
  if (!isOneColumn(text, { delimiter, quote, escape: quote })) return { delimiter };
  return { delimiter: NO_DELIMITER, left: delimiter };
}

function onlyDelimiters(): AppError {
  return new AppError("bad_request", "The file has nothing but delimiters: no name and no value.", {
    hint: "Send a header line and rows.",
  });
}

function givenType(types: ConvertOptions["types"], name: string): string | undefined {
  const key = Object.keys(types ?? {}).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : types?.[key];
}

function notCsv(error: unknown): unknown {
  if (error instanceof AppError || !/^(?:Invalid Input|CSV) Error/.test(messageOf(error))) return error;
  const [, reason = ""] = messageOf(error).split("\n");
  const { reasonCharacters } = LIMITS.analytics;
  return new AppError("bad_request", `The file cannot be read as CSV. ${reason.slice(0, reasonCharacters)}`, {
    hint: "Check that the file is CSV; options say its delimiter, quote, header and encoding.",
    cause: error,
  });
}

function sampleRows({ columns }: CsvFile): number {
  return Math.max(100, Math.min(SAMPLE_ROWS, Math.floor(SAMPLE_VALUES / columns.length)));
}

interface FoundTypes {
  detected: DetectedCsv;
  rows: number;
  /** Whether a column has no value yet. */
  hasEmpty: boolean;
}

/** Types of the columns whose type was not given: plain ones, units, separators, dates; what is left stays text. */
async function detectTypes(
  connection: DuckDBConnection,
  bare: DetectedCsv,
  scope: SurveyScope,
  options: ConvertOptions,
): Promise<FoundTypes> {
  const open = bare.file.columns.flatMap((_, index) => (bare.given.has(index) ? [] : [index]));
  const first = await surveyFile(connection, bare.file, open, scope, options);
  const united = await findUnits(connection, first.file, open, scope);
  const grouped = await groupDigits(connection, { ...bare, file: united }, scope, options);
  const dated = await findDates(connection, grouped, scope, bare.given);
  const isEmpty = (index: number): boolean => first.empty.has(index);
  const file = dropEmptyEnd(keepTexts(dated), isEmpty);
  return { detected: { ...bare, file }, rows: first.rows, hasEmpty: first.empty.size > 0 };
}

interface SurveyedFile {
  file: CsvFile;
  rows: number;
  /** Columns without a value. */
  empty: ReadonlySet<number>;
}

/** A decimal comma, where reading it so turns texts into numbers and no number into text. */
async function surveyFile(
  connection: DuckDBConnection,
  file: CsvFile,
  open: readonly number[],
  scope: SurveyScope,
  options: ConvertOptions,
): Promise<SurveyedFile> {
  const plain = await surveyWith(connection, file, open, scope);
  // A single late value does not turn round what the first ones said.
  if (options.decimal !== undefined || file.delimiter === "," || scope.rows === undefined) return plain;
  const comma = await surveyWith(connection, { ...file, decimal: "," }, open, scope);
  const isNumber = ({ file: { columns } }: SurveyedFile, index: number): boolean =>
    /^(?:BIGINT|DOUBLE|DECIMAL)/.test(columns[index]!.type);
  const isBetter = open.some((index) => isNumber(comma, index) && !isNumber(plain, index));
  const isWorse = open.some((index) => isNumber(plain, index) && !isNumber(comma, index));
  return isBetter && !isWorse ? comma : plain;
}

async function surveyWith(
  connection: DuckDBConnection,
  file: CsvFile,
  open: readonly number[],
  scope: SurveyScope,
): Promise<SurveyedFile> {
  const { columns: found, rows } = await surveyColumns(connection, file, open, scope);
  const columns = file.columns.map((column, index) => ({
    ...column,
    type: found.get(index)?.type ?? column.type,
  }));
  const words = [...found].flatMap(([index, column]) =>
    column.words.length === 0 ? [] : [[index, column.words.toSorted()] as const],
  );
  const empty = new Set([...found].flatMap(([index, { hasValues }]) => (hasValues ? [] : [index])));
  const pluses = [...found].flatMap(([index, { hasPlus }]) => (hasPlus ? [index] : []));
  const seen = { words: new Map([...file.words, ...words]), pluses: new Set([...file.pluses, ...pluses]) };
  return { file: { ...file, columns, ...seen }, rows, empty };
}

/** Numbers with a percent sign or a currency, where every value has it. */
async function findUnits(
  connection: DuckDBConnection,
  file: CsvFile,
  open: readonly number[],
  scope: SurveyScope,
): Promise<CsvFile> {
  const values = new Map<number, string[]>();
  for (const index of open) if (file.columns[index]!.type === "VARCHAR") values.set(index, []);
  for (const { index, value } of firstValues(scope.head.slice(0, DELIMITER_SAMPLE), file, values))
    values.get(index)!.push(value);
  const units = new Map(
    [...values].flatMap(([index, seen]) => {
      const unit = unitOf(seen);
      return unit === undefined ? [] : [[index, unit] as const];
    }),
  );
  if (units.size === 0) return file;
  return (await surveyWith(connection, { ...file, units }, [...units.keys()], scope)).file;
}

/** What stays text stays as it is. */
function keepTexts(file: CsvFile): CsvFile {
  const kept = <T>(found: ReadonlyMap<number, T>): Map<number, T> =>
    new Map([...found].filter(([index]) => file.columns[index]!.type !== "VARCHAR"));
  return { ...file, words: kept(file.words), units: kept(file.units) };
}

/** A comma at the end of each line, or of the header, is no column. */
function dropEmptyEnd(file: CsvFile, isEmpty: (index: number) => boolean): CsvFile {
  const dropped = new Set<number>();
  for (let index = file.columns.length - 1; index > 0; index -= 1) {
    if (!isEmpty(index) || file.columns[index]!.name !== `column_${index + 1}`) break;
    dropped.add(index);
  }
  return { ...file, dropped };
}

/**
 * Numbers with thousands separators, which are text to DuckDB. They may also tell which mark stands before
 * decimals: beside 12,50 or 1.234,56 a column of 1.234 has thousands.
 */
async function groupDigits(
  connection: DuckDBConnection,
  named: DetectedCsv,
  scope: SurveyScope,
  options: ConvertOptions,
): Promise<CsvFile> {
  const shapes = await sampleShapes(connection, named, scope);
  if (shapes === undefined) return named.file;
  const said = options.decimal && { decimal: options.decimal, witnesses: undefined };
  const settled = said ?? settleDecimal(shapes);
  const isOther = settled !== undefined && settled.decimal !== named.file.decimal;
  const other = isOther && (await withDecimal(connection, named, settled.decimal, scope));
  const file = other && isBetterGrouped(other, named.file, shapes, settled) ? other : named.file;
  const grouped = group(file, shapes, settled);
  const { ambiguous } = grouped.grouping;
  if (ambiguous.size === 0 || scope.rows === undefined) return grouped;
  // The first values may be decimals as well: the column is looked at to its end, where one may tell.
  const late = await shapesOf(
    connection,
    { ...file, path: scope.path, table: undefined },
    [...ambiguous.keys()],
    undefined,
  );
  const early = [...shapes].filter(([index]) => !ambiguous.has(index));
  const all = new Map([...early, ...numbersIn(late)]);
  return group(file, all, said ?? settleDecimal(all));
}

/** The file with another decimal mark. */
async function withDecimal(
  connection: DuckDBConnection,
  { file, given }: DetectedCsv,
  decimal: CsvFile["decimal"],
  scope: SurveyScope,
): Promise<CsvFile> {
  const open = file.columns.flatMap((_, index) => (given.has(index) ? [] : [index]));
  return (await surveyWith(connection, { ...file, decimal }, open, scope)).file;
}

/** Another decimal mark, where that gives numbers with separators and turns no other column into text. */
function isBetterGrouped(
  other: CsvFile,
  file: CsvFile,
  shapes: Shapes,
  settled: CsvFile["grouping"]["settled"],
): boolean {
  const [before, after] = [file, other].map((each) => group(each, shapes, settled));
  const isWorse = before!.columns.some(
    ({ type }, index) => type !== "VARCHAR" && after!.columns[index]?.type === "VARCHAR",
  );
  return after!.grouping.grouped.size > 0 && !isWorse;
}

/** The shapes of columns of text that are numbers, and of what are decimals; undefined without any. */
async function sampleShapes(
  connection: DuckDBConnection,
  { file, given }: DetectedCsv,
  { head, rows }: SurveyScope,
): Promise<Shapes | undefined> {
  const candidates = findCandidates(head.slice(0, DELIMITER_SAMPLE), file, given);
  const numbers = numbersIn(await shapesOf(connection, file, candidates, rows));
  if (numbers.length === 0) return undefined;
  const doubles = file.columns.flatMap(({ type }, index) =>
    type === "DOUBLE" && !given.has(index) ? [index] : [],
  );
  return new Map([...numbers, ...(await shapesOf(connection, file, doubles, rows))]);
}

function numbersIn(shapes: Shapes): [number, readonly string[]][] {
  return [...shapes].filter(([, found]) => found.length > 0 && !found.includes(NO_NUMBER));
}
