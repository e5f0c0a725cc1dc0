import type { Grain, Num, Window } from "../../query/semantic-query.ts";
import { isYearly, yearsBetween } from "../../query/years-apart.ts";
import type { Combined } from "../rules/chart.ts";
import type { Grammar } from "../rules/grammar.ts";
import type { Sense, TableSense } from "./fragment.ts";
import { asTable, column, grouped, more, scoped } from "./table-senses.ts";

/** "more in 2025 than in 2024", "higher in this category than in that one" */
export function moreThan(
  grammar: Grammar,
  table: TableSense,
  { win, cond, ds }: Extract<Sense, { t: "than" }>,
): Combined[] {
  const [num] = table.cols;
  if (num === undefined) return [];
  if (win !== null && table.win !== null) return compared({ ...table, win: null }, [table.win, win]);
  const last = table.conds.at(-1);
  if (cond === null || ds === null || last === undefined || !grammar.reachedBy(table, ds)) return [];
  const a = scoped(num, { if: last });
  const b = scoped(num, { if: cond });
  return [asTable({ ...table, conds: table.conds.slice(0, -1), cols: [{ k: "calc", op: "-", a, b }] }, 0)];
}

/** "how much more in 2025 than in 2024" */
export function differing(table: TableSense): Combined[] {
  const [a, b, ...others] = table.cols;
  // What grew did so by its growth.
  if (a?.k === "calc" && (a.op === "-" || a.op === "growth") && b === undefined)
    return [asTable(table, -0.1)];
  const pair = table.conds.find((cond) => cond.k === "is" && cond.values.length === 2);
  if (a !== undefined && b === undefined && pair?.k === "is") {
    const conds = table.conds.filter((cond) => cond !== pair);
    const [x, y] = pair.values.map((value) => scoped(a, { if: { ...pair, values: [value] } })) as [Num, Num];
    return [asTable({ ...table, conds, cols: [{ k: "calc", op: "-", a: x, b: y }] }, 0)];
  }
  if (a === undefined || b === undefined || others.length > 0) return [];
  return [asTable({ ...table, cols: [{ k: "calc", op: "-", a, b }] }, -0.1)];
}

/** "compare Kitchen and Audio": each by itself. */
export function besideEachOther(grammar: Grammar, table: TableSense): Combined[] {
  const several = table.conds.find((cond) => cond.k === "is" && cond.values.length > 1);
  if (several?.k !== "is" || table.by.length > 0) return [asTable(table, 0)];
  return grouped(grammar, table, [several.key]).map((each) => more(each, -0.5));
}

/** Month over month: each period with the one before. */
export function overSeries(grammar: Grammar, table: TableSense, grain: Grain): Combined[] {
  const date = grammar.dateOf(table);
  const [num] = table.cols;
  if (date === undefined || num === undefined) return [];
  const base = num.k === "calc" && num.op === "growth" ? num.a : num;
  const growth: Num = { k: "calc", op: "growth", a: base, b: { k: "lag", of: base, n: 1, grain } };
  // Year over year of one period is one number; month over month of a year is a series.
  const by = grain === "year" ? table.by : [{ ...date, bucket: grain }, ...table.by];
  return [asTable({ ...table, cols: [growth], by }, 0)];
}

export function compareEarlier(table: TableSense, grain: Grain): Combined[] {
  const [num] = table.cols;
  if (num === undefined) return [];
  if (num.k === "calc" && num.op === "growth") {
    const growth: Num = num.b.k === "lag" ? { ...num, b: { ...num.b, grain } } : num;
    return [asTable({ ...table, cols: [growth] }, 0)];
  }
  return [asTable({ ...table, cols: [num, { k: "lag", of: num, n: 1, grain }] }, 0)];
}

export function growing(table: TableSense): Combined[] {
  if (table.cols.length === 2) {
    const [a, b] = table.cols as [Num, Num];
    return [asTable({ ...table, cols: [{ k: "calc", op: "growth", a, b }] }, 0)];
  }
  const time = table.by.find(({ bucket }) => bucket !== undefined);
  if (table.cols.some((num) => num.k === "calc" && num.op === "growth")) return [asTable(table, 0)];
  const grown = (of: Num): Num => ({
    k: "calc",
    op: "growth",
    a: of,
    b: { k: "lag", of, n: 1, grain: time?.bucket ?? "year" },
  });
  const top = table.top === null ? null : { ...table.top, by: grown(table.top.by) };
  return [column({ ...table, top }, grown, time === undefined ? 0.7 : 0.1)];
}

export function compared(table: TableSense, wins: Window[]): Combined[] {
  if (table.win !== null || table.cols.length !== 1) return [];
  const [num] = table.cols as [Num];
  const [a, b] = wins.toSorted((x, y) => (x.from ?? "").localeCompare(y.from ?? ""));
  const isSeries = num.k !== "calc" && table.by.some(({ bucket }) => bucket !== undefined);
  if (isSeries && a !== undefined && b !== undefined) {
    // "by quarter in 2025 vs 2024": each with the same one of the other year.
    const n = wins.length === 2 && isYearly(table.by) ? (yearsBetween(a, b) ?? 0) : 0;
    if (n > 0 && table.by.every(({ bucket }) => bucket !== "year"))
      return [asTable({ ...table, win: b, cols: [num, { k: "lag", of: num, n, grain: "year" }] }, 0)];
    // Other periods one after the other.
    const win = { from: a.from, to: b.to, said: `${a.said} and ${b.said}` };
    if (a.to !== null && a.to === b.from) return [asTable({ ...table, win }, 0)];
  }
  const newerFirst = wins.toSorted((a, b) => (b.from ?? "").localeCompare(a.from ?? ""));
  if (num.k === "calc" && num.op === "growth" && num.b.k === "lag") {
    if (table.by.some(({ bucket }) => bucket !== undefined)) return [];
    const [a, b] = newerFirst.map((win) => scoped(num.a, { win })) as [Num, Num];
    const growth: Num = { k: "calc", op: "growth", a, b };
    const top = table.top === null ? null : { ...table.top, by: growth };
    return [asTable({ ...table, cols: [growth], top }, -1.2)];
  }
  return [asTable({ ...table, cols: wins.map((win) => scoped(num, { win })) }, 0)];
}
