import { type Chart, drawable } from "./chart.ts";
import type { Drawing } from "./drawing.ts";
import { formatter, knownLocale, labelFormatter, TILE_MARKER } from "./formats.ts";
import { headerOf } from "./header.ts";
import { COLOURS, colourOf, type Look, OTHER_COLOUR, PADDING, SIZES, textOn } from "./look.ts";
import { type Measure, oneLine, otherIn, wordsIn } from "./text.ts";

interface Tile {
  label: string;
  value: number;
}

/** Parts of a whole as areas; with several series each is an area of its own, with its parts in it. */
export function treemapOf(chart: Chart, look: Look, measure: Measure): Drawing {
  const t = wordsIn(look.locale);
  const other = otherIn(look.locale);
  const fillOf = (label: string, index: number) => (label === other ? OTHER_COLOUR : colourOf(index));
  const title = chart.title ?? "";
  const names = (chart.categories ?? []).map(oneLine);
  const groups = (chart.series ?? [])
    .map(({ label, data }) => ({ label: oneLine(label), tiles: tilesOf(names, data) }))
    .filter(({ tiles }) => tiles.length > 0);
  if (groups.length === 0) return { kind: "empty", title, why: t`There are no values to draw.` };
  const isGrouped = groups.length > 1;
  const header = headerOf(
    {
      title,
      subtitle: chart.yAxisLabel,
      legend: isGrouped
        ? groups.map(({ label }, i) => ({
            label,
            colour: fillOf(label, i),
            isLine: false,
            isRepeated: false,
          }))
        : [],
    },
    look,
    measure,
  );
  const height = look.height ?? Math.round(header.bottom + Math.min(360, look.width * 0.6));
  const write = formatter(chart.formats?.y, "full", knownLocale(look.locale));
  const short = labelFormatter(
    chart.formats?.y,
    groups.flatMap(({ tiles }) => tiles.map(({ value }) => value)),
    knownLocale(look.locale),
  );
  const whole = groups.flatMap(({ tiles }) => tiles).reduce((sum, { value }) => sum + value, 0);
  const share = formatter("percent", "full", knownLocale(look.locale));
  const { background } = COLOURS[look.theme];
  const nodes = groups.flatMap<Record<string, unknown>>(({ label, tiles }, i) => {
    const own = tiles.map((tile, j) =>
      nodeOf(tile, isGrouped ? fillOf(label, i) : fillOf(tile.label, j), short),
    );
    const itemStyle = { borderColor: background, borderWidth: 3, gapWidth: 1 };
    return isGrouped ? [{ name: label, children: own, itemStyle }] : own;
  });
  // In the order in which they are counted: the whole, then each group before its tiles.
  const marks = groups.flatMap(({ label, tiles }) => [
    ...(isGrouped ? [{ name: label, value: tiles.reduce((sum, { value }) => sum + value, 0) }] : []),
    ...tiles.map((tile) => ({ name: isGrouped ? `${label}: ${tile.label}` : tile.label, value: tile.value })),
  ]);
  return {
    kind: "chart",
    title,
    height,
    option: {
      series: [
        {
          type: "treemap",
          left: PADDING,
          right: PADDING,
          top: header.bottom + 10,
          bottom: PADDING,
          roam: false,
          nodeClick: false,
          breadcrumb: { show: false },
          cursor: "default",
          emphasis: { disabled: true },
          label: {
            fontSize: SIZES.text,
            textBorderWidth: 0,
            padding: 2,
            overflow: "truncate",
            formatter: TILE_MARKER,
          },
          itemStyle: { borderColor: background, borderWidth: 1, gapWidth: 1 },
          data: nodes,
        },
      ],
      graphic: header.elements,
    },
    hover: {
      by: "mark",
      titles: ["", ...marks.map(({ name }) => name)],
      lines: ["", ...marks.map(({ value }) => `${write(value)} (${share(value / whole)})`)],
    },
  };
}

function tilesOf(names: readonly string[], data: readonly (number | null)[]): Tile[] {
  return names
    .flatMap((label, i) => {
      const value = drawable(data[i] ?? null);
      return value === null || value <= 0 ? [] : [{ label, value }];
    })
    .toSorted((a, b) => b.value - a.value);
}

function nodeOf({ label, value }: Tile, colour: string, write: (value: number) => string) {
  return {
    name: `${label}\n${write(value)}`,
    value,
    itemStyle: { color: colour },
    label: { color: textOn(colour) },
  };
}
