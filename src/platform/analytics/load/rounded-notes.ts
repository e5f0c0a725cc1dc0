const DOUBLE_DIGITS = 17;

/** Whether a fraction has more digits than a DOUBLE keeps. */
export function isLongDecimal(number: string): boolean {
  return /[.,]/.test(number) && digitsOf(number) > DOUBLE_DIGITS;
}

/** Without zeros in front and at the end. */
function digitsOf(number: string): number {
  const [mantissa = ""] = number.toLowerCase().split("e");
  return mantissa.replace(/\D/g, "").replace(/^0+|0+$/g, "").length;
}

/** The first of these columns, and how many there are besides. */
export function someColumns(names: readonly string[]): string {
  const shown = names
    .slice(0, 5)
    .map((name) => `"${name}"`)
    .join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

export function roundedNotes(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [
    `Numbers in ${someColumns(names)} have more digits than the ${DOUBLE_DIGITS} that a DOUBLE keeps. To keep all in a column of numbers, give it the type DECIMAL(38,20) or VARCHAR in options.types.`,
  ];
}
