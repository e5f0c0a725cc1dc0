import { isZeroOfNothing } from "../compile/of-nothing.ts";
import { say } from "../explain/say.ts";
import { isAdditive } from "../explain/view.ts";
import { period, t, word } from "../explain/words.ts";
import { daysBy, type Knowledge } from "../knowledge/build-knowledge.ts";
import { type Node, nodesIn, rebuilt } from "../query/parts.ts";
import type { Ask, Grain, Key, Num, Scope, Window } from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";
import { upToToday } from "../understand/readings/finish.ts";
import { dayAfter, days, MISSING, periodEnd, periodStart } from "./data-period.ts";

type Table = Extract<Ask, { k: "table" }>;
type Days = Window & { from: string; to: string };

/** What says that two periods are held against each other; "this year and last year" are two numbers. */
const COMPARING = /\b(vs|versus|against|same|compar\w*|vergl\w*|gegen\w*|gleich\w*|selben)\b|ggü|zeitraum/i;

/** What is not over yet is held against as many days of an earlier period, and not against all of it. */
export function likeWithLike(readings: readonly Reading[], text: string, now: string): Reading[] {
  return readings.map((reading) => {
    const { ask, isExact } = reading;
    if (ask.k !== "table" || isExact === true || ask.by.some(({ bucket }) => bucket !== undefined))
      return reading;
    const pair = COMPARING.test(text) || hasChange(ask) ? runningAndEarlier(ask, now) : undefined;
    if (pair === undefined) return reading;
    const scoped = pair.reduce<Table>((made, [win, cut]) => withWindow(made, win, cut), ask);
    const [[running], [, earlier]] = pair;
    const choice = t`${period(named(running))} is not over: it is held against as many days, ${period(earlier.said)}`;
    return {
      ...reading,
      ask: scoped,
      said: say(scoped),
      assumptions: [...reading.assumptions, { at: null, choice, others: [] }],
    };
  });
}

/** Growth, a difference, or who has more in one than in the other. */
export function hasChange(ask: Ask): boolean {
  const isNumber = (part: unknown) => numberWindow((part ?? {}) as Node) !== undefined;
  return nodesIn(ask).some(
    ({ k, op, a, b }) =>
      (k === "cmp" || (k === "calc" && (op === "growth" || op === "-"))) && isNumber(a) && isNumber(b),
  );
}

/** A period that is not over and an earlier one of the same length, each with what is left of it. */
function runningAndEarlier(ask: Table, now: string): [[Days, Days], [Days, Days]] | undefined {
  const all = new Map(
    nodesIn(ask)
      .flatMap((node) => numberWindow(node) ?? [])
      .map((win) => [keyOf(win), win]),
  );
  const [one, two, ...others] = [...all.values()];
  if (!isClosed(one) || !isClosed(two) || others.length > 0) return undefined;
  const [running, earlier] = one.from > two.from ? [one, two] : [two, one];
  const soFar = upToToday(running, now);
  if (soFar?.to == null || running.from <= earlier.from || lengthOf(running) !== lengthOf(earlier))
    return undefined;
  const left = asManyDays(soFar.to, running.from, earlier.from);
  const [to = left] = [left, earlier.to].sort();
  const cut = { ...earlier, to, said: `${named(earlier)} until ${DAY.format(new Date(dayAfter(to, -1)))}` };
  return [
    [running, soFar as Days],
    [earlier, cut],
  ];
}

function numberWindow({ k, scope }: Node): Window | undefined {
  return k === "metric" || k === "agg" || k === "each" ? (scope as Scope | undefined)?.win : undefined;
}

function withWindow(ask: Table, win: Window, cut: Window): Table {
  return rebuilt(ask, (node) => {
    const own = numberWindow(node);
    if (own === undefined || keyOf(own) !== keyOf(win)) return node;
    return { ...node, scope: { ...(node.scope as Scope), win: { ...own, to: cut.to, said: cut.said } } };
  });
}

function keyOf({ from, to }: Window): string {
  return `${from} ${to}`;
}

/** Of days with both ends, and not of hours. */
function isClosed(win: Window | undefined): win is Days {
  return win?.from?.length === 10 && win.to?.length === 10;
}

function named({ said }: Window): string {
  return said.replace(/ \([^()]*\)$/, "");
}

/** "15 Mar" */
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

const monthOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

/** Months where they are whole ones; else days. */
function lengthOf({ from, to }: Days): string {
  const isWhole = from.endsWith("-01") && to.endsWith("-01");
  return isWhole ? `${monthOf(to) - monthOf(from)} months` : `${days(from, to)} days`;
}

