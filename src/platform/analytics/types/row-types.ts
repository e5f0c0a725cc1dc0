import { AppError } from "../../../kernel/errors.ts";
import type { Column } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";
import { type ColumnType, JSON_TYPE, NO_TYPE, scalar, TEXT, typeText } from "./column-types.ts";
import { widenType } from "./widen.ts";

export type Row = Readonly<Record<string, unknown>>;

/** An object with more different fields than this is rather a collection, and is kept as JSON. */
const STRUCT_FIELDS = 100;
/** Objects and lists with more fields than this in all columns together are kept as JSON: reading takes the engine some 200 KB for each, however few rows there are. */
const ALL_FIELDS = 500;
/** What lies deeper than this is kept as JSON. */
const STRUCT_DEPTH = 8;

/** The columns of rows as they come out of JSON: see `RowTypes`. */
export function inferColumns(rows: readonly Row[]): Column[] {
  const types = new RowTypes();
  for (const row of rows) types.add(row);
  return types.columns();
}

interface FoundColumn {
  /** As it came first. */
  key: string;
  name: string;
  type: ColumnType;
  /** The last row that had it, counted from 1. */
  row: number;
}

/** Names that a row has side by side though they differ only in case. */
export interface Twin {
  /** Counted from 0. */
  row: number;
  names: [string, string];
}

export interface Apart {
  /** In lower case, as all of these. */
  names: ReadonlySet<string>;
  taken: ReadonlySet<string>;
}

/**
 * Collects the columns of rows. Integers are BIGINT, other numbers DOUBLE; texts that are all ISO dates or
 * times are DATE, TIMESTAMP or (with a zone) TIMESTAMP WITH TIME ZONE. Objects are structs and arrays lists, as
 * long as they are alike in all rows; otherwise JSON. Different scalars become text. A column without any value
 * has the type NULL. Names that differ only in case are one column, as in DuckDB, unless they are to be kept apart;
 * an empty one becomes `column_3`, its position.
 */
export class RowTypes {
  readonly #columns = new Map<string, FoundColumn>();
  readonly #exactIntegers: boolean;
  readonly #apart: Apart | undefined;
  readonly #twins = new Map<string, Twin>();
  #count = 0;
  #rows = 0;
  #isDeep = false;
  /** Whether there were whole numbers that are more than a JavaScript number holds. */
  hasBigints = false;

  /** `exactIntegers`: numbers beyond 2^53 are still there digit by digit, in the text of a file. */
  constructor({ exactIntegers = false, apart }: { exactIntegers?: boolean; apart?: Apart | undefined } = {}) {
    this.#exactIntegers = exactIntegers;
    this.#apart = apart;
  }

