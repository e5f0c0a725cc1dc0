/**
 * A computed number without the traces of binary fractions: 7958161.349999884 is 7958161.35, and 0.1 + 0.2 is 0.3. A
 * double holds 15 digits for certain; what has as many or more is rounded where it becomes much shorter by that, as
 * hardly any number does by chance: the more digits are left out, the shorter it must be.
 */
export function settled(value: number): number {
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
