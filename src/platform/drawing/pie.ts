import { cartesianOf } from "./cartesian.ts";
import { type Chart, drawable } from "./chart.ts";
import type { Drawing } from "./drawing.ts";
import { formatter, knownLocale } from "./formats.ts";
import { type Element, headerOf, textAt } from "./header.ts";
import { LIMITS } from "./limits.ts";
import { COLOURS, colourOf, FONT_FAMILY, type Look, OTHER_COLOUR, PADDING, SIZES } from "./look.ts";
import { type Measure, oneLine, shorten } from "./text.ts";

const { slices: MOST_SLICES } = LIMITS.drawing;
/** Narrower than this, names stand in a legend and not beside their slices. */
const ROOM_FOR_NAMES = 420;

interface Slice {
  label: string;
  value: number;
  share: string;
  colour: string;
}

/** Parts of a whole, the largest first. Values below zero are no parts: they are drawn as bars. */
export function pieOf(chart: Chart, look: Look, measure: Measure): Drawing {
  const all = (chart.slices ?? [])
    .flatMap(({ label, value }) =>
      drawable(value) === null ? [] : [{ label: oneLine(label), value: value as number }],
    )
    .toSorted((a, b) => Number(a.label === "Other") - Number(b.label === "Other") || b.value - a.value);
  if (all.some(({ value }) => value < 0)) return asBars(chart, all, look, measure);
  const whole = all.reduce((sum, { value }) => sum + value, 0);
  if (!(whole > 0) || !Number.isFinite(whole))
    return { kind: "empty", title: chart.title ?? "", why: "There are no values to draw." };
  const share = formatter("percent", "full", knownLocale(look.locale));
  const slices = together(all.filter(({ value }) => value > 0)).map((slice, i) => ({
    ...slice,
    share: share(slice.value / whole),
    colour: slice.label === "Other" ? OTHER_COLOUR : colourOf(i),
  }));
  const isNarrow = look.width < ROOM_FOR_NAMES;
  const legend = isNarrow
    ? slices.map(({ label, share, colour }) => ({
        label: `${label} ${share}`,
        colour,
        isLine: false,
        isRepeated: false,
      }))
    : [];
  const header = headerOf({ title: chart.title ?? "", subtitle: chart.yAxisLabel, legend }, look, measure);
  const height = look.height ?? Math.round(header.bottom + Math.min(300, look.width * 0.62));
  const write = formatter(chart.formats?.y, "full", knownLocale(look.locale));
  const room = height - header.bottom - PADDING;
  const middle = header.bottom + room / 2;
  return {
    kind: "chart",
    title: chart.title ?? "",
    height,
    option: {
      textStyle: { fontFamily: FONT_FAMILY },
      series: [seriesOf(chart, slices, { look, measure, isNarrow, middle, room })],
      graphic: [...header.elements, ...(chart.type === "donut" ? totalOf(chart, whole, look, middle) : [])],
    },
    hover: {
      by: "mark",
      titles: slices.map(({ label }) => label),
      lines: slices.map(({ value, share }) => `${write(value)} (${share})`),
    },
  };
}

function together(slices: { label: string; value: number }[]): { label: string; value: number }[] {
  if (slices.length <= MOST_SLICES) return slices;
  const rest = slices.slice(MOST_SLICES - 1).reduce((sum, { value }) => sum + value, 0);
  return [...slices.slice(0, MOST_SLICES - 1), { label: "Other", value: rest }];
}

function asBars(
  chart: Chart,
  slices: { label: string; value: number }[],
  look: Look,
  measure: Measure,
): Drawing {
  const series = [{ label: chart.title ?? "", data: slices.map(({ value }) => value) }];
  const categories = slices.map(({ label }) => label);
  return cartesianOf({ ...chart, type: "bar", layout: "horizontal", categories, series }, look, measure);
}

interface Place {
  look: Look;
  measure: Measure;
  isNarrow: boolean;
  middle: number;
  room: number;
}

function seriesOf({ type }: Chart, slices: readonly Slice[], place: Place): Record<string, unknown> {
  const { look, measure, isNarrow, middle, room } = place;
  const { text, axis, background } = COLOURS[look.theme];
  const radius = Math.min(room / 2 - (isNarrow ? 4 : 26), look.width * (isNarrow ? 0.4 : 0.22));
  const beside = look.width / 2 - radius - 56;
  const name = ({ label, share }: Slice) => {
    const own = measure(` ${share}`, SIZES.text, 400);
    return `${shorten(label, beside - own, { size: SIZES.text, weight: 400, measure })} ${share}`;
  };
  return {
    type: "pie",
    center: [look.width / 2, middle],
    radius: [type === "donut" ? radius * 0.62 : 0, radius],
    startAngle: 90,
    emphasis: { disabled: true },
    cursor: "default",
    itemStyle: { borderColor: background, borderWidth: 1.5 },
    label: { show: !isNarrow, color: text, fontSize: SIZES.text, textBorderWidth: 0 },
    labelLine: { length: 10, length2: 12, lineStyle: { color: axis } },
    data: slices.map((slice) => ({
      name: name(slice),
      value: slice.value,
      itemStyle: { color: slice.colour },
    })),
  };
}

function totalOf({ formats }: Chart, whole: number, look: Look, middle: number): Element[] {
  const { text, muted } = COLOURS[look.theme];
  const total = formatter(formats?.y, "short", knownLocale(look.locale))(whole);
  const at = (y: number, words: string, size: number, weight: number, fill: string) =>
    textAt(look.width / 2, y, words, { size, weight, fill, align: "center" });
  return [at(middle - 20, total, 20, 600, text), at(middle + 6, "Total", SIZES.text, 400, muted)];
}
