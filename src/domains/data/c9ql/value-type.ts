/** What kind of value an expression has, as far as C9QL treats kinds differently. */
export type Kind =
  | "text"
  | "integer"
  | "decimal"
  | "float"
  | "boolean"
  | "date"
  | "timestamp"
  | "timestamptz"
  | "time"
  | "json"
  | "list"
  | "struct"
  | "map"
  /** The type of a bare `null`. */
  | "null"
  /** A type without rules of its own (an interval, a UUID, an enum), or none that is known. */
  | "other";

export interface ValueType {
  readonly kind: Kind;
  /** DuckDB's name of the type, where it is known exactly. */
  readonly sql?: string;
  /** Of a list, or the values of a map. */
  readonly element?: ValueType;
  readonly fields?: readonly { readonly name: string; readonly type: ValueType }[];
}

export const TEXT: ValueType = { kind: "text", sql: "VARCHAR" };
export const BIGINT: ValueType = { kind: "integer", sql: "BIGINT" };
export const DOUBLE: ValueType = { kind: "float", sql: "DOUBLE" };
export const BOOLEAN: ValueType = { kind: "boolean", sql: "BOOLEAN" };
export const DATE: ValueType = { kind: "date", sql: "DATE" };
export const TIMESTAMP: ValueType = { kind: "timestamp", sql: "TIMESTAMP" };
export const JSON_VALUE: ValueType = { kind: "json", sql: "JSON" };
export const NULL: ValueType = { kind: "null" };
export const OTHER: ValueType = { kind: "other" };
/** A number whose exact type is left to DuckDB. */
export const NUMBER: ValueType = { kind: "decimal" };

const SIMPLE: Readonly<Record<string, Kind>> = {
  VARCHAR: "text",
  TEXT: "text",
  STRING: "text",
  CHAR: "text",
  BPCHAR: "text",
  TINYINT: "integer",
  SMALLINT: "integer",
  INTEGER: "integer",
  INT: "integer",
  BIGINT: "integer",
  HUGEINT: "integer",
  UTINYINT: "integer",
  USMALLINT: "integer",
  UINTEGER: "integer",
  UBIGINT: "integer",
  UHUGEINT: "integer",
  BIGNUM: "integer",
  FLOAT: "float",
  REAL: "float",
  DOUBLE: "float",
  DECIMAL: "decimal",
  NUMERIC: "decimal",
  BOOLEAN: "boolean",
  BOOL: "boolean",
  DATE: "date",
  TIMESTAMP: "timestamp",
  DATETIME: "timestamp",
  TIMESTAMP_S: "timestamp",
  TIMESTAMP_MS: "timestamp",
  TIMESTAMP_NS: "timestamp",
  TIMESTAMPTZ: "timestamptz",
  "TIMESTAMP WITH TIME ZONE": "timestamptz",
  TIME: "time",
  JSON: "json",
};

/** Deeper types are kept by name only. */
const KNOWN_DEPTH = 32;

/** The kind of a DuckDB type, from its name: `BIGINT`, `STRUCT(a INTEGER, "b c" VARCHAR)[]`. */
export function valueType(name: string, depth = 0): ValueType {
  const sql = name.trim();
  if (depth > KNOWN_DEPTH || sql === "") return sql === "" ? OTHER : { kind: "other", sql };
  const list = /^(.*)\[\d*\]$/s.exec(sql);
  if (list !== null) return { kind: "list", sql, element: valueType(list[1] as string, depth + 1) };
  const nested = /^(STRUCT|MAP)\s*\((.*)\)$/is.exec(sql);
  if (nested !== null) return nestedType(nested[1] as string, nested[2] as string, sql, depth);
  const simple = sql.replace(/\s*\(.*\)$/s, "").toUpperCase();
  return { kind: Object.hasOwn(SIMPLE, simple) ? (SIMPLE[simple] as Kind) : "other", sql };
}

function nestedType(word: string, inside: string, sql: string, depth: number): ValueType {
  const parts = splitParts(inside);
  if (word.toUpperCase() === "MAP") {
    return { kind: "map", sql, element: valueType(parts[1] ?? "", depth + 1) };
  }
  const fields = parts.map((part) => {
    const [, quoted, plain, type] = /^\s*(?:"((?:[^"]|"")*)"|(\S+))\s+(.*)$/s.exec(part) ?? [];
    return { name: quoted?.replaceAll('""', '"') ?? plain ?? "", type: valueType(type ?? "", depth + 1) };
  });
  return { kind: "struct", sql, fields };
}

/** The parts between the commas that stand in no bracket and no quotes. */
function splitParts(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let open = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === "(") open += 1;
    if (character === ")") open -= 1;
    if (character === "," && open === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

export function isNumber({ kind }: ValueType): boolean {
  return kind === "integer" || kind === "decimal" || kind === "float";
}

/** A calendar date, with or without a time. */
export function isMoment({ kind }: ValueType): boolean {
  return kind === "date" || kind === "timestamp" || kind === "timestamptz";
}

export function isNested({ kind }: ValueType): boolean {
  return kind === "list" || kind === "struct" || kind === "map";
}

/** Neither text, number, date nor truth: it is compared as a text, or with its like. */
export function isOpaque({ kind, sql }: ValueType): boolean {
  return kind === "other" && sql !== undefined;
}

/** How the kind is called in errors. */
export function describeKind(type: ValueType): string {
  if (isNumber(type)) return "a number";
  if (isMoment(type)) return "a date";
  const words: Partial<Record<Kind, string>> = {
    text: "a text",
    boolean: "true or false",
    time: "a time of day",
    json: "JSON",
    list: "a list",
    struct: "a nested object",
    map: "a nested object",
    null: "null",
  };
  return words[type.kind] ?? "a value of another kind";
}
