import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
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

/**
 * A value as another type that holds it. DuckDB's own cast would write objects as `{'x': 1}` where text is wanted,
 * and take text for the source of JSON instead of a value: these are turned by their meaning, at whatever depth.
 */
export function castSql(value: string, from: ColumnType, to: ColumnType): string {
  return cast(value, from, to, 0);
}

/** Nested JSON: a type has it somewhere, which DuckDB fills with text by parsing that text. */
export function containsJson(type: ColumnType): boolean {
  return isScalar(type, "JSON") || innerTypes(type).some(containsJson);
}

function cast(value: string, from: ColumnType, to: ColumnType, depth: number): string {
  if (sqlText(from) === sqlText(to)) return value;
  if (isDuckDbCast(from, to)) return `CAST(${value} AS ${sqlText(to)})`;
  if (isNamed(to, "JSON")) return `to_json(${value})`;
  if (isNamed(to, "VARCHAR")) {
    // A text inside of JSON loses its quotes; everything else is written as JSON.
    return isNamed(from, "JSON") ? `(${value} ->> '$')` : `CAST(to_json(${value}) AS VARCHAR)`;
  }
  return castNested(value, from, to, depth);
}

function castNested(value: string, from: ColumnType, to: ColumnType, depth: number): string {
  const item = `_item_${depth}`;
  if (from.kind === "list" && to.kind === "list") {
    return `list_transform(${value}, lambda ${item}: ${cast(item, from.item, to.item, depth + 1)})`;
  }
  if (from.kind === "map" && to.kind === "map") {
    const key = cast(`${item}.key`, from.key, to.key, depth + 1);
    const held = cast(`${item}.value`, from.value, to.value, depth + 1);
    const entry = `struct_pack(key := ${key}, value := ${held})`;
    return `map_from_entries(list_transform(map_entries(${value}), lambda ${item}: ${entry}))`;
  }
  if (from.kind === "struct" && to.kind === "struct") {
    const present = new Map(from.fields.map((field) => [field.name, field.type]));
    const fields = to.fields.map(({ name, type }) => {
      const before = present.get(name);
      const field = `struct_extract(${value}, ${quoteText(name)})`;
      const held = before === undefined ? `CAST(NULL AS ${sqlText(type)})` : cast(field, before, type, depth);
      return `${quoteName(name)} := ${held}`;
    });
    return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${fields.join(", ")}) END`;
  }
  return `CAST(${value} AS ${sqlText(to)})`;
}

/** Whether DuckDB's own cast keeps the meaning of each value. */
function isDuckDbCast(from: ColumnType, to: ColumnType): boolean {
  if (sqlText(from) === sqlText(to)) return true;
  if (isNamed(to, "JSON")) return false;
  if (isNamed(to, "VARCHAR"))
    return from.kind === "decimal" || (from.kind === "scalar" && from.name !== "JSON");
  if (from.kind === "list" && to.kind === "list") return isDuckDbCast(from.item, to.item);
  if (from.kind === "map" && to.kind === "map")
    return isDuckDbCast(from.key, to.key) && isDuckDbCast(from.value, to.value);
  if (from.kind === "struct" && to.kind === "struct") {
    const wanted = new Map(to.fields.map((field) => [field.name, field.type]));
    return from.fields.every(({ name, type }) => isDuckDbCast(type, wanted.get(name) ?? type));
  }
  return true;
}

/** What has no type yet is text in SQL. */
function sqlText(type: ColumnType): string {
  return typeText(type, "VARCHAR");
}

function isNamed(type: ColumnType, name: string): boolean {
  return type.kind === "scalar" && (type.name === name || (name === "VARCHAR" && type.name === "NULL"));
}

/**
 * SQL for a VARIANT as JSON. DuckDB's own cast writes decimals without the zero in front (.1) and NaN as it is, both of
 * which are no JSON, so that nobody could read the part again.
 */
export function variantJson(column: string): string {
  const text = `CAST(CAST(${column} AS JSON) AS VARCHAR)`;
  // Every other piece between quotes is the inside of a text, once quotes that are escaped are out of the way.
  const pieces = `string_split(replace(replace(${text}, '\\\\', chr(1)), '\\"', chr(2)), '"')`;
  const zeros = String.raw`regexp_replace(_piece, '(^|[\[:,-])[.]([0-9])', '\10.\2', 'g')`;
  const names = String.raw`regexp_replace(${zeros}, '(-?(?:NaN|nan|Infinity|inf))', '"\1"', 'g')`;
  const repaired = `list_transform(${pieces}, lambda _piece, _place: CASE WHEN _place % 2 = 1 THEN ${names} ELSE _piece END)`;
  const whole = `replace(replace(array_to_string(${repaired}, '"'), chr(2), '\\"'), chr(1), '\\\\')`;
  // DuckDB takes NaN for JSON, and nobody else does.
  const isJson = `json_valid(${text}) AND NOT regexp_matches(${text}, '[Nn]a[Nn]|[Ii]nf')`;
  return `CAST(CASE WHEN ${text} = 'null' THEN NULL WHEN ${isJson} THEN ${text} ELSE ${whole} END AS JSON)`;
}

/**
 * The type in which a column is kept. Parquet has no 128-bit integers (DuckDB would write them as floating
 * point), so they become decimals of 38 digits; larger ones and types that only DuckDB knows become text.
 */
export function storableType(type: string): string {
  return typeText(mapScalars(parseType(type), storableScalar), "VARCHAR");
}

const AS_TEXT = new Set(["UHUGEINT", "BIGNUM", "BIT", "TIME WITH TIME ZONE", "TIME_NS", "GEOMETRY"]);

function storableScalar(name: string): ColumnType {
  if (name === "HUGEINT") return { kind: "decimal", width: 38, scale: 0 };
  if (name === "VARIANT") return scalar("JSON");
  return AS_TEXT.has(name) ? TEXT : scalar(name);
}
