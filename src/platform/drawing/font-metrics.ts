import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Measure } from "./text.ts";

const require = createRequire(import.meta.url);
const FONT_FILES = {
  400: require.resolve("@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf"),
  600: require.resolve("@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf"),
} as const;
export const FONT_PATHS = Object.values(FONT_FILES);

/** Widths of what the font has no picture of, in parts of its size: those of other scripts are about square. */
const FOREIGN = 1;
const FIRST_FOREIGN = 0x1100;
const OTHERWISE = 0.6;

interface Metrics {
  unitsPerEm: number;
  glyphOf(code: number): number;
  advanceOf(glyph: number): number;
}

/** Reads the widths of characters from a TrueType font. */
function readMetrics(path: string): Metrics {
  const font = readFileSync(path);
  const tables = new Map<string, number>();
  for (let i = 0; i < font.readUInt16BE(4); i++) {
    const entry = 12 + i * 16;
    tables.set(font.toString("latin1", entry, entry + 4), font.readUInt32BE(entry + 8));
  }
  const at = (name: string) => tables.get(name) as number;
  const last = font.readUInt16BE(at("hhea") + 34) - 1;
  const glyphs = readCharacters(font, at("cmap"));
  return {
    unitsPerEm: font.readUInt16BE(at("head") + 18),
    glyphOf: (code) => glyphs.get(code) ?? 0,
    advanceOf: (glyph) => font.readUInt16BE(at("hmtx") + Math.min(glyph, last) * 4),
  };
}

/** Which glyph each character has: of the two tables that fonts have in use, the one that is simple to read. */
function readCharacters(font: Buffer, cmap: number): Map<number, number> {
  const glyphs = new Map<number, number>();
  for (let i = 0; i < font.readUInt16BE(cmap + 2); i++) {
    const table = cmap + font.readUInt32BE(cmap + 8 + i * 8);
    if (font.readUInt16BE(table) !== 12) continue;
    for (let group = 0; group < font.readUInt32BE(table + 12); group++) {
      const entry = table + 16 + group * 12;
      const [from, to] = [font.readUInt32BE(entry), font.readUInt32BE(entry + 4)];
      for (let code = from; code <= to; code++) glyphs.set(code, font.readUInt32BE(entry + 8) + code - from);
    }
  }
  return glyphs;
}

const known = new Map<400 | 600, Metrics>();

function metricsOf(weight: 400 | 600): Metrics {
  const metrics = known.get(weight) ?? readMetrics(FONT_FILES[weight]);
  known.set(weight, metrics);
  return metrics;
}

export const measure: Measure = (text, size, weight) => {
  const { unitsPerEm, glyphOf, advanceOf } = metricsOf(weight);
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    const glyph = glyphOf(code);
    const foreign = code >= FIRST_FOREIGN && code < 0xff00 && code !== 0x2026 ? FOREIGN : OTHERWISE;
    width += glyph === 0 ? foreign : advanceOf(glyph) / unitsPerEm;
  }
  return width * size;
};

export function hasGlyph(character: string): boolean {
  return metricsOf(400).glyphOf(character.codePointAt(0) as number) !== 0;
}
