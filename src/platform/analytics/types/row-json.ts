import { AppError } from "../../../kernel/errors.ts";
import { hasLongNumbers } from "../../../kernel/json.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { Column } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";
import { type ColumnType, isFloating, parseType, scalar, typeText } from "./column-types.ts";
import { inferColumns, type Row, RowTypes, type Twin } from "./row-types.ts";
import { typeConflict, widenColumn } from "./widen.ts";

export interface RowsTarget {
  /** The types to write; without it they are read off the rows. */
  columns?: readonly Column[];
  /** The columns that the rows will stand beside: types are widened to hold both. */
  into?: readonly Column[];
}

/**
 * Rows as one JSON object a line, and the columns that they have: what the rows do not have stays out of the
 * part, where it would be nothing but a type to agree with later.
 */
export function rowsToJson(
  given: readonly Row[],
  { columns: wanted, into = [] }: RowsTarget,
): { json: Uint8Array; columns: Column[] } {
  const rows = withWholeNumbers(given, into);
  const types = new RowTypes();
  for (const row of rows) types.add(row);
  const [twin] = types.twins();
  if (twin !== undefined) throw sameName(twin);
  const columns = wanted ?? joinColumns(into, types.columns(), rows);
  if (columns.length === 0) throw noFields();
  if (types.hasBigints && wanted === undefined) refuseRounding(rows, columns);
  const names = new Map(columns.map(({ name }) => [name.toLowerCase(), name]));
  const nameOf = (key: string): string | undefined => names.get(types.nameOf(key)?.toLowerCase() ?? "");
  const used = new Set<string>();
  const lines: string[] = [];
  let characters = 0;
  for (const row of rows) {
    const line = rowToJson(row, nameOf, used);
    characters += line.length;
    if (line.length > LIMITS.analytics.objectBytes) throw rowTooLarge();
    if (characters > LIMITS.analytics.pushBytes) throw tooLarge();
    lines.push(line);
  }
  const kept = columns.filter(({ name, type }) => used.has(name) || type === "NULL");
  return { json: Buffer.from(lines.join("\n")), columns: kept.length > 0 ? kept : columns.slice(0, 1) };
}

const WHOLE = /^-?(?:0|[1-9]\d{0,37})$/;

/** Many programs can write long whole numbers only as text: beside whole numbers such a text is one of them. */
function withWholeNumbers(rows: readonly Row[], into: readonly Column[]): readonly Row[] {
  const whole = into.filter(({ type }) => isWholeNumber(parseType(type)));
  if (whole.length === 0) return rows;
  const names = new Set(whole.map(({ name }) => name.toLowerCase()));
  const isNumber = ([name, value]: [string, unknown]): boolean =>
    typeof value === "string" && WHOLE.test(value) && names.has(name.toLowerCase());
  return rows.map((row) => {
    const fields = Object.entries(row);
    if (!fields.some(isNumber)) return row;
    return Object.fromEntries(
      fields.map((field) => (isNumber(field) ? [field[0], BigInt(field[1] as string)] : field)),
    );
  });
}

/** The columns of the rows, in the spelling and with the types that they get beside those that are there. */
function joinColumns(into: readonly Column[], found: readonly Column[], rows: readonly Row[]): Column[] {
  const present = new Map(into.map((column) => [column.name.toLowerCase(), column]));
  return found.map((column) => {
    const before = present.get(column.name.toLowerCase());
    if (before === undefined) return column;
    const type = widenColumn(before.type, column.type);
    if (type === undefined) throw conflictIn(rows, before, column);
    return { name: before.name, type };
  });
}

const SHOWN_CHARACTERS = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value, asJson) ?? "";
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : text;
}

/** Names the first value that does not fit: its column's type is that of all rows together. */
function conflictIn(rows: readonly Row[], before: Column, incoming: Column): AppError {
  const lower = incoming.name.toLowerCase();
  for (const [row, fields] of rows.entries()) {
    for (const key of Object.keys(fields).filter((each) => each.toLowerCase() === lower)) {
      const [column] = inferColumns([{ [key]: fields[key] }]);
      if (column === undefined || widenColumn(before.type, column.type) !== undefined) continue;
      return typeConflict(before, column.type, { row, value: shown(fields[key]) });
    }
  }
  return typeConflict(before, incoming.type);
}

/** Fractions make a column DOUBLE, which would change long whole numbers in it. */
function refuseRounding(rows: readonly Row[], columns: readonly Column[]): void {
  const types = new Map(columns.map((column) => [column.name.toLowerCase(), parseType(column.type)]));
  for (const [row, fields] of rows.entries()) {
    for (const [name, value] of Object.entries(fields)) {
      const type = types.get(name.toLowerCase());
      if (type === undefined || !losesDigits(value, type)) continue;
      throw new AppError(
        "conflict",
        `Column "${name}" has numbers with fractions, beside which rows[${row}] would lose digits: ${shown(value)}.`,
        { hint: "Send whole numbers only, or use another column name.", data: { column: name, row } },
      );
    }
  }
}

/** DuckDB finds a field by its exact name, once, and in well-formed text. */
export function rowToJson(row: Row, nameOf: (key: string) => string | undefined, used?: Set<string>): string {
  const fields = new Map<string, unknown>();
  for (const key of Object.keys(row)) {
    const value = row[key];
    if (value === null || value === undefined) continue;
    const name = nameOf(key);
    if (name === undefined) continue;
    used?.add(name);
    fields.set(name, value);
  }
  return JSON.stringify(Object.fromEntries(fields), asJson);
}

