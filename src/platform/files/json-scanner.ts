import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../analytics/limits.ts";

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
  readonly #containers = new Uint8Array(LIMITS.analytics.jsonDepth + 2);
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

  /** Counted from 1. */
  get line(): number {
    return this.#line;
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
    if (this.#depth > LIMITS.analytics.jsonDepth) {
      throw new AppError(
        "too_large",
        `The JSON is nested more than ${LIMITS.analytics.jsonDepth} levels deep.`,
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
    data: { line },
  });
}

export class JsonElement {
  readonly kind: JsonKind;
  /** Of a member of an object. */
  readonly name: string;
  readonly bytes: Buffer;
  /** The one on which it begins. */
  readonly line: number;

  constructor(kind: JsonKind, name: string, bytes: Buffer, line: number) {
    this.kind = kind;
    this.name = name;
    this.bytes = bytes;
    this.line = line;
  }

  /** On one line: inside of texts there are no line breaks, so this changes nothing but the layout. */
  get text(): string {
    return this.bytes.toString("utf8").replace(/[\r\n]+\s*/g, " ");
  }
}

interface SplitterOptions {
  /** Whether the elements stand in an array or object; otherwise values stand one after the other. */
  isInside: boolean;
  mostBytes: number;
  /** The error for an element that is larger. */
  tooLarge(line: number): AppError;
}

/** Cuts JSON into the elements of its outermost array or object, or into its values when they stand one after the other. */
export class ElementSplitter implements JsonVisitor {
  readonly #options: SplitterOptions;
  readonly #scanner = new JsonScanner(this);
  /** How many arrays or objects lie around the elements. */
  readonly #level: number;
  #elements: JsonElement[] = [];
  #depth = 0;
  #kind: JsonKind = "other";
  #name = "";
  #line = 1;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isOpen = false;
  /** Where the open element began, or goes on, in the chunk at hand. */
  #start = 0;
  #chunk: Buffer = Buffer.alloc(0);
  /** Where the chunk at hand begins in the whole. */
  #base = 0;
  /** What stands in the file: usually one value. */
  readonly top: JsonKind[] = [];

  constructor(options: SplitterOptions) {
    this.#options = options;
    this.#level = options.isInside ? 1 : 0;
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
    if (this.#depth === 1) this.top.push(kind);
    if (this.#depth <= this.#level) return false;
    this.#kind = kind;
    this.#line = this.#scanner.line;
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
    const [first = Buffer.alloc(0), ...more] = this.#pieces;
    const bytes = more.length === 0 ? first : Buffer.concat(this.#pieces);
    this.#elements.push(new JsonElement(this.#kind, this.#name, bytes, this.#line));
    this.#isOpen = false;
    this.#pieces = [];
    this.#bytes = 0;
  }

  #keep(until: number): void {
    // A copy, so that a few bytes do not keep a whole chunk in memory.
    const piece = Buffer.from(this.#chunk.subarray(this.#start, until));
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > this.#options.mostBytes) throw this.#options.tooLarge(this.#line);
  }

  #take(): JsonElement[] {
    const elements = this.#elements;
    this.#elements = [];
    return elements;
  }
}
