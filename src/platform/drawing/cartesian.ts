import { type Chart, drawable } from "./chart.ts";
import type { ChartDrawing, Drawing, Hover } from "./drawing.ts";
import { type EveryMarker, formatter, knownLocale, labelFormatter, marker, NAME_MARKER } from "./formats.ts";
import { type Element, headerOf, ROOM_FOR_AXIS_NAME, textAt } from "./header.ts";
import { LIMITS } from "./limits.ts";
import { COLOURS, colourOf, isRepeated, type Look, OTHER_COLOUR, PADDING, SIZES } from "./look.ts";
import { type Measure, oneLine, otherIn, shorten, wordsIn } from "./text.ts";

const { series: MOST_SERIES, bars: MOST_BARS, hoverValues: MOST_HOVERED } = LIMITS.drawing;
/** Points of a line that are marked, where each has so many pixels. */
const MARKED_POINTS = 30;
const MARK_PX = 14;
/** Height of a horizontal bar with its share of the space between bars. */
const BAR_ROW = 30;
const SERIES_ROW = 16;
/** A lower picture has no room for names that stand aslant. */
const ROOM_FOR_SLANTED = 150;
/** What the names below the axis take. */
const LABELS = 22;
/** Bars are not wider than this, however few there are. */
const WIDEST_BAR = 56;
/** A line whose lowest value is above this part of its highest need not begin at zero. */
const NARROW_RANGE = 0.75;

/** Periods that are not whole which are named. */
const NAMED_PARTIAL = 2;

interface Series {
  label: string;
  data: (number | null)[];
  colour: string;
  isRepeated: boolean;
}

interface Plot {
  chart: Chart;
  look: Look;
  measure: Measure;
  categories: string[];
  series: Series[];
  isHorizontal: boolean;
  /** Places of periods that are not whole. */
  partial: ReadonlySet<number>;
  /** Writes what stands beside bars. */
  write: (value: number) => string;
  /** What is not shown. */
  note: string | undefined;
}

/** Bars, lines and areas. */
export function cartesianOf(chart: Chart, look: Look, measure: Measure): Drawing {
  const t = wordsIn(look.locale);
  const all = (chart.series ?? []).map(({ label, data }) => ({
    label: oneLine(label),
    data: data.map(drawable),
  }));
  const length = Math.max(chart.categories?.length ?? 0, ...all.map(({ data }) => data.length), 0);
  if (!all.some(({ data }) => data.some((value) => value !== null)))
    return { kind: "empty", title: chart.title ?? "", why: t`There are no values to draw.` };
  const shown = chart.type === "bar" ? Math.min(length, MOST_BARS) : length;
  const categories = Array.from({ length: shown }, (_, i) => oneLine(chart.categories?.[i] ?? `${i + 1}`));
  const series = all.slice(0, MOST_SERIES).map(({ label, data }, i) => ({
    label,
    data: Array.from({ length: shown }, (_, j) => data[j] ?? null),
    colour: label === otherIn(look.locale) && i > 0 ? OTHER_COLOUR : colourOf(i),
    isRepeated: isRepeated(i),
  }));
  const partial = new Set(chart.partial?.filter((i) => i < shown));
  const named = [...partial].map((i) => categories[i]);
  const isLow = look.height !== undefined && look.height < ROOM_FOR_AXIS_NAME;
  const notes = [
    // More of them than these, or in a low picture, are told by how they look.
    ...(named.length > 0 && named.length <= NAMED_PARTIAL && !isLow
      ? [t`not complete: ${named.join(", ")}`]
      : []),
    ...(shown < length ? [t`${shown} of ${length} shown`] : []),
    ...(all.length > MOST_SERIES ? [t`${MOST_SERIES} of ${all.length} series shown`] : []),
  ];
  const isHorizontal = chart.type === "bar" && chart.layout === "horizontal";
  return plotOf({
    chart,
    look,
    measure,
    categories,
    series,
    isHorizontal,
    partial,
    write: labelFormatter(
      chart.formats?.y,
      series.flatMap(({ data }) => data),
      knownLocale(look.locale),
    ),
    note: notes.join(" · ") || undefined,
  });
}

