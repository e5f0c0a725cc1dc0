import { quoteName } from "../../../kernel/sql-text.ts";
import { type ColumnKind, columnKind } from "../../../kernel/values.ts";
import type { Analytics, JsonValue, TableView } from "../../../platform/analytics/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { Column, Data, Dataset } from "../../data/index.ts";
import { LIMITS } from "../limits.ts";

/** Statistics of one column, over the rows that were profiled. */
export interface ColumnProfile extends Column {
  kind: ColumnKind;
  filled: number;
  distinct: number;
  /** Of texts: how long they are on average. */
  length: number;
  /** Of texts: how many are written as dates, and how many of these with a time of day. */
  dates: number;
  times: number;
  /** Of texts: how many are a time of day. */
  clocks: number;
  /** Of texts: how many are the name of a month. */
  months: number;
  /** Of texts: how it is written where some only say that there is nothing. */
  blank: string | null;
  /** Of texts that tell rows apart: whether some are the same but for capitals. */
  isMixed: boolean;
  /** Of texts: how many begin or end with blanks. */
  padded: number;
  /** Of numbers. */
  min: number | null;
  max: number | null;
  isWhole: boolean;
  /** Of numbers: the most frequent one. */
  mode: number | null;
}

/** A dataset as one caller sees it. */
export interface Profile {
  dataset: Dataset;
  /** Rows that were looked at, and whether these are all. */
  rows: number;
  isSample: boolean;
  columns: ColumnProfile[];
}

/** Dependencies of profiling. */
export interface Looking {
  data: Data;
  analytics: Analytics;
  caller: Caller;
  /** Others may wait for the same, so it is bounded by time and not by whoever asked first. */
  signal: AbortSignal;
}

/** Columns in one statement: what is distinct in each takes some megabytes, and planning many takes longer than reading. */
const COLUMNS_TOGETHER = 10;

/** Looks at the first rows that this caller sees. */
export async function profileOf(looking: Looking, dataset: Dataset): Promise<Profile> {
  const { visible, ...tableView } = await looking.data.tableView(looking.caller, dataset, "looked");
  const columns = visible.slice(0, LIMITS.models.inferredColumns);
  const { inferenceValues, inferenceRows } = LIMITS.models;
  const most = Math.min(inferenceRows, Math.floor(inferenceValues / columns.length));
  const found: JsonValue[] = [];
  let rows = 0;
  for (let at = 0; at < columns.length; at += COLUMNS_TOGETHER) {
    const some = columns.slice(at, at + COLUMNS_TOGETHER);
    const names = some.map(({ name }, i) => `${quoteName(name)} AS c${i}`).join(", ");
    const facts = some.flatMap((column, i) => factsSql(columnKind(column.type), `c${i}`));
    const sql = `SELECT count(*), ${facts.join(", ")} FROM (SELECT ${names} FROM looked LIMIT ${most + 1})`;
    const [[count = 0, ...row] = []] = await ask(looking, [tableView], sql);
    rows = Number(count);
    found.push(...row);
  }
  return {
    dataset,
    rows,
    isSample: rows > most,
    columns: columns.map((column, i) => columnProfile(column, found.slice(i * FACTS, (i + 1) * FACTS))),
  };
}

/** A dataset of which only the columns are known. */
export function unprofiled(dataset: Dataset, columns: readonly Column[]): Profile {
  const some = columns.slice(0, LIMITS.models.inferredColumns);
  return { dataset, rows: 0, isSample: true, columns: some.map((column) => columnProfile(column, [])) };
}

/** Statements of ours over views; the caller's rights are in the views. */
export async function ask(
  { analytics, caller, signal }: Looking,
  tableViews: readonly TableView[],
  sql: string,
): Promise<JsonValue[][]> {
  const limits = { rows: 1_000, ms: LIMITS.models.inferenceMs };
  const scope = String(caller.workspace.id);
  const sampleRows = LIMITS.models.liveSampleRows;
  return (await analytics.query({ scope, tableViews, sql, limits, sampleRows, signal })).rows;
}

