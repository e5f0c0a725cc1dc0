import { AppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import { LIMITS } from "../limits.ts";

/** A type of DuckDB, taken apart. Only what is known gets through, so its text is safe in SQL. */
export type ColumnType =
  | { kind: "scalar"; name: string }
  | { kind: "decimal"; width: number; scale: number }
  | { kind: "list"; item: ColumnType }
  | { kind: "struct"; fields: { name: string; type: ColumnType }[] }
  | { kind: "map"; key: ColumnType; value: ColumnType };

const SCALARS = new Set(
  (
    "BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, HUGEINT, UTINYINT, USMALLINT, UINTEGER, UBIGINT, UHUGEINT, BIGNUM, " +
    "FLOAT, DOUBLE, VARCHAR, JSON, BLOB, BIT, UUID, DATE, TIME, TIME_NS, TIME WITH TIME ZONE, TIMESTAMP, TIMESTAMP_S, " +
    "TIMESTAMP_MS, TIMESTAMP_NS, TIMESTAMP WITH TIME ZONE, INTERVAL, VARIANT, GEOMETRY, NULL"
  ).split(", "),
);

const ALIASES: Readonly<Record<string, string>> = {
  BOOL: "BOOLEAN",
  INT: "INTEGER",
  LONG: "BIGINT",
  SHORT: "SMALLINT",
  REAL: "FLOAT",
  NUMBER: "DOUBLE",
  TEXT: "VARCHAR",
  STRING: "VARCHAR",
  DATETIME: "TIMESTAMP",
  TIMESTAMPTZ: "TIMESTAMP WITH TIME ZONE",
  TIMETZ: "TIME WITH TIME ZONE",
  SQLNULL: "NULL",
  '"NULL"': "NULL",
};

export function scalar(name: string): ColumnType {
  return { kind: "scalar", name };
}

export function isScalar(type: ColumnType, name: string): boolean {
  return type.kind === "scalar" && type.name === name;
}

export function isFloating(type: ColumnType): boolean {
  return isScalar(type, "DOUBLE") || isScalar(type, "FLOAT");
}

/** The types that one is made of. */
export function innerTypes(type: ColumnType): ColumnType[] {
  if (type.kind === "list") return [type.item];
  if (type.kind === "map") return [type.key, type.value];
  return type.kind === "struct" ? type.fields.map((field) => field.type) : [];
}

/** The same type with other scalars in it, at whatever depth. */
export function mapScalars(type: ColumnType, change: (name: string) => ColumnType): ColumnType {
  const inner = (each: ColumnType): ColumnType => mapScalars(each, change);
  switch (type.kind) {
    case "scalar":
      return change(type.name);
    case "decimal":
      return type;
    case "list":
      return { kind: "list", item: inner(type.item) };
    case "struct":
      return {
        kind: "struct",
        fields: type.fields.map(({ name, type: field }) => ({ name, type: inner(field) })),
      };
    case "map":
      return { kind: "map", key: inner(type.key), value: inner(type.value) };
  }
}

export const TEXT = scalar("VARCHAR");
export const JSON_TYPE = scalar("JSON");
/** Of a column that has no value yet: it becomes whatever comes first. In SQL it is text. */
export const NO_TYPE = scalar("NULL");

export function parseType(text: string): ColumnType {
  const parser = new TypeParser(text);
  const type = parser.type(0);
  parser.end();
  return type;
}

/** One spelling for each type, so that types can be compared as text. */
export function typeText(type: ColumnType, noType = "NULL"): string {
  const nested = (inner: ColumnType): string => typeText(inner, noType);
  switch (type.kind) {
    case "scalar":
      return type.name === "NULL" ? noType : type.name;
    case "decimal":
      return `DECIMAL(${type.width},${type.scale})`;
    case "list":
      return `${nested(type.item)}[]`;
    case "struct":
      return `STRUCT(${type.fields.map(({ name, type: field }) => `${quoteName(name)} ${nested(field)}`).join(", ")})`;
    case "map":
      return `MAP(${nested(type.key)}, ${nested(type.value)})`;
  }
}

/** A type as SQL can say it. */
export function sqlType(text: string): string {
  return typeText(parseType(text), "VARCHAR");
}

class TypeParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  type(depth: number): ColumnType {
    if (depth > LIMITS.analytics.typeDepth) throw this.#error("is nested too deeply");
    let type = this.#base(depth);
    // An array of a fixed length is kept as a list.
    while (this.#take(/\[\d*\]/y) !== undefined) type = { kind: "list", item: type };
    return type;
  }

  end(): void {
    this.#take(/\s+/y);
    if (this.#at < this.#text.length) throw this.#error("is not a type");
  }

  #base(depth: number): ColumnType {
    const word = this.#take(/\s*("NULL"|[A-Za-z_][A-Za-z0-9_]*)/y)
      ?.trim()
      .toUpperCase();
    if (word === undefined) throw this.#error("is not a type");
    if (word === "DECIMAL" || word === "NUMERIC") return this.#decimal();
    if (word === "STRUCT") return this.#struct(depth);
    if (word === "MAP") return this.#map(depth);
    // Which of the values were named cannot be kept in a file that other parts follow.
    if (word === "ENUM") return this.#enum();
    const zoned = this.#take(/\s+WITH\s+TIME\s+ZONE\b/iy) === undefined ? word : `${word} WITH TIME ZONE`;
    const name = ALIASES[zoned] ?? zoned;
    if (word === "VARCHAR" || word === "CHAR" || word === "TEXT") {
      this.#take(/\s*\(\s*\d+\s*\)/y);
      return TEXT;
    }
    // Its coordinate system; what is kept is the text of the shapes.
    if (word === "GEOMETRY") this.#take(/\s*\(\s*'(?:[^']|'')*'\s*\)/y);
    if (!SCALARS.has(name)) throw this.#error("is not a type");
    return scalar(name);
  }

  #decimal(): ColumnType {
    const text = this.#take(/\s*\(\s*\d+\s*(?:,\s*\d+\s*)?\)/y);
    const [width = 18, scale = text === undefined ? 3 : 0] = (text?.match(/\d+/g) ?? []).map(Number);
    if (width < 1 || width > 38 || scale > width) throw this.#error("has impossible digits");
    return { kind: "decimal", width, scale };
  }

  #struct(depth: number): ColumnType {
    const fields: { name: string; type: ColumnType }[] = [];
    this.#expect(/\s*\(/y);
    do {
      const quoted = this.#take(/\s*"(?:[^"]|"")*"/y)?.trim();
      const name = quoted?.slice(1, -1).replaceAll('""', '"') ?? this.#take(/\s*[^\s"(),]+/y)?.trim();
      if (name === undefined) throw this.#error("is not a type");
      fields.push({ name, type: this.type(depth + 1) });
    } while (this.#take(/\s*,/y) !== undefined);
    this.#expect(/\s*\)/y);
    return { kind: "struct", fields };
  }

  #map(depth: number): ColumnType {
    this.#expect(/\s*\(/y);
    const key = this.type(depth + 1);
    this.#expect(/\s*,/y);
    const value = this.type(depth + 1);
    this.#expect(/\s*\)/y);
    return { kind: "map", key, value };
  }

  #enum(): ColumnType {
    this.#expect(/\s*\(\s*(?:'(?:[^']|'')*'\s*,?\s*)*\)/y);
    return TEXT;
  }

  #expect(pattern: RegExp): void {
    if (this.#take(pattern) === undefined) throw this.#error("is not a type");
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match[0];
  }

  #error(what: string): AppError {
    return new AppError("bad_request", `"${this.#text.slice(0, 100)}" ${what}.`, {
      hint: "Types are DuckDB's: BIGINT, DOUBLE, DECIMAL(18,2), VARCHAR, BOOLEAN, DATE, TIMESTAMP, JSON …",
    });
  }
}