function plotOf(plot: Plot): ChartDrawing {
  const { chart, look, measure, series, isHorizontal } = plot;
  const isLine = chart.type !== "bar";
  const header = headerOf(
    {
      title: chart.title ?? "",
      subtitle: chart.yAxisLabel,
      legend:
        series.length > 1
          ? series.map(({ label, colour, isRepeated }) => ({ label, colour, isLine, isRepeated }))
          : [],
    },
    look,
    measure,
  );
  const height = look.height ?? heightOf(plot, header.bottom);
  const footer = footerOf(plot, height);
  const value = valueAxis(plot);
  const category = categoryAxis(plot);
  const grid = {
    left: PADDING,
    right: PADDING + 8,
    top: header.bottom + (hasLabels(plot) && !isHorizontal ? 22 : 14),
    bottom: footer.length === 0 ? PADDING : PADDING + 20,
    outerBoundsMode: "same",
    outerBoundsContain: "axisLabel",
  };
  return {
    kind: "chart",
    title: chart.title ?? "",
    height,
    option: {
      grid,
      xAxis: isHorizontal ? value : category,
      yAxis: isHorizontal ? category : value,
      series: series.flatMap((one) => seriesOf(one, plot)),
      graphic: [...header.elements, ...footer],
    },
    hover: hoverOf(plot, isLine ? { top: grid.top, bottom: height - grid.bottom - LABELS } : null),
  };
}

function heightOf({ categories, series, isHorizontal, look }: Plot, top: number): number {
  if (!isHorizontal) return Math.round(Math.min(420, Math.max(260, look.width * 0.5 + top / 2)));
  const row = series.length === 1 ? BAR_ROW : 12 + SERIES_ROW * series.length;
  return Math.round(Math.min(LIMITS.drawing.mostPx, top + 40 + Math.max(2, categories.length) * row));
}

/** The name of the axis below, and what is not shown. */
function footerOf({ chart, look, measure, isHorizontal, note }: Plot, height: number): Element[] {
  // Dates say themselves what they are.
  const isNamed = !isHorizontal && chart.ticks === undefined && height >= ROOM_FOR_AXIS_NAME;
  const parts = [isNamed ? chart.xAxisLabel : undefined, note].filter(
    (part) => part !== undefined && part !== "",
  );
  if (parts.length === 0) return [];
  const width = look.width - 2 * PADDING;
  const words = shorten(oneLine(parts.join(" · ")), width, { size: SIZES.text, weight: 400, measure });
  const style = { size: SIZES.text, weight: 400, fill: COLOURS[look.theme].muted, align: "center" };
  return [textAt(look.width / 2, height - PADDING - 8, words, style)];
}

/** Values stand beside the bars where each has room for its own. */
function hasLabels({ chart, look, measure, categories, series, isHorizontal, write }: Plot): boolean {
  if (chart.type !== "bar" || series.length !== 1) return false;
  if (isHorizontal) return true;
  const band = (look.width - 90) / Math.max(1, categories.length);
  return (series[0] as Series).data.every((v) => v === null || measure(write(v), SIZES.text, 400) < band - 4);
}

function valueAxis(plot: Plot): Record<string, unknown> {
  const { chart, look, series, isHorizontal } = plot;
  const { grid, muted } = COLOURS[look.theme];
  const isBare = isHorizontal && hasLabels(plot);
  const values = series.flatMap(({ data }) => data).filter((value) => value !== null);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return {
    type: "value",
    // The length of a bar is its value, and that of an area as well.
    scale: chart.type === "line" && least < most && least > most * NARROW_RANGE,
    ...(isBare && roomForLabels(plot, least, most)),
    splitNumber: isHorizontal ? Math.max(2, Math.floor(look.width / 140)) : 4,
    minInterval: chart.formats?.y === "integer" ? 1 : undefined,
    axisLabel: {
      show: !isBare,
      color: muted,
      fontSize: SIZES.text,
      hideOverlap: true,
      formatter: marker(chart.formats?.y, "compact"),
    },
    splitLine: { show: !isBare, lineStyle: { color: grid } },
    axisLine: { show: false },
    axisTick: { show: false },
  };
}

/** Where the axis ends so that the values beside the longest bars have room. */
function roomForLabels({ look, measure, write }: Plot, least: number, most: number) {
  const [below, above] = [Math.min(0, least), Math.max(0, most)];
  const plotWidth = look.width * 0.6;
  const part = (value: number) =>
    ((measure(write(value), SIZES.text, 400) + 12) / plotWidth) * (above - below);
  return {
    min: below < 0 ? below - part(below) : 0,
    max: above > 0 || below === 0 ? above + part(above) || 1 : 0,
  };
}

