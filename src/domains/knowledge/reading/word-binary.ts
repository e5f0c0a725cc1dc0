import { AppError } from "../../../kernel/errors.ts";
import { lockedFile } from "./file-pages.ts";

/** A stream of a compound file by its name. */
export type Stream = (name: string) => Buffer | undefined;

/** Places in the header of a document of Word 97 to 2003, as MS-DOC describes it. */
const SIGNATURE = 0xa5;
const FLAGS = 0x0a;
const ENCRYPTED = 0x0100;
const TABLE_1 = 0x0200;
const PIECES = 0x01a2;
/** Characters of the text, its footnotes, headers, macros, comments, endnotes and text boxes, in this order. */
const COUNTS = 0x4c;
const PARTS = ["text", "footnotes", "headers", "macros", "comments", "endnotes", "boxes"] as const;
const READ: ReadonlySet<string> = new Set(["text", "footnotes", "endnotes", "boxes"]);
/** Word 6 and 95 have one run of letters, which begins here and has so many. */
const WORD_97 = 0x6a;
const LANGUAGE = 0x06;
const SYSTEM = 0x12;
const MACINTOSH = 1;
const OLD_START = 0x18;
const OLD_COUNT = 0x34;

/** The text of a document of Word from before 2007: paragraphs, and rows of tables with their cells in a line. */
export function wordText(stream: Stream): string {
  const document = stream("WordDocument") as Buffer;
  if (document.length < COUNTS || document[1] !== SIGNATURE) throw damaged();
  const flags = document.readUInt16LE(FLAGS);
  if ((flags & ENCRYPTED) !== 0) throw lockedFile();
  if (document.readUInt16LE(2) < WORD_97) {
    const start = document.readUInt32LE(OLD_START);
    const letters = document.subarray(start, start + document.readUInt32LE(OLD_COUNT));
    return plainText(new TextDecoder(encodingOf(document)).decode(letters));
  }
  const table = stream((flags & TABLE_1) !== 0 ? "1Table" : "0Table");
  if (table === undefined) throw damaged();
  const all = piecesOf(document, table).join("");
  let from = 0;
  return PARTS.map((part, i) => {
    const count = document.readUInt32LE(COUNTS + 4 * i);
    const text = READ.has(part) ? plainText(all.slice(from, from + count)) : "";
    from += count;
    return text;
  })
    .filter((text) => text !== "")
    .join("\n\n");
}

/** The text is put together of pieces, each of Latin letters or of Unicode, which lie anywhere in the file. */
function piecesOf(document: Buffer, table: Buffer): string[] {
  const end = document.readUInt32LE(PIECES) + document.readUInt32LE(PIECES + 4);
  let at = document.readUInt32LE(PIECES);
  // Formats of changed pieces stand before the list of pieces.
  while (at < end && table[at] === 1) at += 3 + table.readUInt16LE(at + 1);
  if (table[at] !== 2) throw damaged();
  const count = Math.floor((table.readUInt32LE(at + 1) - 4) / 12);
  const ends = at + 5;
  const places = ends + 4 * (count + 1);
  return Array.from({ length: count }, (_, i) => {
    const length = table.readUInt32LE(ends + 4 * (i + 1)) - table.readUInt32LE(ends + 4 * i);
    const place = table.readUInt32LE(places + 8 * i + 2);
    const start = place & 0x3fffffff;
    if ((place & 0x40000000) === 0) return document.toString("utf16le", start, start + 2 * length);
    return latin(document.subarray(start / 2, start / 2 + length));
  });
}

/** Marks of Word: what a field is made of and what it shows stand between these. */
const [FIELD, SHOWN, FIELD_END] = ["\x13", "\x14", "\x15"] as const;
const MARKS: Readonly<Record<string, string>> = {
  "\x07": " | ",
  "\x0b": "\n",
  "\x0c": "\n\n",
  "\r": "\n\n",
  "\x1e": "-",
};

/** What is shown of a text, with plain marks; pictures and references to notes are left out. */
function plainText(text: string): string {
  const fields: boolean[] = [];
  let shown = "";
  // The end of a row stands right after that of its last cell.
  for (const sign of text.replaceAll("\x07\x07", "\n")) {
    if (sign === FIELD) fields.push(false);
    else if (sign === SHOWN) fields.splice(-1, 1, true);
    else if (sign === FIELD_END) fields.pop();
    else if (!fields.includes(false))
      shown += MARKS[sign] ?? (sign < " " && !"\n\t".includes(sign) ? "" : sign);
  }
  return shown
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Languages whose letters are not those of Western Europe, by the lower part of Windows' numbers. */
const ENCODINGS: Readonly<Record<string, readonly number[]>> = {
  "windows-1250": [0x05, 0x0e, 0x15, 0x18, 0x1a, 0x1b, 0x24],
  "windows-1251": [0x02, 0x19, 0x22, 0x23],
  "windows-1253": [0x08],
  "windows-1254": [0x1f],
  "windows-1255": [0x0d],
  "windows-1256": [0x01],
  "windows-1257": [0x25, 0x26, 0x27],
  shift_jis: [0x11],
  gbk: [0x04],
  "euc-kr": [0x12],
};

/** Before Word 97 a document had the letters of its system and its language. */
function encodingOf(document: Buffer): string {
  if (document[SYSTEM] === MACINTOSH) return "macintosh";
  const language = document.readUInt16LE(LANGUAGE) & 0x3ff;
  const found = Object.entries(ENCODINGS).find(([, languages]) => languages.includes(language));
  return found?.[0] ?? "windows-1252";
}

function latin(bytes: Buffer): string {
  return new TextDecoder("windows-1252").decode(bytes);
}

function damaged(): AppError {
  return new AppError("bad_request", "The Word document is damaged or cut off.");
}
