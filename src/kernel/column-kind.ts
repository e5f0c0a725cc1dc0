/** What can be done with the values of a column. */
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

/** A number that has no decimals, whatever its values are. */
export function isIntegerType(type: string): boolean {
  return columnKind(type) === "number" && /INT|BIGNUM|, ?0\)$/i.test(type);
}
