/** Texts between quotation marks, and numbers: in SQL and in questions they are what data are made of. */
const LITERALS =
  /'(?:[^']|'')*'?|"[^"]*"?|“[^”]*”?|„[^“”]*[“”]?|«[^»]*»?|(?<![\p{L}\p{N}_$])[$€£]?\d[\p{N}.,:]*(?:[eE][+-]?\d+)?/gu;
/** A question without its literals and these values of the data: what was asked about, and not what was looked for. */
export function maskQuestion(text: string, values: readonly string[] = []): string {
  // An apostrophe within a word quotes nothing.
  return withoutAny(text, values)
    .replaceAll(/(?<=\p{L})['’](?=\p{L})/gu, "’")
    .replaceAll(LITERALS, "?");
}

const SHORT = 4;

function withoutAny(text: string, values: readonly string[]): string {
  const longestFirst = values.filter((value) => value !== "").toSorted((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return text;
  const any = longestFirst
    .map((value) => [value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), value.length < SHORT] as const)
    // A code of a few letters stands in many words.
    .map(([value, isShort]) => (isShort ? `(?<![\\p{L}\\p{N}])${value}(?![\\p{L}\\p{N}])` : value))
    .join("|");
  return text.replaceAll(new RegExp(any, "giu"), "?");
}
