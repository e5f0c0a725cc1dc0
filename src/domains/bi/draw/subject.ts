import { AppError, isAppError } from "../../../kernel/errors.ts";
import { type Chart, formatter, otherIn, type Subject } from "../../../platform/drawing/index.ts";
import type { Column } from "../../data/index.ts";
import { LIMITS } from "../limits.ts";
import { type Key, NONE, nextPeriod, OTHER, type Points, periodWriter } from "../query/axis.ts";
import { captionOf, formatOf, type Measure, type Plan, planOf, readable } from "../query/plan.ts";
import { readNumber, readPoints, readScatter, readTable, type TableRoom } from "../query/points.ts";
import { isNumber, type Source, unfilteredNotes } from "../query/source.ts";
import type { ChartType, Grain, WidgetSpec } from "../shapes.ts";
import { wordsIn } from "../words.ts";

/** How what a widget shows is to be written, and when. */
export interface Writing {
  locale: string;
  now: Date;
  /** Of a table. */
  room: TableRoom;
  /** Of its place on the dashboard. */
  sizeY: number;
}

/** Drawing of a widget, with its notes. */
export interface Shown {
  subject: Subject;
  notes: string[];
}

/** Bars, slices, tiles and so on that are told apart; the smallest are put together. */
const MOST: Partial<Record<ChartType, number>> = {
  column: 20,
  bar: 20,
  pie: 7,
  donut: 7,
  funnel: 12,
  treemap: 40,
  heatmap: 40,
};

/** Bars and stages from top to bottom, in rows of a dashboard. */
const BARS_A_ROW = 1.8;

/** As many as there is room for. */
export function mostOf({ chart }: Pick<Plan, "chart">, { sizeY }: Writing): number | undefined {
  const most = MOST[chart];
  if (most === undefined || (chart !== "bar" && chart !== "funnel")) return most;
  return Math.min(most, Math.max(4, Math.floor((sizeY - 2.5) * BARS_A_ROW)));
}

/** Renders a widget to something that can be drawn. Errors are drawn as well: they never stop a dashboard. */
export async function showWidget(
  { name, isStranger, locale }: { name: string; isStranger: boolean; locale: string },
  show: () => Promise<Shown>,
): Promise<Shown> {
  try {
    return await show();
  } catch (error) {
    if (!isAppError(error) || error.code === "internal") throw error;
    // People without an account can do nothing about it, and ids and tools mean nothing to them.
    const t = wordsIn(locale);
    const gone = t`The data behind this chart is no longer there.`;
    const what = isStranger && error.code === "not_found" ? gone : error.message;
    const next =
      isStranger || error.hint === undefined
        ? ""
        : new AppError(error.code, "", { hint: error.hint }).advice.trim();
    return {
      subject: { kind: "error", title: name, what, next: next.replace(/^\. /, "") },
      notes: [],
    };
  }
}

export async function showSource(
  title: string,
  spec: WidgetSpec,
  source: Source,
  writing: Writing,
): Promise<Shown> {
  const shown = await showRows(title, spec, source, writing);
  return { ...shown, notes: [...shown.notes, ...unfilteredNotes(source, writing.locale)] };
}

async function showRows(title: string, spec: WidgetSpec, source: Source, writing: Writing): Promise<Shown> {
  const plan = planOf(spec, source);
  const { chart, x } = plan;
  if (
    chart === "datagrid2" ||
    (chart !== "singletext" && chart !== "gauge" && chart !== "recommendation" && x === undefined)
  )
    return table(title, spec, plan, source, writing);
  if (chart === "scatter" && x !== undefined && isNumber(x))
    return scatter(title, spec, plan, source, writing);
  if (x === undefined) return oneNumber(title, spec, plan, source, writing);
  const most = mostOf(plan, writing);
  const points = await readPoints(spec, { ...plan, x }, source, {
    most: spec.top ?? most ?? LIMITS.bi.chartRows,
    locale: writing.locale,
  });
  if (points.keys.length === 0) return { subject: empty(title, spec, source, writing), notes: [] };
  return drawPoints(title, spec, points, x.name, writing) ?? oneNumber(title, spec, plan, source, writing);
}

