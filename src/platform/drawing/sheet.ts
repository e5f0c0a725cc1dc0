import type { Subject } from "./drawing.ts";
import { COLOURS, FONT_FAMILY, type Look, PADDING } from "./look.ts";
import type { Picture } from "./render-svg.ts";
import { escapeXml, type Measure, oneLine, shorten } from "./text.ts";

export interface Tile {
  subject: Subject;
  look: Look;
  x: number;
  y: number;
  /** What is to be said below it. */
  note?: string | undefined;
}

/** Pictures beside and below each other, under one title. */
export interface Sheet {
  title: string;
  theme: Look["theme"];
  /** Of the pictures together, without the margin around them. */
  width: number;
  tiles: readonly Tile[];
}

const HEADING = 56;
/** What a note takes of its tile. */
const NOTE = 22;

export function sheetOf(
  { title, theme, width: inner, tiles }: Sheet,
  draw: (subject: Subject, look: Look) => Picture,
  measure: Measure,
): Picture {
  const { text, grid, muted } = COLOURS[theme];
  const width = inner + 2 * PADDING;
  const drawn = tiles.map(({ subject, look, x, y, note = "" }) => {
    const noteHeight = note === "" || look.height === undefined ? 0 : NOTE;
    const own = noteHeight === 0 ? look : { ...look, height: Math.max(80, (look.height ?? 0) - noteHeight) };
    const picture = draw(subject, own);
    return { ...picture, height: picture.height + noteHeight, x: x + PADDING, y: y + HEADING, note };
  });
  const height = Math.max(HEADING, ...drawn.map((tile) => tile.y + tile.height)) + PADDING;
  const words = shorten(oneLine(title), inner, { size: 22, weight: 600, measure });
  const parts = drawn.map((tile) => {
    const frame = `<rect x="${tile.x + 0.5}" y="${tile.y + 0.5}" width="${tile.width - 1}" height="${tile.height - 1}" rx="8" fill="none" stroke="${grid}"/>`;
    const said = shorten(oneLine(tile.note), tile.width - 2 * PADDING, { size: 11, weight: 400, measure });
    const note =
      said === ""
        ? ""
        : `<text x="${tile.x + PADDING}" y="${tile.y + tile.height - 10}" font-family="${FONT_FAMILY}" font-size="11" fill="${muted}">${escapeXml(said)}</text>`;
    return `${frame}${note}${tile.svg.replace(/^<svg /, `<svg x="${tile.x}" y="${tile.y}" `)}`;
  });
  const heading = `<text x="${PADDING}" y="36" font-family="${FONT_FAMILY}" font-size="22" font-weight="600" fill="${text}">${escapeXml(words)}</text>`;
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const svg = `<svg ${size} xmlns="http://www.w3.org/2000/svg">${heading}${parts.join("")}</svg>`;
  return { svg, width, height, title, hover: null };
}
