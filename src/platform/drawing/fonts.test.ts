import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { fallbackFonts } from "./fonts.ts";

const folder = mkdtempSync(join(tmpdir(), "kenning-fonts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Characters that no font of a system has: they are for private use. */
const [FIRST, SECOND, THIRD] = ["\u{F1234}", "\uF3A7", "\u{F4321}"];

/** As much of a font as says which characters it has, from one to another. */
function fontWith(from: number, to: number, isCollection = false): Buffer {
  const isCommon = to < 0x10000;
  const table = isCommon
    ? words(4, 24, 0, 2, 0, 0, 0, to, 0, from, 0, 0)
    : longs(12 << 16, 28, 0, 1, from, to, 1);
  const cmap = Buffer.concat([words(0, 1, 3, isCommon ? 1 : 10), longs(12), table]);
  const start = isCollection ? 16 : 0;
  const head = [longs(0x00010000), words(1, 0, 0, 0), Buffer.from("cmap"), longs(0, start + 28, cmap.length)];
  const collection = isCollection ? [Buffer.from("ttcf"), longs(0x00010000, 1, 16)] : [];
  return Buffer.concat([...collection, ...head, cmap]);
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value, i * 2);
  return bytes;
}

function longs(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4);
  return bytes;
}

it("takes the fonts that have what is missing, and says when none has", () => {
  writeFileSync(join(folder, "a-bold.ttf"), fontWith(0xf1000, 0xf1fff));
  writeFileSync(join(folder, "b.ttf"), fontWith(0xf1200, 0xf1300));
  writeFileSync(join(folder, "c.ttc"), fontWith(0xf3a0, 0xf3af, true));
  writeFileSync(join(folder, "d.ttf"), "no font");
  const paths = (...names: string[]) => names.map((name) => join(folder, name));
  expect(fallbackFonts("Größe ≥ Київ", [folder])).toEqual({ paths: [], isComplete: true });
  expect(fallbackFonts(`x ${FIRST}`, [folder])).toEqual({ paths: paths("b.ttf"), isComplete: true });
  expect(fallbackFonts(`${FIRST}${SECOND}`, [folder])).toEqual({
    paths: paths("b.ttf", "c.ttc"),
    isComplete: true,
  });
  expect(fallbackFonts(`${FIRST}${THIRD}`, [folder])).toMatchObject({ isComplete: false });
  expect(fallbackFonts(FIRST, ["/nowhere"])).toMatchObject({ isComplete: false });
});
