import { AppError } from "../../../kernel/errors.ts";
import type { Column } from "../analytics-options.ts";
import {
  type ColumnType,
  isFloating,
  isScalar,
  JSON_TYPE,
  parseType,
  scalar,
  TEXT,
  typeText,
} from "./column-types.ts";

/**
 * The narrowest type that holds the values of both without loss (but for the last digits of integers beyond
 * 2^53 beside floating point, for which `roundedColumns` tells where to look, and nanoseconds beside other times).
 * Undefined when there is none.
 *
 * - integers: the larger one; with decimals: a decimal with room for both; with floating point: DOUBLE
 * - dates → timestamps → timestamps with time zone (those without are taken as UTC)
 * - numbers and text: text; JSON takes everything
 * - lists by their items, structs field by field
 */
export function widenType(a: ColumnType, b: ColumnType): ColumnType | undefined {
  if (typeText(a) === typeText(b) || isScalar(b, "NULL")) return a;
  if (isScalar(a, "NULL")) return b;
  if (isScalar(a, "JSON") || isScalar(b, "JSON")) return JSON_TYPE;
  if (a.kind === "list" && b.kind === "list") return widenList(a.item, b.item);
  if (a.kind === "map" && b.kind === "map") return widenMap(a, b);
  if (a.kind === "struct" && b.kind === "struct") return widenStruct(a.fields, b.fields);
  return widenNumber(a, b) ?? widenTime(a, b) ?? widenText(a, b);
}

/**
 * The columns of a dataset that takes rows of another schema. Names are the same whatever their case, and keep
 * their first spelling. A text column stays one, and takes everything as text: objects and lists as JSON.
 */
export function widenColumns(existing: readonly Column[], incoming: readonly Column[]): Column[] {
  const widened = new Map(existing.map((column) => [column.name.toLowerCase(), column]));
  for (const column of incoming) {
    const key = column.name.toLowerCase();
    const present = widened.get(key);
    if (present === undefined) {
      widened.set(key, column);
      continue;
    }
    const type = widenColumn(present.type, column.type);
    if (type === undefined) throw typeConflict(present, column.type);
    widened.set(key, { name: present.name, type });
  }
  return [...widened.values()];
}

/** The type of a column that has one and takes values of another; undefined when it cannot. */
export function widenColumn(present: string, incoming: string): string | undefined {
  const [before, added] = [parseType(present), parseType(incoming)];
  if (isScalar(before, "VARCHAR")) return typeText(TEXT);
  const type = widenType(before, added);
  return type === undefined || losesUse(before, type) ? undefined : typeText(type);
}

/** Everything that calculates with numbers or dates would stop working if they turned into text or JSON. */
function losesUse(before: ColumnType, after: ColumnType): boolean {
  if (isNumber(before) && isScalar(after, "VARCHAR")) return true;
  const isPlain = before.kind === "decimal" || before.kind === "scalar";
  return isPlain && isScalar(after, "JSON") && !isScalar(before, "JSON") && !isScalar(before, "NULL");
}

/** `sent` is a value that did not fit, and where it stood, if that is known. */
export function typeConflict(
  column: Column,
  incomingType: string,
  sent?: { row: number; value: string },
): AppError {
  const { name, holds, takes, comes } = conflictAt(
    column.name,
    parseType(column.type),
    parseType(incomingType),
  );
  const where = sent === undefined ? "" : ` rows[${sent.row}] has ${sent.value}.`;
  return new AppError("conflict", `Column "${name}" holds ${holds} and cannot take ${comes}.${where}`, {
    hint: `Send ${takes}, or use another column name.`,
    data: { column: column.name, type: column.type, incomingType, ...(sent && { row: sent.row }) },
  });
}

/** Inside of objects and lists, what it is that does not fit. */
function conflictAt(
  name: string,
  before: ColumnType,
  added: ColumnType,
): { name: string; holds: string; takes: string; comes: string } {
  if (before.kind === "list" && added.kind === "list")
    return conflictAt(`${name}[]`, before.item, added.item);
  const known = before.kind === "struct" && added.kind === "struct" ? before.fields : [];
  for (const field of added.kind === "struct" ? added.fields : []) {
    const present = known.find((each) => each.name.toLowerCase() === field.name.toLowerCase());
    if (present === undefined) continue;
    if (present.name !== field.name) {
      const spelling = `the field "${present.name}"`;
      return { name, holds: spelling, takes: spelling, comes: `"${field.name}"` };
    }
    if (widenType(present.type, field.type) === undefined)
      return conflictAt(`${name}.${field.name}`, present.type, field.type);
  }
  const holds = typeWords(before);
  return { name, holds, takes: isNumber(before) ? "numbers" : holds, comes: typeWords(added) };
}

/** Bits without the sign, and whether there is a sign. */
const INTEGERS: Readonly<Record<string, { bits: number; isSigned: boolean }>> = {
  TINYINT: { bits: 7, isSigned: true },
  SMALLINT: { bits: 15, isSigned: true },
  INTEGER: { bits: 31, isSigned: true },
  BIGINT: { bits: 63, isSigned: true },
  UTINYINT: { bits: 8, isSigned: false },
  USMALLINT: { bits: 16, isSigned: false },
  UINTEGER: { bits: 32, isSigned: false },
  UBIGINT: { bits: 64, isSigned: false },
};
const WIDEST: ColumnType = { kind: "decimal", width: 38, scale: 0 };
const DOUBLE = scalar("DOUBLE");

