import { CFB, read, utils, type WorkBook } from "@e965/xlsx";
import { messageOf } from "../../../kernel/errors.ts";
import { lockedFile, unreadableFile } from "./file-error.ts";
import type { FileContent } from "./file-pages.ts";
import { readOutlookMail } from "./mail.ts";
import { tableOf } from "./markdown-writer.ts";
import { MOST_ROWS, rowsNote } from "./sheets.ts";
import { slidePages } from "./slides-binary.ts";
import { type Stream, wordText } from "./word-binary.ts";

/** What the streams in a compound file of Microsoft's tell of it, and how it is read. */
const KINDS: readonly (readonly [
  stream: string,
  mimeType: string,
  read: (bytes: Buffer, stream: Stream) => FileContent,
])[] = [
  [
    "WordDocument",
    "application/msword",
    (_, stream) => ({ pages: [{ markdown: wordText(stream) }], notes: [], isPlain: true }),
  ],
  [
    "PowerPoint Document",
    "application/vnd.ms-powerpoint",
    (_, stream) => ({ pages: slidePages(stream), notes: [] }),
  ],
  ["Workbook", "application/vnd.ms-excel", readWorkbook],
  ["Book", "application/vnd.ms-excel", readWorkbook],
  ["__properties_version1.0", "application/vnd.ms-outlook", readOutlookMail],
];

const TWICE = "PP97_DUALSTORAGE/";

/** Office files from before 2007, messages of Outlook, and newer Office files with a password, which look like these. */
export function readCompoundFile(bytes: Buffer): FileContent {
  const container = CFB.read(bytes, { type: "buffer" });
  const streamIn =
    (folder: string): Stream =>
    (name) => {
      const content = CFB.find(container, `/${folder}${name}`)?.content;
      return content === undefined ? undefined : Buffer.from(content as Uint8Array);
    };
  // One file for PowerPoint 95 and 97 has the presentation of the latter in a folder.
  const isDouble = streamIn(TWICE)("PowerPoint Document") !== undefined;
  const stream = streamIn(isDouble ? TWICE : "");
  if (stream("EncryptedPackage") !== undefined) throw lockedFile();
  if ((stream("PP40") ?? stream("Text_Content")) !== undefined)
    throw unreadableFile("PowerPoint 95", "Save it as .pptx or PDF and add it again.");
  for (const [name, mimeType, reads] of KINDS)
    if (stream(name) !== undefined) return { ...reads(bytes, stream), mimeType };
  throw unreadableFile("a compound file of no known program");
}

/** The visible sheets, with values as Excel shows them. */
export function readWorkbook(bytes: Buffer): FileContent {
  const book = openWorkbook(bytes);
  const parts: string[] = [];
  let isCut = false;
  let count = 0;
  for (const [i, name] of book.SheetNames.entries()) {
    const sheet = book.Sheets[name];
    if (sheet === undefined || (book.Workbook?.Sheets?.[i]?.Hidden ?? 0) > 0) continue;
    const all = utils.sheet_to_json<string[]>(sheet, { header: 1, raw: false, blankrows: false, defval: "" });
    const rows = all.slice(0, MOST_ROWS - count);
    isCut ||= rows.length < all.length;
    count += rows.length;
    const cells = rows.map((row) =>
      row.map((cell) => String(cell).replace(/\s+/g, " ").replaceAll("|", "\\|")),
    );
    if (cells.length > 0) parts.push(`## ${name}\n\n${tableOf(cells)}`);
  }
  return { pages: [{ markdown: parts.join("\n\n") }], notes: isCut ? [rowsNote()] : [] };
}

function openWorkbook(bytes: Buffer): WorkBook {
  try {
    return read(bytes, { type: "buffer", dense: true, cellFormula: false, cellHTML: false });
  } catch (error) {
    throw /password|encrypt/i.test(messageOf(error)) ? lockedFile(error) : error;
  }
}