/** Drawing of a series along an axis; undefined for charts that show one number without its history. */
export function drawPoints(
  title: string,
  spec: WidgetSpec,
  points: Points,
  xName: string,
  writing: Writing,
): Shown | undefined {
  const { notes, grain } = points;
  if (spec.chart === "singletext" && grain !== undefined) return trend(title, spec, points, grain, writing);
  if (spec.chart === "singletext" || spec.chart === "gauge") return undefined;
  if (spec.chart === "recommendation")
    return { subject: { kind: "text", title, text: facts(points, writing) }, notes };
  const shown = withoutOthers(points, spec, writing);
  return {
    subject: { kind: "spec", chart: chartOf(title, spec, shown, xName, writing) },
    notes: shown.notes,
  };
}

function empty(
  title: string,
  { filters, c9ql }: WidgetSpec,
  { dataset, query: all }: Source,
  { locale }: Pick<Writing, "locale">,
): Subject {
  const t = wordsIn(locale);
  const fields = filters.map(({ field }) => field).join(", ");
  const why =
    dataset.rowCount === 0
      ? t`${dataset.name} has no rows yet.`
      : filters.length > 0
        ? t`No rows are left by the filters on ${fields}.`
        : all.statements.length > 0 && c9ql === undefined
          ? t`No rows are left by the filters of the dashboard.`
          : c9ql !== undefined
            ? t`No rows are left by the widget's query and filters.`
            : t`There are no rows of ${dataset.name} that you may see.`;
  return { kind: "empty", title, why };
}

function keyWriter(grain: Grain | undefined, locale: string): (key: Key) => string {
  const write = grain === undefined ? String : periodWriter(grain, locale);
  const name = nameWriter(locale);
  return (key) => ("period" in key ? write(key.period) : name(key.text));
}

/** Translates the placeholders for no value and for all others. */
function nameWriter(locale: string): (name: string) => string {
  const t = wordsIn(locale);
  const names = new Map([
    [OTHER, otherIn(locale)],
    [NONE, t`(empty)`],
  ]);
  return (name) => names.get(name) ?? name;
}

function chartOf(
  title: string,
  { chart, format, target }: WidgetSpec,
  points: Points,
  xName: string,
  { locale, now }: Writing,
): Chart {
  const write = keyWriter(points.grain, locale);
  const name = nameWriter(locale);
  const categories = points.keys.map(write);
  const { label } = points;
  const series = points.series.map((each) => ({ ...each, label: name(each.label) }));
  const ticks = points.grain === undefined ? {} : { ticks: ticksOf(points.keys, points.grain) };
  const formats = { y: format ?? points.format };
  const common = { title, formats, yAxisLabel: label, xAxisLabel: readable(xName), ...ticks };
  const [first] = series;
  const slices = categories.map((each, i) => ({ label: each, value: first?.data[i] ?? null }));
  switch (chart) {
    case "pie":
    case "donut":
      return { ...common, type: chart, slices };
    case "funnel":
      // All others together are no stage.
      return { ...common, type: chart, slices: slices.filter(({ label }) => label !== name(OTHER)) };
    case "treemap":
      return { ...common, type: chart, categories, series };
    case "heatmap":
      return { ...common, type: chart, categories, series };
    case "gauge":
      return { ...common, type: chart, slices: slices.slice(0, 1), ...(target !== undefined && { target }) };
    case "line":
    case "area":
      return { ...common, type: chart, categories, series, ...partialIn(points, now) };
    default:
      return {
        ...common,
        type: "bar",
        layout: chart === "bar" ? "horizontal" : "vertical",
        categories,
        series,
        ...partialIn(points, now),
      };
  }
}

/** Periods that are named where there is no room for all: every third month from January, and so on. */
const TICKS: Record<Grain, { steps: number[]; isFirst: (date: Date) => boolean }> = {
  hour: { steps: [1, 2, 3, 6, 12, 24, 48], isFirst: (date) => date.getUTCHours() === 0 },
  day: { steps: [1, 2, 7, 14, 28], isFirst: (date) => date.getUTCDay() === 1 },
  week: { steps: [1, 2, 4, 8, 13, 26, 52], isFirst: () => true },
  month: { steps: [1, 2, 3, 6, 12, 24, 60, 120], isFirst: (date) => date.getUTCMonth() === 0 },
  quarter: { steps: [1, 2, 4, 8, 20, 40], isFirst: (date) => date.getUTCMonth() === 0 },
  year: { steps: [1, 2, 5, 10, 20, 50, 100], isFirst: (date) => date.getUTCFullYear() % 10 === 0 },
};

function ticksOf(keys: readonly Key[], grain: Grain): Chart["ticks"] {
  const { steps, isFirst } = TICKS[grain];
  const from = keys.findIndex((key) => "period" in key && isFirst(new Date(key.period)));
  return { steps, from: Math.max(0, from) };
}

