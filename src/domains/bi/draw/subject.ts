import { AppError, isAppError } from "../../../kernel/errors.ts";
import { type Chart, formatter, type Subject } from "../../../platform/drawing/index.ts";
import { LIMITS } from "../limits.ts";
import { nextPeriod, periodWriter } from "../query/periods.ts";
import { isNumber, labelOf, type Measure, type Plan, planOf } from "../query/plan.ts";
import {
  type Key,
  OTHER,
  type Points,
  readNumber,
  readPoints,
  readScatter,
  readTable,
} from "../query/points.ts";
import type { Source } from "../query/source.ts";
import type { ChartType, Grain, WidgetSpec } from "../shapes.ts";

/** How what a widget shows is to be written, and when. */
export interface Writing {
  locale: string;
  now: Date;
  /** Rows of a table. */
  rows: number;
  /** Of its place on the dashboard. */
  sizeY: number;
}

/** What is drawn of a widget, with what is to be said beside it. */
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

/** Of a treemap, in each of its groups. */
const GROUPED_TILES = 8;
/** Bars and stages from top to bottom, in rows of a dashboard. */
const BARS_A_ROW = 1.6;

/** As many as there is room for. */
function mostOf({ chart, group }: Plan, { sizeY }: Writing): number | undefined {
  const most = chart === "treemap" && group !== undefined ? GROUPED_TILES : MOST[chart];
  if (most === undefined || (chart !== "bar" && chart !== "funnel")) return most;
  return Math.min(most, Math.max(4, Math.floor((sizeY - 2.5) * BARS_A_ROW)));
}

/** What a widget shows, as something that can be drawn. What goes wrong is shown as well: it never stops a dashboard. */
export async function showWidget(
  name: string,
  spec: WidgetSpec,
  open: () => Promise<Source>,
  writing: Writing,
): Promise<Shown> {
  try {
    const source = await open();
    const shown = await showSource(name, spec, source, writing);
    const notes = source.unfiltered.map(
      (field) => `Not filtered by ${field}: ${source.dataset.name} has no such field.`,
    );
    return { ...shown, notes: [...shown.notes, ...notes] };
  } catch (error) {
    if (!isAppError(error) || error.code === "internal") throw error;
    const next =
      error.hint === undefined ? "" : new AppError(error.code, "", { hint: error.hint }).advice.trim();
    return {
      subject: { kind: "error", title: name, what: error.message, next: next.replace(/^\. /, "") },
      notes: [],
    };
  }
}

async function showSource(title: string, spec: WidgetSpec, source: Source, writing: Writing): Promise<Shown> {
  const plan = planOf(spec, source);
  const { chart, x } = plan;
  if (
    chart === "datagrid2" ||
    (chart !== "singletext" && chart !== "gauge" && chart !== "recommendation" && x === undefined)
  )
    return table(title, spec, plan, source, writing);
  if (chart === "scatter" && x !== undefined && isNumber(x)) return scatter(title, spec, plan, source);
  if (x === undefined) return oneNumber(title, spec, plan, source, writing);
  const most = mostOf(plan, writing);
  const points = await readPoints(spec, { ...plan, x }, source, spec.top ?? most ?? LIMITS.bi.chartRows);
  if (points.keys.length === 0) return { subject: empty(title, spec, source), notes: [] };
  if (chart === "singletext" && points.grain !== undefined)
    return trend(title, spec, points, points.grain, writing);
  if (chart === "singletext" || chart === "gauge") return oneNumber(title, spec, plan, source, writing);
  if (chart === "recommendation")
    return { subject: { kind: "text", title, text: facts(points, writing) }, notes: points.notes };
  return {
    subject: { kind: "spec", chart: chartOf(title, spec, points, x.name, writing) },
    notes: points.notes,
  };
}

function empty(title: string, { filters, c9ql }: WidgetSpec, { dataset, c9ql: all }: Source): Subject {
  const fields = filters.map(({ field }) => field).join(", ");
  const why =
    dataset.rowCount === 0
      ? `${dataset.name} has no rows yet.`
      : filters.length > 0
        ? `No rows are left by the filters on ${fields}.`
        : all !== "" && c9ql === undefined
          ? "No rows are left by the filters of the dashboard."
          : c9ql !== undefined
            ? "No rows are left by the widget's query and filters."
            : `There are no rows of ${dataset.name} that you may see.`;
  return { kind: "empty", title, why };
}

function keyWriter(grain: Grain | undefined, locale: string): (key: Key) => string {
  const write = grain === undefined ? String : periodWriter(grain, locale);
  return (key) => ("period" in key ? write(key.period) : key.text);
}

function chartOf(
  title: string,
  { chart, format, target }: WidgetSpec,
  points: Points,
  xName: string,
  { locale, now }: Writing,
): Chart {
  const write = keyWriter(points.grain, locale);
  const categories = points.keys.map(write);
  const { series, label, measure } = points;
  const common = { title, formats: { y: format ?? measure.format }, yAxisLabel: label, xAxisLabel: xName };
  const [first] = series;
  const slices = categories.map((each, i) => ({ label: each, value: first?.data[i] ?? null }));
  switch (chart) {
    case "pie":
    case "donut":
      return { ...common, type: chart, slices };
    case "funnel":
      // All others together are no stage.
      return { ...common, type: chart, slices: slices.filter(({ label }) => label !== OTHER) };
    case "treemap":
      return { ...common, type: chart, categories, series };
    case "heatmap":
      return { ...common, type: chart, categories, series };
    case "gauge":
      return { ...common, type: chart, slices: slices.slice(0, 1), ...(target !== undefined && { target }) };
    case "line":
    case "area":
      return { ...common, type: chart, categories, series, ...unfinished(points, now) };
    default:
      return {
        ...common,
        type: "bar",
        layout: chart === "bar" ? "horizontal" : "vertical",
        categories,
        series,
      };
  }
}

