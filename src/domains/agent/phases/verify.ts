import { isAppError } from "../../../kernel/errors.ts";
import { nearestFirst } from "../../../kernel/text.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { QueryAnswer } from "../../models/index.ts";
import type { Result } from "../answer.ts";
import { compile } from "../compile/compile.ts";
import { ifCarried } from "../compile/paths.ts";
import { show, showNumber } from "../explain/format.ts";
import { isAdditive, numberOf, type ShownColumn, type View } from "../explain/view.ts";
import { locale, period, t, within, word } from "../explain/words.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { DataPeriod, Schema } from "../query/schema.ts";
import { type Ask, type Cond, isKey, type Num, type Window } from "../query/semantic-query.ts";
import {
  askedInPart,
  cutPeriods,
  cutShort,
  dayAfter,
  lastDay,
  outside,
  periodEnd,
  periodOf,
} from "./data-period.ts";
import { inSeveral, type Query } from "./execute.ts";
import { filtersIn, type NamedFilter, without } from "./filters.ts";

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
  /** Where those periods begin that are not whole. */
  cut: ReadonlySet<string>;
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
  const { whole, unnamed } = result.rows.length === 0 ? {} : checksOf(result.reading.ask, knowledge);
  const numbersOf = async (sql: string | undefined) =>
    sql === undefined ? undefined : (await query(sql))?.rows[0];
  const isEmpty = isNothing(result, keysOf(result.reading.ask));
  const [totals, nobodys, shared, reasons] = await Promise.all([
    numbersOf(whole),
    numbersOf(unnamed),
    inSeveral(result, query),
    isEmpty ? reasonsOf(result, knowledge, query) : [],
  ]);
  const data = periodOf(result, knowledge);
  const cut = cutPeriods(result, view, data, now);
  const caveats = [
    ...unread(result),
    ...emptyValues(result, view),
    ...nameless(result, view, nobodys, totals),
    ...askedInPart(result, view, cut, now),
    ...unfinished(result, view, now, data),
    ...(data === undefined ? [] : cutShort(result, view, data, now)),
    ...unaccounted(result, view, knowledge, totals),
    ...shared,
    ...unseen(result, knowledge),
  ];
  const emptiness = isEmpty ? [...outside(result, data), ...reasons] : [];
  return { caveats, totals, emptiness, cut };
}

function unread({ rows, totalRows }: Result): string[] {
  const [read, all] = [rows.length, totalRows].map((count) => count.toLocaleString(locale())) as [
    string,
    string,
  ];
  return rows.length < totalRows
    ? [t`There are ${all} rows; those after the first ${read} were not read.`]
    : [];
}

/** What rows are held against, whatever they are: it can be asked while they are. */
export function checksOf(
  ask: Ask,
  { schema }: Pick<Knowledge, "schema">,
): { whole?: string | undefined; unnamed?: string | undefined } {
  const whole = wholeOf(ask, schema);
  const sqlOf = (check: Ask | undefined) => check && ifCarried(() => compile(schema, check).sql);
  return whole === undefined ? {} : { whole: sqlOf(whole), unnamed: sqlOf(unnamedOf(ask)) };
}

/** Groups that add up are compared with the whole. */
function wholeOf(ask: Ask, schema: Schema): Ask | undefined {
  if (ask.k !== "table" || ask.by.length === 0) return undefined;
  const addsUp = (num: Num) => isAdditive(num, schema, ask.by);
  if (!ask.cols.some(addsUp)) return undefined;
  const cols = ask.cols.map((num) => (addsUp(num) ? num : ({ k: "lit", v: 0 } as const)));
  return { k: "table", by: [], cols, ...(ask.scope !== undefined && { scope: ask.scope }) };
}