/** The period that is still going on looks like a fall. */
function partialIn({ keys, grain }: Points, now: Date): Pick<Chart, "partial"> {
  if (grain === undefined) return {};
  const isOn = (key: Key) => "period" in key && nextPeriod(key.period, grain) > now.getTime();
  const partial = keys.flatMap((key, i) => (isOn(key) ? [i] : []));
  return partial.length === 0 ? {} : { partial };
}

async function table(
  title: string,
  spec: WidgetSpec,
  plan: Plan,
  source: Source,
  { room, locale }: Writing,
): Promise<Shown> {
  const read = await readTable(spec, plan, source, room);
  if (read.totalRows === 0) return { subject: empty(title, spec, source, { locale }), notes: [] };
  const columns = read.columns.map((column) => ({
    label: readable(column.name),
    ...(isNumber(column) && { format: formatOf(column, spec.format) }),
  }));
  const { rows, totalRows: rowCount, totals, columnCount, firstColumn } = read;
  const subject = {
    kind: "table",
    title,
    columns,
    rows,
    rowCount,
    ...(columnCount > columns.length && { columnCount, firstColumn }),
    ...(totals && { totals }),
  } as const;
  return { subject, notes: leftOut(subject, rowCount, locale) };
}

/** How many rows and columns there are beside those that are shown. */
export function leftOut(
  { columns, rows, columnCount, firstColumn = 0 }: Extract<Subject, { kind: "table" }>,
  rowCount: number | string,
  locale: string,
): string[] {
  const t = wordsIn(locale);
  const count = formatter("integer", "full", locale);
  const isCut = typeof rowCount === "string" || rowCount > rows.length;
  const all = typeof rowCount === "string" ? rowCount : count(rowCount);
  const shown =
    firstColumn === 0
      ? `${count(columns.length)}`
      : t`${count(firstColumn + 1)} to ${count(firstColumn + columns.length)}`;
  return [
    ...(isCut ? [t`${count(rows.length)} of ${all} rows`] : []),
    ...(columnCount === undefined ? [] : [t`${shown} of ${count(columnCount)} columns`]),
  ];
}

async function scatter(
  title: string,
  spec: WidgetSpec,
  plan: Plan,
  source: Source,
  { locale }: Writing,
): Promise<Shown> {
  const { points, totalRows } = await readScatter(plan, source);
  const [y] = plan.measures as [Measure];
  if (points.length === 0) return { subject: empty(title, spec, source, { locale }), notes: [] };
  const labels = { xAxisLabel: readable(plan.x?.name ?? ""), yAxisLabel: readable(y.field?.name ?? "") };
  const formatOfAxis = (column: Column | null | undefined) =>
    column == null ? undefined : formatOf(column, column === y.field ? spec.format : undefined);
  const formats = { x: formatOfAxis(plan.x), y: formatOfAxis(y.field) };
  const chart: Chart = { type: "scatter", title, ...labels, points, formats };
  const t = wordsIn(locale);
  const count = formatter("integer", "full", locale);
  const notes =
    totalRows > points.length ? [t`A sample: ${count(points.length)} of ${count(totalRows)} points`] : [];
  return { subject: { kind: "spec", chart }, notes };
}

async function oneNumber(
  title: string,
  spec: WidgetSpec,
  { measures }: Plan,
  source: Source,
  writing: Writing,
): Promise<Shown> {
  const [measure] = measures as [Measure];
  const value = await readNumber(measure, source);
  if (value === null) return { subject: empty(title, spec, source, writing), notes: [] };
  const label = captionOf(measure, false, wordsIn(writing.locale));
  const subject = drawNumber(title, spec, { label, value, format: measure.format }, writing);
  return { subject, notes: [] };
}

export function drawNumber(
  title: string,
  { chart, format: wanted, target }: WidgetSpec,
  { label, value, format: usual }: { label: string; value: number; format: string },
  { locale }: Writing,
): Subject {
  const format = wanted ?? usual;
  if (chart === "recommendation")
    return { kind: "text", title, text: `${label}: ${formatter(format, "full", locale)(value)}.` };
  if (chart !== "gauge") return { kind: "number", title, label, value, format };
  const slices = [{ label, value }];
  const goal = target === undefined ? {} : { target };
  return {
    kind: "spec",
    chart: { type: "gauge", title, slices, yAxisLabel: label, formats: { y: format }, ...goal },
  };
}

