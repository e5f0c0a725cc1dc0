import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import type { Column } from "../analytics-options.ts";
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
  rows: readonly Row[],
  { columns: wanted, into = [] }: RowsTarget,
): { json: Uint8Array; columns: Column[] } {
  const types = new RowTypes();
  for (const row of rows) types.add(row);
  const [twin] = types.twins();
  if (twin !== undefined) throw sameName(twin);
  const columns = wanted ?? joinColumns(into, types.columns(), rows);
  if (columns.length === 0) throw noFields();
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

/** Names the first value that does not fit: its column's type is that of all rows together. */
function conflictIn(rows: readonly Row[], before: Column, incoming: Column): AppError {
  const lower = incoming.name.toLowerCase();
  for (const [row, fields] of rows.entries()) {
    for (const key of Object.keys(fields).filter((each) => each.toLowerCase() === lower)) {
      const [column] = inferColumns([{ [key]: fields[key] }]);
      if (column === undefined || widenColumn(before.type, column.type) !== undefined) continue;
      const text = JSON.stringify(fields[key], asJson) ?? "";
      const value =
        text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : text;
      return typeConflict(before, column.type, { row, value });
    }
  }
  return typeConflict(before, incoming.type);
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
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): Row;
};

/** A row that is going to be written again: whole numbers beyond 2^53 keep their digits. */
export function parseToRewrite(text: string): Row {
  return parse(text, (_key, value, { source = "" }) => {
    const isExact = !Number.isInteger(value) || Number.isSafeInteger(value) || !/^-?\d+$/.test(source);
    return isExact ? value : rawJSON(source);
  });
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
