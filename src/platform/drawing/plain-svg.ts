import type { Drawing } from "./drawing.ts";
import { columnFormatter, formatter, knownLocale } from "./formats.ts";
import { UNTITLED } from "./header.ts";
import { LIMITS } from "./limits.ts";
import { COLOURS, colourOf, FONT_FAMILY, type Look, PADDING, SIZES } from "./look.ts";
import { escapeXml, type Measure, oneLine, shorten, wordsIn, wrap } from "./text.ts";

type Plain = Exclude<Drawing, { kind: "chart" }>;

interface Words {
  x: number;
  y: number;
  text: string;
  size?: number;
  weight?: 400 | 600;
  fill: string;
  anchor?: "start" | "middle" | "end";
}

interface Canvas {
  look: Look;
  measure: Measure;
  parts: string[];
  /** Where the next line begins. */
  y: number;
}

const ROW = 28;
const WIDEST_COLUMN = 260;

/** What is no chart: a number, a table, or some words. */
export function plainSvgOf(drawing: Plain, look: Look, measure: Measure): { svg: string; height: number } {
  const canvas: Canvas = { look, measure, parts: [], y: drawing.title === "" ? UNTITLED : PADDING };
  writeTitle(canvas, drawing.title);
  if (drawing.kind === "number") writeNumber(canvas, drawing);
  else if (drawing.kind === "table") writeTable(canvas, drawing);
  else writeWords(canvas, drawing);
  const height = look.height ?? canvas.y + PADDING;
  const size = `width="${look.width}" height="${height}" viewBox="0 0 ${look.width} ${height}"`;
  const svg = `<svg ${size} xmlns="http://www.w3.org/2000/svg">\n${canvas.parts.join("\n")}\n</svg>`;
  return { svg, height };
}