/** The period that is still going on looks like a fall. */
function unfinished({ keys, grain }: Points, now: Date): { isLastUnfinished?: true } {
  const last = keys.at(-1);
  const isOn =
    grain !== undefined &&
    last !== undefined &&
    "period" in last &&
    nextPeriod(last.period, grain) > now.getTime();
  return isOn ? { isLastUnfinished: true } : {};
}

async function table(
  title: string,
  spec: WidgetSpec,
  plan: Plan,
  source: Source,
  { rows, locale }: Writing,
): Promise<Shown> {
  const read = await readTable(plan, source, rows);
  if (read.totalRows === 0) return { subject: empty(title, spec, source), notes: [] };
  const isWhole = (at: number) => read.rows.every((row) => row[at] === null || Number.isInteger(row[at]));
  const columns = read.columns.map(({ name, isNumber }, i) => ({
    label: name,
    ...(isNumber && { format: spec.format ?? (isWhole(i) ? "integer" : "number") }),
  }));
  const count = formatter("integer", "full", locale);
  const notes =
    read.totalRows > read.rows.length ? [`${count(read.rows.length)} of ${count(read.totalRows)} rows`] : [];
  return { subject: { kind: "table", title, columns, rows: read.rows, rowCount: read.totalRows }, notes };
}

async function scatter(title: string, spec: WidgetSpec, plan: Plan, source: Source): Promise<Shown> {
  const { points, totalRows } = await readScatter(plan, source);
  const [y] = plan.measures as [Measure];
  if (points.length === 0) return { subject: empty(title, spec, source), notes: [] };
  const labels = { xAxisLabel: plan.x?.name, yAxisLabel: y.field?.name };
  const chart: Chart = { type: "scatter", title, ...labels, points, formats: { y: spec.format ?? y.format } };
  const notes = totalRows > points.length ? [`${points.length} of ${totalRows} points are shown.`] : [];
  return { subject: { kind: "spec", chart }, notes };
}

async function oneNumber(
  title: string,
  spec: WidgetSpec,
  { measures }: Plan,
  source: Source,
  writing: Writing,
): Promise<Shown> {
  const { chart, format, target } = spec;
  const [measure] = measures as [Measure];
  const value = await readNumber(measure, source);
  if (value === null) return { subject: empty(title, spec, source), notes: [] };
  const label = labelOf(measure, false);
  const how = format ?? measure.format;
  if (chart === "gauge") {
    const slices = [{ label, value }];
    return {
      subject: {
        kind: "spec",
        chart: {
          type: "gauge",
          title,
          slices,
          yAxisLabel: label,
          formats: { y: how },
          ...(target !== undefined && { target }),
        },
      },
      notes: [],
    };
  }
  if (chart === "recommendation") {
    const text = `${label}: ${formatter(how, "full", writing.locale)(value)}.`;
    return { subject: { kind: "text", title, text }, notes: [] };
  }
  return { subject: { kind: "number", title, label, value, format: how }, notes: [] };
}

/** The last complete period, how it differs from the one before, and the way there. */
function trend(
  title: string,
  { format }: WidgetSpec,
  points: Points,
  grain: Grain,
  { locale, now }: Writing,
): Shown {
  const { keys, series, measure, label } = points;
  const data = series[0]?.data ?? [];
  const isOn = unfinished(points, now).isLastUnfinished === true && keys.length > 1;
  const at = keys.length - (isOn ? 2 : 1);
  const value = data[at] ?? 0;
  const before = data[at - 1] ?? null;
  const write = keyWriter(grain, locale);
  const share = formatter("percent", "full", locale);
  const change =
    before === null || before === 0
      ? undefined
      : {
          text: `${value >= before ? "+" : ""}${share((value - before) / Math.abs(before))} vs ${write(keys[at - 1] as Key)}`,
          isUp: value >= before,
        };
  return {
    subject: {
      kind: "number",
      title,
      label: `${label}, ${write(keys[at] as Key)}`,
      value,
      format: format ?? measure.format,
      ...(change !== undefined && { change }),
      spark: data.slice(0, at + 1),
    },
    notes: [],
  };
}

/** What can be said of the numbers as they are. */
function facts({ keys, grain, series, measure, label }: Points, { locale }: Writing): string {
  const write = keyWriter(grain, locale);
  const number = formatter(measure.format, "full", locale);
  const known = keys
    .map((key, i) => ({ name: write(key), value: series[0]?.data[i] ?? null }))
    .filter((each): each is { name: string; value: number } => each.value !== null && each.name !== OTHER);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return "There are no values.";
  const most = known.reduce((a, b) => (b.value > a.value ? b : a));
  const least = known.reduce((a, b) => (b.value < a.value ? b : a));
  const sentences = [
    `${label}: the largest is ${most.name} with ${number(most.value)}, the smallest ${least.name} with ${number(least.value)}.`,
    ...(grain !== undefined && known.length > 1
      ? [`From ${first.name} to ${last.name} it went from ${number(first.value)} to ${number(last.value)}.`]
      : []),
  ];
  return sentences.join(" ");
}
