import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { Subject } from "../../../platform/drawing/index.ts";
import { LIMITS as DRAWING } from "../../../platform/drawing/limits.ts";
import type { ChartSpec } from "../answer.ts";
import { LIMITS } from "../limits.ts";
import type { Schema } from "../query/schema.ts";
import { type Ask, isKey, type Num } from "../query/semantic-query.ts";
import { type Format, show } from "./format.ts";
import { say } from "./say.ts";
import { cell, inWords, isAdditive, numberOf, type ShownColumn, type View, withoutNoise } from "./view.ts";
import { locale, t, word } from "./words.ts";

/** More slices of a pie than this are put together as one; so are more lines or groups of bars, and more bars. */
const SLICES = 7;
const SERIES = 8;
const BARS = 20;
/** Bars of periods, which stand in their order and need less room. */
const PERIODS = 60;
/** Shares of a whole add up to it, but for rounding. */
const ROUNDING = 0.005;
const OTHER = "Other";
/** All others together are not drawn when they are this many times as large as the largest. */
const OVERWHELMING = 2;
/** Fewer points show no connection. */
const SCATTER_POINTS = 5;
/** More bars than this, or longer names, read better from top to bottom. */
const VERTICAL_BARS = 8;
const VERTICAL_CHARACTERS = 14;

/** What a chart is made of, beside the result as it is shown. */
export interface Charted {
  /** What the result says. */
  said: string;
  ask: Ask;
  schema: Schema;
  /** What whoever asks wants to see, where the result can be drawn so. */
  wish?: ChartSpec["type"] | undefined;
  /** Where the periods begin that the result is of, also those without rows. */
  periods?: readonly string[] | undefined;
}

interface Shape {
  title: string;
  /** Those of a ranking, and not all that there are. */
  isRanking: boolean;
  /** The rows of some groups together have the sum of their numbers. */
  addsUp: boolean;
  periods: readonly string[];
}

/** The charts that help to see what a result says: none for a single number or a list of names. */
export function chartsOf(view: View, { said, ask, schema, wish, periods = [] }: Charted): ChartSpec[] {
  const isRanking = ask.k === "table" && ask.top !== undefined;
  const isPart =
    view.rows.length < view.totalRows || (ask.k === "table" && (isRanking || ask.having !== undefined));
  const keys = view.columns.map(({ of }) => of).filter(isKey);
  const addsUp = !isPart && view.numbers.every(({ of }) => !isKey(of) && isAdditive(of, schema, keys));
  const shape = { title: inWords(said), isRanking, addsUp, periods };
  const chart = (wish && wishedOf(view, shape, wish)) ?? chartOf(view, shape);
  if (chart === undefined) return [];
  const title = chart.type === "scatter" ? undefined : titleOf(view, ask, chart);
  return [title === undefined ? chart : { ...chart, title: chart.title.replace(shape.title, () => title) }];
}

/** What is not drawn is not in the title either: money and people have no common axis. */
function titleOf({ keys, numbers }: View, ask: Ask, { type }: ChartSpec): string | undefined {
  const drawn = onOneAxis(numbers).slice(0, type === "pie" || keys.length > 1 ? 1 : SERIES);
  if (ask.k === "list" || drawn.length === numbers.length) return undefined;
  const cols = ask.cols.filter((num) => drawn.some(({ of }) => of === num));
  return cols.length === 0 ? undefined : inWords(say({ ...ask, cols }));
}

function wishedOf(view: View, shape: Shape, wish: ChartSpec["type"]): ChartSpec | undefined {
  const { keys, numbers, rows } = view;
  const [[key, ...others], [main]] = [keys, numbers];
  if (key === undefined || main === undefined || others.length > 0 || rows.length < 2) return undefined;
  if (wish === "pie") return isPart(main) ? pieOf(view, shape, main) : wholePie(view, shape, main);
  if (wish === "bar") return barOf(view, shape);
  if (wish === "line") return lineOf(view, shape.title, key);
  return numbers.length > 1 ? scatterOf(view, shape.title) : undefined;
}

