import { type ColumnType, mapScalars, parseType, scalar, TEXT, typeText } from "./column-types.ts";

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
