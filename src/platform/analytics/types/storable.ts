import { type ColumnType, parseType, scalar, TEXT, typeText } from "./column-types.ts";

/**
 * The type in which a column is kept. Parquet has no 128-bit integers (DuckDB would write them as floating
 * point), so they become decimals of 38 digits; larger ones and types that only DuckDB knows become text.
 */
export function storableType(type: string): string {
  return typeText(storable(parseType(type)), "VARCHAR");
}

function storable(type: ColumnType): ColumnType {
  switch (type.kind) {
    case "decimal":
      return type;
    case "list":
      return { kind: "list", item: storable(type.item) };
    case "struct":
      return {
        ...type,
        fields: type.fields.map(({ name, type: field }) => ({ name, type: storable(field) })),
      };
    case "map":
      return { kind: "map", key: storable(type.key), value: storable(type.value) };
    case "scalar":
      return storableScalar(type.name);
  }
}

const AS_TEXT = new Set(["UHUGEINT", "BIGNUM", "BIT", "TIME WITH TIME ZONE", "TIME_NS", "GEOMETRY"]);

function storableScalar(name: string): ColumnType {
  if (name === "HUGEINT") return { kind: "decimal", width: 38, scale: 0 };
  if (name === "VARIANT") return scalar("JSON");
  return AS_TEXT.has(name) ? TEXT : scalar(name);
}