function chartOf(view: View, shape: Shape): ChartSpec | undefined {
  const { keys, numbers, rows } = view;
  const [main] = numbers;
  if (main === undefined || rows.length < 2 || keys.length === 0) return undefined;
  const time = keys.find(({ format }) => format.kind === "period");
  if (keys.length === 2) return grouped(view, shape, time);
  if (keys.length > 2) return undefined;
  if (time !== undefined) return lineOf(view, shape.title, time);
  if (numbers.length === 1 && isPart(main)) return pieOf(view, shape, main);
  const isCloud = numbers.length === 2 && !isAlike(numbers) && rows.length >= SCATTER_POINTS;
  return isCloud ? scatterOf(view, shape.title) : barOf(view, shape);
}

/** Numbers that are read off the same axis: those that are like the first one. */
function onOneAxis(numbers: readonly ShownColumn[]): ShownColumn[] {
  const [main] = numbers;
  return numbers.filter((column) => scaleOf(column) === (main && scaleOf(main))).slice(0, SERIES);
}

function scaleOf({ format }: ShownColumn): string {
  return `${format.kind} ${unitOf(format)}`;
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
    yAxisLabel: axisLabel(onOneAxis(numbers)),
    categories: shown.map((row) => cell(row, time)),
    series: seriesOf(shown, onOneAxis(numbers)),
  };
}

/** As they come, and where there are many and they add up, the first ones and all others together. */
function barOf({ keys, numbers, rows, totalRows }: View, shape: Shape): ChartSpec | undefined {
  const key = keys[0] as ShownColumn;
  const columns = onOneAxis(numbers);
  const known = complete(rows, columns);
  if (known.length < 2) return undefined;
  const isTime = key.format.kind === "period";
  const most = isTime ? PERIODS : BARS;
  const isCut = known.length > most;
  const others = columns.map((column) => sumOf(known.slice(BARS - 1), column));
  // Of periods the last ones are shown, and no others together.
  const hasOther = isCut && !isTime && shape.addsUp && !isOverwhelming(known, columns, others);
  const shown = isTime ? known.slice(-most) : known.slice(0, hasOther ? BARS - 1 : BARS);
  const names = shown.map((row) => categoryOf(row, key));
  const categories = hasOther ? [...names, word(OTHER)] : names;
  const series = seriesOf(shown, columns).map(({ label, data }, i) => ({
    label,
    data: hasOther ? [...data, others[i] as number] : data,
  }));
  const all = (known.length + totalRows - rows.length).toLocaleString(locale());
  const isLong = categories.some(({ length }) => length > VERTICAL_CHARACTERS);
  const isMany = categories.length > VERTICAL_BARS;
  return {
    type: "bar",
    title:
      isCut && !hasOther
        ? isTime
          ? t`${shape.title} (the last ${most} of ${all})`
          : t`${shape.title} (${most} of ${all})`
        : shape.title,
    xAxisLabel: key.label,
    yAxisLabel: axisLabel(columns),
    categories,
    series,
    layout: shape.isRanking || (!isTime && (isMany || isLong)) ? "horizontal" : "vertical",
  };
}

function sumOf(rows: readonly JsonValue[][], column: ShownColumn): number {
  return withoutNoise(rows.reduce((sum, row) => sum + (numberOf(row, column) as number), 0));
}

/** Beside all others together nothing could be seen of the rest. */
function isOverwhelming(
  rows: readonly JsonValue[][],
  columns: readonly ShownColumn[],
  others: readonly number[],
): boolean {
  const sizes = rows.flatMap((row) => columns.map((column) => Math.abs(numberOf(row, column) as number)));
  return Math.max(...others.map(Math.abs)) > OVERWHELMING * Math.max(...sizes);
}

/** Parts of a whole, the largest first; what is too small to be told apart, or not among the rows, is one slice. */
function pieOf(view: View, shape: Shape, main: ShownColumn): ChartSpec | undefined {
  const slices = slicesOf(view, main);
  const whole = main.format.kind === "percent" ? 100 / main.format.by : 1;
  const missing = whole - slices.reduce((sum, { value }) => sum + value, 0);
  const isWhole = missing >= -ROUNDING * whole && slices.every(({ value }) => value >= 0);
  if (slices.length < 2 || !isWhole) return barOf(view, shape);
  return pie(shape.title, slices, missing <= ROUNDING * whole ? 0 : missing);
}

