import { type FileHandle, open } from "node:fs/promises";
import { extractPagesMarkdownAsync } from "@firecrawl/pdf-inspector";
import { fileTypeFromBuffer } from "file-type";
import { AppError, isAppError, messageOf } from "../../../kernel/errors.ts";
import { mimeTypeOf } from "../file-kinds.ts";
import { LIMITS } from "../limits.ts";
import type { FileContent, FilePage } from "./file-pages.ts";
import { htmlToMarkdown } from "./html.ts";
import { readMail } from "./mail.ts";
import { readOpenDocument, readSlides, readWord } from "./office-xml.ts";
import { decodeText, isText } from "./plain-text.ts";
import { rtfToMarkdown } from "./rtf.ts";
import { readSheets } from "./sheets.ts";

interface OpenFile {
  file: FileHandle;
  bytes: () => Promise<Buffer>;
}

type Read = (file: OpenFile) => Promise<FileContent>;

const whole = async (pages: Promise<FilePage[]>): Promise<FileContent> => ({ pages: await pages, notes: [] });
const OFFICE = "application/vnd.openxmlformats-officedocument";
const OASIS = "application/vnd.oasis.opendocument";

/** By what the bytes are, whatever the name says. */
const READERS: Readonly<Record<string, Read>> = {
  "application/pdf": async ({ bytes }) => readPdf(await bytes()),
  [`${OFFICE}.wordprocessingml.document`]: ({ file }) => whole(readWord(file)),
  [`${OFFICE}.presentationml.presentation`]: ({ file }) => whole(readSlides(file)),
  [`${OFFICE}.spreadsheetml.sheet`]: ({ file }) => readSheets(file),
  [`${OASIS}.text`]: ({ file }) => whole(readOpenDocument(file)),
  [`${OASIS}.spreadsheet`]: ({ file }) => whole(readOpenDocument(file)),
  [`${OASIS}.presentation`]: ({ file }) => whole(readOpenDocument(file)),
  "application/rtf": async ({ bytes }) => markdown(rtfToMarkdown((await bytes()).toString("latin1"))),
};

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
    const found = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime;
    // An archive that does not say what it is of may be what its name says.
    const mimeType =
      found === "application/zip" ? mimeTypeOf(extension) : found?.replace("text/rtf", "application/rtf");
    const reader = mimeType === undefined ? undefined : READERS[mimeType];
    if (reader !== undefined && mimeType !== undefined)
      return { ...(await reader({ file, bytes })), mimeType };
    if (found !== undefined && !/^(?:text|application)\/.*xml/.test(found)) throw unreadable(found);
    if (!isText(head)) throw unreadable("of no known kind");
    const text = decodeText(head);
    if (text.trimStart().startsWith("{\\rtf")) return markdown(rtfToMarkdown(head.toString("latin1")));
    if (text.trim() === "") throw new AppError("bad_request", "There is no text in it.");
    const reads = Object.hasOwn(TEXT_READERS, extension) ? TEXT_READERS[extension] : undefined;
    return reads === undefined ? { ...markdown(text), isPlain: true } : await reads(text, head);
  } finally {
    await file.close();
  }
}

async function readPdf(bytes: Buffer): Promise<FileContent> {
  const { pages, pagesNeedingOcr } = await extractPagesMarkdownAsync(bytes).catch((error: unknown) => {
    const isLocked = /encrypt|password/i.test(messageOf(error));
    throw new AppError(
      isLocked ? "unsupported" : "bad_request",
      isLocked ? "The PDF has a password." : "The PDF is damaged or cut off.",
      { cause: error },
    );
  });
  const without = pagesNeedingOcr.length;
  if (without === pages.length)
    throw new AppError("unsupported", "The PDF has no text: its pages are pictures.");
  const listed = pagesNeedingOcr.slice(0, 20).join(", ");
  const notes =
    without === 0 ? [] : [`No text could be read on ${without} of ${pages.length} pages: ${listed}.`];
  return { pages: pages.map(({ page, markdown }) => ({ markdown: markdown.trim(), page: page + 1 })), notes };
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

function unreadable(what: string): AppError {
  return new AppError("unsupported", `Files of this kind (${what}) cannot be read.`);
}

/** What a library threw, as the file's fault. */
export function asFileError(error: unknown): unknown {
  if (isAppError(error)) return error;
  return new AppError("bad_request", "The file is damaged, or not what its name says.", { cause: error });
}
