import { isUtf8 } from "node:buffer";
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../../kernel/errors.ts";

interface Head {
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

/** Malformed UTF-8: a text has bytes that are not. */
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

/** Heuristic guess of the encoding, where bytes do not tell: nobody can be sure of it but who knows the file. */
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

/** A way to write a character in two bytes, and where the characters stand that texts mostly have. */
interface TwoBytes {
  encoding: string;
  isUsual: (lead: number, trail: number) => boolean;
  /** Signs and digits, which say nothing about the language. */
  isSign: (lead: number) => boolean;
  /** Bytes that are characters by themselves. */
  isSingle?: (byte: number) => boolean;
}

const within = (byte: number, first: number, last: number): boolean => byte >= first && byte <= last;

/**
 * The narrowest first, because what is usual in one may be so in the next, too: Hangul; kana and the kanji of the first
 * level; the first level of Chinese in the order of their sounds; the frequent ones in the order of their strokes.
 */
const TWO_BYTES: readonly TwoBytes[] = [
  {
    encoding: "shift_jis",
    isUsual: (lead, trail) =>
      (lead === 0x82 && trail >= 0x4f) ||
      (lead === 0x83 && within(trail, 0x40, 0x96)) ||
      (lead === 0x88 && trail >= 0x9f) ||
      within(lead, 0x89, 0x98),
    isSign: (lead) => lead === 0x81,
    isSingle: (byte) => within(byte, 0xa1, 0xdf),
  },
  {
    encoding: "euc-kr",
    isUsual: (lead, trail) => within(lead, 0xb0, 0xc8) && trail >= 0xa1,
    isSign: (lead) => within(lead, 0xa1, 0xa3),
  },
  {
    encoding: "euc-jp",
    isUsual: (lead, trail) => (within(lead, 0xa4, 0xa5) || within(lead, 0xb0, 0xcf)) && trail >= 0xa1,
    isSign: (lead) => within(lead, 0xa1, 0xa3),
  },
  {
    encoding: "gb18030",
    isUsual: (lead, trail) => within(lead, 0xb0, 0xd7) && trail >= 0xa1,
    isSign: (lead) => within(lead, 0xa1, 0xa3),
  },
  {
    encoding: "big5",
    isUsual: (lead) => within(lead, 0xa4, 0xc6),
    isSign: (lead) => within(lead, 0xa1, 0xa3),
  },
];

const CYRILLIC = ["windows-1251", "koi8-r"];
/** The letters of which Russian texts have more than half of theirs, and Bulgarian and Ukrainian ones nearly. */
const FREQUENT = /[оеаинтсрвл]/giu;

const SAMPLE_BYTES = 256 * 1024;
/** Fewer characters may be anything. */
const LEAST_CHARACTERS = 4;
const MOST = 0.85;
/** Of the characters, how many stand beside another one: words have several, a degree sign stands alone. */
const BESIDE = 0.6;
const WORD_LETTERS = 2.5;
const FREQUENT_SHARE = 0.45;

/** The encoding of a text that is not UTF-8, where its bytes make words of another script; undefined otherwise. */
function otherScript(head: Buffer): string | undefined {
  const first = head.findIndex((byte) => byte >= 0x80);
  // From the beginning of a line, so that no character is cut.
  const start = head.lastIndexOf(10, first) + 1;
  const sample = head.subarray(start, start + SAMPLE_BYTES);
  return (
    cyrillic(sample) ?? TWO_BYTES.find((script) => isWrittenIn(sample, script))?.encoding ?? oldMac(sample)
  );
}

/** Where an old Mac has small letters with accents, Windows has signs and capitals, which do not stand inside of words. */
function oldMac(bytes: Buffer): string | undefined {
  const inside = (bytes.toString("latin1").match(/(?<=[a-z])[\u0080-\u00ff](?=[a-z])/g) ?? []).join("");
  const mac = inside.match(/[\u0087-\u0091\u0093-\u0095\u0098\u0099\u009b\u009d\u009f]/g) ?? [];
  // On a Mac the second range begins with the apostrophe.
  const windows = inside.match(/[\u00c0-\u00d4\u00d6-\u00ff]/g) ?? [];
  return mac.length > windows.length ? "macintosh" : undefined;
}

function isWrittenIn(bytes: Buffer, { encoding, isUsual, isSign, isSingle }: TwoBytes): boolean {
  let [usual, other, beside] = [0, 0, 0];
  let isAfter = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at]!;
    const isPair = lead >= 0x80 && isSingle?.(lead) !== true;
    if (lead >= 0x80 && !isPair) other += 1;
    if (isPair) {
      const trail = bytes[at + 1] ?? 0;
      at += 1;
      if (isUsual(lead, trail)) usual += 1;
      else if (!isSign(lead)) other += 1;
      if (isAfter) beside += 1;
    }
    isAfter = isPair;
  }
  const all = usual + other;
  return (
    usual >= LEAST_CHARACTERS && usual >= all * MOST && beside * 2 >= all * BESIDE && decodes(bytes, encoding)
  );
}

function decodes(bytes: Buffer, encoding: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Both have the letters in the same places, in another order. */
function cyrillic(bytes: Buffer): string | undefined {
  const words = bytes.toString("latin1").match(/[\u0080-\u00ff]+/g) ?? [];
  const letters = words.join("");
  const isWords = letters.length >= words.length * WORD_LETTERS && letters.length >= LEAST_CHARACTERS;
  const inPlace = letters.match(/[\u00a3\u00a8\u00b3\u00b8\u00c0-\u00ff]/g) ?? [];
  if (!isWords || inPlace.length < letters.length * MOST) return undefined;
  const [best] = CYRILLIC.map((encoding) => {
    const text = new TextDecoder(encoding).decode(Buffer.from(letters, "latin1"));
    return { encoding, share: (text.match(FREQUENT) ?? []).length / letters.length };
  }).toSorted((a, b) => b.share - a.share);
  return best!.share >= FREQUENT_SHARE ? best!.encoding : undefined;
}