/** TypeScript does not know them yet. */
const { rawJSON, parse } = JSON as unknown as {
  rawJSON(text: string): unknown;
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
};

/** A row that is going to be written again: numbers keep their digits, but for those that become something else. */
export function parseToRewrite(text: string, other?: (source: string) => object | undefined): Row {
  return parse(text, (_key, value, { source = "" }) =>
    typeof value === "number" && String(value) !== source ? (other?.(source) ?? rawJSON(source)) : value,
  ) as Row;
}

/** Rows of a request: whole numbers beyond 2^53 keep their digits, as many as a column can have. */
export function parseExactly(text: string): unknown {
  if (!hasLongNumbers(text)) return JSON.parse(text);
  return parse(text, (_key, value, { source = "" }) =>
    isRounded(value) && /^-?\d{1,38}$/.test(source) ? BigInt(source) : value,
  );
}

function isRounded(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function asJson(this: Record<string, unknown>, key: string, value: unknown): unknown {
  // Buffers turn themselves into something else before they come here.
  const raw = this[key];
  if (raw instanceof Uint8Array) return Buffer.from(raw).toString("base64");
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? value : value.toWellFormed();
    case "bigint":
      return rawJSON(value.toString());
    case "number":
      return Number.isFinite(value) ? value : String(value);
    default:
      return value;
  }
}

function sameName({ row, names: [first, second] }: Twin): AppError {
  return new AppError(
    "bad_request",
    `rows[${row}] has both "${first}" and "${second}", which name the same column: case does not count.`,
    { hint: "Give one of them another name.", data: { row, names: [first, second] } },
  );
}

function noFields(): AppError {
  return new AppError("bad_request", "No row has a field: a row needs at least one.", {
    hint: 'Send objects with values, like {"region": "West", "amount": 10}.',
  });
}

function tooLarge(): AppError {
  const most = LIMITS.analytics.pushBytes.toLocaleString("en");
  return new AppError("too_large", `The rows are larger than ${most} bytes.`, {
    hint: "Send them in batches.",
  });
}

function rowTooLarge(): AppError {
  const most = LIMITS.analytics.objectBytes.toLocaleString("en");
  return new AppError("too_large", `A row is larger than ${most} bytes.`);
}

/** A column whose values may lose digits, since they are going to be read as `rounded`. */
export interface RoundedColumn extends Column {
  rounded: string;
}

/** Whole numbers of these have more digits than a DOUBLE keeps; of decimals, those that are wider than this. */
const LONG_INTEGERS = new Set(["BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM"]);
const DOUBLE_DIGITS = 15;
const DOUBLE = scalar("DOUBLE");

/** Of the columns that become others, those that held more digits than they will. */
export function roundedColumns(before: readonly Column[], after: readonly Column[]): RoundedColumn[] {
  const types = new Map(after.map(({ name, type }) => [name.toLowerCase(), type]));
  return before.flatMap(({ name, type }) => {
    const wider = types.get(name.toLowerCase());
    if (wider === undefined || wider === type) return [];
    const from = parseType(type);
    const rounded = typeText(round(from, parseType(wider)), "VARCHAR");
    return rounded === typeText(from, "VARCHAR") ? [] : [{ name, type, rounded }];
  });
}

/** Tells for each of the columns whether a value would not be the same any more. */
export function lostDigitsSql(columns: readonly RoundedColumn[], source: string): string {
  const lost = columns.map(({ name, type, rounded }) => {
    const value = quoteName(name);
    const back = `TRY_CAST(CAST(${value} AS ${rounded}) AS ${typeText(parseType(type), "VARCHAR")})`;
    return `coalesce(bool_or(${back} IS DISTINCT FROM ${value}), false)`;
  });
  return `SELECT ${lost.join(", ")} FROM ${source}`;
}

/** Whether a value has a whole number that is another one as what the type makes of it. */
function losesDigits(value: unknown, type: ColumnType): boolean {
  if (typeof value === "bigint") return isFloating(type) && BigInt(Number(value)) !== value;
  if (typeof value !== "object" || value === null) return false;
  if (type.kind === "list") return Array.isArray(value) && value.some((item) => losesDigits(item, type.item));
  if (type.kind === "map") return Object.values(value).some((held) => losesDigits(held, type.value));
  if (type.kind !== "struct") return false;
  return type.fields.some((field) => losesDigits((value as Record<string, unknown>)[field.name], field.type));
}

/** The same type, but for DOUBLE wherever the other has that instead of long numbers. */
function round(from: ColumnType, to: ColumnType): ColumnType {
  if (to.kind === "scalar") return isFloating(to) && isLong(from) ? DOUBLE : from;
  if (from.kind === "list" && to.kind === "list") return { kind: "list", item: round(from.item, to.item) };
  if (from.kind === "map" && to.kind === "map")
    return { kind: "map", key: round(from.key, to.key), value: round(from.value, to.value) };
  if (from.kind !== "struct" || to.kind !== "struct") return from;
  const types = new Map(to.fields.map(({ name, type }) => [name, type]));
  const fields = from.fields.map(({ name, type }) => ({ name, type: round(type, types.get(name) ?? type) }));
  return { kind: "struct", fields };
}

function isLong(type: ColumnType): boolean {
  if (type.kind === "decimal") return type.width > DOUBLE_DIGITS;
  return type.kind === "scalar" && LONG_INTEGERS.has(type.name);
}

function isWholeNumber(type: ColumnType): boolean {
  if (type.kind === "decimal") return type.scale === 0;
  return type.kind === "scalar" && /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/.test(type.name);
}
