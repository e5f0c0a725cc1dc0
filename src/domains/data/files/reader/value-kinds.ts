/**
 * Bit set of the kinds of values that a column has met, for type inference. Used where a file format
 * has no types of its own (XML), or has them for each cell (Excel).
 */
export const KIND = {
  integer: 1,
  /** A whole number with more digits than 64 bits hold. */
  long: 2,
  decimal: 4,
  /** NaN or an infinity. */
  special: 8,
  boolean: 16,
  date: 32,
  timestamp: 64,
  /** With a time zone. */
  instant: 128,
  time: 256,
  duration: 512,
  text: 1024,
} as const;

export type Kinds = number;

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
const SPECIAL = /^(?:NaN|-?INF)$/;
const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?$/;
const TIME_AFTER_DAY =
  /^[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/;
const LONGEST_VALUE = 40;
const INT64_MAX = 9_223_372_036_854_775_807n;

/** The kind of a text, by the forms of XML Schema: a dot in decimals, ISO 8601 in dates, no leading zeros. */
export function kindOfText(text: string): Kinds {
  if (text.length > LONGEST_VALUE) return KIND.text;
  const first = text.charCodeAt(0);
  const isDigit = first >= 48 && first <= 57;
  if (!isDigit && first !== 45) return wordKind(text);
  if (INTEGER.test(text)) return integerKind(text);
  if (DECIMAL.test(text)) return Number.isFinite(Number(text)) ? KIND.decimal : KIND.text;
  return isDigit ? timeKind(text) : wordKind(text);
}

function wordKind(text: string): Kinds {
  if (text === "true" || text === "false") return KIND.boolean;
  return SPECIAL.test(text) ? KIND.special : KIND.text;
}

function integerKind(text: string): Kinds {
  if (text.length < 19) return KIND.integer;
  const value = BigInt(text);
  if (value <= INT64_MAX && value >= -INT64_MAX - 1n) return KIND.integer;
  return text.replace("-", "").length <= 38 ? KIND.long : KIND.text;
}

function timeKind(text: string): Kinds {
  if (TIME.test(text)) return KIND.time;
  if (!DAY.test(text) || !isDay(text.slice(0, 10))) return KIND.text;
  if (text.length === 10) return KIND.date;
  const rest = TIME_AFTER_DAY.exec(text.slice(10));
  if (rest === null) return KIND.text;
  return rest[1] === undefined ? KIND.timestamp : KIND.instant;
}

/** There is no 30th of February. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

const TYPES: readonly [Kinds, string][] = [
  [KIND.integer, "BIGINT"],
  [KIND.integer | KIND.long, "DECIMAL(38,0)"],
  [KIND.integer | KIND.decimal | KIND.special, "DOUBLE"],
  [KIND.boolean, "BOOLEAN"],
  [KIND.date, "DATE"],
  [KIND.date | KIND.timestamp, "TIMESTAMP"],
  [KIND.instant, "TIMESTAMP WITH TIME ZONE"],
  [KIND.time, "TIME"],
  [KIND.time | KIND.duration, "INTERVAL"],
];

/** The narrowest type that holds all of these kinds without loss; text holds everything. */
export function typeOfKinds(kinds: Kinds): string {
  // Nothing but NaN is more likely a name than a number.
  if (kinds === 0 || kinds === KIND.special) return "VARCHAR";
  return TYPES.find(([held]) => (kinds & ~held) === 0)?.[1] ?? "VARCHAR";
}

/** A text of a known column as JSON. Long numbers go as text: a JSON reader would round them. */
export function jsonOfText(text: string, type: string): string {
  switch (type) {
    case "BIGINT":
    case "BOOLEAN":
      return text;
    case "DOUBLE":
      return SPECIAL.test(text) ? JSON.stringify(text.replace("INF", "Infinity")) : text;
    default:
      return JSON.stringify(text);
  }
}

export interface NamedColumns {
  names: string[];
  /** Positions count from 1. */
  renamed: { position: number; from: string; to: string }[];
}

/**
 * Names that can stand side by side in a dataset, where case does not count. They are kept as they are; one that
 * is missing or taken gets a number.
 */
export function distinctNames(headers: readonly string[]): NamedColumns {
  const taken = new Set(headers.filter(hasName).map((name) => name.toLowerCase()));
  const given = new Set<string>();
  const lastNumber = new Map<string, number>();
  const renamed: NamedColumns["renamed"] = [];
  const names = headers.map((header, index) => {
    const isNamed = hasName(header);
    if (isNamed && !given.has(header.toLowerCase())) return keep(header);
    const stem = isNamed ? header : "column";
    let number = isNamed ? (lastNumber.get(header.toLowerCase()) ?? 1) + 1 : index + 1;
    while (taken.has(`${stem}_${number}`.toLowerCase())) number += 1;
    if (isNamed) lastNumber.set(header.toLowerCase(), number);
    const name = keep(`${stem}_${number}`);
    renamed.push({ position: index + 1, from: header, to: name });
    return name;
  });
  return { names, renamed };

  function keep(name: string): string {
    given.add(name.toLowerCase());
    taken.add(name.toLowerCase());
    return name;
  }
}

function hasName(header: string): boolean {
  return header.trim() !== "";
}
