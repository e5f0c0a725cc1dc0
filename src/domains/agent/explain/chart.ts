import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { ChartSpec } from "../answer.ts";
import { LIMITS } from "../limits.ts";
import type { Num } from "../query/semantic-query.ts";
import type { Format } from "./format.ts";
import { cell, inWords, numberOf, type ShownColumn, type View } from "./view.ts";

/** More slices of a pie than this are put together as one. */
const SLICES = 8;
/** More lines or groups of bars than this cannot be told apart. */
const SERIES = 8;
/** Fewer points show no connection. */
const SCATTER_POINTS = 5;
/** More bars than this, or longer names, read better from top to bottom. */
const VERTICAL_BARS = 8;
const VERTICAL_CHARACTERS = 14;

/** The charts that help to see what a result says: none for a single number or a list of names. */
export function chartsOf(view: View, title: string): ChartSpec[] {
  const chart = chartOf(view, inWords(title));
  return chart === undefined ? [] : [chart];
}

function chartOf(view: View, title: string): ChartSpec | undefined {
  const { keys, numbers, rows } = view;
  const [main] = numbers;
  if (main === undefined || rows.length < 2 || keys.length === 0) return undefined;
  const time = keys.find(({ format }) => format.kind === "period");
  if (keys.length === 2) return grouped(view, title, time);
  if (keys.length > 2) return undefined;
  if (time !== undefined) return lineOf(view, title, time);
  if (numbers.length === 1 && isPart(main)) return pieOf(view, title, main);
  const isCloud = numbers.length === 2 && !isAlike(numbers) && rows.length >= SCATTER_POINTS;
  return isCloud ? scatterOf(view, title) : barOf(view, title);
}

/** Numbers that are read off the same axis: those that are like the first one. */
function onOneAxis(numbers: readonly ShownColumn[]): ShownColumn[] {
  const [main] = numbers;
  return numbers.filter(({ format }) => format.kind === main?.format.kind).slice(0, SERIES);
}

function isAlike(numbers: readonly ShownColumn[]): boolean {
  return onOneAxis(numbers).length === numbers.length;
}

/** A share of the whole. */
function isPart({ of }: ShownColumn): boolean {
  const isWhole = (num: Num) => (num.k === "metric" || num.k === "agg") && num.scope?.whole === true;
  return "k" in of && of.k === "calc" && of.op === "/" && isWhole(of.b);
}

function lineOf({ numbers, rows }: View, title: string, time: ShownColumn): ChartSpec | undefined {
  const shown = complete(rows, onOneAxis(numbers)).slice(-LIMITS.agent.chartPoints);
  if (shown.length < 2) return undefined;
  return {
    type: "line",
    title,
    xAxisLabel: time.label,
    yAxisLabel: axisLabel(numbers),
    categories: shown.map((row) => cell(row, time)),
    series: seriesOf(shown, onOneAxis(numbers)),
  };
}

function barOf({ keys, numbers, rows }: View, title: string): ChartSpec | undefined {
  const key = keys[0] as ShownColumn;
  const shown = complete(rows, onOneAxis(numbers)).slice(0, LIMITS.agent.chartGroups);
  if (shown.length < 2) return undefined;
  const categories = shown.map((row) => plain(row[key.index]));
  const isLong = categories.some(({ length }) => length > VERTICAL_CHARACTERS);
  return {
    type: "bar",
    title,
    xAxisLabel: key.label,
    yAxisLabel: axisLabel(numbers),
    categories,
    series: seriesOf(shown, onOneAxis(numbers)),
    layout: shown.length > VERTICAL_BARS || isLong ? "horizontal" : "vertical",
  };
}

/** Parts of a whole, the largest first; what is too small to be told apart is one slice. */
function pieOf(view: View, title: string, main: ShownColumn): ChartSpec | undefined {
  const key = view.keys[0] as ShownColumn;
  const slices = complete(view.rows, [main])
    .map((row) => ({ label: plain(row[key.index]), value: numberOf(row, main) as number }))
    .toSorted((a, b) => b.value - a.value);
  if (slices.length < 2 || slices.some(({ value }) => value < 0)) return barOf(view, title);
  if (slices.length <= SLICES) return { type: "pie", title, slices };
  const rest = slices.slice(SLICES - 1).reduce((sum, { value }) => sum + value, 0);
  return { type: "pie", title, slices: [...slices.slice(0, SLICES - 1), { label: "Other", value: rest }] };
}

function scatterOf({ keys, numbers, rows }: View, title: string): ChartSpec {
  const [x, y] = numbers as [ShownColumn, ShownColumn];
  const key = keys[0] as ShownColumn;
  const points = complete(rows, [x, y])
    .slice(0, LIMITS.agent.chartPoints)
    .map((row) => ({
      x: numberOf(row, x) as number,
      y: numberOf(row, y) as number,
      label: plain(row[key.index]),
    }));
  return { type: "scatter", title, xAxisLabel: axisLabel([x]), yAxisLabel: axisLabel([y]), points };
}

/** Two keys: one along the axis, the other as lines or as bars side by side. */
function grouped(
  { keys, numbers, rows }: View,
  title: string,
  time: ShownColumn | undefined,
): ChartSpec | undefined {
  const main = numbers[0] as ShownColumn;
  const axis = time ?? (keys[0] as ShownColumn);
  const other = keys.find((key) => key !== axis) as ShownColumn;
  const categories = [...new Set(rows.map((row) => categoryOf(row, axis)))];
  const labels = [...new Set(rows.map((row) => plain(row[other.index])))];
  const most = time === undefined ? LIMITS.agent.chartGroups : LIMITS.agent.chartPoints;
  const isReadable = labels.length <= SERIES && categories.length >= 2 && categories.length <= most;
  // A number that is not there cannot be drawn as one.
  const values = new Map<string, number>();
  for (const row of rows) {
    const value = numberOf(row, main);
    if (value !== undefined)
      values.set(JSON.stringify([categoryOf(row, axis), plain(row[other.index])]), value);
  }
  if (!isReadable || values.size < categories.length * labels.length) return undefined;
  const series = labels.map((label) => ({
    label,
    data: categories.map((category) => values.get(JSON.stringify([category, label])) as number),
  }));
  const type = time === undefined ? "bar" : "line";
  return { type, title, xAxisLabel: axis.label, yAxisLabel: axisLabel([main]), categories, series };
}

function categoryOf(row: readonly JsonValue[], column: ShownColumn): string {
  return column.format.kind === "period" ? cell(row, column) : plain(row[column.index]);
}

function complete(rows: readonly JsonValue[][], numbers: readonly ShownColumn[]): JsonValue[][] {
  return rows.filter((row) => numbers.every((column) => numberOf(row, column) !== undefined));
}

function seriesOf(rows: readonly JsonValue[][], numbers: readonly ShownColumn[]): ChartSpec["series"] {
  return numbers.map((column) => ({
    label: column.label,
    data: rows.map((row) => numberOf(row, column) as number),
  }));
}

/** Names in a chart are texts and not Markdown. */
function plain(value: JsonValue | undefined): string {
  return value === null || value === undefined
    ? "–"
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
}

function axisLabel(numbers: readonly ShownColumn[]): string {
  const [main] = numbers as [ShownColumn];
  const unit = unitOf(main.format);
  return unit === "" ? main.label : `${main.label} (${unit})`;
}

function unitOf(format: Format): string {
  if (format.kind === "money") return format.symbol.trim();
  return format.kind === "percent" ? (format.by === 1 ? "%" : "fraction") : "";
}
