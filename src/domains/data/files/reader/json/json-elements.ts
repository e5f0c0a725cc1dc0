import { LIMITS } from "../../../../../kernel/limits.ts";
import { rowTooLarge } from "../table-reader.ts";
import { type JsonKind, JsonScanner, type JsonVisitor } from "./json-scanner.ts";

export interface JsonElement {
  kind: JsonKind;
  /** On one line. */
  text: string;
}

/** Cuts JSON into the elements of its outermost array, or into its values when they stand one after the other. */
export class ElementSplitter implements JsonVisitor {
  readonly #scanner = new JsonScanner(this);
  /** How many arrays lie around the elements. */
  readonly #level: number;
  #elements: JsonElement[] = [];
  #depth = 0;
  #kind: JsonKind = "other";
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Where the open element began, or continues, in the chunk at hand. */
  #start = -1;
  #chunk = Buffer.alloc(0);
  #offset = 0;

  constructor(isArray: boolean) {
    this.#level = isArray ? 1 : 0;
  }

  push(chunk: Buffer): JsonElement[] {
    this.#chunk = chunk;
    if (this.#start >= 0) this.#start = this.#offset;
    this.#scanner.push(chunk);
    this.#offset += chunk.length;
    if (this.#start >= 0) this.#keep(this.#offset);
    return this.#take();
  }

  finish(): JsonElement[] {
    this.#chunk = Buffer.alloc(0);
    if (this.#start >= 0) this.#start = this.#offset;
    this.#scanner.finish();
    return this.#take();
  }

  begin(kind: JsonKind, at: number): boolean {
    this.#depth += 1;
    if (this.#depth <= this.#level) return false;
    this.#kind = kind;
    this.#start = at;
    return true;
  }

  end(at: number): void {
    this.#depth -= 1;
    if (this.#depth !== this.#level) return;
    this.#keep(at);
    // Inside texts there are no line breaks, so this changes nothing but the layout.
    const text = Buffer.concat(this.#pieces).toString("utf8").replace(/[\r\n]+\s*/g, " ");
    this.#elements.push({ kind: this.#kind, text });
    this.#start = -1;
    this.#pieces = [];
    this.#bytes = 0;
  }

  #keep(until: number): void {
    const from = Math.max(this.#start, this.#offsetOfChunk(until)) - this.#offsetOfChunk(until);
    const piece = this.#chunk.subarray(from, until - this.#offsetOfChunk(until));
    this.#pieces.push(Buffer.from(piece));
    this.#bytes += piece.length;
    if (this.#bytes > LIMITS.files.rowBytes) throw rowTooLarge();
  }

  #offsetOfChunk(_until: number): number {
    return this.#offset;
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
