import type { DuckDBConnection } from "@duckdb/node-api";
import { isNoValueWord } from "../../../kernel/no-value-words.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import { firstRecords } from "./csv-dialect.ts";
import { type CsvFile, readCsv } from "./csv-file.ts";
import { holds, isNoValueWordSql, isSomeNumber, typeRules } from "./csv-values.ts";

/** What the values of a column turn out to be. */
export interface SurveyedColumn {
  /** The first of the rules that holds for all values; text without one. */
  type: string;
  /** Those of the words for no value that stand in it. */
  words: string[];
  hasValues: boolean;
}

export interface Survey {
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
  const source = `(SELECT * FROM ${readCsv(
    file,
    file.columns.map(() => "VARCHAR"),
    undefined,
  )}${rows === undefined ? "" : ` LIMIT ${rows}`})`;
  for (const group of alike.values()) {
    for (let start = 0; start < group.length; start += COLUMNS_AT_ONCE) {
      const some = group.slice(start, start + COLUMNS_AT_ONCE);
      const names = some.map((index) => quoteName(file.columns[index]!.name));
      const found = await surveyAlike(connection, source, names, left.get(some[0]!)!);
      for (const [place, column] of found) columns.set(some[place]!, column);
    }
  }
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
  const isNothing = `(v IS NULL OR trim(v) = '' OR ${isNoValueWordSql("v")})`;
  const items = [
    `bool_or(NOT ${isNothing})`,
    `bool_or(${isSomeNumber("v")} AND NOT ${isNothing})`,
    `list(DISTINCT trim(v)) FILTER (trim(v) = '' OR ${isNoValueWordSql("v")})`,
    ...rules.map((rule) => `bool_and(${isNothing} OR ${holds(rule, "v")})`),
  ];
  const values = `SELECT unnest([${names.join(", ")}]) AS v, unnest(range(${names.length})) AS place FROM ${source}`;
  const reader = await connection.runAndReadAll(
    `SELECT place, ${items.join(", ")} FROM (${values}) GROUP BY place`,
  );
  const nothing: SurveyedColumn = { type: "VARCHAR", words: [], hasValues: false };
  const found = new Map(names.map((_, place) => [place, nothing]));
  for (const [place, hasValues, hasNumbers, words, ...fits] of reader.getRowsJS()) {
    const fitting = rules.find(
      ({ type }, at) => fits[at] === true && (type !== "DOUBLE" || hasNumbers === true),
    );
    found.set(Number(place), {
      type: hasValues === true ? (fitting?.type ?? "VARCHAR") : "VARCHAR",
      words: (words ?? []) as string[],
      hasValues: hasValues === true,
    });
  }
  return [...found];
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
  // What is read without its unit, or without words, has to be looked at as it is read.
  const isRaw = (index: number): boolean => !file.units.has(index);
  for (const { fields } of firstRecords(head, file)) {
    for (const [index, kept] of left) {
      if (kept.length === 0 || !isRaw(index)) continue;
      const value = fields[index]!.trim();
      if (value === "" || file.nulls.includes(value) || isNoValueWord(value)) continue;
      left.set(
        index,
        kept.filter((rule) => patterns.get(rule)!.test(value)),
      );
    }
  }
  return left;
}
