import { isZeroOfNothing } from "../compile/of-nothing.ts";
import { isAdditive } from "../explain/additive.ts";
import { period, t, word } from "../explain/words.ts";
import { daysBy, type Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Grain, Key, Num, Window } from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";
import { dayAfter, days, MISSING, periodEnd, periodStart } from "./periods.ts";

type Table = Extract<Ask, { k: "table" }>;

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
