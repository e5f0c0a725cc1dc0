import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { Column } from "./analytics-options.ts";
import { type ColumnType, JSON_TYPE, NO_TYPE, scalar, TEXT, typeText } from "./column-types.ts";
import { widenType } from "./widen.ts";

type Row = Readonly<Record<string, unknown>>;

/** An object with more different fields than this is rather a collection, and is kept as JSON. */
const STRUCT_FIELDS = 100;
/** What lies deeper than this is kept as JSON. */
const STRUCT_DEPTH = 8;

/**
 * The columns of rows as they come out of JSON. Integers are BIGINT, other numbers DOUBLE; texts that are all
 * ISO dates or times are DATE, TIMESTAMP or (with a zone) TIMESTAMP WITH TIME ZONE. Objects are structs and
 * arrays lists, as long as they are alike in all rows; otherwise JSON. Different scalars become text. A column
 * without any value has the type NULL.
 */
export function inferColumns(rows: readonly Row[]): Column[] {
  const columns = new Map<string, { name: string; type: ColumnType }>();
  for (const row of rows) {
    for (const name of Object.keys(row)) {
      const type = typeOf(row[name], 0);
      const present = columns.get(name.toLowerCase());
      if (present === undefined) columns.set(name.toLowerCase(), { name, type });
      else if (present.type !== type) present.type = either(present.type, type);
    }
    if (columns.size > LIMITS.analytics.columns) throw tooManyColumns();
  }
  return [...columns.values()].map(({ name, type }) => ({ name, type: typeText(bounded(type)) }));
}

/** Shared, so that most comparisons of types are comparisons of references. */
const BOOLEAN = scalar("BOOLEAN");
const BIGINT = scalar("BIGINT");
const DOUBLE = scalar("DOUBLE");
const DATE = scalar("DATE");
const TIMESTAMP = scalar("TIMESTAMP");
const TIMESTAMPTZ = scalar("TIMESTAMP WITH TIME ZONE");
const DECIMAL: ColumnType = { kind: "decimal", width: 38, scale: 0 };

function typeOf(value: unknown, depth: number): ColumnType {
  switch (typeof value) {
    case "boolean":
      return BOOLEAN;
    case "number":
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? BIGINT : DOUBLE;
    case "bigint":
      return bigintType(value);
    case "string":
      return textType(value);
    case "object":
      return value === null ? NO_TYPE : objectType(value, depth);
    default:
      return NO_TYPE;
  }
}

function bigintType(value: bigint): ColumnType {
  if (BigInt.asIntN(64, value) === value) return BIGINT;
  return value.toString().length <= 38 ? DECIMAL : TEXT;
}

const ISO =
  /^(?<date>\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/;
const ISO_MOST = 35;

function textType(text: string): ColumnType {
  // Most texts are not dates, and most of those do not begin with a digit.
  if (text.length < 10 || text.length > ISO_MOST || text.charCodeAt(4) !== 45) return TEXT;
  const groups = ISO.exec(text)?.groups;
  if (groups === undefined || !isDay(groups.date!)) return TEXT;
  if (text.length === 10) return DATE;
  return groups.zone === undefined ? TIMESTAMP : TIMESTAMPTZ;
}

/** There is no 30th of February. */
function isDay(date: string): boolean {
  const ms = Date.parse(date);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

function objectType(value: object, depth: number): ColumnType {
  if (value instanceof Date) return TIMESTAMPTZ;
  if (value instanceof Uint8Array) return TEXT;
  if (depth >= STRUCT_DEPTH) return JSON_TYPE;
  if (Array.isArray(value)) return listType(value, depth);
  const names = Object.keys(value);
  const isOdd = names.length === 0 || names.length > STRUCT_FIELDS || names.includes("");
  if (isOdd || new Set(names.map((name) => name.toLowerCase())).size < names.length) return JSON_TYPE;
  const fields = names.map((name) => ({ name, type: typeOf((value as Row)[name], depth + 1) }));
  return { kind: "struct", fields };
}

function listType(items: readonly unknown[], depth: number): ColumnType {
  let item: ColumnType = NO_TYPE;
  for (const value of items) item = either(item, typeOf(value, depth + 1));
  return { kind: "list", item };
}

/** What holds both, for values that came together: scalars become text, anything else JSON. */
function either(a: ColumnType, b: ColumnType): ColumnType {
  if (a === b) return a;
  const wider = widenType(a, b);
  if (wider !== undefined) return wider;
  return a.kind === "scalar" && b.kind === "scalar" ? TEXT : JSON_TYPE;
}

/** Fields add up over the rows. */
function bounded(type: ColumnType): ColumnType {
  if (type.kind === "list") return { kind: "list", item: bounded(type.item) };
  if (type.kind !== "struct") return type;
  if (type.fields.length > STRUCT_FIELDS) return JSON_TYPE;
  return { ...type, fields: type.fields.map(({ name, type: field }) => ({ name, type: bounded(field) })) };
}

/**
 * Rows as one JSON object a line, and the columns worth writing: what has no value in any row stays out of the
 * part, where it would be nothing but a type to agree with later.
 */
export function rowsToJson(
  rows: readonly Row[],
  columns: readonly Column[],
): { json: Uint8Array; columns: Column[] } {
  const names = new Map(columns.map(({ name }) => [name.toLowerCase(), name]));
  const used = new Set<string>();
  const lines: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    const line = JSON.stringify(renamed(row, names, used), asJson);
    bytes += line.length;
    if (bytes > LIMITS.analytics.pushBytes) throw tooLarge();
    lines.push(line);
  }
  const kept = columns.filter(({ name, type }) => used.has(name) && type !== "NULL");
  return { json: Buffer.from(lines.join("\n")), columns: kept.length > 0 ? kept : columns.slice(0, 1) };
}

/** DuckDB finds a field by its exact name. */
function renamed(row: Row, names: ReadonlyMap<string, string>, used: Set<string>): Row {
  const fields: [string, unknown][] = [];
  for (const key of Object.keys(row)) {
    const value = row[key];
    const name = names.get(key.toLowerCase());
    if (value === null || value === undefined || name === undefined) continue;
    used.add(name);
    fields.push([name, value]);
  }
  return Object.fromEntries(fields);
}

/** TypeScript does not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

function asJson(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return rawJSON(value.toString());
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return value;
}

function tooManyColumns(): AppError {
  const most = LIMITS.analytics.columns.toLocaleString("en");
  return new AppError("too_large", `The rows have more than ${most} different columns.`);
}

function tooLarge(): AppError {
  const most = LIMITS.analytics.pushBytes.toLocaleString("en");
  return new AppError("too_large", `The rows are larger than ${most} bytes.`, { hint: "Send them in batches." });
}
