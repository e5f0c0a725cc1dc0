export const UNITS = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"] as const;
export type Unit = (typeof UNITS)[number];

const SHORT_UNITS: Readonly<Record<string, Unit>> = {
  s: "second",
  sec: "second",
  min: "minute",
  h: "hour",
  d: "day",
  w: "week",
  m: "month",
  mon: "month",
  q: "quarter",
  y: "year",
};

/** A unit by its name or its plural. */
export function unitWritten(word: string): Unit | undefined {
  const lower = word.trim().toLowerCase();
  return UNITS.find((each) => each === lower || `${each}s` === lower);
}

/** A unit by its name, its plural or its letter. */
export function unitIn(word: string): Unit | undefined {
  const lower = word.trim().toLowerCase();
  return unitWritten(lower) ?? (Object.hasOwn(SHORT_UNITS, lower) ? SHORT_UNITS[lower] : undefined);
}
