import { formatter } from "../../../platform/drawing/index.ts";
import { OTHER, type Points } from "../query/arrange-points.ts";
import type { WidgetSpec } from "../shapes.ts";
import { wordsIn } from "../words.ts";
import type { Writing } from "./subject.ts";

/** All others together are not drawn when they are this many times as large as the largest: it could not be seen. */
const GIANT = 2;

/** All others together stay out of a chart where they would hide the rest, and a note tells of them. */
export function withoutOthers(points: Points, spec: WidgetSpec, writing: Writing): Points {
  const t = wordsIn(writing.locale);
  switch (spec.chart) {
    case "bar":
    case "column":
      return withoutGiantBar(points, spec, writing);
    case "line":
      return withoutGiantLine(points, writing);
    // What they are together has nothing to do with the colours of single ones.
    case "heatmap":
      return withNote(withoutLine(withoutBar(points)), points, t`Only the largest are shown`);
    default:
      return points;
  }
}

function withoutGiantBar(points: Points, { format }: WidgetSpec, { locale }: Writing): Points {
  const sums = points.keys.map((_, i) => points.series.reduce((sum, { data }) => sum + (data[i] ?? 0), 0));
  const others = sums.at(-1) ?? 0;
  if (!(Math.abs(others) > GIANT * Math.max(...sums.slice(0, -1).map(Math.abs)))) return points;
  const t = wordsIn(locale);
  const said = formatter(format ?? points.format, "short", locale)(others);
  const note = points.series.length > 1 ? t`All others are not shown` : t`All others together: ${said}`;
  return withNote(withoutBar(points), points, note);
}

function withoutGiantLine(points: Points, { locale }: Writing): Points {
  const t = wordsIn(locale);
  const [others = 0, ...largest] = points.series
    .map(({ data }) => Math.max(0, ...data.map((value) => Math.abs(value ?? 0))))
    .toReversed();
  if (!(others > GIANT * Math.max(...largest))) return points;
  return withNote(withoutLine(points), points, t`All others are not shown`);
}

function withoutBar(points: Points): Points {
  const last = points.keys.at(-1);
  if (last === undefined || !("text" in last) || last.text !== OTHER) return points;
  const series = points.series.map(({ label, data }) => ({ label, data: data.slice(0, -1) }));
  return { ...points, keys: points.keys.slice(0, -1), series };
}

function withoutLine(points: Points): Points {
  const isLast = points.series.length > 1 && points.series.at(-1)?.label === OTHER;
  return isLast ? { ...points, series: points.series.slice(0, -1) } : points;
}

function withNote(shown: Points, all: Points, note: string): Points {
  return shown === all ? all : { ...shown, notes: [...all.notes, note] };
}
