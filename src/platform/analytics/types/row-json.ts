import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import type { Column } from "../analytics-options.ts";
import { type Row, RowTypes } from "./row-types.ts";

/**
 * Rows as one JSON object a line, and the columns that they have: what the rows do not have stays out of the
 * part, where it would be nothing but a type to agree with later.
 */
export function rowsToJson(
  rows: readonly Row[],
  wanted: readonly Column[] | undefined,
): { json: Uint8Array; columns: Column[] } {
  const types = new RowTypes();
  for (const row of rows) types.add(row);
  const columns = wanted ?? types.columns();
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

/** TypeScript does not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

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
