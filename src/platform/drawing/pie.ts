import { cartesianOf } from "./cartesian.ts";
import { type Chart, drawable } from "./chart.ts";
import type { Drawing } from "./drawing.ts";
import { formatter, knownLocale } from "./formats.ts";
import { type Element, headerOf, legendColumn, legendWidth, textAt } from "./header.ts";
import { LIMITS } from "./limits.ts";
import { COLOURS, colourOf, type Look, OTHER_COLOUR, PADDING, SIZES } from "./look.ts";
import { type Measure, oneLine, otherIn, shorten, wordsIn } from "./text.ts";

const { slices: MOST_SLICES } = LIMITS.drawing;
/** Narrower than this, names stand in a legend and not beside their slices. */
const ROOM_FOR_NAMES = 420;
const HEIGHT_FOR_NAMES = 170;
/** What the line to a name takes, and how long a name may be before the ring gets no smaller for it. */
const BESIDE = 56;
const WIDEST_NAME = 170;
/** Radius of a ring that is no longer worth a legend beside it. */
const LEAST_BESIDE = 26;
/** The hole of a donut, as a part of it, and how large it is with a word below the total. */
const HOLE = 0.64;
const ROOM_FOR_WORD = 34;

interface Slice {
  label: string;
  value: number;
  share: string;
  colour: string;
}

/** Parts of a whole, the largest first. Values below zero are no parts: they are drawn as bars. */
export function pieOf(chart: Chart, look: Look, measure: Measure): Drawing {
  const t = wordsIn(look.locale);
  const other = otherIn(look.locale);
  const all = (chart.slices ?? [])
    .flatMap(({ label, value }) =>
      drawable(value) === null ? [] : [{ label: oneLine(label), value: value as number }],
    )
    .toSorted((a, b) => Number(a.label === other) - Number(b.label === other) || b.value - a.value);
  if (all.some(({ value }) => value < 0)) return asBars(chart, all, look, measure);
  const whole = all.reduce((sum, { value }) => sum + value, 0);
  if (!(whole > 0) || !Number.isFinite(whole)) {
    const why = all.length > 0 && whole === 0 ? t`All values are zero.` : t`There are no values to draw.`;
    return { kind: "empty", title: chart.title ?? "", why };
  }
  const share = formatter("percent", "full", knownLocale(look.locale));
  const slices = together(
    all.filter(({ value }) => value > 0),
    other,
  ).map((slice, i) => ({
    ...slice,
    share: share(slice.value / whole),
    colour: slice.label === other ? OTHER_COLOUR : colourOf(i),
  }));
  const write = formatter(chart.formats?.y, "full", knownLocale(look.locale));
  const { place, elements, height } = placeOf(chart, slices, look, measure);
  return {
    kind: "chart",
    title: chart.title ?? "",
    height,
    option: {
      series: [seriesOf(chart, slices, place, look, measure)],
      graphic: [...elements, ...(chart.type === "donut" ? totalOf(chart, whole, place, look, measure) : [])],
    },
    hover: {
      by: "mark",
      titles: slices.map(({ label }) => label),
      lines: slices.map(({ value, share }) => `${write(value)} (${share})`),
    },
  };
}

/** Where the ring is, and whether names stand at its slices. */
interface Place {
  x: number;
  y: number;
  radius: number;
  isNamed: boolean;
}