function categoryAxis(plot: Plot): Record<string, unknown> {
  const { chart, look, isHorizontal } = plot;
  const { text, muted, axis } = COLOURS[look.theme];
  // With 0 the engine shows all; with a function it hides the first and the last where they come near the next.
  const { names, rotate = 0, every = 0 } = namesBelow(plot);
  return {
    type: "category",
    data: names,
    inverse: isHorizontal,
    boundaryGap: chart.type === "bar" || names.length === 1,
    axisLabel: {
      color: isHorizontal ? text : muted,
      fontSize: SIZES.text,
      margin: isHorizontal ? 10 : 8,
      interval: every,
      rotate,
    },
    axisLine: { lineStyle: { color: axis } },
    axisTick: { show: false },
  };
}

/** Longest name of a category below the axis, in pixels, and of one that stands aslant. */
const NAME_PX = 140;
const SLANTED_PX = 96;
/** What a line of names that stand aslant takes from the next. */
const SLANTED_ROW = 18;

/** What stands along the axis: names without an order all stand there, if need be aslant; of others every n-th. */
export function namesBelow({
  chart,
  look,
  measure,
  categories,
  isHorizontal,
}: Pick<Plot, "chart" | "look" | "measure" | "categories" | "isHorizontal">): {
  names: string[];
  rotate?: number;
  every?: EveryMarker;
} {
  const style = { size: SIZES.text, weight: 400, measure } as const;
  const shortened = (most: number) => categories.map((category) => shorten(category, most, style));
  if (isHorizontal) return { names: shortened(Math.min(220, look.width * 0.34)) };
  const band = (look.width - 90) / Math.max(1, categories.length);
  const names = shortened(NAME_PX);
  const widest = Math.max(...names.map((name) => measure(name, SIZES.text, 400)));
  if (widest <= band - 8) return { names };
  const { steps, from } = chart.ticks ?? ticksOf(categories);
  const isLow = look.height !== undefined && look.height < ROOM_FOR_SLANTED;
  if (chart.type !== "line" && chart.type !== "area" && steps.length === 0 && !isLow) {
    if (band >= SLANTED_PX) return { names: shortened(band - 8) };
    const step = Math.ceil(SLANTED_ROW / band);
    const every = step === 1 ? {} : { every: { $every: step, from: 0 } };
    // As long as the height has room for.
    const most = Math.min(NAME_PX, Math.max(SLANTED_PX, (look.height ?? 320) * 0.42));
    return { names: shortened(most), rotate: 35, ...every };
  }
  const least = (widest + 16) / band;
  const step = steps.find((each) => each >= least) ?? Math.ceil(least);
  return { names, every: { $every: step, from } };
}

/** Years and other whole numbers in a row are named at round ones. */
function ticksOf(categories: readonly string[]): { steps: number[]; from: number } {
  const first = Number(categories[0]);
  const areInRow = categories.every((category, i) => category === String(first + i));
  if (!Number.isInteger(first) || !areInRow) return { steps: [], from: 0 };
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];
  return { steps, from: (1_000 - (first % 1_000)) % 1_000 };
}

function seriesOf(series: Series, plot: Plot): Record<string, unknown>[] {
  const { chart, look, categories } = plot;
  const { label, colour } = series;
  const isFilled = chart.type === "area";
  const isStacked = isFilled && plot.series.length > 1;
  const data = isStacked ? stackedData(series, plot) : series.data;
  const common = { name: label, silent: false, emphasis: { disabled: true }, cursor: "default" };
  const { text } = COLOURS[look.theme];
  if (chart.type === "bar") {
    const bars = {
      ...common,
      type: "bar",
      data: data.map((value, i) =>
        barOf(
          value,
          { color: isOther(plot, i) ? OTHER_COLOUR : colour, isPartial: plot.partial.has(i) },
          plot,
        ),
      ),
      itemStyle: { color: colour, opacity: series.isRepeated ? 0.55 : 1 },
      barMaxWidth: WIDEST_BAR,
      barCategoryGap: plot.isHorizontal ? "34%" : "38%",
      barGap: "8%",
      label: {
        show: hasLabels(plot),
        position: plot.isHorizontal ? "right" : "top",
        color: text,
        fontSize: SIZES.text,
        textBorderWidth: 0,
        formatter: NAME_MARKER,
      },
    };
    return [bars];
  }
  const { partial } = plot;
  const isMarked = categories.length <= Math.min(MARKED_POINTS, look.width / MARK_PX);
  const line = {
    ...common,
    type: "line",
    data: data.map((value, i) => (partial.has(i) ? null : value)),
    color: colour,
    connectNulls: false,
    showSymbol: (isMarked && !isStacked) || hasLonePoint(data),
    // All of them or none: by itself it marks those that have a name below.
    showAllSymbol: true,
    symbol: "circle",
    symbolSize: isMarked ? 7 : 4,
    lineStyle: {
      width: isStacked ? 1 : 2.5,
      type: series.isRepeated ? "dashed" : "solid",
      join: "round",
      cap: "round",
    },
    ...(isFilled && { areaStyle: { opacity: isStacked ? 0.8 : 0.16 } }),
    ...(isStacked && { stack: "all" }),
  };
  return partial.size === 0 ? [line] : [line, partialOf(line, data, partial)];
}

