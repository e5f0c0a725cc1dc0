/** Runs in a sandboxed process and makes documents of callers' data: pages by Typst, which is native code, and workbooks. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { utils, write } from "@e965/xlsx";
import { NodeCompiler } from "@myriaddreamin/typst-ts-node-compiler";
import { FONT_PATHS, fallbackFonts, measure, openResvg, printable } from "../../../platform/drawing/index.ts";
import { serve } from "../../../platform/sandbox/index.ts";
import { LIMITS } from "../limits.ts";
import type { PdfQuestion, SheetOfWorkbook } from "./documents.ts";
import { bandsOf } from "./report.ts";

const mainFileContent = readFileSync(join(import.meta.dirname, "report.typ"), "utf8");
const ownFonts = FONT_PATHS.map((path) => readFileSync(path));
// Read now: the user that this process becomes need not be able to enter the project's folder.
for (const weight of [400, 600] as const) measure("", 1, weight);
const resvg = openResvg();
let last = { key: "", compiler: compilerWith([]) };

// It can read nothing but its own folder, and there is nothing in it but fonts.
function compilerWith(more: readonly string[]): NodeCompiler {
  const fontBlobs = [...ownFonts, ...more.map((path) => readFileSync(path))];
  return NodeCompiler.create({ workspace: process.cwd(), fontArgs: [{ fontBlobs }] });
}

function pdfOf({ report: { cells, ...report }, fontFolders }: PdfQuestion) {
  const blocks = bandsOf(cells, report.locale);
  let hasAllGlyphs = true;
  const text = JSON.stringify({ ...report, blocks }, (name, value: unknown) => {
    if (typeof value !== "string") return value;
    if (name !== "svg") return printable(value, LIMITS.documents.textCharacters);
    const picture = resvg.plain(value, fontFolders);
    hasAllGlyphs &&= picture.hasAllGlyphs;
    return picture.svg;
  });
  const { paths, isComplete } = fallbackFonts(text.replaceAll(/<[^>]*>/g, ""), fontFolders);
  if (paths.join() !== last.key) last = { key: paths.join(), compiler: compilerWith(paths) };
  const { compiler } = last;
  const compiled = compiler.compile({ mainFileContent, inputs: { report: text } });
  const document = compiled.result;
  if (document === null) throw new Error(JSON.stringify(compiled.takeDiagnostics()?.shortDiagnostics ?? []));
  const pdf = new Uint8Array(compiler.pdf(document));
  compiler.evictCache(0);
  return { pdf, pages: document.numOfPages, hasAllGlyphs: hasAllGlyphs && isComplete };
}

/** Texts stay texts, whatever they begin with: none of them becomes a formula. */
function workbookOf(sheets: readonly SheetOfWorkbook[]): Uint8Array {
  const book = utils.book_new();
  const used = new Set<string>();
  for (const { name, lines } of sheets) {
    const clean = lines.map((line) => line.map((cell) => (typeof cell === "string" ? cellOf(cell) : cell)));
    utils.book_append_sheet(book, utils.aoa_to_sheet(clean), sheetName(name, used));
  }
  return new Uint8Array(write(book, { type: "buffer", bookType: "xlsx", compression: true }) as Buffer);
}

function cellOf(text: string): string {
  return text.slice(0, LIMITS.documents.sheetCellCharacters).toWellFormed().replaceAll(NOT_XML, "");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these cannot stand in XML.
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
/** Excel's limit for the name of a sheet. */
const NAME_CHARACTERS = 31;

function sheetName(wanted: string, used: Set<string>): string {
  const plain =
    printable(wanted, 200)
      .replaceAll(/[\\/?*[\]:\n]+|^'+|'+$/g, " ")
      .trim() || "Sheet";
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? "" : ` (${number})`;
    const room = plain.slice(0, NAME_CHARACTERS - ending.length).toWellFormed();
    const name = `${room}${ending}`;
    if (used.has(name.toLowerCase())) continue;
    used.add(name.toLowerCase());
    return name;
  }
}

serve({
  prepare: () => null,
  pdf: (question) => pdfOf(question as PdfQuestion),
  workbook: (sheets) => workbookOf(sheets as SheetOfWorkbook[]),
});