/** What belongs to no group is in the whole, but in none of the rows. */
function unaccounted(
  result: Result,
  view: View,
  knowledge: Knowledge,
  totals: readonly JsonValue[] | undefined,
): string[] {
  const { ask } = result.reading;
  if (ask.k !== "table" || isPartOfGroups(ask)) return [];
  if (totals === undefined || result.rows.length < result.totalRows) return [];
  const seen = restricted(result, knowledge).length > 0 ? t` that you see` : "";
  return view.numbers.flatMap((column) => {
    if (isKey(column.of) || !isAdditive(column.of, knowledge.schema, ask.by)) return [];
    const whole = numberOf(totals, { ...column, index: column.index - ask.by.length });
    const sum = view.rows.reduce((all, row) => all + (numberOf(row, column) ?? 0), 0);
    if (whole === undefined || Math.abs(whole - sum) <= TOLERANCE * Math.max(1, Math.abs(whole))) return [];
    const names = view.keys.map(({ label }) => label).join(` ${word("and")} `);
    const share = whole === 0 ? "" : ` (${showNumber((whole - sum) / whole, { kind: "percent", by: 100 })})`;
    return [
      t`${showNumber(whole - sum, column.format)} of ${showNumber(whole, column.format)} ${column.label}${share} belong to no ${names}${seen}, and are in none of the rows.`,
    ];
  });
}

/** Whether groups were chosen among others. */
function isPartOfGroups({ top, having, limit }: Extract<Ask, { k: "table" }>): boolean {
  return top !== undefined || having !== undefined || limit !== undefined;
}

/** What policies keep from whoever asks looks like what is not there. */
function unseen(result: Result, knowledge: Knowledge): string[] {
  const names = restricted(result, knowledge).map((name) => name.replaceAll("_", " "));
  return names.length === 0 ? [] : [t`You see only a part of the rows of ${names.join(` ${word("and")} `)}.`];
}

function restricted({ compiled }: Result, { model }: Knowledge): string[] {
  const hidden = model.datasets.filter(({ isRestricted }) => isRestricted === true);
  return hidden.map(({ name }) => name).filter((name) => compiled.used.datasets.has(name));
}

/** A ranking leaves out what belongs to no group. */
function unnamedOf(ask: Ask): Ask | undefined {
  const [key, ...others] = ask.k === "table" ? ask.by : [];
  if (ask.k !== "table" || ask.top === undefined) return undefined;
  if (key === undefined || others.length > 0 || key.bucket !== undefined) return undefined;
  const none = { k: "null" as const, key };
  const only: Cond = ask.scope?.if === undefined ? none : { k: "and", of: [ask.scope.if, none] };
  return { k: "table", by: [], cols: ask.cols, scope: { ...ask.scope, if: only } };
}

/** Whoever reads it should know how much that is. */
function nameless(
  { reading: { ask } }: Result,
  { numbers: [main], columns }: View,
  found: readonly JsonValue[] | undefined,
  totals: readonly JsonValue[] | undefined,
): string[] {
  const [key] = ask.k === "table" ? ask.by : [];
  if (key === undefined || main === undefined) return [];
  const at = { ...main, index: main.index - 1 };
  const [part, whole] = [found, totals].map((row) => row && numberOf(row, at));
  if (!part || !whole) return [];
  const [some, all] = [part, whole].map((number) => showNumber(number, main.format)) as [string, string];
  // "10 of 60 strikes", not "of 60 Count" or "of 60 Strike count"
  const isCount = !isKey(main.of) && main.of.k === "agg" && main.of.fn === "count";
  const counted =
    !isKey(main.of) && main.of.k === "metric" ? /^(.+)_count$/.exec(main.of.name)?.[1] : undefined;
  const named = counted?.replace(/y$/, "ie").replaceAll("_", " ");
  const things = isCount ? key.ds.replaceAll("_", " ") : named === undefined ? main.label : `${named}s`;
  return [t`${some} of ${all} ${things} have no ${within(columns[0]?.label ?? "")}.`];
}

