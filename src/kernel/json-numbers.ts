/** Whole numbers of 16 and more digits, and exponents that may be beyond a double. In a text it does no harm. */
const LONG = /(?<![\d.])\d{16}|\d[eE]\+?\d{3}/;

/** Whether a JSON text may have numbers that `JSON.parse` turns into others: 9007199254740993, 1e400. */
export function hasLongNumbers(json: string): boolean {
  return LONG.test(json);
}
