import { type Chart, drawable } from "./chart.ts";
import type { Drawing } from "./drawing.ts";
import { formatter, knownLocale } from "./formats.ts";
import { headerOf, textAt } from "./header.ts";
import { COLOURS, colourOf, FONT_FAMILY, type Look, PADDING, SIZES } from "./look.ts";
import type { Measure } from "./text.ts";

/** One number on an arc from zero to its target, or to the next round number. */
export function gaugeOf(chart: Chart, look: Look, measure: Measure): Drawing {
  const title = chart.title ?? "";
  const value = drawable(chart.slices?.[0]?.value ?? null);
  if (value === null) return { kind: "empty", title, why: "There is no value to draw." };
  const target = drawable(chart.target ?? null);
  const end = target !== null && target > 0 ? Math.max(target, value) : roundUp(Math.abs(value));
  const header = headerOf({ title, subtitle: chart.yAxisLabel }, look, measure);
  const height = look.height ?? Math.round(header.bottom + Math.min(240, look.width * 0.55));
  const locale = knownLocale(look.locale);
  const [full, short] = [
    formatter(chart.formats?.y, "headline", locale),
    formatter(chart.formats?.y, "short", locale),
  ];
  const share = formatter("percent", "full", locale);
  const room = height - header.bottom - PADDING;
  const radius = Math.max(30, Math.min(room - 34, look.width / 2 - 2 * PADDING));
  const middle = { x: look.width / 2, y: header.bottom + 8 + radius };
  const { text, muted, grid } = COLOURS[look.theme];
  const words = measure(full(value), 26, 600) < radius * 1.3 ? full(value) : short(value);
  const below = { size: SIZES.text, weight: 400, fill: muted, align: "center" };
  const width = Math.max(10, Math.min(22, radius * 0.2));
  const note = target === null ? [] : [`${share(value / target)} of ${short(target)}`];
  return {
    kind: "chart",
    title,
    height,
    option: {
      textStyle: { fontFamily: FONT_FAMILY },
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
        textAt(middle.x, middle.y - 36, words, { size: 26, weight: 600, fill: text, align: "center" }),
        ...note.map((line) => textAt(middle.x, middle.y - 4, line, below)),
        textAt(middle.x - radius + width / 2, middle.y + 6, short(0), below),
        textAt(middle.x + radius - width / 2, middle.y + 6, short(value < 0 ? -end : end), below),
      ],
    },
    hover: { by: "mark", titles: [chart.yAxisLabel ?? ""], lines: [full(value)] },
  };
}

/** 1, 2 or 5 with zeros, not less than a number. */
function roundUp(value: number): number {
  if (value === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}
