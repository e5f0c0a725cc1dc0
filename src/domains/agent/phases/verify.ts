import { isAppError } from "../../../kernel/errors.ts";
import { nearestFirst } from "../../../kernel/nearest.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { QueryAnswer } from "../../models/index.ts";
import type { Result } from "../answer.ts";
import { compile } from "../compile/compile.ts";
import { CompileError } from "../compile/compile-error.ts";
import { isAdditive } from "../explain/additive.ts";
import { show, showNumber } from "../explain/format.ts";
import { numberOf, type ShownColumn, type View } from "../explain/view.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import { type Ask, isKey } from "../query/semantic-query.ts";
import type { Query } from "./execute.ts";
import { filtersIn, type NamedFilter, without } from "./filters.ts";
import { periodEnd } from "./periods.ts";

/** From this part of empty values on a column is spoken of. */
const NULL_RATIO = 0.2;
/** Fewer rows show no ratio. */
const RATIO_ROWS = 5;
/** What groups may miss of the whole by rounding. */
const TOLERANCE = 1e-6;

type Check = (sql: string) => Promise<QueryAnswer | undefined>;

export interface Verified {
  caveats: string[];
  /** The numbers of the whole, where they were needed. */
  totals: JsonValue[] | undefined;
  /** Why there is nothing, as far as that could be found out. */
  emptiness: string[];
}

/** The Verifier: what has to be known about a result before it is believed. */
export async function verify(
  result: Result,
  view: View,
  { knowledge, now, query: run }: { knowledge: Knowledge; now: string; query: Query },
): Promise<Verified> {
  // A check that fails leaves something unchecked; the answer itself is there.
  const query: Check = (sql) =>
    run(sql).catch((error) => {
      if (isAppError(error) && ["timeout", "too_large", "bad_request"].includes(error.code)) return undefined;
      throw error;
    });
  const totals = await totalsOf(result, knowledge, query);
  const caveats = [
    ...(result.isTruncated
      ? [`There are more than ${view.rows.length.toLocaleString("en-US")} rows; the rest was not read.`]
      : []),
    ...emptyValues(result, view),
    ...(await namelessRows(result, view, knowledge, query)),
    ...unfinished(result, view, now),
    ...unaccounted(result, view, knowledge, totals),
  ];
  const emptiness = isNothing(result, keysOf(result.reading.ask))
    ? [...(await dataEnd(result, query)), ...(await reasonsOf(result, knowledge, query))]
    : [];
  return { caveats, totals, emptiness };
}

/** Groups that add up are compared with the whole. */
async function totalsOf(
  { reading: { ask }, rows }: Result,
  { schema }: Knowledge,
  query: Check,
): Promise<JsonValue[] | undefined> {
  if (ask.k !== "table" || ask.by.length === 0 || rows.length === 0) return undefined;
  if (!ask.cols.some((num) => isAdditive(num, schema))) return undefined;
  const cols = ask.cols.map((num) => (isAdditive(num, schema) ? num : ({ k: "lit", v: 0 } as const)));
  const total: Ask = { k: "table", by: [], cols, ...(ask.scope !== undefined && { scope: ask.scope }) };
  const sql = attempt(() => compile(schema, total).sql);
  return sql === undefined ? undefined : (await query(sql))?.rows[0];
}

/** What belongs to no group is in the whole, but in none of the rows. */
function unaccounted(
  { reading: { ask }, isTruncated }: Result,
  view: View,
  { schema }: Knowledge,
  totals: readonly JsonValue[] | undefined,
): string[] {
  if (ask.k !== "table" || ask.top !== undefined || ask.having !== undefined) return [];
  if (totals === undefined || isTruncated) return [];
  return view.numbers.flatMap((column) => {
    if (isKey(column.of) || !isAdditive(column.of, schema)) return [];
    const whole = numberOf(totals, { ...column, index: column.index - ask.by.length });
    const sum = view.rows.reduce((all, row) => all + (numberOf(row, column) ?? 0), 0);
    if (whole === undefined || Math.abs(whole - sum) <= TOLERANCE * Math.max(1, Math.abs(whole))) return [];
    const names = view.keys.map(({ label }) => label).join(" and ");
    const share = whole === 0 ? "" : ` (${showNumber((whole - sum) / whole, { kind: "percent", by: 100 })})`;
    return [
      `${showNumber(whole - sum, column.format)} of ${showNumber(whole, column.format)} ${column.label}${share} belong to no ${names}, and are in none of the rows.`,
    ];
  });
}

