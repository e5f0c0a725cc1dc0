/** Coarse type of a column. */
export type ColumnKind = "text" | "number" | "date" | "boolean" | "other";

/** The whole text of a type counts: a list of texts is no text, and an interval no integer. */
const KINDS: readonly (readonly [RegExp, ColumnKind])[] = [
  [/^(VARCHAR|ENUM\(.*\))$/is, "text"],
  [/^(U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|BIGNUM|DECIMAL(\(\d+, ?\d+\))?|DOUBLE|FLOAT|REAL)$/i, "number"],
  [/^(DATE|TIMESTAMP(_S|_MS|_NS|TZ| WITH TIME ZONE)?)$/i, "date"],
  [/^BOOL(EAN)?$/i, "boolean"],
];

export function columnKind(type: string): ColumnKind {
  return KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? "other";
}

/** Integer by its type, whatever its values are. */
export function isIntegerType(type: string): boolean {
  return columnKind(type) === "number" && /INT|BIGNUM|, ?0\)$/i.test(type);
}

/** NULL markers that people and programs write, in lower case. They count beside values of another kind only. */
export const NO_VALUE_WORDS: readonly string[] = "na n/a #n/a n.a. null none \\n - -- --- – — . .. ?".split(
  " ",
);

export function isNoValueWord(text: string): boolean {
  return NO_VALUE_WORDS.includes(text.trim().toLowerCase());
}

/**
 * A computed number without the traces of binary fractions: 7958161.349999884 is 7958161.35, and 0.1 + 0.2 is 0.3. A
 * double holds 15 digits for certain; what has as many or more is rounded where it becomes much shorter by that, as
 * hardly any number does by chance: the more digits are left out, the shorter it must be.
 */
export function withoutFloatNoise(value: number): number {
  // Most numbers have few decimals, and need no second look.
  if (!Number.isFinite(value) || Math.round(value * 10_000) / 10_000 === value) return value;
  if (digitsOf(value) < RELIABLE) return value;
  for (const { kept, most, within } of SHORTER) {
    const rounded = Number(value.toPrecision(kept));
    const isNear = Math.abs(rounded - value) <= Math.abs(value) * within;
    if (isNear && digitsOf(rounded) <= most) return rounded;
  }
  return value;
}

const RELIABLE = 15;

/** Digits that are kept, how many may be left of them without the zeros at their end, and how far off that may be. */
const SHORTER = [
  // The last two steps of a double.
  { kept: 15, most: 14, within: 2 ** -51 },
  { kept: 15, most: 12, within: 1 },
  { kept: 14, most: 11, within: 1 },
  { kept: 13, most: 9, within: 1 },
  { kept: 12, most: 7, within: 1 },
];

/** Without the zeros at both ends. */
function digitsOf(value: number): number {
  const [mantissa = ""] = Math.abs(value).toExponential().split("e");
  return mantissa.replace(".", "").length;
}