  /**
   * Says whether the row is one that DuckDB can be given as it is: no other spelling, no great depth. `keys` are its names
   * in their own order, where JavaScript has another one.
   */
  add(row: Row, keys: readonly string[] = Object.keys(row)): { isPlain: boolean; isDeep: boolean } {
    let isPlain = true;
    this.#isDeep = false;
    this.#rows += 1;
    for (const key of keys) {
      const type = this.#typeOf(row[key], 0);
      const column = this.#find(key) ?? this.#addColumn(key, type);
      if (column.type !== type) column.type = either(column.type, type);
      if (column.row === this.#rows) this.#noteTwin(column, key);
      column.row = this.#rows;
      isPlain &&= column.name === key;
    }
    return { isPlain, isDeep: this.#isDeep };
  }

  /** The one spelling of a column. */
  nameOf(key: string): string | undefined {
    return this.#find(key)?.name;
  }

  columns(): Column[] {
    const columns = this.#all().map(({ name, type }) => ({ name, type: bounded(type) }));
    const isWide = columns.reduce((sum, { type }) => sum + fieldsOf(type), 0) > ALL_FIELDS;
    const kept = (type: ColumnType): ColumnType => (isWide && fieldsOf(type) > 0 ? JSON_TYPE : type);
    return columns.map(({ name, type }) => ({ name, type: typeText(kept(type)) }));
  }

  /** Names of which a row had more than one, which so lost all values but the last. */
  twins(): Twin[] {
    return [...this.#twins.values()];
  }

  /** For another look at the same rows: takes each spelling of those names for a column of its own. */
  apart(): Apart {
    const taken = this.#all().map(({ name }) => name.toLowerCase());
    return { names: new Set(this.#twins.keys()), taken: new Set(taken) };
  }

  /** Columns that were kept apart under another name. */
  renamed(): { position: number; from: string; to: string }[] {
    return this.#all().flatMap(({ key, name }, index) => {
      const isApart = this.#apart?.names.has(key.toLowerCase()) === true && name !== key;
      return isApart ? [{ position: index + 1, from: key, to: name }] : [];
    });
  }

  #all(): FoundColumn[] {
    return [...new Set(this.#columns.values())];
  }

  #find(key: string): FoundColumn | undefined {
    const exact = this.#columns.get(key);
    if (exact !== undefined) return exact;
    const lower = key.toLowerCase();
    return this.#apart?.names.has(lower) === true ? undefined : this.#columns.get(lower);
  }

  #addColumn(key: string, type: ColumnType): FoundColumn {
    this.#count += 1;
    if (this.#count > LIMITS.analytics.columns) throw tooManyColumns();
    const name = key.replaceAll("\u0000", "") || `column_${this.#count}`;
    if (this.#apart?.names.has(key.toLowerCase()) === true) {
      const column = { key, name: this.#freeName(name, this.#apart), type, row: 0 };
      this.#columns.set(key, column);
      return column;
    }
    const column = this.#columns.get(name.toLowerCase()) ?? { key, name, type, row: 0 };
    // Found by its exact name without a detour, and by any other spelling.
    for (const spelling of [key, key.toLowerCase(), name, name.toLowerCase()])
      this.#columns.set(spelling, column);
    return column;
  }

  /** The first spelling keeps the name. */
  #freeName(name: string, { taken }: Apart): string {
    const used = new Set(this.#all().map((column) => column.name.toLowerCase()));
    if (!used.has(name.toLowerCase())) return name;
    for (let number = 2; ; number += 1) {
      const free = `${name}_${number}`;
      if (!used.has(free.toLowerCase()) && !taken.has(free.toLowerCase())) return free;
    }
  }

  #noteTwin({ name }: FoundColumn, key: string): void {
    const known = this.#twins.get(key.toLowerCase());
    if (known === undefined) this.#twins.set(key.toLowerCase(), { row: this.#rows - 1, names: [name, key] });
  }

  #typeOf(value: unknown, depth: number): ColumnType {
    switch (typeof value) {
      case "boolean":
        return BOOLEAN;
      case "number":
        return this.#numberType(value);
      case "bigint":
        this.hasBigints = true;
        return bigintType(value);
      case "string":
        return textType(value);
      case "object":
        return value === null ? NO_TYPE : this.#objectType(value, depth);
      default:
        return NO_TYPE;
    }
  }

  #numberType(value: number): ColumnType {
    if (Number.isSafeInteger(value)) return Object.is(value, -0) ? DOUBLE : BIGINT;
    if (!this.#exactIntegers || !Number.isInteger(value)) return DOUBLE;
    const size = Math.abs(value);
    return size < 2 ** 63 ? BIGINT : size < 1e38 ? DECIMAL : DOUBLE;
  }

  #objectType(value: object, depth: number): ColumnType {
    if (value instanceof Date) return TIMESTAMPTZ;
    if (value instanceof Uint8Array) return TEXT;
    if (depth >= STRUCT_DEPTH) {
      this.#isDeep = true;
      return JSON_TYPE;
    }
    if (Array.isArray(value)) return this.#listType(value, depth);
    const names = Object.keys(value);
    const isOdd = names.length === 0 || names.length > STRUCT_FIELDS || names.includes("");
    const fields = names.map((name) => ({ name, type: this.#typeOf((value as Row)[name], depth + 1) }));
    if (isOdd || new Set(names.map((name) => name.toLowerCase())).size < names.length) return JSON_TYPE;
    return { kind: "struct", fields };
  }

  #listType(items: readonly unknown[], depth: number): ColumnType {
    let item: ColumnType = NO_TYPE;
    for (const value of items) item = either(item, this.#typeOf(value, depth + 1));
    return { kind: "list", item };
  }
}

/** Shared, so that most comparisons of types are comparisons of references. */
const BOOLEAN = scalar("BOOLEAN");
const BIGINT = scalar("BIGINT");
const DOUBLE = scalar("DOUBLE");
const DATE = scalar("DATE");
const TIMESTAMP = scalar("TIMESTAMP");
const TIMESTAMPTZ = scalar("TIMESTAMP WITH TIME ZONE");
const DECIMAL: ColumnType = { kind: "decimal", width: 38, scale: 0 };

function bigintType(value: bigint): ColumnType {
  if (BigInt.asIntN(64, value) === value) return BIGINT;
  return value.toString().replace("-", "").length <= 38 ? DECIMAL : TEXT;
}

const ISO =
  /^(?<date>\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/;
const ISO_MOST = 35;
const HYPHEN = 45;

function textType(text: string): ColumnType {
  // Most texts are not dates.
  if (text.length < 10 || text.length > ISO_MOST || text.charCodeAt(4) !== HYPHEN) return TEXT;
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

/** How many fields the objects and lists of a column have, those inside of others as well. */
function fieldsOf(type: ColumnType): number {
  if (type.kind === "list") return Math.max(1, fieldsOf(type.item));
  if (type.kind !== "struct") return 0;
  return type.fields.reduce((sum, field) => sum + Math.max(1, fieldsOf(field.type)), 0);
}

function tooManyColumns(): AppError {
  const most = LIMITS.analytics.columns.toLocaleString("en");
  return new AppError("too_large", `The rows have more than ${most} different columns.`);
}
