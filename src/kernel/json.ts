import { createHash } from "node:crypto";
import { yieldToEventLoop } from "./concurrency.ts";
import { AppError } from "./errors.ts";
import { sanitiseText } from "./text.ts";

/** How much of a text is read at once: a millisecond or two. */
const PIECE_BYTES = 256 * 1024;
/** What an audit event may want to show of it. */
const HEAD_BYTES = 4 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/**
 * A text or a list that is still JSON, as it stood in a request: parsing it at once would hold up everybody else.
 * The bytes are known to be UTF-8; whether they are JSON is seen when they are read.
 */
export class JsonSlice {
  readonly bytes: Uint8Array;
  /** Items of a list. */
  readonly length: number;

  constructor(bytes: Uint8Array, length: number) {
    this.bytes = bytes;
    this.length = length;
  }

  get isText(): boolean {
    return this.bytes[0] === QUOTE;
  }

  /** The text without control characters, read piece by piece. */
  async text(): Promise<string> {
    const { bytes } = this;
    const end = bytes.length - 1;
    const pieces: string[] = [];
    for (let start = 1; start < end; ) {
      const stop = pieceEnd(bytes, start, end);
      pieces.push(sanitiseText(parseText(bytes.subarray(start, stop))));
      start = stop;
      await yieldToEventLoop();
    }
    return pieces.join("");
  }

  /** How it begins, as JSON. */
  head(): string {
    return Buffer.from(this.bytes.subarray(0, HEAD_BYTES)).toString("utf8");
  }

  /** Stands for it wherever a call is compared with another. */
  toJSON(): string {
    return createHash("sha256").update(this.bytes).digest("base64url");
  }
}

/** Where a piece may end: neither inside of a character nor of an escape, nor between the escapes of a pair. */
function pieceEnd(bytes: Uint8Array, start: number, end: number): number {
  const wanted = Math.min(start + PIECE_BYTES, end);
  let at = start;
  while (at < wanted) at = bytes[at] === BACKSLASH ? afterEscape(bytes, at) : at + 1;
  while (at < end && (bytes[at]! & 0xc0) === 0x80) at += 1;
  return Math.min(at, end);
}

function afterEscape(bytes: Uint8Array, at: number): number {
  if (bytes[at + 1] !== LETTER_U) return at + 2;
  const isPair = isHighHalf(bytes, at) && bytes[at + 6] === BACKSLASH && bytes[at + 7] === LETTER_U;
  return at + (isPair ? 12 : 6);
}

/** `\ud800` to `\udbff`. */
function isHighHalf(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at + 2]! | 0x20;
  const second = bytes[at + 3]! | 0x20;
  return first === 0x64 && (second === 0x38 || second === 0x39 || second === 0x61 || second === 0x62);
}

function parseText(piece: Uint8Array): string {
  try {
    return JSON.parse(
      `"${Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString("utf8")}"`,
    ) as string;
  } catch (cause) {
    throw new AppError("bad_request", "An argument is not a valid JSON text.", { cause });
  }
}

/** Whole numbers of 16 and more digits, and exponents that may be beyond a double. In a text it does no harm. */
const LONG = /(?<![\d.])\d{16}|\d[eE]\+?\d{3}/;

/** Whether a JSON text may have numbers that `JSON.parse` turns into others: 9007199254740993, 1e400. */
export function hasLongNumbers(json: string): boolean {
  return LONG.test(json);
}

/** About how many characters a value has as JSON, without writing it; counting ends when it is more than `most`. */
export function jsonSize(value: unknown, most: number): number {
  const waiting: object[] = [];
  const sizeOf = (item: unknown): number => {
    if (typeof item === "string") return item.length + 3;
    if (typeof item === "object" && item !== null) waiting.push(item);
    return 6;
  };
  let size = sizeOf(value);
  for (let next = waiting.pop(); next !== undefined && size <= most; next = waiting.pop()) {
    if (Array.isArray(next)) for (const item of next) size += sizeOf(item);
    else for (const name in next) size += name.length + 3 + sizeOf(next[name as keyof typeof next]);
  }
  return size;
}
