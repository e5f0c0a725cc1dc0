import { createReadStream } from "node:fs";
import { AppError } from "../../../kernel/errors.ts";
import { ElementSplitter } from "../../files/index.ts";
import { LIMITS } from "../limits.ts";
import { parseToRewrite } from "../types/row-json.ts";
import type { Row } from "../types/row-types.ts";
import { isLongDecimal } from "./csv/csv-notes.ts";

/** How the values of a JSON file follow each other. */
export type JsonLayout = "array" | "lines";

/** The text of one value, and the line on which it begins. */
interface RawValue {
  bytes: Buffer;
  line: number;
}

/** The values of a file in UTF-8, some at a time; none of them is read in yet. */
export async function* splitJson(
  path: string,
  layout: JsonLayout,
  signal: AbortSignal,
): AsyncGenerator<RawValue[], void, void> {
  const splitter = layout === "lines" ? new LineSplitter() : new ArraySplitter();
  let isFirst = true;
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) {
    const bytes = piece as Buffer;
    yield splitter.push(isFirst ? withoutMark(bytes) : bytes);
    isFirst = false;
  }
  yield splitter.end();
}

export function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** A value a line. A line that is too long comes as its beginning, which is no JSON any more. */
class LineSplitter {
  #rest: Buffer[] = [];
  #restBytes = 0;
  #line = 0;

  push(piece: Buffer): RawValue[] {
    const values: RawValue[] = [];
    let start = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, start)) {
      this.#keep(piece.subarray(start, end));
      values.push(this.#take());
      start = end + 1;
    }
    this.#keep(piece.subarray(start));
    return values;
  }

  end(): RawValue[] {
    return this.#restBytes > 0 ? [this.#take()] : [];
  }

  #keep(bytes: Buffer): void {
    const room = LIMITS.analytics.objectBytes + 1 - this.#restBytes;
    if (bytes.length === 0 || room <= 0) return;
    this.#rest.push(bytes.subarray(0, room));
    this.#restBytes += Math.min(bytes.length, room);
  }

  #take(): RawValue {
    const bytes = this.#rest.length === 1 ? this.#rest[0]! : Buffer.concat(this.#rest);
    this.#rest = [];
    this.#restBytes = 0;
    this.#line += 1;
    return { bytes, line: this.#line };
  }
}

/** Values that stand in one array, over any number of lines. */
class ArraySplitter {
  readonly #splitter = new ElementSplitter({
    isInside: true,
    mostBytes: LIMITS.analytics.objectBytes,
    tooLarge: valueTooLarge,
  });

  push(piece: Buffer): RawValue[] {
    return this.#checked(this.#splitter.push(piece));
  }

  end(): RawValue[] {
    return this.#checked(this.#splitter.finish());
  }

  #checked(values: RawValue[]): RawValue[] {
    const [first, ...more] = this.#splitter.top;
    const line = values.at(-1)?.line ?? 1;
    if (first !== undefined && first !== "array") throw malformed(line, "an array was expected");
    if (more.length > 0) throw malformed(line, "there is something after the end");
    return values;
  }
}

/** How deep a text is nested at most; whether it is JSON is another matter. */
export function nestingDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/gs)) {
    if (token === "[" || token === "{") deepest = Math.max(deepest, ++depth);
    else if (token === "]" || token === "}") depth -= 1;
  }
  return deepest;
}

export function malformed(line: number, what: string): AppError {
  return new AppError("bad_request", `The JSON is broken at line ${line}: ${what}.`, { data: { line } });
}

export function tooDeep(line: number): AppError {
  const most = LIMITS.analytics.jsonDepth;
  return new AppError("too_large", `The JSON is nested deeper than ${most} levels at line ${line}.`);
}

export function valueTooLarge(line: number): AppError {
  const most = LIMITS.analytics.objectBytes.toLocaleString("en");
  return new AppError("too_large", `The value at line ${line} is larger than ${most} bytes.`);
}

/** What the text of an object tells that is gone once it is parsed: the order of its names, and all digits. */

/** JavaScript puts names that are whole numbers before all others. */
export function hasNumberedKeys(row: object): boolean {
  for (const key in row) return /^(?:0|[1-9]\d*)$/.test(key);
  return false;
}

/** The names of an object in the order of its text. */
export function topKeys(text: string): string[] {
  const keys = new Set<string>();
  let depth = 0;
  let last = '""';
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}:]/gs)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (token !== ":") last = token;
    else if (depth === 1) keys.add(JSON.parse(last) as string);
  }
  return [...keys];
}

/** A fraction with 18 digits or more. In a text it does no harm. */
export const LONG_DECIMAL = /(?=[\d.]{19})\d*\.\d+/;
class LongDecimal {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/**
 * A row to be written again, in which such numbers are texts: DuckDB's reader of JSON would round them, whatever type they
 * are going to have. Inside of lists and objects they stay numbers. `names` are the fields in which there are any.
 */
export function withLongDecimals(text: string): { row: Row; names: string[] } {
  const row = parseToRewrite(text, (source) => (isLongDecimal(source) ? new LongDecimal(source) : undefined));
  const names: string[] = [];
  const fields = Object.entries(row).map(([name, value]) => {
    if (value instanceof LongDecimal) {
      names.push(name);
      return [name, value.source];
    }
    let isFound = false;
    const rounded = (held: unknown): unknown => {
      if (held instanceof LongDecimal) {
        isFound = true;
        return Number(held.source);
      }
      if (Array.isArray(held)) return held.map(rounded);
      if (!isObject(held)) return held;
      return Object.fromEntries(Object.entries(held).map(([key, inner]) => [key, rounded(inner)]));
    };
    const kept = rounded(value);
    if (isFound) names.push(name);
    return [name, kept];
  });
  return { row: Object.fromEntries(fields) as Row, names };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
