import { parseToRewrite } from "../types/row-json.ts";
import type { Row } from "../types/row-types.ts";
import { isLongDecimal } from "./rounded-notes.ts";

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