function emptyValues({ reading: { ask } }: Result, { rows, numbers, keys }: View): string[] {
  const ratio = (column: ShownColumn) => rows.filter((row) => row[column.index] === null).length;
  const many = [...numbers, ...(ask.k === "list" ? keys : [])].flatMap((column) => {
    const empty = ratio(column);
    if (rows.length < RATIO_ROWS || empty / rows.length < NULL_RATIO || empty === rows.length) return [];
    return [t`${column.label} is empty in ${empty} of ${rows.length} rows.`];
  });
  return many;
}

/** The period that today lies in is not over. */
function unfinished(
  { compiled }: Result,
  { keys, rows }: View,
  now: string,
  data: DataPeriod | undefined,
): string[] {
  const today = now.slice(0, 10);
  const until = (from: string, to: string) => lastDay({ from, to, today }, data);
  // Plans reach beyond today, and of a period after the last row there are no numbers at all.
  const isOpen = (from: string, to: string) =>
    from.slice(0, 10) <= today &&
    today < dayBefore(to) &&
    (data === undefined || (data.last >= from.slice(0, 10) && data.last < dayBefore(to)));
  const time = keys.find(({ format }) => format.kind === "period");
  if (time?.format.kind === "period") {
    const { grain } = time.format;
    const starts = rows.map((row) => row[time.index]).filter((value) => typeof value === "string");
    const running = starts.find((start) => isOpen(start, periodEnd(start, grain)));
    return running === undefined
      ? []
      : [
          t`${show(running, time.format)} is not over yet: its numbers are those until ${until(running, periodEnd(running, grain))}.`,
        ];
  }
  const isToday = ({ from, to }: Window) => from?.slice(0, 10) === today && to === dayAfter(today, 1);
  if (compiled.used.windows.some(({ win }) => isToday(win)))
    return [t`Today is not over yet: the numbers are those until now.`];
  const open = compiled.used.windows.find(
    ({ win }) => win.from !== null && win.to !== null && isOpen(win.from, win.to),
  );
  return open === undefined
    ? []
    : [
        t`The period (${period(open.win.said)}) is not over yet: the numbers are those until ${until(open.win.from as string, open.win.to as string)}.`,
      ];
}

/** A period that ends with today is meant to. */
function dayBefore(end: string): string {
  return dayAfter(end.slice(0, 10), -1);
}

/** Which filter leaves nothing, and which values there are instead. */
async function reasonsOf(
  { reading: { ask }, rows }: Result,
  { schema, values }: Knowledge,
  query: Check,
): Promise<string[]> {
  const filters = filtersIn(ask)
    .slice(0, LIMITS.agent.repairs)
    .map((filter) => ({ filter, near: nearestTo(filter, values) }))
    // That there are none of something is an answer; a value that is not there needs a word.
    .filter(({ near }) => near !== "" || !rows.some((row) => row.includes(0)));
  const reasons = filters.map(async ({ filter, near }) => {
    const sql = ifCarried(() => compile(schema, without(ask, filter)).sql);
    const found = sql === undefined ? undefined : await query(sql);
    if (found === undefined || isNothing(found, keysOf(ask))) return [];
    return [t`Without ${filter.said} there would be something.${near}`];
  });
  return (await Promise.all(reasons)).flat();
}

function nearestTo({ key, value }: NamedFilter, values: Knowledge["values"]): string {
  if (key === undefined || value === undefined) return "";
  const known = values.find(({ ds, field }) => ds === key.ds && field === key.field);
  if (known === undefined || known.values.includes(value)) return "";
  const near = nearestFirst(value, known.values).slice(0, 3);
  return near.length === 0 ? "" : t` The nearest values that there are: ${near.join(", ")}.`;
}

/** Columns that tell the rows apart; they come first. */
function keysOf(ask: Ask): number {
  return ask.k === "table" && ask.cols.length > 0 ? ask.by.length : 0;
}

/** No rows, or nothing in them beside what tells them apart; a single count of 0 is nothing as well. */
function isNothing({ rows }: Pick<Result, "rows">, keys: number): boolean {
  return rows.every((row) => row.slice(keys).every((value) => value === null || (keys === 0 && value === 0)));
}