/** What is missing adds nothing to a stack: a gap would tear a hole into all that stands above it. Where all are missing, nothing stands. */
function stackedData({ data }: Series, { series }: Plot): (number | null)[] {
  return data.map((value, i) => value ?? (series.some((one) => one.data[i] != null) ? 0 : null));
}

/** How much of its colour an area or a bar keeps where it is of a period that is not whole. */
const PALE = 0.4;
/** What is drawn and what is left out, in pixels: round ends make the first longer. */
const DOTS = [2, 6];

/** The ways from and to the values of periods that are not whole. */
function partialOf(
  line: Record<string, unknown>,
  data: readonly (number | null)[],
  partial: ReadonlySet<number>,
): Record<string, unknown> {
  const lineStyle = { ...(line.lineStyle as object), type: DOTS };
  const { areaStyle, stack } = line as { areaStyle?: { opacity: number }; stack?: string };
  return {
    ...line,
    silent: true,
    lineStyle,
    ...(areaStyle && { areaStyle: { opacity: areaStyle.opacity * PALE } }),
    ...(stack && { stack: "partial" }),
    data: data.map((value, i) => ([i - 1, i, i + 1].some((near) => partial.has(near)) ? value : null)),
  };
}

/** Rounded where the value is; a label of what is below zero stands below. */
function barOf(
  value: number | null,
  { color, isPartial }: { color: string; isPartial: boolean },
  { isHorizontal, write }: Plot,
): Record<string, unknown> {
  const isBelow = value !== null && value < 0;
  const r = 3;
  const radius = isHorizontal
    ? isBelow
      ? [r, 0, 0, r]
      : [0, r, r, 0]
    : isBelow
      ? [0, 0, r, r]
      : [r, r, 0, 0];
  return {
    name: value === null ? "" : write(value),
    value,
    itemStyle: { color, borderRadius: radius, ...(isPartial && paleBar(color)) },
    ...(isBelow && { label: { position: isHorizontal ? "left" : "bottom" } }),
  };
}

function paleBar(color: string): Record<string, unknown> {
  const alpha = Math.round(PALE * 255).toString(16);
  return { color: `${color}${alpha}`, borderColor: color, borderWidth: 1, borderType: "dashed" };
}

function isOther({ categories, series, look }: Plot, index: number): boolean {
  const isAlone = series.length === 1 && index === categories.length - 1;
  return isAlone && categories[index] === otherIn(look.locale);
}

/** A value between two gaps is no line and would not be seen. */
function hasLonePoint(data: readonly (number | null)[]): boolean {
  return data.some(
    (value, i) => value !== null && (data[i - 1] ?? null) === null && (data[i + 1] ?? null) === null,
  );
}

function hoverOf(
  { chart, look, categories, series, isHorizontal, partial }: Plot,
  guide: { top: number; bottom: number } | null,
): Hover | null {
  if (categories.length * series.length > MOST_HOVERED) return null;
  const t = wordsIn(look.locale);
  const write = formatter(chart.formats?.y, "full", knownLocale(look.locale));
  return {
    by: "category",
    axis: isHorizontal ? "y" : "x",
    guide,
    titles: categories.map((name, i) => (partial.has(i) ? t`${name} (not complete)` : name)),
    series: series.map(({ label, data, colour }) => ({
      name: label,
      colour,
      values: data.map((value) => (value === null ? "–" : write(value))),
    })),
  };
}
