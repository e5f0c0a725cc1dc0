import { say } from "../explain/say.ts";
import { period, t } from "../explain/words.ts";
import { type Node, nodesIn, rebuilt } from "../query/parts.ts";
import type { Ask, Scope, Window } from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";
import { upToToday } from "../understand/readings/finish.ts";
import { dayAfter, days } from "./periods.ts";

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
