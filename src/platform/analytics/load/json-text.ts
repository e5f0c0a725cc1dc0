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
const DOUBLE_DIGITS = 17;

/** Adds the names of those fields of an object that are such numbers. */
export function noteLongDecimals(text: string, names: Set<string>): void {
  JSON.parse(text, ((key: string, value: unknown, { source = "" }: { source?: string }) => {
    if (typeof value === "number" && source.includes(".") && digitsOf(source) > DOUBLE_DIGITS) names.add(key);
    return undefined;
  }) as (key: string, value: unknown) => unknown);
}

/** Without zeros in front and at the end. */
export function digitsOf(number: string): number {
  const [mantissa = ""] = number.toLowerCase().split("e");
  return mantissa.replace(/\D/g, "").replace(/^0+|0+$/g, "").length;
}

export function roundedNotes(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, 5).map((name) => `"${name}"`);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  return [
    `Numbers in ${shown.join(", ")}${more} have more than ${DOUBLE_DIGITS} digits, of which a DOUBLE keeps as many. To keep all, give the column the type DECIMAL(38,20) or VARCHAR in options.types.`,
  ];
}
