import { namesBelow } from "./cartesian.ts";
import { type Chart, drawable } from "./chart.ts";
import type { Drawing } from "./drawing.ts";
import { formatter, knownLocale, labelFormatter } from "./formats.ts";
import { headerOf } from "./header.ts";
import { COLOURS, HEAT, HEAT_TEXT, type Look, PADDING, SIZES } from "./look.ts";
import { type Measure, oneLine, shorten, wordsIn } from "./text.ts";

/** Cells with their number in them; in more there would be no room for it. */
const LABELLED_CELLS = 200;
const ROW = 30;

/** A number for each pair of names, as a colour from little to much. */
export function heatmapOf(chart: Chart, look: Look, measure: Measure): Drawing {
  const t = wordsIn(look.locale);
  const title = chart.title ?? "";
  const columns = (chart.categories ?? []).map(oneLine);
  const rows = (chart.series ?? []).map(({ label, data }) => ({
    label: oneLine(label),
    data: data.map(drawable),
  }));
  const known = rows.flatMap(({ data }) => data).filter((value) => value !== null);
  if (known.length === 0) return { kind: "empty", title, why: t`There are no values to draw.` };
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const write = formatter(chart.formats?.y, "short", knownLocale(look.locale));
  const scale = `${write(least)} to ${write(most)}`;
  const named = chart.yAxisLabel ?? "";
  const header = headerOf({ title, subtitle: named === "" ? scale : `${named}: ${scale}` }, look, measure);
  const height = look.height ?? Math.round(header.bottom + 60 + rows.length * ROW);
  const rowPx = (height - header.bottom - 50) / rows.length;
  const style = { size: SIZES.text, weight: 400, measure } as const;
  const band = (look.width - 140) / Math.max(1, columns.length);
  const beside = labelFormatter(chart.formats?.y, known, knownLocale(look.locale));
  const widest = Math.max(...known.map((value) => measure(beside(value), 11, 400)));
  const isLabelled = columns.length * rows.length <= LABELLED_CELLS && widest < band - 4;
  const cells = rows.flatMap(({ data }, y) =>
    columns.flatMap((_, x) => cellOf(x, y, data[x] ?? null, { least, most, look, write: beside })),
  );
  const below = namesBelow({ chart, look, measure, categories: columns, isHorizontal: false });
  const { text, muted, background } = COLOURS[look.theme];
  const axis = {
    type: "category",
    axisTick: { show: false },
    axisLine: { show: false },
    splitLine: { show: false },
  };
  return {
    kind: "chart",
    title,
    height,
    option: {
      grid: {
        left: PADDING,
        right: PADDING,
        top: header.bottom + 10,
        bottom: PADDING,
        outerBoundsMode: "same",
        outerBoundsContain: "axisLabel",
      },
      xAxis: {
        ...axis,
        data: below.names,
        axisLabel: {
          color: muted,
          fontSize: SIZES.text,
          ...(below.rotate !== undefined && { rotate: below.rotate }),
          interval: below.every ?? 0,
        },
      },
      yAxis: {
        ...axis,
        inverse: true,
        data: rows.map(({ label }) => shorten(label, Math.min(160, look.width * 0.3), style)),
        axisLabel: {
          color: text,
          fontSize: rowPx < 15 ? 10 : SIZES.text,
          ...(rowPx >= 11 ? { interval: 0 } : { hideOverlap: true }),
        },
      },
      series: [
        {
          type: "heatmap",
          data: cells.map((cell) => ({
            ...cell,
            label: { show: isLabelled, color: cell.text, formatter: cell.words },
          })),
          label: { fontSize: 11, textBorderWidth: 0 },
          itemStyle: { borderColor: background, borderWidth: 1.5, borderRadius: 3 },
          emphasis: { disabled: true },
          cursor: "default",
        },
      ],
      graphic: header.elements,
    },
    hover: {
      by: "mark",
      titles: cells.map(({ value: [x, y] }) => `${rows[y]?.label ?? ""}, ${columns[x] ?? ""}`),
      lines: cells.map(({ words }) => words),
    },
  };
}

interface Scale {
  least: number;
  most: number;
  look: Look;
  write: (value: number) => string;
}

function cellOf(x: number, y: number, value: number | null, { least, most, look, write }: Scale) {
  if (value === null) return [];
  const colours = HEAT[look.theme];
  const share = most === least ? 0.5 : (value - least) / (most - least);
  const level = Math.min(colours.length - 1, Math.floor(share * colours.length));
  const text = level >= 6 ? HEAT_TEXT[look.theme] : COLOURS[look.theme].text;
  // A template would take braces of the data for its own, and there are none in numbers.
  return [
    {
      value: [x, y, value] as [number, number, number],
      itemStyle: { color: colours[level] },
      text,
      words: write(value),
    },
  ];
}
