import { isPlainText } from "../../../platform/files/index.ts";
import { LIMITS } from "../limits.ts";
import type { FileContent } from "./file-pages.ts";
import type { Block, StructuredText } from "./read-document.ts";

/** The text of a file that is one, whatever its encoding; NUL is no character of any text. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const wide =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "";
  const text = wide === "" ? decodeBytes(bytes) : new TextDecoder(wide).decode(bytes);
  return cleanText(text);
}

/** True if these bytes are a text; one of wide characters says so at its start. */
export function isText(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || isPlainText(bytes);
}

/** One end of line, no NUL and no half characters, which PostgreSQL does not take. */
function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replaceAll("\u0000", "")
    .replace(/^\uFEFF/, "")
    .toWellFormed();
}

function decodeBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

interface Line {
  text: string;
  start: number;
  end: number;
  page: number | undefined;
}

/** A plain text: paragraphs between empty lines, pages between form feeds. */
function structurePlain(text: string): StructuredText {
  const lines = linesOf(text);
  const blocks = gather(lines, () => "paragraph");
  return { text, blocks, pages: lines.at(-1)?.page ?? null, notes: [] };
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TABLE = /^\s*\|.*\|\s*$/;

/** A text of lines that all are of one kind, such as rows. */
function structureLines(text: string, kind: Block["kind"]): StructuredText {
  const lines = linesOf(text).filter((line) => line.text.trim() !== "");
  const blocks = lines.length === 0 ? [] : [blockOf(kind, lines)];
  return { text, blocks, pages: null, notes: [] };
}

/** Markdown: headings, fenced code and tables are parts of their own. */
export function structureMarkdown(text: string): StructuredText {
  const lines = linesOf(text);
  const blocks: Block[] = [];
  let open: Line[] = [];
  const flush = (kind: Block["kind"] = "paragraph"): void => {
    if (open.length > 0) blocks.push(blockOf(kind, open));
    open = [];
  };
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i] as Line;
    const fence = FENCE.exec(line.text)?.[1];
    const heading = HEADING.exec(line.text);
    const underline = open.length === 1 ? /^ {0,3}(=+|-{2,})\s*$/.exec(line.text)?.[1] : undefined;
    if (fence !== undefined) {
      flush();
      let end = i + 1;
      while (end < lines.length && !(lines[end] as Line).text.trimStart().startsWith(fence)) end += 1;
      open = lines.slice(i, end + 1);
      flush("code");
      i = end;
    } else if (heading !== null) {
      flush();
      blocks.push({ ...blockOf("heading", [line]), level: heading[1]?.length ?? 1, title: heading[2] ?? "" });
    } else if (underline !== undefined) {
      const [above] = open as [Line];
      const level = underline.startsWith("=") ? 1 : 2;
      blocks.push({ ...blockOf("heading", [above, line]), level, title: above.text.trim() });
      open = [];
    } else if (line.text.trim() === "") flush(isTable(open) ? "table" : "paragraph");
    else {
      if (isTable(open) !== TABLE.test(line.text) && open.length > 0)
        flush(isTable(open) ? "table" : "paragraph");
      open.push(line);
    }
  }
  flush(isTable(open) ? "table" : "paragraph");
  return { text, blocks, pages: null, notes: [] };
}

function isTable(lines: readonly Line[]): boolean {
  return lines.length > 0 && TABLE.test((lines[0] as Line).text);
}

function gather(lines: readonly Line[], kindOf: (lines: readonly Line[]) => Block["kind"]): Block[] {
  const blocks: Block[] = [];
  let open: Line[] = [];
  for (const line of lines) {
    const isNewPage = open.length > 0 && open[0]?.page !== line.page;
    if ((line.text.trim() === "" || isNewPage) && open.length > 0) {
      blocks.push(blockOf(kindOf(open), open));
      open = [];
    }
    if (line.text.trim() !== "") open.push(line);
  }
  if (open.length > 0) blocks.push(blockOf(kindOf(open), open));
  return blocks;
}

function blockOf(kind: Block["kind"], lines: readonly Line[]): Block {
  const first = lines[0] as Line;
  return { kind, start: first.start, end: (lines.at(-1) as Line).end, page: first.page };
}

function linesOf(text: string): Line[] {
  const hasPages = text.includes("\f");
  const lines: Line[] = [];
  let page = 1;
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, end);
    if (line.includes("\f")) page += line.split("\f").length - 1;
    lines.push({ text: line, start, end, page: hasPages ? page : undefined });
    start = end + 1;
  }
  return lines;
}

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
