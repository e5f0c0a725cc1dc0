import type { FileHandle } from "node:fs/promises";
import { TextDecoder } from "node:util";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS as ENGINE } from "../../../../platform/analytics/limits.ts";
import { excerptOf, fileChunks } from "../../../../platform/files/index.ts";
import { LIMITS as FILES } from "../../../../platform/files/limits.ts";
import { markedEncoding } from "../detect-format.ts";
import { rowTooLarge } from "./table-reader.ts";

export type JsonKind = "object" | "array" | "text" | "other";

export interface JsonVisitor {
  /** A value begins at this byte. Answers whether what is inside it should be passed over. */
  begin(kind: JsonKind, at: number): boolean;
  /** The value that began last, and has not ended, ends before this byte. */
  end(at: number): void;
  /** The name of the next value of the object that is open. */
  key?(name: string): void;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OBJECT = 1;
const ARRAY = 2;
const LONGEST_KEY_BYTES = 64 * 1024;

/** Parser states: which token may come next. Looser syntax than JSON would lose values without a word: `[- 1]`, `[1 000]`. */
const NEXT = {
  /** Any value: values may also stand one after the other. */
  top: 0,
  value: 1,
  valueOrEnd: 2,
  key: 3,
  keyOrEnd: 4,
  colon: 5,
  commaOrEnd: 6,
} as const;
type Next = (typeof NEXT)[keyof typeof NEXT];

/**
 * Follows the structure of JSON through bytes of UTF-8 as they come: which value begins and ends where. It looks
 * neither into numbers nor into texts; whoever reads the values later does. Nesting is bounded.
 */
export class JsonScanner {
  readonly #visitor: JsonVisitor;
  readonly #containers = new Uint8Array(ENGINE.analytics.jsonDepth + 2);
  #depth = 0;
  /** Depth at which everything is passed over until it is left. */
  #silentDepth = 0;
  #isInText = false;
  #isEscaped = false;
  #isInScalar = false;
  #next: Next = NEXT.top;
  #keyPieces: Buffer[] | undefined;
  #offset = 0;
  #line = 1;

  constructor(visitor: JsonVisitor) {
    this.#visitor = visitor;
  }

