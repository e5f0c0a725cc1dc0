import type { FileHandle } from "node:fs/promises";
import { CFB, read, utils, type WorkBook } from "@e965/xlsx";
import { messageOf } from "../../../kernel/errors.ts";
import { ZipFile } from "../../../platform/files/index.ts";
import { EXCEL_ERRORS, zipSheets } from "../../data/files/reader/excel/index.ts";
import { type FileContent, lockedFile, unreadableFile } from "./file-pages.ts";
import { readOutlookMail } from "./mail.ts";
import { tableOf } from "./markdown-writer.ts";
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

/** Rows of all sheets that are read; searching more of them is work for a dataset. */
const MOST_ROWS = 100_000;

function rowsNote(): string {
  return `Only the first ${MOST_ROWS} rows are read.`;
}

/** The sheets of a workbook as tables, each below its name. */
export async function readSheets(file: FileHandle): Promise<FileContent> {
  const zip = await ZipFile.open(file, { ...EXCEL_ERRORS, locked: lockedFile });
  const parts: string[] = [];
  const losses = { errors: 0, uncalculated: 0 };
  let count = 0;
  for (const sheet of await zipSheets(zip)) {
    if (sheet.isHidden) continue;
    const rows: string[][] = [];
    for await (const batch of sheet.read(losses)) {
      for (const { cells } of batch.rows)
        rows.push(
          Array.from(cells, (cell) => (cell?.text ?? "").replace(/\s+/g, " ").replaceAll("|", "\\|")),
        );
      count += batch.rows.length;
      if (count > MOST_ROWS) break;
    }
    if (rows.length > 0) parts.push(`## ${sheet.name}\n\n${tableOf(rows)}`);
    if (count > MOST_ROWS) break;
  }
  return { pages: [{ markdown: parts.join("\n\n") }], notes: count > MOST_ROWS ? [rowsNote()] : [] };
}
