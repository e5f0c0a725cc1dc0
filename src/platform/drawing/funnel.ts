import { type Chart, drawable } from "./chart.ts";
import type { Drawing } from "./drawing.ts";
import { formatter, knownLocale, NAME_MARKER } from "./formats.ts";
import { headerOf } from "./header.ts";
import { COLOURS, colourOf, FONT_FAMILY, type Look, PADDING, SIZES } from "./look.ts";
import { type Measure, oneLine, shorten } from "./text.ts";

const STAGE = 44;
/** From here on counts are written in short. */
const MANY = 1_000_000;

/** How many are left after each stage, as a share of the first and of the one before. */
export function funnelOf(chart: Chart, look: Look, measure: Measure): Drawing {
  const title = chart.title ?? "";
  const stages = (chart.slices ?? []).flatMap(({ label, value }) => {
    const known = drawable(value);
    return known === null || known < 0 ? [] : [{ label: oneLine(label), value: known }];
  });
  const [first] = stages;
  if (first === undefined || !stages.some(({ value }) => value > 0))
    return { kind: "empty", title, why: "There are no values to draw." };
  const header = headerOf({ title, subtitle: chart.yAxisLabel }, look, measure);
  const height = look.height ?? Math.round(header.bottom + PADDING + stages.length * STAGE);
  const locale = knownLocale(look.locale);
  const [write, share] = [formatter(chart.formats?.y, "full", locale), formatter("percent", "full", locale)];
  const short = formatter(chart.formats?.y, "short", locale);
  const beside = (value: number) => (Number.isInteger(value) && value < MANY ? write(value) : short(value));
  const of = (value: number, whole: number | undefined) => (whole ? share(value / whole) : "–");
  const lines = stages.map(({ value }, i) =>
    i === 0
      ? write(value)
      : `${write(value)} · ${of(value, first.value)} of first · ${of(value, stages[i - 1]?.value)} of previous`,
  );
  const shape = look.width * (look.width < 420 ? 0.4 : 0.48);
  const room = look.width - shape - 3 * PADDING - 24;
  const style = { size: SIZES.text, weight: 400, measure } as const;
  const { text, axis, background } = COLOURS[look.theme];
  return {
    kind: "chart",
    title,
    height,
    option: {
      textStyle: { fontFamily: FONT_FAMILY },
      series: [
        {
          type: "funnel",
          left: PADDING,
          top: header.bottom + 12,
          width: shape,
          height: height - header.bottom - PADDING - 12,
          sort: "none",
          min: 0,
          minSize: "1%",
          gap: 3,
          funnelAlign: "center",
          emphasis: { disabled: true },
          cursor: "default",
          itemStyle: { borderColor: background, borderWidth: 0 },
          label: {
            position: "right",
            color: text,
            fontSize: SIZES.text,
            textBorderWidth: 0,
            formatter: NAME_MARKER,
          },
          labelLine: { length: 12, lineStyle: { color: axis } },
          data: stages.map(({ label, value }, i) => ({
            name: shorten(
              `${label}  ${i === 0 ? beside(value) : `${beside(value)} (${of(value, first.value)})`}`,
              room,
              style,
            ),
            value,
            itemStyle: { color: colourOf(0) },
          })),
        },
      ],
      graphic: header.elements,
    },
    hover: { by: "mark", titles: stages.map(({ label }) => label), lines },
  };
}