/** How many rows of the data belong to no group: of the groups themselves one at most has no name. */
async function namelessRows(
  { reading: { ask } }: Result,
  { columns, rows }: View,
  { schema }: Knowledge,
  query: Check,
): Promise<string[]> {
  if (ask.k !== "table") return [];
  const told: string[] = [];
  for (const [i, key] of ask.by.entries()) {
    const isSeen = rows.some((row) => row[i] === null);
    if (key.bucket !== undefined || key.path !== undefined || (!isSeen && ask.top === undefined)) continue;
    const all = { k: "all" as const, ds: key.ds };
    const nameless = { k: "where" as const, in: all, if: { k: "null" as const, key } };
    const cols = [all, nameless].map((rel) => ({ k: "agg" as const, fn: "count" as const, in: rel }));
    const counted: Ask = { k: "table", by: [], cols, ...(ask.scope !== undefined && { scope: ask.scope }) };
    const sql = attempt(() => compile(schema, counted).sql);
    const [whole, none] = (sql === undefined ? undefined : await query(sql))?.rows[0] ?? [];
    if (!none || Number(none) === 0) continue;
    const count = (value: JsonValue | undefined) => Number(value).toLocaleString("en-US");
    const things = key.ds.replaceAll("_", " ");
    told.push(
      `${count(none)} of ${count(whole)} ${things} have no ${columns[i]?.label.toLowerCase() ?? key.field}.`,
    );
  }
  return told;
}

/** Where a period lies outside of the data, they say so themselves. */
async function dataEnd({ compiled }: Result, query: Check): Promise<string[]> {
  const [used] = compiled.used.windows;
  if (used === undefined) return [];
  const { date, win } = used;
  const column = quoteName(date.field);
  const sql = `SELECT CAST(min(${column}) AS DATE), CAST(max(${column}) AS DATE) FROM ${quoteName(date.ds)}`;
  const [first, last] = ((await query(sql))?.rows[0] ?? []).map((value) => String(value ?? "").slice(0, 10));
  const name = date.field.replaceAll("_", " ");
  if (last && win.from !== null && last < win.from.slice(0, 10))
    return [`The data end on ${last} (${name}).`];
  if (first && win.to !== null && first >= win.to.slice(0, 10))
    return [`The data begin on ${first} (${name}).`];
  return [];
}

function emptyValues({ reading: { ask } }: Result, { rows, numbers, keys }: View): string[] {
  const ratio = (column: ShownColumn) => rows.filter((row) => row[column.index] === null).length;
  const many = [...numbers, ...(ask.k === "list" ? keys : [])].flatMap((column) => {
    const empty = ratio(column);
    if (rows.length < RATIO_ROWS || empty / rows.length < NULL_RATIO || empty === rows.length) return [];
    return [`${column.label} is empty in ${empty} of ${rows.length} rows.`];
  });
  return many;
}

/** The period that today lies in is not over. */
function unfinished({ compiled }: Result, { keys, rows }: View, now: string): string[] {
  const today = now.slice(0, 10);
  const time = keys.find(({ format }) => format.kind === "period");
  if (time?.format.kind === "period") {
    const { grain } = time.format;
    const starts = rows.map((row) => row[time.index]).filter((value) => typeof value === "string");
    const running = starts.find(
      (start) => start.slice(0, 10) <= today && today < dayBefore(periodEnd(start, grain)),
    );
    return running === undefined
      ? []
      : [`${show(running, time.format)} is not over yet: its numbers are those until ${today}.`];
  }
  const open = compiled.used.windows.find(
    ({ win }) =>
      win.from !== null && win.to !== null && win.from.slice(0, 10) <= today && today < dayBefore(win.to),
  );
  return open === undefined
    ? []
    : [`The period (${open.win.said}) is not over yet: the numbers are those until ${today}.`];
}

/** A period that ends with today is meant to. */
function dayBefore(end: string): string {
  const day = new Date(`${end.slice(0, 10)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}

/** Which filter leaves nothing, and which values there are instead. */
async function reasonsOf(
  { reading: { ask } }: Result,
  { schema, values }: Knowledge,
  query: Check,
): Promise<string[]> {
  const reasons: string[] = [];
  for (const filter of filtersIn(ask).slice(0, LIMITS.agent.repairs)) {
    const sql = attempt(() => compile(schema, without(ask, filter)).sql);
    const found = sql === undefined ? undefined : await query(sql);
    if (found === undefined || isNothing(found, keysOf(ask))) continue;
    reasons.push(`Without ${filter.said} there would be something.${nearestTo(filter, values)}`);
  }
  return reasons;
}

function nearestTo({ key, value }: NamedFilter, values: Knowledge["values"]): string {
  if (key === undefined || value === undefined) return "";
  const known = values.find(({ ds, field }) => ds === key.ds && field === key.field);
  if (known === undefined || known.values.includes(value)) return "";
  const near = nearestFirst(value, known.values).slice(0, 3);
  return near.length === 0 ? "" : ` The nearest values that there are: ${near.join(", ")}.`;
}

/** Columns that tell the rows apart; they come first. */
function keysOf(ask: Ask): number {
  return ask.k === "table" && ask.cols.length > 0 ? ask.by.length : 0;
}

/** No rows, or nothing in them beside what tells them apart; a single count of 0 is nothing as well. */
function isNothing({ rows }: Pick<Result, "rows">, keys: number): boolean {
  return rows.every((row) => row.slice(keys).every((value) => value === null || (keys === 0 && value === 0)));
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CompileError) return undefined;
    throw error;
  }
}