const FACTS = 11;

/** A text that only says that there is none. */
export function blankSql(name: string): string {
  return `upper(trim(${name})) IN ('NA', 'N/A', '#N/A', 'NULL', 'NAN')`;
}

/** How often a value occurs at least, on average, where values are kinds of something. */
const REPEATED = 5;
/** Between values as short as codes, NA is one of them: Namibia, or a region. */
const CODE_LETTERS = 5;

function factsSql(kind: ColumnKind, name: string): string[] {
  const none = "NULL";
  if (kind === "other") return [`count(${name})`, "0", ...Array<string>(FACTS - 2).fill(none)];
  const counted = [`count(${name})`, `count(DISTINCT ${name})`];
  if (kind === "text") {
    const isBlank = blankSql(name);
    const day = String.raw`'\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])`;
    const isDate = `regexp_full_match(${name}, ${day}([ T].*)?') AND TRY_CAST(${name} AS TIMESTAMP) IS NOT NULL`;
    const isClock = String.raw`regexp_full_match(${name}, '([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?( ?[AaPp][Mm])?')`;
    const isTime = `regexp_full_match(${name}, ${day}[ T].+')`;
    return [
      ...counted,
      `avg(length(${name})) FILTER (WHERE NOT ${isBlank})`,
      `count(*) FILTER (WHERE ${isDate})`,
      `count(*) FILTER (WHERE ${isTime})`,
      `count(*) FILTER (WHERE ${isClock})`,
      `count(*) FILTER (WHERE trim(${name}) <> ${name})`,
      `count(*) FILTER (WHERE ${isBlank})`,
      `count(DISTINCT lower(trim(${name})))`,
      `mode(trim(${name})) FILTER (WHERE ${isBlank})`,
      `count(*) FILTER (WHERE try_strptime(${name}, ['%B', '%b']) IS NOT NULL)`,
    ];
  }
  if (kind !== "number") return [...counted, ...Array<string>(FACTS - 2).fill(none)];
  const number = `CAST(${name} AS DOUBLE)`;
  return [
    ...counted,
    none,
    none,
    `mode(${number})`,
    `min(${number})`,
    `max(${number})`,
    `count(*) FILTER (WHERE ${number} <> floor(${number}))`,
    none,
    none,
    none,
  ];
}

function columnProfile(column: Column, row: readonly JsonValue[]): ColumnProfile {
  const { type } = column;
  const number = (i: number) => Number(row[i] ?? 0);
  const bound = (i: number) => (typeof row[i] === "number" ? (row[i] as number) : null);
  const blanks = columnKind(type) === "text" && number(2) > CODE_LETTERS ? number(7) : 0;
  return {
    ...column,
    kind: columnKind(type),
    filled: number(0) - blanks,
    distinct: number(1) - Math.min(blanks, 1),
    months: columnKind(type) === "text" ? number(10) : 0,
    blank: blanks > 0 ? String(row[9]) : null,
    isMixed: columnKind(type) === "text" && number(8) < number(1) && number(1) < number(0) / REPEATED,
    length: number(2),
    dates: number(3),
    times: columnKind(type) === "text" ? number(4) : 0,
    mode: columnKind(type) === "number" ? bound(4) : null,
    clocks: columnKind(type) === "text" ? number(5) : 0,
    min: columnKind(type) === "number" ? bound(5) : null,
    padded: columnKind(type) === "text" ? number(6) : 0,
    max: columnKind(type) === "number" ? bound(6) : null,
    isWhole: columnKind(type) === "number" && number(7) === 0,
  };
}

/** How far a guess can be relied on: by name and by values; by one of them; or for lack of better. */
export type Sureness = "sure" | "likely" | "guess";

/** Something that was guessed about data, for whoever is to check it. */
export interface Guess {
  /** `orders.customer_id` */
  about: string;
  guess: string;
  sure: Sureness;
  why: string;
}
