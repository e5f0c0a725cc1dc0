import { type Chart, drawable } from "./chart.ts";
import type { Drawing } from "./drawing.ts";
import { formatter, knownLocale } from "./formats.ts";
import { headerOf, textAt } from "./header.ts";
import { COLOURS, colourOf, type Look, PADDING, SIZES } from "./look.ts";
import { type Measure, wordsIn } from "./text.ts";

/** What the ends of the scale take below the arc. */
const SCALE_LINE = 24;
/** Lower than this, all of the room is the arc's. */
const ROOM_FOR_SCALE = 56;
const NOTE_LINE = 18;
const MOST_RADIUS = 150;
/** Size of a number that stands beside its arc, which is too small for it. */
const BESIDE_PX = 12;
const SIZES_OF_NUMBER = { most: 34, least: 9, whole: 18 } as const;

/** One number on an arc from zero to its target, or to the next round number. */
export function gaugeOf(chart: Chart, look: Look, measure: Measure): Drawing {
  const t = wordsIn(look.locale);
  const title = chart.title ?? "";
  const value = drawable(chart.slices?.[0]?.value ?? null);
  if (value === null) return { kind: "empty", title, why: t`There is no value to draw.` };
  const target = drawable(chart.target ?? null);
  const end =
    target !== null && target > 0 ? Math.max(target, value) : endOf(Math.abs(value), chart.formats?.y);
  const header = headerOf({ title, subtitle: chart.yAxisLabel }, look, measure);
  const height = look.height ?? Math.round(header.bottom + Math.min(240, look.width * 0.55));
  const locale = knownLocale(look.locale);
  const [full, short] = [
    formatter(chart.formats?.y, "headline", locale),
    formatter(chart.formats?.y, "short", locale),
  ];
  const share = formatter("percent", "full", locale);
  const room = height - header.bottom - 8;
  const line = room < ROOM_FOR_SCALE ? 0 : SCALE_LINE;
  const radius = Math.max(24, Math.min(room - 8 - line, look.width / 2 - 2 * PADDING, MOST_RADIUS));
  const spare = Math.max(0, room - radius - line - 8) / 2;
  const middle = { x: look.width / 2, y: header.bottom + 8 + Math.min(spare, 40) + radius };
  const { text, muted, grid } = COLOURS[look.theme];
  const below = { size: SIZES.text, weight: 400, fill: muted, align: "center" };
  const width = Math.max(7, Math.min(22, radius * 0.2));
  const note = target === null ? "" : t`${share(value / target)} of ${short(target)}`;
  const inside = radius - width - 4;
  // Where there is no room for it in the arc, it is more than the ends of the scale are.
  const isNoteInside = note !== "" && widthAt(inside, NOTE_LINE) >= measure(note, SIZES.text, 400);
  const isScaled = line > 0 && (note === "" || isNoteInside);
  const lift = radius * 0.06;
  const bottom = (isNoteInside ? NOTE_LINE + 3 : 2) + lift;
  const number = numberIn(inside, bottom, [full(value), short(value)], measure);
  const large = { size: number.size, weight: 600, fill: text };
  return {
    kind: "chart",
    title,
    height,
    option: {
      series: [
        {
          type: "gauge",
          center: [middle.x, middle.y],
          radius,
          startAngle: 180,
          endAngle: 0,
          min: 0,
          max: end,
          pointer: { show: false },
          progress: { show: true, width, roundCap: false, itemStyle: { color: colourOf(0) } },
          axisLine: { lineStyle: { width, color: [[1, grid]] } },
          axisTick: { show: false },
          splitLine: { show: false },
          axisLabel: { show: false },
          detail: { show: false },
          title: { show: false },
          emphasis: { disabled: true },
          cursor: "default",
          // Below zero it goes the same way, to a limit below zero.
          data: [{ value: Math.abs(value) }],
        },
      ],
      graphic: [
        ...header.elements,
        number.fits
          ? textAt(middle.x, middle.y - bottom - number.size, number.words, { ...large, align: "center" })
          : textAt(middle.x + radius + 10, middle.y - number.size, number.words, large),
        ...(note === "" || (line === 0 && !isNoteInside)
          ? []
          : [textAt(middle.x, middle.y + (isNoteInside ? 2 - NOTE_LINE - lift : 6), note, below)]),
        ...(isScaled
          ? [
              textAt(middle.x - radius + width / 2, middle.y + 6, short(0), below),
              textAt(middle.x + radius - width / 2, middle.y + 6, short(value < 0 ? -end : end), below),
            ]
          : []),
      ],
    },
    hover: {
      by: "mark",
      titles: [chart.yAxisLabel ?? ""],
      lines: [note === "" ? full(value) : `${full(value)} (${note})`],
    },
  };
}

/** How wide a line can be in a half circle, with its top so far above the middle. */
function widthAt(radius: number, top: number): number {
  return top >= radius ? 0 : 2 * Math.sqrt(radius ** 2 - top ** 2);
}

/** The number as large as the arc has room for; in short where its digits would be small. */
function numberIn(radius: number, bottom: number, [full, short]: [string, string], measure: Measure) {
  const { most, least, whole } = SIZES_OF_NUMBER;
  const sizeOf = (words: string) => {
    let size: number = most;
    while (size > least && measure(words, size, 600) > widthAt(radius, bottom + size)) size -= 1;
    return size;
  };
  const size = sizeOf(full);
  if (size >= whole) return { words: full, size, fits: true };
  const fits = measure(short, least, 600) <= widthAt(radius, bottom + least);
  return { words: short, size: fits ? sizeOf(short) : BESIDE_PX, fits };
}

/** A share is one of the whole; anything else ends at a round number with some way to go. */
function endOf(value: number, format: string | undefined): number {
  const whole = format === "percent" ? 1 : format === "percent:whole" ? 100 : 0;
  return value < whole ? whole : roundUp(value * 1.05);
}

/** 1, 2 or 5 with zeros, not less than a number. */
function roundUp(value: number): number {
  if (value === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}
