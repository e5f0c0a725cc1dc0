import { type Chart, drawable } from "./chart.ts";
import type { Drawing } from "./drawing.ts";
import { formatter, knownLocale, NAME_MARKER } from "./formats.ts";
import { headerOf } from "./header.ts";
import { COLOURS, colourOf, type Look, PADDING, SIZES } from "./look.ts";
import { type Measure, oneLine, shorten, wordsIn } from "./text.ts";

const STAGE = 44;
/** From here on counts are written in short. */
const MANY = 1_000_000;

/** How many are left after each stage, as a share of the first and of the one before. */
export function funnelOf(chart: Chart, look: Look, measure: Measure): Drawing {
  const t = wordsIn(look.locale);
  const title = chart.title ?? "";
  const stages = (chart.slices ?? []).flatMap(({ label, value }) => {
    const known = drawable(value);
    return known === null || known < 0 ? [] : [{ label: oneLine(label), value: known }];
  });
  const [first] = stages;
  if (first === undefined || !stages.some(({ value }) => value > 0))
    return { kind: "empty", title, why: t`There are no values to draw.` };
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
      : t`${write(value)} · ${of(value, first.value)} of first · ${of(value, stages[i - 1]?.value)} of previous`,
  );
  const shape = look.width * (look.width < 420 ? 0.4 : 0.48);
  const most = Math.max(...stages.map(({ value }) => value));
  const style = { size: SIZES.text, weight: 400, measure } as const;
  const { text } = COLOURS[look.theme];
  return {
    kind: "chart",
    title,
    height,
    option: {
      grid: {
        left: PADDING,
        top: header.bottom + 8,
        width: shape,
        height: height - header.bottom - PADDING - 8,
        outerBoundsMode: "none",
      },
      xAxis: { type: "value", show: false, min: 0, max: most },
      yAxis: { type: "category", show: false, inverse: true, data: stages.map((_, i) => String(i)) },
      series: [
        {
          type: "bar",
          stack: "funnel",
          silent: true,
          itemStyle: { color: "transparent" },
          data: stages.map(({ value }) => (most - value) / 2),
        },
        {
          type: "bar",
          stack: "funnel",
          barCategoryGap: "10%",
          emphasis: { disabled: true },
          cursor: "default",
          itemStyle: { color: colourOf(0), borderRadius: 3 },
          label: {
            show: true,
            position: "right",
            distance: 10,
            color: text,
            fontSize: SIZES.text,
            textBorderWidth: 0,
            formatter: NAME_MARKER,
          },
          data: stages.map(({ label, value }, i) => ({
            name: shorten(
              `${label}  ${i === 0 ? beside(value) : `${beside(value)} (${of(value, first.value)})`}`,
              look.width - PADDING - 12 - (shape * (1 + value / most)) / 2 - PADDING,
              style,
            ),
            value,
          })),
        },
      ],
      graphic: header.elements,
    },
    hover: { by: "mark", titles: stages.map(({ label }) => label), lines },
  };
}
