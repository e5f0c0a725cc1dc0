import type { DuckDBConnection } from "@duckdb/node-api";
import { isNoValueWord } from "../../../kernel/no-value-words.ts";
import { quoteName } from "../types/sql-text.ts";
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

/** Columns that are looked at together: each takes memory of the engine. */
const COLUMNS_AT_ONCE = 200;

/** Looks at the values of some columns, all as text. */
export async function surveyColumns(
  connection: DuckDBConnection,
  file: CsvFile,
  indexes: readonly number[],
  scope: SurveyScope,
): Promise<Survey> {
  const all: Survey = { columns: new Map(), rows: 0 };
  for (let start = 0; start === 0 || start < indexes.length; start += COLUMNS_AT_ONCE) {
    const some = indexes.slice(start, start + COLUMNS_AT_ONCE);
    const { columns, rows } = await surveySome(connection, file, some, scope);
    for (const [index, column] of columns) all.columns.set(index, column);
    all.rows = rows;
  }
  return all;
}

async function surveySome(
  connection: DuckDBConnection,
  file: CsvFile,
  indexes: readonly number[],
  { head, rows }: SurveyScope,
): Promise<Survey> {
  const rules = typeRules(file.decimal);
  const left = rulesLeft(file, indexes, head, rules);
  const items = indexes.flatMap((index) => {
    const column = quoteName(file.columns[index]!.name);
    const isNothing = `${column} IS NULL OR trim(${column}) = '' OR ${isNoValueWordSql(column)}`;
    return [
      `coalesce(bool_or(NOT (${isNothing})), false)`,
      `coalesce(bool_or(${isSomeNumber(column)} AND NOT (${isNothing})), false)`,
      `list(DISTINCT trim(${column})) FILTER (trim(${column}) = '' OR ${isNoValueWordSql(column)})`,
      ...left.get(index)!.map((rule) => `bool_and(${isNothing} OR ${holds(rule, column)})`),
    ];
  });
  const texts = file.columns.map(() => "VARCHAR");
  const source = readCsv(file, texts, undefined);
  const limited = rows === undefined ? source : `(SELECT * FROM ${source} LIMIT ${rows})`;
  const reader = await connection.runAndReadAll(
    `SELECT ${["count(*)", ...items].join(", ")} FROM ${limited}`,
  );
  const [found = []] = reader.getRowsJS();
  const columns = new Map<number, SurveyedColumn>();
  let place = 1;
  for (const index of indexes) {
    const [hasValues, hasNumbers, words] = found.slice(place, place + 3);
    const kept = left.get(index)!;
    const fitting = kept.find(({ type }, at) => {
      const isNumber = type === "DOUBLE";
      return found[place + 3 + at] === true && (!isNumber || hasNumbers === true);
    });
    place += 3 + kept.length;
    const type = hasValues === true ? (fitting?.type ?? "VARCHAR") : "VARCHAR";
    columns.set(index, { type, words: (words ?? []) as string[], hasValues: hasValues === true });
  }
  return { columns, rows: Number(found[0]) };
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
