import { LIMITS } from "../../../../../platform/files/limits.ts";
import { rowTooLarge } from "../table-reader.ts";
import { type JsonKind, JsonScanner, type JsonVisitor } from "./json-scanner.ts";

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
    if (this.#bytes > LIMITS.files.rowBytes) throw rowTooLarge();
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