/** Parts of what they are together, where they add up to something. */
function wholePie(view: View, { title, addsUp }: Shape, main: ShownColumn): ChartSpec | undefined {
  const slices = slicesOf(view, main);
  return !addsUp || slices.length < 2 || slices.some(({ value }) => value < 0)
    ? undefined
    : pie(title, slices, 0);
}

/** The largest first. */
function slicesOf({ keys, rows }: View, main: ShownColumn): { label: string; value: number }[] {
  const key = keys[0] as ShownColumn;
  return complete(rows, [main])
    .map((row) => ({ label: categoryOf(row, key), value: numberOf(row, main) as number }))
    .toSorted((a, b) => b.value - a.value);
}

function pie(title: string, slices: ReturnType<typeof slicesOf>, missing: number): ChartSpec {
  const shown = slices.slice(0, missing === 0 && slices.length <= SLICES ? SLICES : SLICES - 1);
  const rest = slices.slice(shown.length).reduce((sum, { value }) => sum + value, missing);
  return { type: "pie", title, slices: rest > 0 ? [...shown, { label: word(OTHER), value: rest }] : shown };
}

function scatterOf({ keys, numbers, rows }: View, title: string): ChartSpec {
  const [x, y] = numbers as [ShownColumn, ShownColumn];
  const key = keys[0] as ShownColumn;
  const points = complete(rows, [x, y])
    .slice(0, LIMITS.agent.chartPoints)
    .map((row) => ({
      x: numberOf(row, x) as number,
      y: numberOf(row, y) as number,
      label: categoryOf(row, key),
    }));
  return { type: "scatter", title, xAxisLabel: axisLabel([x]), yAxisLabel: axisLabel([y]), points };
}

/** Two keys: one along the axis, the other as lines or as bars side by side. */
function grouped(
  { keys, numbers, rows }: View,
  { title, addsUp, periods }: Shape,
  time: ShownColumn | undefined,
): ChartSpec | undefined {
  const main = numbers[0] as ShownColumn;
  const axis = time ?? (keys[0] as ShownColumn);
  const other = keys.find((key) => key !== axis) as ShownColumn;
  const known = complete(time === undefined ? rows : rows.toSorted(by(axis)), [main]);
  const found = [...new Set(known.map((row) => categoryOf(row, axis)))];
  const labels = largestFirst(known, other, main);
  const shown = labels.length > SERIES && addsUp ? [...labels.slice(0, SERIES - 1), word(OTHER)] : labels;
  const most = time === undefined ? LIMITS.agent.chartGroups : LIMITS.agent.chartPoints;
  const all = time === undefined || !addsUp ? [] : periods.map((start) => show(start, time.format));
  const categories = all.length > found.length && all.length <= most ? all : found;
  if (shown.length > SERIES || categories.length < 2 || categories.length > most) return undefined;
  const values = new Map<string, number>();
  for (const row of known) {
    const label = plain(row[other.index]);
    const cell = JSON.stringify([categoryOf(row, axis), shown.includes(label) ? label : word(OTHER)]);
    values.set(cell, withoutNoise((values.get(cell) ?? 0) + (numberOf(row, main) as number)));
  }
  // What adds up is nothing where there are no rows; any other number that is not there cannot be drawn as one.
  if (!addsUp && values.size < categories.length * shown.length) return undefined;
  const series = shown.map((label) => ({
    label,
    data: categories.map((category) => values.get(JSON.stringify([category, label])) ?? 0),
  }));
  const type = time === undefined ? "bar" : "line";
  return { type, title, xAxisLabel: axis.label, yAxisLabel: axisLabel([main]), categories, series };
}

function by({ index }: ShownColumn) {
  return (a: readonly JsonValue[], b: readonly JsonValue[]) =>
    String(a[index]) < String(b[index]) ? -1 : String(a[index]) > String(b[index]) ? 1 : 0;
}

/** The groups of a key in the order in which they come; those beyond what can be told apart by their size. */
function largestFirst(rows: readonly JsonValue[][], key: ShownColumn, main: ShownColumn): string[] {
  const sums = new Map<string, number>();
  for (const row of rows) {
    const label = plain(row[key.index]);
    sums.set(label, (sums.get(label) ?? 0) + (numberOf(row, main) as number));
  }
  const labels = [...sums.keys()];
  if (labels.length <= SERIES) return labels;
  return labels.toSorted((a, b) => (sums.get(b) as number) - (sums.get(a) as number));
}

