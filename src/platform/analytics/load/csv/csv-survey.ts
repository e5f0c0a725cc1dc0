import { type FileHandle, open, writeFile } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError } from "../../../../kernel/errors.ts";
import { quoteName, quoteText } from "../../../../kernel/sql-text.ts";
import { LIMITS } from "../../limits.ts";
import { readHead } from "../text-encoding.ts";
import { type CsvFile, firstValues, readTexts } from "./csv-file.ts";
import {
  DECIMAL_DIGITS,
  EXACT_DOUBLE,
  holds,
  isNoValueWordSql,
  isPlainTimestamp,
  isSomeNumber,
  LONG_DECIMAL,
  typeRules,
} from "./csv-types.ts";

/** What the values of a column turn out to be. */
interface SurveyedColumn {
  /** The first of the rules that holds for all values; text without one. */
  type: string;
  /** Those of the words for no value that stand in it. */
  words: string[];
  hasValues: boolean;
  /** Whether numbers of it have a plus in front. */
  hasPlus: boolean;
}

interface Survey {
  /** By position. */
  columns: Map<number, SurveyedColumn>;
  rows: number;
}

export interface SurveyScope {
  /** The beginning of the file. */
  head: string;
  /** How many rows are looked at; all without it. */
  rows: number | undefined;
  /** The file of which others are a sample. */
  path: string;
}

/** Columns whose values are looked at together: a row of all of them takes memory of the engine. */
const COLUMNS_AT_ONCE = 200;