/** The last complete period, how it differs from the one before, and the way there. */
function trend(
  title: string,
  { format }: WidgetSpec,
  points: Points,
  grain: Grain,
  { locale, now }: Writing,
): Shown {
  const t = wordsIn(locale);
  const { keys, series, label } = points;
  const data = series[0]?.data ?? [];
  const isOn = partialIn(points, now).partial?.includes(keys.length - 1) === true && keys.length > 1;
  const at = keys.length - (isOn ? 2 : 1);
  const value = data[at] ?? 0;
  const before = data[at - 1] ?? null;
  const write = keyWriter(grain, locale);
  const share = formatter("percent", "full", locale);
  const change =
    before === null || before === 0
      ? undefined
      : {
          text: t`${`${value >= before ? "+" : ""}${share((value - before) / Math.abs(before))}`} vs ${write(keys[at - 1] as Key)}`,
          isUp: value >= before,
        };
  return {
    subject: {
      kind: "number",
      title,
      label: `${label}, ${write(keys[at] as Key)}`,
      value,
      format: format ?? points.format,
      ...(change !== undefined && { change }),
      spark: data.slice(0, at + 1),
    },
    notes: [],
  };
}

/** Plain facts about the numbers, for a text widget. */
function facts({ keys, grain, series, format, label }: Points, { locale }: Writing): string {
  const t = wordsIn(locale);
  const write = keyWriter(grain, locale);
  const number = formatter(format, "full", locale);
  const known = keys
    .map((key, i) => ({ name: write(key), value: series[0]?.data[i] ?? null }))
    .filter(
      (each): each is { name: string; value: number } => each.value !== null && each.name !== otherIn(locale),
    );
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return t`There are no values.`;
  const most = known.reduce((a, b) => (b.value > a.value ? b : a));
  const least = known.reduce((a, b) => (b.value < a.value ? b : a));
  const sentences = [
    t`${label}: the largest is ${most.name} with ${number(most.value)}, the smallest ${least.name} with ${number(least.value)}.`,
    ...(grain !== undefined && known.length > 1
      ? [t`From ${first.name} to ${last.name} it went from ${number(first.value)} to ${number(last.value)}.`]
      : []),
  ];
  return sentences.join(" ");
}

/** All others together are not drawn when they are this many times as large as the largest: it could not be seen. */
const GIANT = 2;

/** All others together stay out of a chart where they would hide the rest, and a note tells of them. */
function withoutOthers(points: Points, spec: WidgetSpec, writing: Writing): Points {
  const t = wordsIn(writing.locale);
  switch (spec.chart) {
    case "bar":
    case "column":
      return withoutGiantBar(points, spec, writing);
    case "line":
      return withoutGiantLine(points, writing);
    // A total has nothing to do with the colours of single cells.
    case "heatmap":
      return withNote(withoutLine(withoutBar(points)), points, t`Only the largest are shown`);
    default:
      return points;
  }
}

function withoutGiantBar(points: Points, { format }: WidgetSpec, { locale }: Writing): Points {
  const sums = points.keys.map((_, i) => points.series.reduce((sum, { data }) => sum + (data[i] ?? 0), 0));
  const others = sums.at(-1) ?? 0;
  if (!(Math.abs(others) > GIANT * Math.max(...sums.slice(0, -1).map(Math.abs)))) return points;
  const t = wordsIn(locale);
  const said = formatter(format ?? points.format, "short", locale)(others);
  const note = points.series.length > 1 ? t`All others are not shown` : t`All others together: ${said}`;
  return withNote(withoutBar(points), points, note);
}

function withoutGiantLine(points: Points, { locale }: Writing): Points {
  const t = wordsIn(locale);
  const [others = 0, ...largest] = points.series
    .map(({ data }) => Math.max(0, ...data.map((value) => Math.abs(value ?? 0))))
    .toReversed();
  if (!(others > GIANT * Math.max(...largest))) return points;
  return withNote(withoutLine(points), points, t`All others are not shown`);
}

function withoutBar(points: Points): Points {
  const last = points.keys.at(-1);
  if (last === undefined || !("text" in last) || last.text !== OTHER) return points;
  const series = points.series.map(({ label, data }) => ({ label, data: data.slice(0, -1) }));
  return { ...points, keys: points.keys.slice(0, -1), series };
}

function withoutLine(points: Points): Points {
  const isLast = points.series.length > 1 && points.series.at(-1)?.label === OTHER;
  return isLast ? { ...points, series: points.series.slice(0, -1) } : points;
}

function withNote(shown: Points, all: Points, note: string): Points {
  return shown === all ? all : { ...shown, notes: [...all.notes, note] };
}
