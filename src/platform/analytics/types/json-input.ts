import { AppError } from "../../../kernel/errors.ts";
import type { JsonValue } from "../analytics-options.ts";
import { type ColumnType, parseType, TEXT, typeText } from "./column-types.ts";

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
  return { type: typeText(withoutBytes(type)), convert: (value) => asInput(value, type) };
}

function withoutBytes(type: ColumnType): ColumnType {
  switch (type.kind) {
    case "list":
      return { ...type, item: withoutBytes(type.item) };
    case "struct":
      return { ...type, fields: type.fields.map((field) => ({ ...field, type: withoutBytes(field.type) })) };
    case "map":
      return { ...type, key: withoutBytes(type.key), value: withoutBytes(type.value) };
    case "scalar":
      return type.name === "BLOB" ? TEXT : type;
    case "decimal":
      return type;
  }
}

/** A type of keys that has no text; undefined when all have one. */
function keyOtherThanText(type: ColumnType): ColumnType | undefined {
  switch (type.kind) {
    case "list":
      return keyOtherThanText(type.item);
    case "struct":
      return type.fields.map((field) => keyOtherThanText(field.type)).find((found) => found !== undefined);
    case "map":
      return type.key.kind === "scalar" || type.key.kind === "decimal"
        ? keyOtherThanText(type.value)
        : type.key;
    default:
      return undefined;
  }
}

function isReadAsIs(type: ColumnType): boolean {
  switch (type.kind) {
    case "list":
      return isReadAsIs(type.item);
    case "struct":
      return type.fields.every((field) => isReadAsIs(field.type));
    case "map":
      return type.key.kind === "scalar" && type.key.name === "VARCHAR" && isReadAsIs(type.value);
    case "scalar":
      return type.name !== "BLOB";
    case "decimal":
      return true;
  }
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
