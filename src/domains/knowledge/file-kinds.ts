import { AppError } from "../../kernel/errors.ts";
import { invisibleIn } from "../../kernel/text.ts";
import { hasSignature } from "../../platform/files/index.ts";
import { LIMITS } from "./limits.ts";
import { isText } from "./reading/plain-text.ts";

/** Kinds of documents, by file extension. */
const MIME_TYPES: Readonly<Record<string, string>> = {
  txt: "text/plain",
  text: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  json: "application/json",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  xml: "application/xml",
  html: "text/html",
  htm: "text/html",
  xhtml: "application/xhtml+xml",
  svg: "image/svg+xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xlsb: "application/vnd.ms-excel.sheet.binary.macroenabled.12",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
  rtf: "application/rtf",
  epub: "application/epub+zip",
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
  ppt: "application/vnd.ms-powerpoint",
  msg: "application/vnd.ms-outlook",
  eml: "message/rfc822",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
};

/** A browser shows these without running anything in them. */
const PREVIEWABLE: ReadonlySet<string> = new Set([
  "application/pdf",
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/gif",
  "text/plain",
  "text/markdown",
  "text/csv",
]);

export function isPreviewable(mimeType: string): boolean {
  return PREVIEWABLE.has(mimeType);
}

export function mimeTypeOf(extension: string): string {
  return (Object.hasOwn(MIME_TYPES, extension) && MIME_TYPES[extension]) || "application/octet-stream";
}

/** In lower case and without its dot; empty where there is none. */
export function extensionOf(name: string): string {
  return /[^.]\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? "";
}

/** True if files with this ending are texts, and come as they are where they come inline. */
export function isTextual(extension: string): boolean {
  return /^text\/|json$|xml$|yaml$|^message\//.test(mimeTypeOf(extension));
}

/** True if files with this ending are known, and no texts. */
export function isBinary(extension: string): boolean {
  return Object.hasOwn(MIME_TYPES, extension) && !isTextual(extension);
}

/** Files of programs that few have now, by how they begin. */
export const LEGACY_FORMATS: Readonly<Record<string, string>> = {
  ff575043: "WordPerfect",
  dba52d00: "Word from before 1993",
  "9ba52100": "Word from before 1993",
  "31be0000": "Word from before 1993",
};
/** Sheets from before 1993, which are no compound files. */
export const OLD_SHEET = /^09(?:00|02|04|08)0[4-8]00/;
/** Office programs, and those that export for them, write pages under these names, too. */
export const MARKUP = /^\s*<(?:!doctype|html|\?xml|table|meta|head)\b/i;
const MAY_BE_MARKUP = /^(?:doc|xls|ppt)$/;
/** Pictures and RTF, which are no files to import and so have no signature there. */
const MORE_SIGNATURES = /^(?:RIFF|BM|II\*\0|MM\0\*|\{\\rtf)/;

/**
 * Throws for bytes under the name of a binary format that begin like no file at all: a text, or what became of a text
 * that was taken for base64. A known kind of file under another's name is read as what it is.
 */
export function assertNamedKind(name: string, head: Buffer): void {
  const extension = extensionOf(name);
  if (!isBinary(extension) || hasSignature(head) || head.subarray(0, 1_024).includes("%PDF-")) return;
  const start = head.toString("hex", 0, 4);
  if (MORE_SIGNATURES.test(head.toString("latin1", 0, 8)) || start in LEGACY_FORMATS || OLD_SHEET.test(start))
    return;
  if (MAY_BE_MARKUP.test(extension) && MARKUP.test(head.toString("latin1", 0, 1_024))) return;
  const what = isText(head) ? "What came is a text." : "What came is no file of a known kind.";
  throw new AppError("bad_request", `The content is not a .${extension} file. ${what}`, {
    hint: "Send the bytes of the file as base64, or its URL; send a text as it is, under a name such as notes.txt or notes.md.",
  });
}

/** Marks and controls that turn a name into another one for whoever reads it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A name that a stranger gave to a file, as we keep it: no path, nothing unseen, not too long, its ending kept. */
export function documentName(given: string): string {
  const last = given.split(/[\\/]/).at(-1) ?? "";
  const plain = last.toWellFormed().normalize("NFC").replace(UNSEEN, "").replace(/\s+/g, " ").trim();
  if (/^\.*$/.test(plain))
    throw new AppError("bad_request", "The document has no name.", { hint: "Give it one." });
  const most = LIMITS.knowledge.nameCharacters;
  if (plain.length <= most) return plain;
  const ending = /\.[A-Za-z0-9]{1,16}$/.exec(plain)?.[0] ?? "";
  return `${plain.slice(0, most - ending.length).toWellFormed()}${ending}`;
}

/** A name that somebody chose for a base or a folder; it is taken as it is, or refused. */
export function chosenName(given: string, what: string): string {
  const name = given.trim().normalize("NFC");
  if (name === "" || name.length > LIMITS.knowledge.nameCharacters || invisibleIn(name) !== undefined)
    throw new AppError(
      "bad_request",
      `The name of a ${what} has 1 to ${LIMITS.knowledge.nameCharacters} visible characters.`,
    );
  if (what === "folder" && (/[\\/]/.test(name) || /^\.{1,2}$/.test(name)))
    throw new AppError("bad_request", "The name of a folder has no slashes, and is not . or ..");
  return name;
}
