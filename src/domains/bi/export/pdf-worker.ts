/** Runs in a thread of its own and sets pages: Typst compiles at once, and a long report takes it a while. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { NodeCompiler } from "@myriaddreamin/typst-ts-node-compiler";
import { answerQuestions } from "../../../platform/threads/index.ts";
import type { Report } from "./report.ts";

export interface PdfAnswer {
  pdf: Uint8Array;
  pages: number;
}

const require = createRequire(import.meta.url);
const FONTS = dirname(require.resolve("@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf"));
const fontPaths = [FONTS, join(FONTS, "../600SemiBold")];
const mainFileContent = readFileSync(join(import.meta.dirname, "report.typ"), "utf8");
// It can read nothing but its own folder, and there is nothing in it.
const compiler = NodeCompiler.create({ workspace: FONTS, fontArgs: [{ fontPaths }] });
/** Runs after which what was worked out for a report is forgotten. */
const KEPT_RUNS = 4;

answerQuestions<Report, PdfAnswer>((report) => {
  const compiled = compiler.compile({ mainFileContent, inputs: { report: JSON.stringify(report) } });
  const document = compiled.result;
  if (document === null) throw new Error(JSON.stringify(compiled.takeDiagnostics()?.shortDiagnostics ?? []));
  const pdf = new Uint8Array(compiler.pdf(document));
  compiler.evictCache(KEPT_RUNS);
  return { pdf, pages: document.numOfPages };
});