  push(chunk: Buffer): void {
    const { length } = chunk;
    let keyStart = this.#keyPieces === undefined ? -1 : 0;
    for (let at = 0; at < length; at += 1) {
      const byte = chunk[at]!;
      if (this.#isInText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) {
          this.#isInText = false;
          if (keyStart >= 0) {
            this.#endKey(chunk.subarray(keyStart, at));
            keyStart = -1;
          } else if (this.#silentDepth === 0 && !this.#isKey) this.#visitor.end(this.#offset + at + 1);
          this.#next = this.#isKey ? NEXT.colon : this.#afterValue();
        } else if (byte < 32) throw broken("has a line break or a tab inside a text", this.#line);
        continue;
      }
      if (byte === QUOTE) {
        if (this.#beginText(this.#offset + at)) keyStart = at + 1;
      } else this.#mark(byte, this.#offset + at);
    }
    if (keyStart >= 0) this.#keepKey(chunk.subarray(keyStart));
    this.#offset += length;
  }

  finish(): void {
    this.#endScalar(this.#offset);
    if (this.#depth > 0 || this.#isInText) throw broken("ends in the middle", this.#line);
  }

  #mark(byte: number, at: number): void {
    switch (byte) {
      case 10:
        this.#line += 1;
        this.#endScalar(at);
        return;
      case 9:
      case 13:
      case 32:
        this.#endScalar(at);
        return;
      case 123:
        this.#open(OBJECT, at);
        return;
      case 91:
        this.#open(ARRAY, at);
        return;
      case 125:
        this.#close(OBJECT, at);
        return;
      case 93:
        this.#close(ARRAY, at);
        return;
      case 44:
        this.#endScalar(at);
        if (this.#depth === 0) throw broken("has a comma after its end", this.#line);
        if (this.#next !== NEXT.commaOrEnd) throw broken("has a comma too many", this.#line);
        this.#next = this.#containers[this.#depth] === OBJECT ? NEXT.key : NEXT.value;
        return;
      case 58:
        if (this.#isInScalar || this.#next !== NEXT.colon) throw broken("has a colon too many", this.#line);
        this.#next = NEXT.value;
        return;
      default:
        this.#beginScalar(at);
    }
  }

  /** True if the next string is a key and not a value. */
  get #isKey(): boolean {
    return this.#next === NEXT.key || this.#next === NEXT.keyOrEnd;
  }

  #afterValue(): Next {
    return this.#depth === 0 ? NEXT.top : NEXT.commaOrEnd;
  }

  #requireValue(): void {
    if (this.#next === NEXT.colon) throw broken("has a name without a colon", this.#line);
    if (this.#next === NEXT.commaOrEnd) throw broken("misses a comma", this.#line);
  }

  /** True when it is a name that somebody wants to know. */
  #beginText(at: number): boolean {
    this.#endScalar(at);
    this.#requireValue();
    this.#isInText = true;
    if (this.#silentDepth > 0) return false;
    if (!this.#isKey) this.#visitor.begin("text", at);
    else if (this.#visitor.key !== undefined) {
      this.#keyPieces = [];
      return true;
    }
    return false;
  }

  #keepKey(piece: Buffer): void {
    this.#keyPieces!.push(Buffer.from(piece));
    const bytes = this.#keyPieces!.reduce((sum, each) => sum + each.length, 0);
    if (bytes > LONGEST_KEY_BYTES) throw new AppError("too_large", "The JSON has a name of more than 64 kB.");
  }

  #endKey(piece: Buffer): void {
    this.#keepKey(piece);
    const text = Buffer.concat(this.#keyPieces!).toString("utf8");
    this.#keyPieces = undefined;
    let name: string;
    try {
      name = JSON.parse(`"${text}"`) as string;
    } catch {
      throw broken("has a name that cannot be read", this.#line);
    }
    this.#visitor.key?.(name);
  }

  #beginScalar(at: number): void {
    if (this.#isInScalar) return;
    if (this.#isKey) throw broken("has a name without quotes", this.#line);
    this.#requireValue();
    this.#isInScalar = true;
    if (this.#silentDepth === 0) this.#visitor.begin("other", at);
  }

  #endScalar(at: number): void {
    if (!this.#isInScalar) return;
    this.#isInScalar = false;
    this.#next = this.#afterValue();
    if (this.#silentDepth === 0) this.#visitor.end(at);
  }

  #open(container: number, at: number): void {
    this.#endScalar(at);
    if (this.#isKey) throw broken("has a value where a name should be", this.#line);
    this.#requireValue();
    this.#depth += 1;
    if (this.#depth > ENGINE.analytics.jsonDepth) {
      throw new AppError(
        "too_large",
        `The JSON is nested more than ${ENGINE.analytics.jsonDepth} levels deep.`,
      );
    }
    this.#containers[this.#depth] = container;
    this.#next = container === OBJECT ? NEXT.keyOrEnd : NEXT.valueOrEnd;
    if (this.#silentDepth > 0) return;
    if (this.#visitor.begin(container === OBJECT ? "object" : "array", at)) this.#silentDepth = this.#depth;
  }

  #close(container: number, at: number): void {
    this.#endScalar(at);
    if (this.#depth === 0 || this.#containers[this.#depth] !== container) {
      throw broken("has a bracket that closes nothing", this.#line);
    }
    const isEnd =
      this.#next === NEXT.commaOrEnd || this.#next === NEXT.keyOrEnd || this.#next === NEXT.valueOrEnd;
    if (!isEnd) throw broken("misses a value before a bracket", this.#line);
    if (this.#silentDepth === this.#depth) this.#silentDepth = 0;
    this.#depth -= 1;
    this.#next = this.#afterValue();
    if (this.#silentDepth === 0) this.#visitor.end(at + 1);
  }
}

function broken(what: string, line: number): AppError {
  return new AppError("bad_request", `The JSON ${what} (line ${line}).`, {
    hint: "Check that the file is complete.",
  });
}

export interface JsonElement {
  kind: JsonKind;
  /** Of a member of an object. */
  name: string;
  /** On one line. */
  text: string;
}

/** Cuts JSON into the elements of its outermost array or object, or into its values when they stand one after the other. */
export class ElementSplitter implements JsonVisitor {
  readonly #scanner = new JsonScanner(this);
  /** How many arrays or objects lie around the elements. */
  readonly #level: number;
  #elements: JsonElement[] = [];
  #depth = 0;
  #kind: JsonKind = "other";
  #name = "";
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isOpen = false;
  /** Where the open element began, or goes on, in the chunk at hand. */
  #start = 0;
  #chunk: Buffer = Buffer.alloc(0);
  /** Where the chunk at hand begins in the whole. */
  #base = 0;

  constructor(isInside: boolean) {
    this.#level = isInside ? 1 : 0;
  }

  push(chunk: Buffer): JsonElement[] {
    this.#base += this.#chunk.length;
    this.#chunk = chunk;
    this.#start = 0;
    this.#scanner.push(chunk);
    if (this.#isOpen) this.#keep(chunk.length);
    return this.#take();
  }

  finish(): JsonElement[] {
    this.#base += this.#chunk.length;
    this.#chunk = Buffer.alloc(0);
    this.#start = 0;
    this.#scanner.finish();
    return this.#take();
  }

  begin(kind: JsonKind, at: number): boolean {
    this.#depth += 1;
    if (this.#depth <= this.#level) return false;
    this.#kind = kind;
    this.#start = at - this.#base;
    this.#isOpen = true;
    return true;
  }

  key(name: string): void {
    this.#name = name;
  }

  end(at: number): void {
    this.#depth -= 1;
    if (this.#depth !== this.#level) return;
    this.#keep(at - this.#base);
    // Inside texts there are no line breaks, so this changes nothing but the layout.
    const text = Buffer.concat(this.#pieces)
      .toString("utf8")
      .replace(/[\r\n]+\s*/g, " ");
    this.#elements.push({ kind: this.#kind, name: this.#name, text });
    this.#isOpen = false;
    this.#pieces = [];
    this.#bytes = 0;
  }

  #keep(until: number): void {
    // A copy, so that a few bytes do not keep a whole chunk in memory.
    const piece = Buffer.from(this.#chunk.subarray(this.#start, until));
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > FILES.files.rowBytes) throw rowTooLarge();
  }

  #take(): JsonElement[] {
    const elements = this.#elements;
    this.#elements = [];
    return elements;
  }
}

export function elementsOf(json: string): JsonElement[] {
  const splitter = new ElementSplitter(true);
  return [...splitter.push(Buffer.from(json)), ...splitter.finish()];
}

const CHUNK_BYTES = 1024 * 1024;

/** The bytes of a text file as UTF-8 without a byte order mark; with a range, only those. */
export async function* utf8Chunks(
  file: FileHandle,
  encoding: string | undefined,
  range: { start: number; end: number } = { start: 0, end: Number.POSITIVE_INFINITY },
): AsyncGenerator<{ chunk: Buffer; fraction: number }> {
  const { size } = await file.stat();
  let read = 0;
  let written = 0;
  for await (const { bytes, rawBytes } of recoded(file, encoding)) {
    read += rawBytes;
    const from = Math.max(0, range.start - written);
    const until = Math.min(bytes.length, range.end - written);
    written += bytes.length;
    if (from < until) yield { chunk: bytes.subarray(from, until), fraction: Math.min(1, read / size) };
    if (written >= range.end) return;
  }
}

async function* recoded(
  file: FileHandle,
  wanted: string | undefined,
): AsyncGenerator<{ bytes: Buffer; rawBytes: number }> {
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  for await (const chunk of fileChunks(file, { chunkBytes: CHUNK_BYTES })) {
    if (isFirst) decoder = decoderFor(wanted ?? markedEncoding(chunk) ?? "utf-8");
    const hasMark = isFirst && markedEncoding(chunk) === "utf-8";
    isFirst = false;
    if (decoder !== undefined)
      yield { bytes: Buffer.from(decoder.decode(chunk, { stream: true })), rawBytes: chunk.length };
    else yield { bytes: hasMark ? chunk.subarray(3) : chunk, rawBytes: chunk.length };
  }
  if (decoder !== undefined) yield { bytes: Buffer.from(decoder.decode()), rawBytes: 0 };
}

/** Undefined for UTF-8, which is left as it is. */
function decoderFor(label: string): TextDecoder | undefined {
  try {
    const decoder = new TextDecoder(label);
    return decoder.encoding === "utf-8" ? undefined : decoder;
  } catch {
    throw new AppError("unsupported", `The encoding "${excerptOf(label)}" is not known.`, {
      hint: "Save the file as UTF-8.",
    });
  }
}