/** Where the earlier one ends: on the same day of its year, or after the same number of days. */
function asManyDays(end: string, from: string, earlier: string): string {
  if (from.slice(4) !== earlier.slice(4)) return dayAfter(end, -days(earlier, from));
  const years = Number(from.slice(0, 4)) - Number(earlier.slice(0, 4));
  // 29 February of another year is the first of March there.
  return dayAfter(`${Number(end.slice(0, 4)) - years}${end.slice(4)}`, 0);
}

/**
 * The lowest month, an average month or growth from one year to the next is one of whole periods: one that the data
 * begin or end in would always be the lowest.
 */
export function inWholePeriods(readings: readonly Reading[], knowledge: Knowledge, now: string): Reading[] {
  return readings.map((reading) => {
    const { ask, isExact } = reading;
    const compared = ask.k === "table" && isExact !== true ? comparedIn(ask, knowledge) : undefined;
    const win = compared && wholeWindow(ask as Table, compared, knowledge, now.slice(0, 10));
    if (compared === undefined || win === undefined) return reading;
    const scoped: Ask = { ...(ask as Table), scope: { ...(ask as Table).scope, win } };
    const choice = t`only whole ${word(`${compared.key.bucket}s`)} count, ${period(win.said)}`;
    return {
      ...reading,
      ask: scoped,
      assumptions: [...reading.assumptions, { at: null, choice, others: [] }],
    };
  });
}

/** Periods, and by how many of them each is held against an earlier one. */
interface Compared {
  key: Key;
  lag?: Extract<Num, { k: "lag" }>;
}

/** The periods that are compared with each other, where a part of one would count as little. */
function comparedIn({ by, cols, top }: Table, { schema }: Knowledge): Compared | undefined {
  const key = by.find(({ bucket }) => bucket !== undefined);
  const lag = cols.flatMap((num) => (num.k === "calc" && num.b.k === "lag" ? [num.b] : []))[0];
  if (key !== undefined && lag !== undefined)
    return isAdditive(lag.of, schema, [key]) ? { key, lag } : undefined;
  if (key !== undefined && top?.dir === "min" && cols.some((num) => isAdditive(num, schema, [key])))
    return { key };
  const [each, ...others] = cols;
  if (each?.k !== "each" || each.fn === "max" || others.length > 0) return undefined;
  const [per, ...more] = each.per;
  const isOfTime = by.some(({ bucket, part }) => bucket !== undefined || part !== undefined);
  const isAlone = per?.bucket !== undefined && more.length === 0 && !isOfTime;
  return isAlone && isZeroOfNothing(schema, each.of) ? { key: per } : undefined;
}

/** From the first whole period to the last; undefined where all are whole, or hardly any is. */
function wholeWindow(
  { scope: { win } = {} }: Table,
  { key, lag }: Compared,
  knowledge: Knowledge,
  today: string,
): Window | undefined {
  const data = daysBy(key, knowledge);
  const grain = key.bucket as Grain;
  if (data === undefined || grain === "day" || key.fiscal === true) return undefined;
  const { bucket: _, ...on } = key;
  const first = firstWhole(data.first, grain);
  if (lag !== undefined) {
    const from = Array.from({ length: lag.n }).reduce<string>((day) => periodEnd(day, lag.grain), first);
    if (first === periodStart(data.first, grain) || (win?.from ?? "") >= from) return undefined;
    return { from, to: win?.to ?? null, on, said: `from ${from} on` };
  }
  const start = firstWhole(later(data.first, win?.from), grain);
  const end = earlier(dayAfter(earlier(data.last, today), 1), win?.to);
  const closing = periodStart(end, grain);
  const isOver = days(end, periodEnd(closing, grain)) <= MISSING * days(closing, periodEnd(closing, grain));
  const to = isOver ? periodEnd(closing, grain) : closing;
  const isCut = start > later(periodStart(data.first, grain), win?.from) || to < end;
  // Of fewer than two none is the lowest.
  if (!isCut || periodEnd(start, grain) >= to) return undefined;
  return { from: start, to, on, said: `${start} to ${dayAfter(to, -1)}` };
}

/** Where the first period begins of which hardly anything is missing. */
function firstWhole(day: string, grain: Grain): string {
  const start = periodStart(day, grain);
  const end = periodEnd(start, grain);
  return days(start, day) > MISSING * days(start, end) ? end : start;
}

function later(day: string, other: string | null | undefined): string {
  return other != null && other.slice(0, 10) > day ? other.slice(0, 10) : day;
}

function earlier(day: string, other: string | null | undefined): string {
  return other != null && other.slice(0, 10) < day ? other.slice(0, 10) : day;
}