function write(
  { parts }: Canvas,
  { x, y, text, size = SIZES.text, weight = 400, fill, anchor = "start" }: Words,
) {
  const font = `font-family="${FONT_FAMILY}" font-size="${size}" font-weight="${weight}"`;
  parts.push(
    `<text x="${round(x)}" y="${round(y + size)}" ${font} fill="${fill}" text-anchor="${anchor}">${escapeXml(text)}</text>`,
  );
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

function writeTitle(canvas: Canvas, title: string): void {
  if (title === "") return;
  const { look, measure } = canvas;
  const style = { size: SIZES.title, weight: 600, measure } as const;
  for (const text of wrap(oneLine(title), look.width - 2 * PADDING, 2, style)) {
    write(canvas, {
      x: PADDING,
      y: canvas.y,
      text,
      size: SIZES.title,
      weight: 600,
      fill: COLOURS[look.theme].text,
    });
    canvas.y += 20;
  }
}

function writeNumber(canvas: Canvas, drawing: Extract<Plain, { kind: "number" }>): void {
  const { label, value, format, change, spark = [] } = drawing;
  const { look, measure } = canvas;
  const { text, muted } = COLOURS[look.theme];
  const locale = knownLocale(look.locale);
  const width = look.width - 2 * PADDING;
  const [full, short] = [
    formatter(format, "headline", locale)(value),
    formatter(format, "short", locale)(value),
  ];
  const words = measure(full, 36, 600) <= width ? full : short;
  const size = measure(words, 36, 600) <= width ? 36 : 24;
  const top = canvas.y;
  write(canvas, { x: PADDING, y: top + 46 - size, text: words, size, weight: 600, fill: text });
  const style = { size: SIZES.text, weight: 400, measure } as const;
  write(canvas, { x: PADDING, y: top + 58, text: shorten(oneLine(label), width, style), fill: muted });
  canvas.y += 74;
  if (change !== undefined) {
    const said = `${change.isUp ? "▲" : "▼"} ${oneLine(change.text)}`;
    write(canvas, {
      x: PADDING,
      y: canvas.y + 2,
      text: shorten(said, width, style),
      weight: 600,
      fill: text,
    });
    canvas.y += 20;
  }
  const room = (look.height ?? canvas.y + 60) - canvas.y - PADDING;
  if (spark.length > 2 && room >= 20) writeSpark(canvas, spark, Math.min(room, 80));
}

/** Gaps stay gaps. */
function writeSpark(canvas: Canvas, values: readonly (number | null)[], height: number): void {
  const known = values.filter((value) => value !== null);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const width = canvas.look.width - 2 * PADDING;
  const at = (value: number, i: number) => {
    const x = PADDING + (i / (values.length - 1)) * width;
    const y = canvas.y + 6 + (1 - (most === least ? 0.5 : (value - least) / (most - least))) * (height - 10);
    return `${round(x)} ${round(y)}`;
  };
  const path = values.map((value, i) => {
    if (value === null) return "";
    return `${i === 0 || (values[i - 1] ?? null) === null ? "M" : "L"}${at(value, i)}`;
  });
  canvas.parts.push(
    `<path d="${path.join("")}" fill="none" stroke="${colourOf(0)}" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/>`,
  );
  canvas.y += height;
}

function writeTable(
  canvas: Canvas,
  { columns: all, rows, rowCount, columnCount = all.length, totals }: Extract<Plain, { kind: "table" }>,
): void {
  const columns = all.slice(0, LIMITS.drawing.tableColumns);
  const { look, measure, parts } = canvas;
  const { text, muted, grid, axis } = COLOURS[look.theme];
  const locale = knownLocale(look.locale);
  // A row more is the heading, and another says how many there are.
  const room =
    look.height === undefined
      ? rows.length
      : Math.floor((look.height - canvas.y - 24) / ROW) - (totals ? 2 : 1);
  const shown = rows.slice(0, Math.max(1, Math.min(LIMITS.drawing.tableRows, room)));
  const columnsOf = columns.map(({ label, format }, i) => {
    const write = columnFormatter(format, [...rows.map((row) => row[i]), totals?.[i]], locale);
    const cells = shown.map((row) => cellOf(row[i], write));
    const total = totals === undefined ? [] : [totalOf(totals, i, write, look.locale)];
    const widest = Math.max(
      ...[oneLine(label), ...cells, ...total].map((cell) => measure(cell, SIZES.text, 600)),
    );
    return {
      label: oneLine(label),
      cells,
      total,
      isNumber: format !== undefined,
      width: Math.min(WIDEST_COLUMN, widest),
    };
  });
  const across = look.width - 2 * PADDING - (columns.length - 1) * PADDING;
  const wanted = columnsOf.reduce((sum, { width }) => sum + width, 0);
  const by = wanted > across ? across / wanted : 1;
  const spare = wanted > across || columns.length < 2 ? 0 : (across - wanted) / (columns.length - 1);
  const rule = (y: number, colour: string) =>
    parts.push(`<path d="M${PADDING} ${y}H${look.width - PADDING}" stroke="${colour}"/>`);
  let x = PADDING;
  const top = canvas.y + 6;
  for (const { label, cells, total, isNumber, width } of columnsOf) {
    const own = width * by;
    const at = isNumber ? { x: x + own, anchor: "end" as const } : { x };
    const put = (words: string, row: number, fill: string, weight: 400 | 600) => {
      const fitted = shorten(words, own, { size: SIZES.text, weight, measure });
      write(canvas, { ...at, y: top + row * ROW + 7, text: fitted, fill, weight });
    };
    put(label, 0, muted, 600);
    for (const [i, cell] of cells.entries()) put(cell, i + 1, text, 400);
    for (const words of total) put(words, shown.length + 1, text, 600);
    x += own + PADDING + spare;
  }
  const lines = shown.length + (totals === undefined ? 0 : 1);
  for (let row = 1; row <= lines; row++) rule(top + row * ROW, row === 1 || row > shown.length ? axis : grid);
  canvas.y = top + (lines + 1) * ROW;
  const t = wordsIn(look.locale);
  const count = formatter("integer", "full", locale);
  const more = [
    ...(rowCount > shown.length ? [t`${shown.length} of ${count(rowCount)} rows`] : []),
    ...(columnCount > columns.length ? [t`${columns.length} of ${count(columnCount)} columns`] : []),
  ].join(" · ");
  if (more === "") return;
  write(canvas, { x: PADDING, y: canvas.y + 4, text: more, fill: muted });
  canvas.y += 18;
}

/** The first column says what the line is, unless it has a sum itself. */
export function totalOf(
  totals: readonly (number | null)[],
  at: number,
  write: (value: number) => string,
  locale: string,
): string {
  const t = wordsIn(locale);
  const total = totals[at] ?? null;
  return total === null ? (at === 0 ? t`Total` : "") : write(total);
}

function cellOf(value: string | number | null | undefined, write: (value: number) => string): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "number" ? write(value) : oneLine(value);
}

function writeWords(canvas: Canvas, drawing: Extract<Plain, { kind: "text" | "empty" | "error" }>): void {
  const { look, measure } = canvas;
  const { text, muted } = COLOURS[look.theme];
  const said =
    drawing.kind === "text"
      ? drawing.text.split("\n").map((line) => ({ text: line, fill: text }))
      : drawing.kind === "empty"
        ? [{ text: drawing.why, fill: muted }]
        : [
            { text: drawing.what, fill: text },
            { text: drawing.next, fill: muted },
          ];
  canvas.y += 8;
  const style = { size: SIZES.text, weight: 400, measure } as const;
  const isMiddle = drawing.kind === "empty" && look.height !== undefined;
  const at = isMiddle ? ({ x: look.width / 2, anchor: "middle" } as const) : { x: PADDING };
  if (isMiddle) canvas.y = Math.max(canvas.y, (look.height ?? 0) / 2 - 18);
  for (const { text: words, fill } of said) {
    for (const line of wrap(oneLine(words), look.width - 2 * PADDING, 8, style)) {
      write(canvas, { ...at, y: canvas.y, text: line, fill });
      canvas.y += 18;
    }
  }
}
