import { MS } from "../../../kernel/time.ts";
import { type Column, column, compare, constant, countRows, rowQuery, truncated } from "../../data/index.ts";
import { momentOf, periodWriter } from "../query/axis.ts";
import { rangeOf } from "../query/points.ts";
import type { Source } from "../query/source.ts";
import { type Finding, isTotal, NONE, partOf } from "./finding.ts";
import { LIMITS } from "./limits.ts";
import { mean, median } from "./statistics.ts";

/** Days in a row without any, where there were to be some. */
export interface DataGap {
  from: number;
  to: number;
  expected: number;
  p: number;
}

/** What a day has is to be expected by the same weekday of so many weeks before and after. */
const WEEKS = 4;
/** Of fewer a day nothing is said: none of them is nothing special. */
const LEAST_A_DAY = 2;
const SURE = 0.01;

/**
 * Counts of each day that fall silent: as improbable as so many days without any are, where they come by chance and
 * stray as much as they do on other days. What is silent every week, or every other day, is silent by habit.
 */
export function dataGapsOf(counts: readonly number[]): DataGap[] {
  const found: DataGap[] = [];
  const stray = strayOf(counts);
  for (let from = counts.indexOf(0); from !== -1; ) {
    const next = counts.findIndex((count, i) => i > from && count > 0);
    const to = next === -1 ? counts.length : next;
    // Days that are silent by habit say nothing, also where they stand beside others.
    const usual = Array.from({ length: to - from }, (_, i) => sameWeekdays(counts, from + i, from, to))
      .map((beside) => (beside.length < WEEKS ? 0 : median(beside)))
      .filter((each) => each >= LEAST_A_DAY);
    const expected = usual.reduce((sum, each) => sum + each, 0);
    const p = Math.min(1, counts.length * Math.exp(-expected / stray));
    // At the ends of the data it may only not be there yet.
    if (from > 0 && to < counts.length && p < SURE) found.push({ from, to, expected, p });
    from = counts.indexOf(0, to);
  }
  return found;
}

/** How much more days stray than by chance alone, which is 1. */
function strayOf(counts: readonly number[]): number {
  const ratios = counts.flatMap((count, at) => {
    const beside = sameWeekdays(counts, at, at, at + 1);
    const usual = mean(beside);
    return beside.length < WEEKS || usual < LEAST_A_DAY
      ? []
      : [(count - usual) ** 2 / (usual * (1 + 1 / beside.length))];
  });
  return ratios.length === 0 ? 1 : Math.max(1, mean(ratios));
}

/** The counts of the same weekday, without those of the gap itself. */
function sameWeekdays(counts: readonly number[], at: number, from: number, to: number): number[] {
  const days: number[] = [];
  for (let week = -WEEKS; week <= WEEKS; week += 1) {
    const day = at + week * 7;
    if (day >= 0 && day < counts.length && (day < from || day >= to)) days.push(counts[day] ?? 0);
  }
  return days;
}

/** Parts of the data that fell silent for days, while the others went on. */
export async function dataGapFindings(
  source: Source,
  time: Column,
  fields: readonly Column[],
  locale: string,
): Promise<Finding[]> {
  const x = column(time.name);
  const { points, segments, parts } = LIMITS.insights;
  const [, last] = await rangeOf(x, source);
  if (last === undefined) return [];
  const first = Math.floor(last / MS.day) - points;
  const since = new Date(first * MS.day).toISOString().slice(0, 10);
  const found: Finding[] = [];
  for (const field of fields) {
    const query = rowQuery({
      select: [
        ["k9s", column(field.name)],
        ["k9x", truncated(x, "day")],
        ["k9n", countRows()],
      ],
      where: compare(x, ">=", constant(since)),
      groupBy: 2,
    });
    const read = await source.read(query, segments * (points + 1));
    const days = new Map<string, number[]>();
    for (const row of read.rows) {
      const at = (momentOf(row.k9x) ?? 0) / MS.day - first;
      const name = String(row.k9s ?? NONE);
      if (isTotal(name)) continue;
      const counts = days.get(name) ?? new Array<number>(points + 1).fill(0);
      if (Number.isInteger(at) && at >= 0) counts[at] = Number(row.k9n);
      days.set(name, counts);
    }
    const largest = [...days].toSorted(([, a], [, b]) => mean(b) - mean(a)).slice(0, parts);
    for (const [name, counts] of largest)
      for (const gap of dataGapsOf(counts.slice(counts.findIndex((count) => count > 0))))
        found.push(
          told(
            { part: `${field.name} ${name}`, words: partOf(field, name) },
            gap,
            first + counts.findIndex((n) => n > 0),
            locale,
          ),
        );
  }
  return found;
}

function told(
  { part, words }: { part: string; words: string },
  { from, to, expected, p }: DataGap,
  first: number,
  locale: string,
): Finding {
  const write = periodWriter("day", locale);
  const [begins, ends] = [write((first + from) * MS.day), write((first + to - 1) * MS.day)];
  const when = to - from === 1 ? `on ${begins}` : `from ${begins} to ${ends}`;
  return {
    kind: "missing",
    sentence: `There are no rows for ${words} ${when}, where about ${Math.round(expected)} were to be expected.`,
    numbers: { from: begins, to: ends, days: to - from, expected: Number(expected.toFixed(1)) },
    p,
    impact: 0.6,
    next: "Check whether something was down then, or whether data was lost.",
    at: (first + to - 1) * MS.day,
    change: -expected,
    part,
  };
}