/** Names at the slices where there is room all around, or in a legend beside or above, whichever leaves more to the ring. */
function placeOf(chart: Chart, slices: readonly Slice[], look: Look, measure: Measure) {
  const parts = { title: chart.title ?? "", subtitle: chart.yAxisLabel };
  const legend = slices.map(({ label, share, colour }) => ({
    label,
    value: share,
    colour,
    isLine: false,
    isRepeated: false,
  }));
  const plain = headerOf(parts, look, measure);
  const above = headerOf({ ...parts, legend, isLegendKept: true }, look, measure);
  const isWide = look.width >= ROOM_FOR_NAMES;
  const height =
    look.height ?? Math.round((isWide ? plain : above).bottom + Math.min(300, look.width * 0.62));
  const room = height - plain.bottom - PADDING;
  const y = plain.bottom + PADDING / 2 + room / 2;
  if (isWide && room >= HEIGHT_FOR_NAMES) {
    const widest = Math.min(legendWidth(legend, measure), WIDEST_NAME);
    const wide = Math.max(look.width * 0.14, Math.min(look.width * 0.22, look.width / 2 - BESIDE - widest));
    const place = { x: look.width / 2, y, radius: Math.min(room / 2 - 26, wide), isNamed: true };
    return { place, elements: plain.elements, height };
  }
  const width = Math.min(legendWidth(legend, measure), look.width * 0.5);
  const beside = Math.min(room, look.width - 3 * PADDING - width) / 2;
  const below = Math.min(height - above.bottom - PADDING, look.width * 0.8) / 2;
  if (below >= beside) {
    const middle = above.bottom + (height - above.bottom) / 2;
    const place = { x: look.width / 2, y: middle, radius: below, isNamed: false };
    return { place, elements: above.elements, height };
  }
  if (beside < LEAST_BESIDE) {
    const radius = Math.max(8, Math.min(room, look.width - 2 * PADDING) / 2);
    return { place: { x: look.width / 2, y, radius, isNamed: false }, elements: plain.elements, height };
  }
  const left = (look.width - 2 * beside - PADDING - width) / 2;
  const at = { x: left + 2 * beside + PADDING, middle: y, width, height: room };
  return {
    place: { x: left + beside, y, radius: beside, isNamed: false },
    elements: [...plain.elements, ...legendColumn(legend, at, look, measure)],
    height,
  };
}

function together(
  slices: { label: string; value: number }[],
  other: string,
): { label: string; value: number }[] {
  if (slices.length <= MOST_SLICES) return slices;
  const rest = slices.slice(MOST_SLICES - 1).reduce((sum, { value }) => sum + value, 0);
  return [...slices.slice(0, MOST_SLICES - 1), { label: other, value: rest }];
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

function seriesOf(
  { type }: Chart,
  slices: readonly Slice[],
  { x, y, radius, isNamed }: Place,
  look: Look,
  measure: Measure,
): Record<string, unknown> {
  const { text, axis, background } = COLOURS[look.theme];
  const beside = look.width / 2 - radius - BESIDE;
  const name = ({ label, share }: Slice) => {
    const own = measure(` ${share}`, SIZES.text, 400);
    return `${shorten(label, beside - own, { size: SIZES.text, weight: 400, measure })} ${share}`;
  };
  return {
    type: "pie",
    center: [x, y],
    radius: [type === "donut" ? radius * HOLE : 0, radius],
    startAngle: 90,
    emphasis: { disabled: true },
    cursor: "default",
    itemStyle: { borderColor: background, borderWidth: 1.5 },
    label: { show: isNamed, color: text, fontSize: SIZES.text, textBorderWidth: 0 },
    labelLine: { show: isNamed, length: 10, length2: 12, lineStyle: { color: axis } },
    data: slices.map((slice) => ({
      name: name(slice),
      value: slice.value,
      itemStyle: { color: slice.colour },
    })),
  };
}

/** As large as the hole has room for, or not at all. */
function totalOf({ formats }: Chart, whole: number, place: Place, look: Look, measure: Measure): Element[] {
  const { text, muted } = COLOURS[look.theme];
  const total = formatter(formats?.y, "short", knownLocale(look.locale))(whole);
  const hole = place.radius * HOLE - 4;
  const isCalled = hole >= ROOM_FOR_WORD;
  const fits = (size: number) =>
    Math.hypot(measure(total, size, 600) / 2, isCalled ? size + 2 : size / 2) <= hole;
  const size = [24, 22, 20, 18, 16, 14, 13, 12, 11, 10, 9].find(fits);
  if (size === undefined) return [];
  const at = (y: number, words: string, own: number, weight: number, fill: string) =>
    textAt(place.x, y, words, { size: own, weight, fill, align: "center" });
  if (!isCalled) return [at(place.y - size / 2, total, size, 600, text)];
  const t = wordsIn(look.locale);
  return [at(place.y - size, total, size, 600, text), at(place.y + 5, t`Total`, SIZES.text, 400, muted)];
}
