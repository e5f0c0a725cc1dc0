import { open } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { messageOf } from "../../../kernel/errors.ts";
import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import type { WorkerContext } from "../../sandbox/index.ts";
import type { Column } from "../analytics-options.ts";
import { whileRunning } from "../engine/engine-errors.ts";
import { sqlType } from "../types/column-types.ts";
import { parseToRewrite, rowToJson } from "../types/row-json.ts";
import type { ConvertParams, WriteAnswer } from "../wire.ts";
import { findTextDates, parsedDate } from "./csv/csv-date-columns.ts";
import { type DateColumn, dateTypeOf } from "./csv/csv-dates.ts";
import { type Fitting, fitRows } from "./json-convert.ts";
import { type PartPlan, writePart } from "./write-part.ts";

interface LinesJob extends ConvertParams {
  connection: DuckDBConnection;
}

interface Lines {
  path: string;
  longestBytes: number;
  columns: readonly Column[];
  /** Names of the columns whose type the caller has chosen. */
  given: ReadonlySet<string>;
}

interface DatedLines extends Lines {
  /** Columns of dates in other formats than ISO 8601, by position. */
  dates: ReadonlyMap<number, DateColumn>;
}

type Written = WriteAnswer & Omit<Fitting, "plan"> & Pick<DatedLines, "dates">;

/** Rows that stand one a line, as a part. */
export async function writeLines(job: LinesJob, lines: Lines, context: WorkerContext): Promise<Written> {
  try {
    return await writeFitting(job, await withDates(job, lines, context), context);
  } catch (error) {
    if (!messageOf(error).includes("has duplicate key")) throw error;
    const once = `${lines.path}.once`;
    await lastFieldsOnly(lines.path, once, lines.columns);
    return writeFitting(job, await withDates(job, { ...lines, path: once }, context), context);
  }
}

async function withDates(
  { connection, options }: LinesJob,
  lines: Lines,
  context: WorkerContext,
): Promise<DatedLines> {
  const { path, columns, given, longestBytes } = lines;
  const isText = ({ name, type }: Column): boolean => type === "VARCHAR" && !given.has(name);
  if (!columns.some(isText)) return { ...lines, dates: new Map() };
  const texts = columns.map((column) => (isText(column) ? column : { ...column, type: "NULL" }));
  const source = `(${planLines(path, texts, longestBytes).select})`;
  const dates = await whileRunning(connection, context.signal, () =>
    findTextDates(connection, { columns: texts, saidFormat: options.dateFormat }, source),
  );
  const typed = columns.map((column, index) => {
    const format = dates.get(index)?.formats[0];
    return format === undefined ? column : { ...column, type: dateTypeOf(format) };
  });
  return { ...lines, columns: typed, dates };
}

async function writeFitting(
  { connection, output }: LinesJob,
  { path, longestBytes, columns, given, dates }: DatedLines,
  context: WorkerContext,
): Promise<Written> {
  const planOf = (wanted: readonly Column[]): PartPlan => planLines(path, wanted, longestBytes, dates);
  try {
    const written = await writePart(connection, planOf(columns), output, context);
    return { ...written, misfits: [], misfitRows: 0, dates };
  } catch (error) {
    if (!messageOf(error).includes("JSON transform error")) throw error;
    const fitting = await whileRunning(connection, context.signal, () =>
      fitRows(connection, columns, given, planOf),
    );
    if (fitting === undefined || fitting.misfitRows === 0) throw error;
    const { plan, ...misfits } = fitting;
    return { ...(await writePart(connection, plan, output, context)), ...misfits, dates };
  }
}

/** Fields that stand twice in an object are an error for DuckDB; JSON's usual reading is that the last one counts. */
async function lastFieldsOnly(input: string, output: string, columns: readonly Column[]): Promise<void> {
  const names = new Map(columns.map(({ name }) => [name.toLowerCase(), name]));
  const [source, target] = await Promise.all([open(input, "r"), open(output, "w", 0o600)]);
  try {
    for await (const line of source.readLines()) {
      const row = parseToRewrite(line);
      await target.appendFile(`${rowToJson(row, (key) => names.get(key.toLowerCase()))}\n`);
    }
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

/** DuckDB takes a buffer of twice the longest object for each thread. */
const SMALLEST_BUFFER = 1024 * 1024;

/** Rows that stand one a line, as exactly these types. A column without a type yet stays out of the part. */
export function planLines(
  path: string,
  columns: readonly Column[],
  longestBytes: number,
  dates: ReadonlyMap<number, DateColumn> = new Map(),
): PartPlan {
  const read = columns.map(({ name, type }, index) => {
    const format = dates.get(index)?.formats[0];
    const column = quoteName(name);
    if (format === undefined) return { name, type, item: column };
    return { name, type: "VARCHAR", item: `CAST(${parsedDate(column, format)} AS ${type}) AS ${column}` };
  });
  const typed = read.filter(({ type }) => type !== "NULL");
  const written = typed.length > 0 ? typed : read.slice(0, 1);
  const types = written.map(({ name, type }) => `${quoteText(name)}: ${quoteText(sqlType(type))}`);
  const source = `read_json(${quoteText(path)}, format = 'newline_delimited', records = true, columns = {${types.join(", ")}},
    maximum_object_size = ${Math.max(SMALLEST_BUFFER, longestBytes + 1)})`;
  return {
    select: `SELECT ${written.map(({ item }) => item).join(", ")} FROM ${source}`,
    columns: [...columns],
  };
}
