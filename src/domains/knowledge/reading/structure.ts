import { LIMITS } from "../limits.ts";
import type { FileContent } from "./file-pages.ts";
import { structureLines, structureMarkdown, structurePlain } from "./plain-text.ts";
import type { Block, StructuredText } from "./read-document.ts";

const MARKDOWN = new Set(["md", "markdown"]);
const ROWS = new Set(["csv", "tsv"]);

/** One text of all pages, with its parts. */
export function structureContent(
  { pages, notes, isPlain = false }: FileContent,
  extension: string,
): StructuredText {
  const most = LIMITS.knowledge.textCharacters;
  const blocks: Block[] = [];
  const more: string[] = [];
  let text = "";
  let lastPage: number | null = null;
  for (const { markdown, page } of pages) {
    const clean = markdown.replaceAll("\u0000", "").toWellFormed();
    if (text.length + clean.length > most) more.push(`Only the first ${most} characters are read.`);
    const part = clean.slice(0, most - text.length);
    const structured = isPlain ? structureText(part, extension) : structureMarkdown(part);
    const start = text === "" ? 0 : text.length + 2;
    for (const block of structured.blocks)
      blocks.push({ ...block, start: block.start + start, end: block.end + start, page: page ?? block.page });
    text = text === "" ? part : `${text}\n\n${part}`;
    lastPage = page ?? structured.pages ?? lastPage;
    if (text.length >= most) break;
  }
  return { text, blocks, pages: lastPage, notes: [...notes, ...more] };
}

export function structureText(text: string, extension: string): StructuredText {
  if (MARKDOWN.has(extension)) return structureMarkdown(text);
  if (ROWS.has(extension)) return structureLines(text, "table");
  return structurePlain(text);
}
