import { type FileHandle, open } from "node:fs/promises";
import { extractPagesMarkdownAsync } from "@firecrawl/pdf-inspector";
import { fileTypeFromBuffer } from "file-type";
import { AppError, messageOf } from "../../../kernel/errors.ts";
import { ZipFile } from "../../../platform/files/index.ts";
import { isBinary, LEGACY_FORMATS, MARKUP, mimeTypeOf, OLD_SHEET } from "../file-kinds.ts";
import { LIMITS } from "../limits.ts";
import { readCompoundFile, readSheets, readWorkbook } from "./compound-file.ts";
import {
  BARE_CHARACTERS,
  type FileContent,
  type FilePage,
  isGarbled,
  lockedFile,
  unreadableFile,
} from "./file-pages.ts";
import { htmlToMarkdown } from "./html.ts";
import { readMail } from "./mail.ts";
import { readBook, readOpenDocument, readSlides, readWord, ZIP_ERRORS } from "./office-xml.ts";
import { decodeText, isText } from "./plain-text.ts";
import { rtfToMarkdown } from "./rtf.ts";

interface OpenFile {
  file: FileHandle;
  bytes: () => Promise<Buffer>;
}

type Read = (file: OpenFile) => Promise<FileContent>;

const whole = async (pages: Promise<FilePage[]>): Promise<FileContent> => ({ pages: await pages, notes: [] });

/** Files that are one page of pixels. */
const PICTURE: FileContent = { pages: [{ markdown: "", page: 1 }], notes: [], scanned: [1] };

/** By what the bytes are, whatever the name says; templates, and files with macros, are read like the others. */
const READERS: readonly (readonly [RegExp, Read])[] = [
  [/^application\/pdf$/, async ({ bytes }) => readPdf(await bytes())],
  [/wordprocessingml\.|ms-word\./, ({ file }) => whole(readWord(file))],
  [/presentationml\.|ms-powerpoint\./, ({ file }) => whole(readSlides(file))],
  [/spreadsheetml\.|ms-excel\.(?:sheet|template)\.macro/, ({ file }) => readSheets(file)],
  [/oasis\.opendocument\.(?:text|spreadsheet|presentation)/, ({ file }) => whole(readOpenDocument(file))],
  [/^application\/epub\+zip$/, ({ file }) => whole(readBook(file))],
  [/^application\/vnd\.ms-excel$/, async ({ bytes }) => readWorkbook(await bytes())],
  [/ms-excel\.sheet\.binary\./, readBinarySheets],
  [/^application\/x-cfb$/, async ({ bytes }) => readCompoundFile(await bytes())],
  [/^image\/(?:png|jpeg|webp|bmp|tiff)$/, async () => PICTURE],
  [/^application\/rtf$/, async ({ bytes }) => markdown(rtfToMarkdown((await bytes()).toString("latin1")))],
];

/** Texts have no signature: their names tell how to read them. */
const TEXT_READERS: Readonly<
  Record<string, (text: string, bytes: Buffer) => FileContent | Promise<FileContent>>
> = {
  html: (text) => markdown(htmlToMarkdown(text)),
  htm: (text) => markdown(htmlToMarkdown(text)),
  xhtml: (text) => markdown(htmlToMarkdown(text)),
  svg: (text) => markdown(htmlToMarkdown(text.replace(/<\/?svg[^>]*>/gi, " "))),
  eml: (_, bytes) => readMail(bytes),
  json: (text) => ({ pages: [{ markdown: spread(text) }], notes: [], isPlain: true }),
};

/** What a file holds, as Markdown. Runs apart from the server: what it reads may be hostile. */
export async function readFileContent(path: string, extension: string): Promise<FileContent> {
  const file = await open(path);
  try {
    const bytes = async () =>
      (await file.read(Buffer.alloc((await file.stat()).size), { position: 0 })).buffer;
    const head = await bytes();
    const found = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime ?? lateType(head, extension);
    // An archive that does not say what it is of may be what its name says.
    const mimeType =
      found === "application/zip" ? mimeTypeOf(extension) : found?.replace("text/rtf", "application/rtf");
    const reader = READERS.find(([pattern]) => pattern.test(mimeType ?? ""))?.[1];
    if (reader !== undefined && mimeType !== undefined)
      return { mimeType, ...(await reader({ file, bytes })) };
    if (found !== undefined && !/^(?:text|application)\/.*xml/.test(found))
      throw unreadableFile(
        found,
        found === "application/zip" ? "Unpack it, and add what is in it." : undefined,
      );
    if (!isText(head)) throw unreadableFile("of no known kind");
    const text = decodeText(head);
    if (text.trimStart().startsWith("{\\rtf")) return markdown(rtfToMarkdown(head.toString("latin1")));
    const kind = isBinary(extension) && MARKUP.test(text) ? "html" : extension;
    const reads = Object.hasOwn(TEXT_READERS, kind) ? TEXT_READERS[kind] : undefined;
    return reads === undefined ? { ...markdown(text), isPlain: true } : await reads(text, head);
  } finally {
    await file.close();
  }
}

/** Its archive is looked at first: the library unpacks whatever there is. */
async function readBinarySheets({ file, bytes }: OpenFile): Promise<FileContent> {
  await ZipFile.open(file, ZIP_ERRORS);
  return readWorkbook(await bytes());
}

function lateType(head: Buffer, extension: string): string | undefined {
  // It may begin with the orders of a printer.
  if (extension === "pdf" && head.subarray(0, 1_024).includes("%PDF-")) return "application/pdf";
  const start = head.toString("hex", 0, 4);
  if (extension === "xls" && OLD_SHEET.test(start)) return "application/vnd.ms-excel";
  const bygone = LEGACY_FORMATS[start];
  if (bygone !== undefined) throw unreadableFile(bygone, "Save it as .docx or PDF and add it again.");
  return undefined;
}

/** What this reader cannot open, another one may, which looks at all pages then. */
async function readPdf(bytes: Buffer): Promise<FileContent> {
  try {
    const { pages, pagesNeedingOcr } = await extractPagesMarkdownAsync(bytes);
    const read = pages.map(({ page, markdown }) => ({
      markdown: withoutMarks(markdown).trim(),
      page: page + 1,
    }));
    const isDoubtful = ({ page, markdown }: FilePage) =>
      (markdown.length < BARE_CHARACTERS && pagesNeedingOcr.includes(page ?? 0)) || isGarbled(markdown);
    return { pages: read, notes: [], scanned: read.filter(isDoubtful).map(({ page }) => page) };
  } catch (error) {
    const isLocked = /crypt|password/i.test(messageOf(error));
    const damaged = new AppError("bad_request", "The PDF is damaged or cut off.", { cause: error });
    return { pages: [], notes: [], scanned: "all", failure: isLocked ? lockedFile(error) : damaged };
  }
}

/** How letters look says nothing, and marks between them would stand in quotes and hide words from searches. */
function withoutMarks(markdown: string): string {
  return markdown
    .replace(/<\/?(?:su[bp]|u)>/g, "")
    .replace(/(^|[\s([|“„"])(\*{1,3})(?=[^\s*])([^*\n]*[^\s*])\2(?=$|[\s)\]|.,;:!?”“"])/gm, "$1$3")
    .replace(/\[([^\]\n]+)\]\(\1\)/g, "$1");
}

function markdown(text: string): FileContent {
  return { pages: [{ markdown: text }], notes: [] };
}

/** JSON in one long line is put on many. */
function spread(text: string): string {
  if (text.length > LIMITS.knowledge.plainTextBytes * 4 || text.trim().split("\n", 3).length > 2) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}