/** Looks at the values of some columns, all as text. */
export async function surveyColumns(
  connection: DuckDBConnection,
  file: CsvFile,
  indexes: readonly number[],
  { head, rows }: SurveyScope,
): Promise<Survey> {
  const left = rulesLeft(file, indexes, head, typeRules(file.decimal));
  const alike = Map.groupBy(indexes, (index) =>
    left
      .get(index)!
      .map(({ type }) => type)
      .join(),
  );
  const columns = new Map<number, SurveyedColumn>();
  const source = `(SELECT * FROM ${readTexts(file)}${rows === undefined ? "" : ` LIMIT ${rows}`})`;
  for (const group of alike.values()) {
    for (let start = 0; start < group.length; start += COLUMNS_AT_ONCE) {
      const some = group.slice(start, start + COLUMNS_AT_ONCE);
      const names = some.map((index) => quoteName(file.columns[index]!.name));
      const found = await surveyAlike(connection, source, names, left.get(some[0]!)!);
      for (const [place, column] of found) columns.set(some[place]!, column);
    }
  }
  await settleDecimals(connection, source, file, columns);
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${source}`);
  return { columns, rows: Number(counted.getRowsJS()[0]?.[0]) };
}

/**
 * The values of all these columns go through one set of expressions: with a set for each column the engine would
 * compile every pattern again for each of them, which took 25 ms a column however few rows there were.
 */
async function surveyAlike(
  connection: DuckDBConnection,
  source: string,
  names: readonly string[],
  rules: Rules,
): Promise<[number, SurveyedColumn][]> {
  const values = `SELECT unnest([${names.join(", ")}]) AS v, unnest(range(${names.length})) AS place FROM ${source}`;
  const reader = await connection.runAndReadAll(surveySql(values, rules));
  const nothing: SurveyedColumn = { type: "VARCHAR", words: [], hasValues: false, hasPlus: false };
  const found = new Map(names.map((_, place) => [place, nothing]));
  for (const [place, hasValues, hasNumbers, words, hasPlus, isDialled, ...fits] of reader.getRowsJS()) {
    const fitting = rules.find(
      ({ type }, at) => fits[at] === true && (type !== "DOUBLE" || hasNumbers === true),
    );
    found.set(Number(place), {
      type: hasValues === true && isDialled === false ? (fitting?.type ?? "VARCHAR") : "VARCHAR",
      words: (words ?? []) as string[],
      hasValues: hasValues === true,
      hasPlus: hasPlus === true,
    });
  }
  return [...found];
}

/** Where all values are so, a plus stands for a telephone number and not for a sign. */
const DIALLED = "'[+][1-9][0-9]{4,}'";

/** What is surely a value takes the short way: most do, and patterns are slow. */
function surveySql(values: string, rules: Rules): string {
  const [narrowest] = rules;
  const isPlain = narrowest === undefined ? "false" : `coalesce(${plainSql(narrowest.type)}, false)`;
  const hasDoubles = rules.some(({ type }) => type === "DOUBLE");
  const items = [
    "bool_or(NOT nothing)",
    hasDoubles
      ? `bool_or(CASE WHEN nothing THEN false WHEN plain THEN true ELSE ${isSomeNumber("v")} END)`
      : "true",
    "list(DISTINCT trim(v)) FILTER (nothing AND v IS NOT NULL)",
    "bool_or(CASE WHEN plain THEN false ELSE starts_with(trim(v), '+') END)",
    `bool_and(CASE WHEN nothing THEN true WHEN plain THEN false ELSE regexp_full_match(trim(v), ${DIALLED}) END)`,
    ...rules.map(
      (rule) =>
        `bool_and(CASE WHEN nothing OR (${plainSql(rule.type)}) THEN true ELSE ${holds(rule, "v")} END)`,
    ),
  ];
  const isNothing = `v IS NULL OR trim(v) = '' OR ${isNoValueWordSql("v")}`;
  return `SELECT place, ${items.join(", ")} FROM (
    SELECT *, CASE WHEN plain THEN false ELSE ${isNothing} END AS nothing FROM (
      SELECT *, ${isPlain} AS plain FROM (
        SELECT *, TRY_CAST(v AS BIGINT) AS whole FROM (${values}))))
    GROUP BY place`;
}

/** True for texts that are surely of the type, some of them, at little cost. */
function plainSql(type: string): string {
  const isWhole = "CAST(whole AS VARCHAR) = v";
  switch (type) {
    case "BIGINT":
    case "DECIMAL(38,0)":
    case LONG_DECIMAL:
      return isWhole;
    case "DOUBLE":
      return `${isWhole} AND whole BETWEEN -${EXACT_DOUBLE} AND ${EXACT_DOUBLE}`;
    case "BOOLEAN":
      return "v = 'true' OR v = 'false'";
    case "DATE":
      return `strlen(v) = 10 AND CAST(TRY_CAST(v AS DATE) AS VARCHAR) = v`;
    case "TIMESTAMP":
    case "TIMESTAMP WITH TIME ZONE":
      return isPlainTimestamp("v", "TRY_CAST(v AS TIMESTAMP)");
    default:
      return "false";
  }
}

/** Numbers that need so many digits get a type with as many decimals as they have, or stay text. */
async function settleDecimals(
  connection: DuckDBConnection,
  source: string,
  { columns, decimal }: CsvFile,
  found: Map<number, SurveyedColumn>,
): Promise<void> {
  for (const [index, column] of found) {
    if (column.type !== LONG_DECIMAL) continue;
    const text = `ltrim(trim(${quoteName(columns[index]!.name)}), '+-')`;
    const isNumber = `regexp_full_match(${text}, '[0-9${decimal}]+')`;
    const part = (number: number): string => `split_part(${text}, ${quoteText(decimal)}, ${number})`;
    const reader = await connection.runAndReadAll(
      `SELECT max(strlen(${part(1)})) FILTER (${isNumber}), max(strlen(rtrim(${part(2)}, '0'))) FILTER (${isNumber}) FROM ${source}`,
    );
    const [whole, decimals] = (reader.getRowsJS()[0] ?? []).map(Number) as [number, number];
    const type = whole + decimals > DECIMAL_DIGITS ? "VARCHAR" : `DECIMAL(${DECIMAL_DIGITS},${decimals})`;
    found.set(index, { ...column, type });
  }
}

type Rules = ReturnType<typeof typeRules>;

/** The rules that hold for the first records: most columns are out of the question for most types at once. */
function rulesLeft(
  file: CsvFile,
  indexes: readonly number[],
  head: string,
  rules: Rules,
): Map<number, Rules> {
  const patterns = new Map(rules.map((rule) => [rule, new RegExp(`^(?:${rule.pattern})$`)]));
  const left = new Map(indexes.map((index) => [index, [...rules]]));
  for (const { index, value } of firstValues(head, file, left)) {
    // What is read without its unit, or without words, has to be looked at as it is read.
    if (file.units.has(index)) continue;
    left.set(
      index,
      left.get(index)!.filter((rule) => patterns.get(rule)!.test(value)),
    );
  }
  return left;
}

/** The beginning of the file, once as text and once as a file that ends with a line. */
export interface Sample {
  text: string;
  path: string;
}

const PIECE_BYTES = 1024 * 1024;
/** How far the end of a giant row is looked for. */
const PIECES = 64;

/** The beginning of a file up to the end of a line, so that one giant row further down is not in the way. */
export async function takeSample(path: string, samplePath: string): Promise<Sample> {
  const { bytes, fileBytes } = await readHead(path, LIMITS.analytics.rowBytes);
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") throw new AppError("bad_request", "The file is empty.");
  if (bytes.length === fileBytes) return { text, path };
  const end = lastLineEnd(bytes);
  if (end === -1) throw rowTooLong();
  const isGiant = bytes.length - end > bytes.length / 2;
  if (!isGiant) {
    await writeFile(samplePath, bytes.subarray(0, end + 1));
    return { text, path: samplePath };
  }
  // Such a row will be rejected. What stands above it may be the header alone, and tell nothing of the values.
  const rest = await linesAfter(path, bytes.length);
  const sample = Buffer.concat([bytes.subarray(0, end + 1), rest]);
  await writeFile(samplePath, sample);
  return { text: new TextDecoder().decode(sample), path: samplePath };
}

function lastLineEnd(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf("\n"), bytes.lastIndexOf("\r"));
}

/** Whole lines, as far as there are any, that follow the line at this position. */
async function linesAfter(path: string, start: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    for (let piece = 0; piece < PIECES; piece += 1) {
      const at = start + piece * PIECE_BYTES;
      const found = (await read(file, at)).indexOf("\n");
      if (found === -1) continue;
      const lines = await read(file, at + found + 1);
      return lines.subarray(0, lastLineEnd(lines) + 1);
    }
    return Buffer.alloc(0);
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, position);
  return buffer.subarray(0, bytesRead);
}

function rowTooLong(): AppError {
  const most = LIMITS.analytics.rowBytes.toLocaleString("en");
  return new AppError("too_large", `The first row is longer than ${most} bytes.`, {
    hint: "Check that the file is CSV.",
  });
}
