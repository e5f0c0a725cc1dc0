import { isAdditive } from "../explain/additive.ts";
import { numberIn } from "../explain/format.ts";
import type { ShownColumn } from "../explain/view.ts";
import { isKey } from "../query/semantic-query.ts";
import type { Clause } from "./text-holds.ts";
import type { Told, Written } from "./text-tokens.ts";

type Claim = (clause: Clause, told: Told) => boolean;

/** What clauses say of a result. A number that is not written is not wrong. */
export const CLAIMS = {
  /** The numbers are those of the rows that were named last. */
  isCell: ({ rows, numbers, column }, told) =>
    numbers.every((x, i) => isNumber(x, cellOf(rows.at(i - numbers.length), column, told), column)),
  isOnly: ({ numbers: [x], column }, told) =>
    told.view.keys.length === 0 &&
    told.view.rows.length === 1 &&
    isNumber(x, cellOf(0, column, told), column),
  isShare: ({ rows: [a], numbers: [x], column }, told) =>
    isNear(x, (cellOf(a, column, told) / wholeOf(column, told)) * 100),
  isPlace: ({ rows: [a], place, column, sign }, told) =>
    a !== undefined && rowAt(place, sign, column, told) === a,
  isOfFirst: ({ numbers: [x], column, sign }, told) =>
    isNumber(x, cellOf(rowAt(1, sign, column, told), column, told), column),
  isAhead: ({ rows: [a, b], column, sign }, told) =>
    (cellOf(a, column, told) - cellOf(b, column, told)) * sign > 0,
  isNext: ({ rows: [a, b], column }, told) => {
    const isAt = (place: number, row: number | undefined) =>
      row !== undefined && rowAt(place, 1, column, told) === row;
    return told.view.rows.some((_, i) => isAt(i + 1, a) && isAt(i + 2, b));
  },
  isAheadBy: ({ rows: [a, b], ...clause }, told) => isChange(b, a, clause, told),
  isLaterBy: ({ rows: [a, b], ...clause }, told) => isOverTime(told) && isChange(a, b, clause, told),
  isLater: ({ rows: [a, b], column, sign }, told) =>
    isOverTime(told) && (cellOf(b, column, told) - cellOf(a, column, told)) * sign > 0,
  /** Of all groups together; those that are shown have to be all. */
  isSum: ({ numbers: [x], column }, told) => {
    const whole = wholeOf(column, told);
    const sum = told.view.rows.reduce((all, _, i) => all + cellOf(i, column, told), 0);
    return Math.abs(whole - sum) <= 1e-6 * Math.abs(whole) && isNumber(x, whole, column);
  },
  isGrowth: ({ rows: [a], numbers: [x], column, sign }, told) =>
    x !== undefined &&
    "op" in column.of &&
    column.of.op === "growth" &&
    isNumber({ ...x, value: x.value * sign }, cellOf(a, column, told), column),
} satisfies Readonly<Record<string, Claim>>;

function cellOf(row: number | undefined, { index }: ShownColumn, { view }: Told): number {
  return numberIn(view.rows[row ?? -1]?.[index]) ?? Number.NaN;
}

/** The number of the whole, where groups add up to it. */
function wholeOf({ of, index }: ShownColumn, { totals, view, knowledge }: Told): number {
  const keys = view.columns.map((column) => column.of).filter(isKey);
  const isSum = view.keys.length > 0 && !isKey(of) && isAdditive(of, knowledge.schema, keys);
  return (isSum ? numberIn(totals?.[index - view.keys.length]) : undefined) ?? Number.NaN;
}

function isOverTime({ view }: Told): boolean {
  return view.keys.some(({ format }) => format.kind === "period");
}

/** From one row to the other it is as much more, or less, as is written. */
function isChange(
  from: number | undefined,
  to: number | undefined,
  { numbers: [x], column, sign }: Omit<Clause, "rows">,
  told: Told,
): boolean {
  const start = cellOf(from, column, told);
  const by = (cellOf(to, column, told) - start) * sign;
  if (!(by > 0) || column.format.kind === "percent") return false;
  return x?.isPercent === true ? isNear(x, (by / start) * 100) : isNumber(x, by, column);
}

/** The row at a place of all that there are, if it is alone there. */
function rowAt(place: number, sign: 1 | -1, column: ShownColumn, told: Told): number | undefined {
  const values = told.view.rows.map((_, i) => cellOf(i, column, told) * sign);
  const there = [...values.keys()].filter(
    (i) => values.filter((each) => each > (values[i] as number)).length === place - 1,
  );
  return isRanked(sign, told) && there.length === 1 ? there[0] : undefined;
}

/** Whether the first ones of the answer are the first of all. */
function isRanked(sign: 1 | -1, { result, view }: Told): boolean {
  const { ask } = result.reading;
  if (ask.k === "list") return ask.limit === undefined && ask.rel.k !== "top";
  const { top, having } = ask;
  if (having !== undefined || top?.skip !== undefined || (top?.per?.length ?? 0) > 0) return false;
  return top === undefined ? view.rows.length > 1 : (top.dir === "max") === (sign === 1);
}

/** Whether that is the number, as it is written. */
function isNumber(written: Written | undefined, value: number, { format }: ShownColumn): boolean {
  const symbol = written?.symbol;
  if (symbol !== undefined && (format.kind !== "money" || format.symbol.trim() !== symbol)) return false;
  const isPercent = format.kind === "percent";
  return written?.isPercent === isPercent && isNear(written, isPercent ? value * format.by : value);
}

/** However few digits are written, a number is not further off than this. */
const FARTHEST = 0.05;

function isNear(written: Written | undefined, wanted: number): boolean {
  const { value, tolerance } = written ?? { value: Number.NaN, tolerance: 0 };
  const most = Math.min(tolerance, FARTHEST * Math.abs(wanted)) + 1e-9 * Math.max(1, Math.abs(wanted));
  return Math.abs(value - wanted) <= most;
}
