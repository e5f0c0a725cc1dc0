import { AppError } from "../../../kernel/errors.ts";
import type { JsonValue } from "../analytics-options.ts";
import {
  type ColumnType,
  innerTypes,
  isScalar,
  mapScalars,
  parseType,
  scalar,
  TEXT,
  typeText,
} from "./column-types.ts";

/** How the values of a column are written so that a cast to its type gives them back. */
interface JsonInput {
  /** As which the engine reads them. */
  type: string;
  convert: (value: JsonValue) => JsonValue;
}

/**
 * Values as queries give them are not what the engine reads: bytes come as base64, and are read as text with escapes;
 * maps with other keys than texts come as lists of entries, and are read as objects.
 */
export function jsonInput(column: { name: string; type: string }): JsonInput {
  const type = parseType(column.type);
  const refused = keyOtherThanText(type);
  if (refused !== undefined) {
    throw new AppError(
      "unsupported",
      `Column "${column.name}" has maps with keys of the type ${typeText(refused)}, which cannot be written to this file.`,
      { hint: "Export it as CSV or JSON, or leave the column out." },
    );
  }
  if (isReadAsIs(type)) return { type: column.type, convert: (value) => value };
  return {
    type: typeText(mapScalars(type, (name) => (name === "BLOB" ? TEXT : scalar(name)))),
    convert: (value) => asInput(value, type),
  };
}

/** A type of keys that has no text; undefined when all have one. */
function keyOtherThanText(type: ColumnType): ColumnType | undefined {
  if (type.kind === "map" && innerTypes(type.key).length > 0) return type.key;
  return innerTypes(type)
    .map(keyOtherThanText)
    .find((found) => found !== undefined);
}

function isReadAsIs(type: ColumnType): boolean {
  if (isScalar(type, "BLOB") || (type.kind === "map" && !isScalar(type.key, "VARCHAR"))) return false;
  return innerTypes(type).every(isReadAsIs);
}

function asInput(value: JsonValue, type: ColumnType): JsonValue {
  if (value === null) return null;
  switch (type.kind) {
    case "list":
      return (value as JsonValue[]).map((item) => asInput(item, type.item));
    case "struct": {
      const given = value as Record<string, JsonValue>;
      return Object.fromEntries(
        type.fields.map((field) => [field.name, asInput(given[field.name] ?? null, field.type)]),
      );
    }
    case "map": {
      const entries = Array.isArray(value)
        ? (value as { key: JsonValue; value: JsonValue }[]).map((entry) => [entry.key, entry.value] as const)
        : Object.entries(value);
      return Object.fromEntries(
        entries.map(([key, held]) => [String(asInput(key, type.key)), asInput(held, type.value)]),
      );
    }
    case "scalar":
      return type.name === "BLOB" ? escaped(Buffer.from(value as string, "base64")) : value;
    case "decimal":
      return value;
  }
}

function escaped(bytes: Buffer): string {
  return bytes.toString("hex").replaceAll(/../g, "\\x$&");
}