function categoryOf(row: readonly JsonValue[], column: ShownColumn): string {
  return column.format.kind === "period" ? cell(row, column) : plain(row[column.index]);
}

function complete(rows: readonly JsonValue[][], numbers: readonly ShownColumn[]): JsonValue[][] {
  return rows.filter((row) => numbers.every((column) => numberOf(row, column) !== undefined));
}

function seriesOf(
  rows: readonly JsonValue[][],
  numbers: readonly ShownColumn[],
): NonNullable<ChartSpec["series"]> {
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

/** What the numbers of an axis are, with their unit: what is theirs alone says the legend. */
function axisLabel(numbers: readonly ShownColumn[]): string {
  const [main] = numbers as [ShownColumn];
  const names = new Set(
    numbers.map(({ label }) => (numbers.length > 1 ? label.replace(/ \([^()]*\)$/, "") : label)),
  );
  const label = [...names].join(", ");
  const unit = unitOf(main.format);
  return unit === "" ? label : `${label} (${unit})`;
}

function unitOf(format: Format): string {
  if (format.kind === "money") return format.symbol.trim();
  if (format.kind === "percent") return format.by === 1 ? "%" : word("fraction");
  return "unit" in format ? (format.unit ?? "") : "";
}

/** Columns of a table that a picture has room for. */
const COLUMNS = 6;

const CURRENCIES: Record<string, string> = { "€": "EUR", $: "USD", "£": "GBP", CHF: "CHF", "¥": "JPY" };

/** What a client that shows pictures is shown: the chart, or else the number or the first rows. */
export function pictureOf(
  view: View,
  [chart]: readonly ChartSpec[],
  { title, cut }: { title: string; cut: ReadonlySet<string> },
): Subject | undefined {
  const { columns, keys, numbers, rows, totalRows } = view;
  const [main, second] = numbers;
  if (chart !== undefined && main !== undefined) {
    const isCloud = chart.type === "scatter";
    const formats = isCloud
      ? { x: formatName(main.format), y: formatName((second ?? main).format) }
      : { y: formatName(main.format) };
    return { kind: "spec", chart: { ...chart, formats, ...partialIn(view, chart, cut) } };
  }
  const [first] = rows;
  if (first === undefined) return undefined;
  const value = main === undefined ? undefined : numberOf(first, main);
  if (rows.length === 1 && keys.length === 0 && numbers.length === 1 && main && value !== undefined)
    return { kind: "number", title, label: axisLabel([main]), value, format: formatName(main.format) };
  const shown = columns.slice(0, COLUMNS);
  return {
    kind: "table",
    title,
    columns: shown.map((column) => ({
      label: column.label,
      ...(numbers.includes(column) && { format: formatName(column.format) }),
    })),
    rows: rows
      .slice(0, DRAWING.drawing.tableRows)
      .map((row) => shown.map((column) => cellOf(row, column, numbers.includes(column)))),
    rowCount: totalRows,
  };
}

/** The places of periods that are not whole. */
function partialIn({ keys, rows }: View, { categories = [] }: ChartSpec, cut: ReadonlySet<string>) {
  const time = keys.find(({ format }) => format.kind === "period");
  if (time === undefined || cut.size === 0) return {};
  const parts = rows.filter((row) => cut.has(String(row[time.index])));
  // Lines are told apart by written periods, and bars by the values themselves.
  const names = new Set(parts.flatMap((row) => [cell(row, time), String(row[time.index])]));
  const partial = categories.flatMap((name, i) => (names.has(name) ? [i] : []));
  return partial.length === 0 ? {} : { partial };
}

function cellOf(row: readonly JsonValue[], column: ShownColumn, isNumber: boolean): string | number | null {
  const value = row[column.index];
  if (value === null || value === undefined) return null;
  if (isNumber) return numberOf(row, column) ?? null;
  if (column.format.kind === "period") return cell(row, column);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The name that a format has in drawings. */
export function formatName(format: Format): string {
  switch (format.kind) {
    case "money": {
      const code = CURRENCIES[format.symbol.trim()];
      return code === undefined ? "number" : `money:${code}`;
    }
    case "percent":
      return format.by === 1 ? "percent:whole" : "percent";
    case "integer":
      return "integer";
    default:
      return "number";
  }
}
