import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { LIMITS } from "./limits.ts";
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
  const tables = readTables(path, ["cmap", "head", "hhea", "hmtx"]);
  const [cmap, head, hhea, hmtx] = tables as [Buffer, Buffer, Buffer, Buffer];
  const last = hhea.readUInt16BE(34) - 1;
  const ranges = rangesIn(cmap);
  return {
    unitsPerEm: head.readUInt16BE(18),
    glyphOf: (code) => {
      const range = rangeOf(ranges, code);
      return range === undefined ? 0 : range.glyph + code - range.from;
    },
    advanceOf: (glyph) => hmtx.readUInt16BE(Math.min(glyph, last) * 4),
  };
}

const metricsByWeight = new Map<400 | 600, Metrics>();

function metricsOf(weight: 400 | 600): Metrics {
  const metrics = metricsByWeight.get(weight) ?? readMetrics(FONT_FILES[weight]);
  metricsByWeight.set(weight, metrics);
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

/** Where systems keep their fonts. */
const SYSTEM_FOLDERS = [
  "/usr/share/fonts",
  "/usr/local/share/fonts",
  "/System/Library/Fonts",
  "/Library/Fonts",
  "C:\\Windows\\Fonts",
];
const FONT_FILE = /\.(ttf|otf|ttc|otc)$/i;
/** What looks least like the rest of a page comes last. */
const UNLIKE = [/serif/i, /mono/i, /bold|black|heavy/i, /italic|oblique/i, /thin|light|condensed/i];

/** Characters that a font has, as ranges in their order. */
type Coverage = readonly CharacterRange[];

interface CharacterRange {
  from: number;
  to: number;
  /** Of the first one; the others follow. Only the table of all characters tells it. */
  glyph: number;
}

interface FallbackFonts {
  paths: string[];
  /** Every character has a font. */
  isComplete: boolean;
}

const coverageByPath = new Map<string, Coverage>();
const listed = new Map<string, string[]>();

/** Where a process must be able to read, so that it finds them. */
export function readableFontFolders(folders: readonly string[]): string[] {
  return [...folders, ...SYSTEM_FOLDERS].filter((folder) => existsSync(folder));
}

/** Fonts for what Inter has no letters for: of the operator's folders, else of the system's, as few as will do. */
export function fallbackFonts(text: string, folders: readonly string[]): FallbackFonts {
  const missing = new Set(
    Array.from(text.replaceAll(/\s|[\u200b-\u200f]|\ufe0f/g, "")).filter((each) => !hasGlyph(each)),
  );
  const paths: string[] = [];
  if (missing.size === 0) return { paths, isComplete: true };
  for (const path of [...folders, ...SYSTEM_FOLDERS].flatMap(fontsIn)) {
    const coverage = coverageOf(path);
    const found = [...missing].filter((each) => rangeOf(coverage, each.codePointAt(0) as number));
    if (found.length === 0) continue;
    paths.push(path);
    for (const each of found) missing.delete(each);
    if (missing.size === 0) break;
  }
  return { paths, isComplete: missing.size === 0 };
}

/** Looked for once: who adds a font starts the server again. */
function fontsIn(folder: string): string[] {
  const before = listed.get(folder);
  if (before !== undefined) return before;
  const rank = (name: string) =>
    UNLIKE.reduce((sum, pattern, i) => sum + (pattern.test(name) ? 2 ** i : 0), 0);
  const names = filesIn(folder)
    .filter((name) => FONT_FILE.test(name))
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const paths = names.slice(0, LIMITS.drawing.fonts).map((name) => join(folder, name));
  listed.set(folder, paths);
  return paths;
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}

function rangeOf(coverage: Coverage, code: number): CharacterRange | undefined {
  let [low, high] = [0, coverage.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = coverage[middle] as CharacterRange;
    if (code < range.from) high = middle - 1;
    else if (code > range.to) low = middle + 1;
    else return range;
  }
  return undefined;
}

/** Nothing of a file that is no font. */
function coverageOf(path: string): Coverage {
  const before = coverageByPath.get(path);
  if (before !== undefined) return before;
  let coverage: Coverage = [];
  try {
    const [cmap] = readTables(path, ["cmap"]);
    coverage = cmap === undefined ? [] : rangesIn(cmap);
  } catch {
    // Other files lie in such folders, too.
  }
  coverageByPath.set(path, coverage);
  return coverage;
}

/** Tables of the first font in a file, and no more of it: such files have many megabytes. */
function readTables(path: string, names: readonly string[]): (Buffer | undefined)[] {
  const file = openSync(path, "r");
  const read = (at: number, length: number): Buffer => {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, at);
    return bytes;
  };
  try {
    const isCollection = read(0, 4).toString("latin1") === "ttcf";
    const start = isCollection ? read(12, 4).readUInt32BE(0) : 0;
    const entries = read(start + 12, 16 * read(start + 4, 2).readUInt16BE(0));
    return names.map((name) => {
      for (let entry = 0; entry < entries.length; entry += 16)
        if (entries.toString("latin1", entry, entry + 4) === name)
          return read(entries.readUInt32BE(entry + 8), entries.readUInt32BE(entry + 12));
      return undefined;
    });
  } finally {
    closeSync(file);
  }
}

/** The table of all characters where there is one, else that of the most common ones. */
function rangesIn(cmap: Buffer): Coverage {
  const offsets = Array.from({ length: cmap.readUInt16BE(2) }, (_, i) => cmap.readUInt32BE(8 + i * 8));
  const whole = offsets.find((at) => cmap.readUInt16BE(at) === 12);
  if (whole !== undefined)
    return Array.from({ length: cmap.readUInt32BE(whole + 12) }, (_, i) => {
      const group = whole + 16 + i * 12;
      const [from, to, glyph] = [0, 4, 8].map((at) => cmap.readUInt32BE(group + at));
      return { from, to, glyph } as CharacterRange;
    });
  const common = offsets.find((at) => cmap.readUInt16BE(at) === 4);
  if (common === undefined) return [];
  const bytes = cmap.readUInt16BE(common + 6);
  return Array.from({ length: bytes / 2 }, (_, i) => {
    const end = common + 14 + i * 2;
    return { from: cmap.readUInt16BE(end + bytes + 2), to: cmap.readUInt16BE(end), glyph: 0 };
  });
}
