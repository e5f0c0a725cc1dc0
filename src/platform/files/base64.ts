import { isUtf8 } from "node:buffer";
import { yieldToEventLoop } from "../../kernel/concurrency.ts";
import { AppError } from "../../kernel/errors.ts";
import { hasSignature } from "./magic.ts";

const DATA_URL = /^\s{0,100}data:([^,;]{0,100})(?:;[^,;]{0,100})*?;base64,/i;

export interface InlineBytes {
  bytes: Buffer;
  contentType?: string;
}

/** What a character of base64 is, in either alphabet; zero for any other. */
const LETTER = 1;
const BLANK = 2;
const PADDING = 3;
const KINDS = new Uint8Array(128);
for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")
  KINDS[letter.charCodeAt(0)] = LETTER;
for (const blank of " \t\n\v\f\r") KINDS[blank.charCodeAt(0)] = BLANK;
KINDS["=".charCodeAt(0)] = PADDING;

/**
 * The bytes of a text that holds base64: with or without line breaks and padding, in either alphabet, or as a
 * data URL. Strict about everything else: Node would skip what it does not know, and half a file with it.
 */
export async function decodeBase64(text: string): Promise<InlineBytes> {
  const url = DATA_URL.exec(text.slice(0, HEAD_CHARACTERS));
  const body = url === null ? text : text.slice(url[0].length);
  assertBase64(body);
  await yieldToEventLoop();
  return { bytes: Buffer.from(body, "base64"), ...(url?.[1] ? { contentType: url[1] } : {}) };
}

/**
 * Without an expression: in a process that has compiled many, V8 no longer optimises those that follow, and they take
 * long for a large text or fail on it.
 */
function assertBase64(body: string): void {
  let letters = 0;
  let padding = 0;
  for (let at = 0; at < body.length; at += 1) {
    const kind = KINDS[body.charCodeAt(at)];
    if (kind === BLANK) continue;
    if (kind === PADDING) padding += 1;
    else if (kind === LETTER && padding === 0) letters += 1;
    else throw notBase64("It has characters that base64 does not have.");
  }
  if (padding > 2) throw notBase64("It has characters that base64 does not have.");
  if (letters % 4 === 1 || (padding > 0 && (letters + padding) % 4 !== 0)) throw notBase64("It is cut off.");
}

/** Data URL: a text that says by itself that base64 follows. */
export function isDataUrl(text: string): boolean {
  return DATA_URL.test(text.slice(0, HEAD_CHARACTERS));
}

/** Shorter ones hold no table, and may be words. */
const LEAST_CHARACTERS = 10;
/** So many characters tell whether the bytes are a file. */
const HEAD_CHARACTERS = 64 * 1024;

/**
 * Whether a text of which nothing was said begins as a file in base64. Such a text is one word, or lines of one length,
 * so that it would be a table of one column at best; and what it holds is a known kind of file, or a text with lines
 * or several words.
 */
export function looksLikeBase64(text: string): boolean {
  const head = text.trimStart().slice(0, HEAD_CHARACTERS).trimEnd();
  const lines = head.split(/\r?\n/, 3);
  const width = lines[0]!.length;
  const isWrapped = lines.length > 1 && lines[1]!.length <= width && width % 4 === 0 && width >= 60;
  if (lines.length > 1 && !isWrapped) return false;
  const letters = head.replace(/\s+/g, "");
  if (letters.length < LEAST_CHARACTERS || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(letters)) return false;
  const isCut = text.length > HEAD_CHARACTERS;
  return isFile(Buffer.from(isCut ? letters.slice(0, letters.length & ~3) : letters, "base64"), isCut);
}

function isFile(head: Buffer, isCut: boolean): boolean {
  if (hasSignature(head)) return true;
  const text = asText(isCut ? head.subarray(0, head.length - 4) : head);
  if (text !== undefined && /(?:\p{L}{2,} ){3}\p{L}{2,}/u.test(text)) return true;
  return text !== undefined && (/[\r\n]/.test(text) || /^\s*(?:\{\s*"|\[\s*[{["]|<[?A-Za-z])/.test(text));
}

/** Undefined for what has signs that no text has. */
function asText(bytes: Buffer): string | undefined {
  const isWide = bytes.length % 2 === 0 && (bytes[1] === 0 || (bytes[0] === 0xff && bytes[1] === 0xfe));
  const isOther = bytes.length % 2 === 0 && (bytes[0] === 0 || (bytes[0] === 0xfe && bytes[1] === 0xff));
  if (isWide) return plain(bytes.toString("utf16le"));
  if (isOther) return plain(Buffer.from(bytes).swap16().toString("utf16le"));
  if (isUtf8(withoutCutCharacter(bytes))) return plain(bytes.toString("utf8"));
  const text = plain(bytes.toString("latin1"));
  // Random bytes are letters with accents in four of ten cases; texts are not.
  const letters = text?.replace(/[^\u0080-\u00ff]/g, "").length ?? 0;
  return text !== undefined && letters <= text.length / 4 ? text : undefined;
}

function plain(text: string): string | undefined {
  return /[^\P{Cc}\t\n\r]|\p{Cn}|\p{Co}/u.test(text) ? undefined : text;
}

function withoutCutCharacter(bytes: Buffer): Buffer {
  const start = bytes.subarray(-3).findIndex((byte) => byte >= 0xc0);
  return start === -1 || bytes.length < 1_000 ? bytes : bytes.subarray(0, bytes.length - 3 + start);
}

function notBase64(why: string): AppError {
  return new AppError("bad_request", `The content is not base64. ${why}`, {
    hint: "Files that are no texts, such as Excel, Parquet and PDF, are sent as base64, or by their URL; texts as they are.",
  });
}
