import { type Chart, drawable } from "./chart.ts";
import type { Drawing } from "./drawing.ts";
import { formatter, knownLocale, marker, NAME_MARKER } from "./formats.ts";
import { headerOf, ROOM_FOR_AXIS_NAME, textAt } from "./header.ts";
import { LIMITS } from "./limits.ts";
import { COLOURS, colourOf, type Look, PADDING, SIZES } from "./look.ts";
import { type Measure, oneLine, shorten, wordsIn } from "./text.ts";

/** Points that are named in the chart; of more, only those under the pointer are. */
const NAMED_POINTS = 12;
const FEW_POINTS = 60;
/** Colours that can be told apart. */
const GROUPS = 8;
/** A line through the points is drawn from this many points and this correlation on. */
const TREND_POINTS = 8;
const TREND_CORRELATION = 0.7;

/** Two numbers of each thing. */
export function scatterOf(chart: Chart, look: Look, measure: Measure): Drawing {
  const t = wordsIn(look.locale);
  const points = (chart.points ?? []).flatMap(({ x, y, label = "" }) =>
    drawable(x) !== null && drawable(y) !== null
      ? [{ x: x as number, y: y as number, label: oneLine(label) }]
      : [],
  );
  const title = chart.title ?? "";
  if (points.length === 0) return { kind: "empty", title, why: t`There are no values to draw.` };
  const groups = groupsOf(points);
  const legend = groups.map((label, i) => ({ label, colour: colourOf(i), isLine: false, isRepeated: false }));
  const header = headerOf({ title, subtitle: chart.yAxisLabel, legend }, look, measure);
  const height =
    look.height ?? Math.round(Math.min(440, Math.max(280, look.width * 0.55 + header.bottom / 2)));
  const style = { size: SIZES.text, weight: 400, measure } as const;
  const { text, muted } = COLOURS[look.theme];
  const named = points.length <= NAMED_POINTS && groups.length === 0;
  const isNamed = height >= ROOM_FOR_AXIS_NAME;
  const below = shorten(oneLine((isNamed && chart.xAxisLabel) || ""), look.width - 2 * PADDING, style);
  const footer = { size: SIZES.text, weight: 400, fill: muted, align: "center" };
  return {
    kind: "chart",
    title,
    height,
    option: {
      grid: {
        left: PADDING,
        right: PADDING + 24,
        top: header.bottom + 14,
        bottom: below === "" ? PADDING : PADDING + 20,
        outerBoundsMode: "same",
        outerBoundsContain: "axisLabel",
      },
      xAxis: axisOf(chart.formats?.x, look),
      yAxis: axisOf(chart.formats?.y, look),
      series: [
        {
          type: "scatter",
          data: points.map(({ x, y, label }) => ({
            name: shorten(label, 110, style),
            value: [x, y],
            ...(groups.length > 0 && { itemStyle: { color: colourOf(groups.indexOf(label)) } }),
          })),
          symbolSize: points.length <= FEW_POINTS ? 10 : 6,
          itemStyle: { color: colourOf(0), opacity: 0.75 },
          emphasis: { disabled: true },
          cursor: "default",
          label: {
            show: named,
            position: "right",
            color: text,
            fontSize: 11,
            textBorderWidth: 0,
            formatter: NAME_MARKER,
          },
          labelLayout: { hideOverlap: true },
        },
        ...trendOf(points, look),
      ],
      graphic: [
        ...header.elements,
        ...(below === "" ? [] : [textAt(look.width / 2, height - PADDING - 8, below, footer)]),
      ],
    },
    hover: points.length > LIMITS.drawing.hoverValues ? null : hoverOf(chart, points, look),
  };
}

/** Names that many points share are groups with colours of their own; those of single points are not. */
function groupsOf(points: readonly { label: string }[]): string[] {
  const names = new Set(points.map(({ label }) => label));
  const isGrouped = names.size > 1 && names.size <= GROUPS && names.size <= points.length / 3;
  return isGrouped ? [...names].toSorted((a, b) => a.localeCompare(b, "en")) : [];
}

/** The line of least squares, where the points lie along one. */
function trendOf(points: readonly { x: number; y: number }[], { theme }: Look): Record<string, unknown>[] {
  if (points.length < TREND_POINTS) return [];
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value / values.length, 0);
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const product = (f: (point: { x: number; y: number }) => number) => mean(points.map(f));
  const [xx, yy] = [product((p) => (p.x - x) ** 2), product((p) => (p.y - y) ** 2)];
  const xy = product((p) => (p.x - x) * (p.y - y));
  // Points that are all alike, or too large to be squared, have none.
  if (!(Math.abs(xy / Math.sqrt(xx * yy)) >= TREND_CORRELATION)) return [];
  const at = (value: number) => [value, y + (xy / xx) * (value - x)];
  const values = points.map((point) => point.x);
  return [
    {
      type: "line",
      data: [at(Math.min(...values)), at(Math.max(...values))],
      showSymbol: false,
      silent: true,
      lineStyle: { color: COLOURS[theme].muted, width: 1.5, type: "dashed" },
    },
  ];
}

function hoverOf(
  { xAxisLabel, yAxisLabel, formats }: Chart,
  points: readonly { x: number; y: number; label: string }[],
  { locale }: Look,
) {
  const known = knownLocale(locale);
  const [x, y] = [formatter(formats?.x, "full", known), formatter(formats?.y, "full", known)];
  const named = (name: string | undefined, words: string) =>
    name === undefined || name === "" ? words : `${oneLine(name)}: ${words}`;
  return {
    by: "mark" as const,
    titles: points.map(({ label }) => label),
    lines: points.map((point) => `${named(xAxisLabel, x(point.x))}\n${named(yAxisLabel, y(point.y))}`),
  };
}

function axisOf(format: string | undefined, { theme, width }: Look): Record<string, unknown> {
  const { grid, muted, axis } = COLOURS[theme];
  return {
    type: "value",
    scale: true,
    splitNumber: Math.max(2, Math.floor(width / 130)),
    axisLabel: {
      color: muted,
      fontSize: SIZES.text,
      hideOverlap: true,
      formatter: marker(format, "compact"),
    },
    splitLine: { lineStyle: { color: grid } },
    axisLine: { show: true, onZero: false, lineStyle: { color: axis } },
    axisTick: { show: false },
  };
}