function integerOf(type: ColumnType): { bits: number; isSigned: boolean } | undefined {
  return type.kind === "scalar" ? INTEGERS[type.name] : undefined;
}

function isNumber(type: ColumnType): boolean {
  return type.kind === "decimal" || isFloating(type) || integerOf(type) !== undefined;
}

function widenNumber(a: ColumnType, b: ColumnType): ColumnType | undefined {
  if (!isNumber(a) || !isNumber(b)) return undefined;
  if (isFloating(a) || isFloating(b)) return DOUBLE;
  const [left, right] = [integerOf(a), integerOf(b)];
  if (left !== undefined && right !== undefined) return widenInteger(left, right);
  const [x, y] = [digitsOf(a), digitsOf(b)];
  const [whole, scale] = [Math.max(x.whole, y.whole), Math.max(x.scale, y.scale)];
  return whole + scale <= 38 ? { kind: "decimal", width: whole + scale, scale } : DOUBLE;
}

function widenInteger(
  a: { bits: number; isSigned: boolean },
  b: { bits: number; isSigned: boolean },
): ColumnType {
  const isSigned = a.isSigned || b.isSigned;
  const bits = Math.max(a.bits, b.bits);
  const fitting = Object.entries(INTEGERS).find(
    ([, each]) => each.isSigned === isSigned && each.bits >= bits,
  );
  return fitting === undefined ? WIDEST : scalar(fitting[0]);
}

function digitsOf(type: ColumnType): { whole: number; scale: number } {
  if (type.kind === "decimal") return { whole: type.width - type.scale, scale: type.scale };
  return { whole: Math.ceil((integerOf(type)?.bits ?? 0) * Math.log10(2)), scale: 0 };
}

/** Each of them holds all that come before it. */
const TIMES = ["DATE", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"];

function widenTime(a: ColumnType, b: ColumnType): ColumnType | undefined {
  if (a.kind !== "scalar" || b.kind !== "scalar") return undefined;
  // Nanoseconds hold only the years from 1677 to 2262, so that others may not fit beside them.
  const [x, y] = [a, b].map(({ name }) => TIMES.indexOf(name === "TIMESTAMP_NS" ? "TIMESTAMP" : name));
  if (x === undefined || y === undefined || x === -1 || y === -1) return undefined;
  const wider = TIMES[Math.max(x, y)]!;
  // Seconds do not hold every day, so a date needs microseconds beside them.
  return scalar(Math.min(x, y) === 0 && wider.startsWith("TIMESTAMP_") ? "TIMESTAMP" : wider);
}

function widenText(a: ColumnType, b: ColumnType): ColumnType | undefined {
  const isTextAndNumber = (text: ColumnType, other: ColumnType): boolean =>
    isScalar(text, "VARCHAR") && (isNumber(other) || isScalar(other, "UUID"));
  return isTextAndNumber(a, b) || isTextAndNumber(b, a) ? TEXT : undefined;
}

function widenList(a: ColumnType, b: ColumnType): ColumnType | undefined {
  const item = widenType(a, b);
  return item && { kind: "list", item };
}

function widenMap(
  a: { key: ColumnType; value: ColumnType },
  b: { key: ColumnType; value: ColumnType },
): ColumnType | undefined {
  const [key, value] = [widenType(a.key, b.key), widenType(a.value, b.value)];
  return key && value && { kind: "map", key, value };
}

type Fields = { name: string; type: ColumnType }[];

function widenStruct(a: Fields, b: Fields): ColumnType | undefined {
  const fields = new Map(a.map((field) => [field.name.toLowerCase(), field]));
  for (const { name, type } of b) {
    const present = fields.get(name.toLowerCase());
    // DuckDB fills the fields of a struct by their exact names, but takes both spellings for one.
    if (present !== undefined && present.name !== name) return undefined;
    const wider = present === undefined ? type : widenType(present.type, type);
    if (wider === undefined) return undefined;
    fields.set(name.toLowerCase(), { name, type: wider });
  }
  return { kind: "struct", fields: [...fields.values()] };
}

const WHOLE = /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$|^BIGNUM$/;

const WORDS: Readonly<Record<string, string>> = {
  BOOLEAN: "true or false",
  FLOAT: "numbers",
  DOUBLE: "numbers",
  VARCHAR: "text",
  JSON: "JSON",
  BLOB: "bytes",
  UUID: "UUIDs",
  DATE: "dates",
  TIME: "times of day",
  INTERVAL: "durations",
  "TIMESTAMP WITH TIME ZONE": "times with a zone",
  NULL: "no values",
};

/** What a column holds, for people who do not know the types of a database. */
function typeWords(type: ColumnType): string {
  switch (type.kind) {
    case "decimal":
      return type.scale === 0 ? "whole numbers" : "numbers";
    case "list":
      return type.item.kind === "scalar" && type.item.name === "NULL"
        ? "lists"
        : `lists of ${typeWords(type.item)}`;
    case "struct":
    case "map":
      return "objects";
    case "scalar":
      if (WHOLE.test(type.name)) return "whole numbers";
      return WORDS[type.name] ?? (type.name.startsWith("TIMESTAMP") ? "dates with times" : type.name);
  }
}
