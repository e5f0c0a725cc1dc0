import { COLOURS, FONT_FAMILY, type Look, PADDING, SIZES } from "./look.ts";
import { type Measure, oneLine, shorten, wrap } from "./text.ts";

export type Element = Record<string, unknown>;

export interface LegendItem {
  label: string;
  /** Stands behind it. */
  value?: string;
  colour: string;
  isLine: boolean;
  isRepeated: boolean;
}

interface HeaderParts {
  title: string;
  /** What the numbers are, with their unit. */
  subtitle?: string | undefined;
  legend?: readonly LegendItem[];
  /** The legend is there however little room it leaves. */
  isLegendKept?: boolean;
}

/** A picture lower than this has its room for what is drawn: its title has one line, and there is no subtitle. */
const LOW = 150;
/** Where all of it would take more of the height, the legend is left out: names are told under the pointer. */
const MOST_OF_HEIGHT = 0.35;
/** A lower picture has no room for the name of its axis. */
export const ROOM_FOR_AXIS_NAME = 170;
/** The top of a picture whose title is not part of it. */
export const UNTITLED = 4;
const TITLE_LINE = 20;
const TEXT_LINE = 18;
const KEY = 18;
const GAP = 20;
/** Longest name in a legend, in pixels. */
const LEGEND_NAME = 180;

/**
 * Title, subtitle and legend as elements with places of their own, and where they end. ECharts' own components for
 * them neither wrap nor make room for each other.
 */
export function headerOf(
  { title, subtitle, legend = [], isLegendKept = false }: HeaderParts,
  look: Look,
  measure: Measure,
): { elements: Element[]; bottom: number } {
  const { text, muted } = COLOURS[look.theme];
  const width = look.width - 2 * PADDING;
  const elements: Element[] = [];
  const isLow = look.height !== undefined && look.height < LOW;
  // Without a title it stands below one that is not part of the picture.
  let y = title === "" ? UNTITLED : PADDING;
  const lines =
    title === ""
      ? []
      : wrap(oneLine(title), width, isLow ? 1 : 2, { size: SIZES.title, weight: 600, measure });
  for (const line of lines) {
    elements.push(textAt(PADDING, y, line, { size: SIZES.title, weight: 600, fill: text }));
    y += TITLE_LINE;
  }
  if (subtitle !== undefined && subtitle !== "" && !isLow) {
    const line = shorten(oneLine(subtitle), width, { size: SIZES.text, weight: 400, measure });
    elements.push(textAt(PADDING, y + 2, line, { size: SIZES.text, weight: 400, fill: muted }));
    y += TEXT_LINE + 2;
  }
  const whole = placeLegend(legend, width, measure);
  const isTooMuch =
    !isLegendKept &&
    y + 6 + whole.rows * TEXT_LINE > (look.height ?? Number.POSITIVE_INFINITY) * MOST_OF_HEIGHT;
  const placed = isTooMuch ? placeLegend([], width, measure) : whole;
  for (const { item, x, row, name } of placed.items) {
    const top = y + 6 + row * TEXT_LINE;
    elements.push(keyAt(PADDING + x, top, item));
    elements.push(textAt(PADDING + x + KEY, top, name, { size: SIZES.text, weight: 400, fill: text }));
  }
  if (placed.rows > 0) y += 6 + placed.rows * TEXT_LINE;
  return { elements, bottom: y };
}

/** A legend as a column: as many lines as there is height for, of which the last says how many more there are. */
export function legendColumn(
  legend: readonly LegendItem[],
  { x, middle, width, height }: { x: number; middle: number; width: number; height: number },
  look: Look,
  measure: Measure,
): Element[] {
  const { text, muted } = COLOURS[look.theme];
  const lines = Math.max(1, Math.floor(height / TEXT_LINE));
  const shown = legend.length <= lines ? legend : legend.slice(0, lines - 1);
  const top = middle - (Math.min(lines, legend.length) * TEXT_LINE) / 2 + 3;
  const style = { size: SIZES.text, weight: 400 } as const;
  const elements = shown.flatMap((item, i) => [
    keyAt(x, top + i * TEXT_LINE, item),
    textAt(x + KEY, top + i * TEXT_LINE, nameOf(item, width - KEY, measure), { ...style, fill: text }),
  ]);
  const left = legend.length - shown.length;
  if (left === 0) return elements;
  const more = `${left} more`;
  return [...elements, textAt(x + KEY, top + shown.length * TEXT_LINE, more, { ...style, fill: muted })];
}

/** How wide a legend is as a column. */
export function legendWidth(legend: readonly LegendItem[], measure: Measure): number {
  return (
    KEY + Math.max(0, ...legend.map((item) => measure(nameOf(item, LEGEND_NAME, measure), SIZES.text, 400)))
  );
}

/** What is said of it stays when its name does not fit. */
function nameOf({ label, value = "" }: LegendItem, width: number, measure: Measure): string {
  const style = { size: SIZES.text, weight: 400, measure } as const;
  if (value === "") return shorten(oneLine(label), width, style);
  return `${shorten(oneLine(label), width - measure(` ${value}`, SIZES.text, 400), style)} ${value}`;
}

function placeLegend(legend: readonly LegendItem[], width: number, measure: Measure) {
  let [x, row] = [0, 0];
  const items = legend.map((item) => {
    const most = Math.min(LEGEND_NAME, width - KEY);
    const name = nameOf(item, most, measure);
    const own = KEY + measure(name, SIZES.text, 400);
    if (x > 0 && x + own > width) {
      x = 0;
      row += 1;
    }
    const placed = { item, x, row, name };
    x += own + GAP;
    return placed;
  });
  return { items, rows: items.length === 0 ? 0 : row + 1 };
}

function keyAt(x: number, y: number, { colour, isLine, isRepeated }: LegendItem): Element {
  const shape = isLine
    ? { x, y: y + 5, width: 12, height: 3, r: 1.5 }
    : { x, y: y + 1, width: 11, height: 11, r: 2 };
  return { type: "rect", silent: true, shape, style: { fill: colour, opacity: isRepeated ? 0.55 : 1 } };
}

export function textAt(
  x: number,
  y: number,
  text: string,
  { size, weight, fill, align = "left" }: { size: number; weight: number; fill: string; align?: string },
): Element {
  const font = { fontWeight: weight, fontSize: size, fontFamily: FONT_FAMILY };
  return { type: "text", silent: true, x, y, style: { text, ...font, fill, align, verticalAlign: "top" } };
}
