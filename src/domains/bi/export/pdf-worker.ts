/** Runs in a thread of its own and sets pages: Typst compiles at once, and a long report takes it a while. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NodeCompiler } from "@myriaddreamin/typst-ts-node-compiler";
import { FONT_PATHS, fallbackFonts } from "../../../platform/drawing/index.ts";
import { answerQuestions } from "../../../platform/threads/index.ts";
import type { Report } from "./report.ts";

export interface PdfQuestion {
  report: Report;
  fontFolders: readonly string[];
}

export interface PdfAnswer {
  pdf: Uint8Array;
  pages: number;
  /** Whether there was a font for all that is written in it. */
  hasAllGlyphs: boolean;
}

const mainFileContent = readFileSync(join(import.meta.dirname, "report.typ"), "utf8");
/** Runs after which what was worked out for a report is forgotten. */
const KEPT_RUNS = 4;
let last = { key: "", compiler: compilerWith([]) };

// It can read nothing but its own folder, and there is nothing in it but fonts.
function compilerWith(more: readonly string[]): NodeCompiler {
  const fontBlobs = [...FONT_PATHS, ...more].map((path) => readFileSync(path));
  return NodeCompiler.create({ workspace: dirname(FONT_PATHS[0] as string), fontArgs: [{ fontBlobs }] });
}

answerQuestions<PdfQuestion, PdfAnswer>(({ report, fontFolders }) => {
  const text = JSON.stringify(report);
  const { paths, isComplete } = fallbackFonts(text.replaceAll(/<[^>]*>/g, ""), fontFolders);
  if (paths.join() !== last.key) last = { key: paths.join(), compiler: compilerWith(paths) };
  const { compiler } = last;
  const compiled = compiler.compile({ mainFileContent, inputs: { report: text } });
  const document = compiled.result;
  if (document === null) throw new Error(JSON.stringify(compiled.takeDiagnostics()?.shortDiagnostics ?? []));
  const pdf = new Uint8Array(compiler.pdf(document));
  compiler.evictCache(KEPT_RUNS);
  return { pdf, pages: document.numOfPages, hasAllGlyphs: isComplete };
});
