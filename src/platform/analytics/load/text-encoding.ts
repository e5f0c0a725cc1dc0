import { isUtf8 } from "node:buffer";
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../../kernel/errors.ts";
import { otherScript } from "./text-scripts.ts";

export interface Head {
  bytes: Buffer;
  /** Of the whole file. */
  fileBytes: number;
}

/** The beginning of a file. */
export async function readHead(path: string, mostBytes: number): Promise<Head> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, mostBytes));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, bytesRead), fileBytes: size };
  } finally {
    await file.close();
  }
}

/** What a file may be instead of text. */
const SIGNATURES: readonly { bytes: string; name: string }[] = [
  { bytes: "PK\u0003\u0004", name: "an Excel or ZIP file" },
  { bytes: "\u00d0\u00cf\u0011\u00e0", name: "an old Office file" },
  { bytes: "\u001f\u008b", name: "a gzip file" },
  { bytes: "PAR1", name: "a Parquet file" },
  { bytes: "%PDF", name: "a PDF" },
  { bytes: "SQLite format 3", name: "an SQLite database" },
  { bytes: "(\u00b5/\u00fd", name: "a zstd file" },
  { bytes: "\u00ff\u00fe\u0000\u0000", name: "a text in UTF-32" },
  { bytes: "\u0000\u0000\u00fe\u00ff", name: "a text in UTF-32" },
];

export function refuseBinary(head: Buffer, format: string): void {
  const start = head.subarray(0, 16).toString("latin1");
  const found = SIGNATURES.find(({ bytes }) => start.startsWith(bytes));
  if (found === undefined) return;
  throw new AppError("bad_request", `This is ${found.name}, not ${format.toUpperCase()}.`, {
    hint: "Name the right format, or send the content itself.",
  });
}

/**
 * By the mark at the beginning, else by the zeros that UTF-16 has in every other byte of most texts, else
 * UTF-8 if it is valid or most of its letters are, else by the letters that other encodings make of it, else what Windows writes in western Europe
 * (a superset of Latin-1's letters).
 */
export function detectEncoding(head: Buffer): string {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return "utf-8";
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const zeros = [0, 0];
  const sample = head.subarray(0, 4_096);
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2]! += 1;
  const many = sample.length * 0.15;
  if (zeros[1]! > many && zeros[0]! < many / 4) return "utf-16le";
  if (zeros[0]! > many && zeros[1]! < many / 4) return "utf-16be";
  if (isUtf8(withoutCutCharacter(head)) || isMostly(countLetters(new TextDecoder().decode(head))))
    return "utf-8";
  return otherScript(head) ?? FALLBACK_ENCODING;
}

/** Whether a text in UTF-8 has bytes that are not. */
export function hasBadBytes(head: Buffer, encoding: string): boolean {
  return encoding === "utf-8" && !isUtf8(withoutCutCharacter(head));
}

interface Letters {
  /** Beyond ASCII, and read. */
  good: number;
  bad: number;
}

const UNREADABLE = "\ufffd";

function countLetters(text: string): Letters {
  const bad = text.split(UNREADABLE).length - 1;
  return { good: (text.match(/[\u0080-\ufffc\u{10000}-\u{10ffff}]/gu) ?? []).length, bad };
}

/** In other encodings hardly any letter is one of UTF-8 by chance. */
function isMostly({ good, bad }: Letters): boolean {
  return good > bad;
}

/** The same for a whole file. */
export async function isMostlyUtf8(pieces: AsyncIterable<Uint8Array>): Promise<boolean> {
  const decoder = new TextDecoder();
  const all: Letters = { good: 0, bad: 0 };
  for await (const piece of pieces) {
    const { good, bad } = countLetters(decoder.decode(piece, { stream: true }));
    all.good += good;
    all.bad += bad;
  }
  return isMostly(all);
}

export const FALLBACK_ENCODING = "windows-1252";

/** The head may end inside a character. */
function withoutCutCharacter(head: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, head.length); back += 1) {
    const byte = head[head.length - back]!;
    if (byte < 0x80) return head;
    if (byte >= 0xc0) return head.subarray(0, head.length - back);
  }
  return head;
}

/** What was guessed, where bytes do not tell: nobody can be sure of it but who knows the file. */
export function encodingNotes(encoding: string, lost: number): string[] {
  if (lost > 0) {
    const what = lost === 1 ? "1 character was" : `${lost.toLocaleString("en")} characters were`;
    return [
      `The file is UTF-8, but ${what} not and became ${UNREADABLE}. If letters are wrong, say its encoding in options.encoding.`,
    ];
  }
  if (encoding.startsWith("utf-")) return [];
  return [
    `The file is not UTF-8 and was read as ${encoding}. If letters are wrong, say its encoding in options.encoding.`,
  ];
}

/** One name for each encoding, for texts in UTF-8 always "utf-8". */
export function encodingName(label: string): string {
  try {
    return new TextDecoder(label.trim()).encoding;
  } catch {
    throw new AppError("bad_request", `The encoding "${label.slice(0, 50)}" is not known.`, {
      hint: "Say utf-8, utf-16le, windows-1252, shift_jis, gb18030 or another name of the Encoding Standard.",
    });
  }
}

/** Writes a file again in UTF-8. What cannot be read becomes U+FFFD; of a text in UTF-8, the answer is how often. */
export async function transcode(
  input: string,
  output: string,
  encoding: string,
  signal: AbortSignal,
): Promise<number> {
  const decoder = new TextDecoder(encoding);
  const isCounted = encoding === "utf-8";
  let lost = 0;
  let before = "";
  async function* decoded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      const text = decoder.decode(piece, { stream: true });
      if (isCounted) {
        const bytes = before + Buffer.from(piece).toString("latin1");
        // One that stands there already was not lost here.
        lost += countLetters(text).bad - (bytes.split(UNREADABLE_BYTES).length - 1);
        before = bytes.slice(1 - UNREADABLE_BYTES.length);
      }
      yield Buffer.from(text);
    }
    const end = decoder.decode();
    if (isCounted) lost += countLetters(end).bad;
    yield Buffer.from(end);
  }
  await pipeline(
    createReadStream(input, { highWaterMark: 1024 * 1024 }),
    decoded,
    createWriteStream(output, { mode: 0o600 }),
    { signal },
  );
  return lost;
}

const UNREADABLE_BYTES = Buffer.from(UNREADABLE).toString("latin1");
