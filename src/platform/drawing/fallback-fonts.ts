import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { hasGlyph } from "./font-metrics.ts";
import { LIMITS } from "./limits.ts";

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
type Coverage = readonly (readonly [from: number, to: number])[];

export interface FallbackFonts {
  paths: string[];
  /** Every character has a font. */
  isComplete: boolean;
}

const known = new Map<string, Coverage>();
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
    const found = [...missing].filter((each) => covers(coverage, each.codePointAt(0) as number));
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

function covers(coverage: Coverage, code: number): boolean {
  let [low, high] = [0, coverage.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [from, to] = coverage[middle] as Coverage[number];
    if (code < from) high = middle - 1;
    else if (code > to) low = middle + 1;
    else return true;
  }
  return false;
}

/** Nothing of a file that is no font. */
function coverageOf(path: string): Coverage {
  const before = known.get(path);
  if (before !== undefined) return before;
  let coverage: Coverage = [];
  try {
    coverage = readCoverage(path);
  } catch {
    // Other files lie in such folders, too.
  }
  known.set(path, coverage);
  return coverage;
}

/** Of the first font in the file, by its table of characters alone: such files have many megabytes. */
function readCoverage(path: string): Coverage {
  const file = openSync(path, "r");
  const read = (at: number, length: number): Buffer => {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, at);
    return bytes;
  };
  try {
    const isCollection = read(0, 4).toString("latin1") === "ttcf";
    const start = isCollection ? read(12, 4).readUInt32BE(0) : 0;
    const tables = read(start + 12, 16 * read(start + 4, 2).readUInt16BE(0));
    for (let entry = 0; entry < tables.length; entry += 16)
      if (tables.toString("latin1", entry, entry + 4) === "cmap")
        return rangesIn(read(tables.readUInt32BE(entry + 8), tables.readUInt32BE(entry + 12)));
    return [];
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
      return [cmap.readUInt32BE(group), cmap.readUInt32BE(group + 4)] as const;
    });
  const common = offsets.find((at) => cmap.readUInt16BE(at) === 4);
  if (common === undefined) return [];
  const bytes = cmap.readUInt16BE(common + 6);
  return Array.from({ length: bytes / 2 }, (_, i) => {
    const end = common + 14 + i * 2;
    return [cmap.readUInt16BE(end + bytes + 2), cmap.readUInt16BE(end)] as const;
  });
}
