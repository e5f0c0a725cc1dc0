import type { DataType } from "../model.ts";
import { oneLine } from "./inline.ts";

const OF_AUTHOR: Record<DataType, string> = {
  String: "text",
  Integer: "int",
  Decimal: "decimal",
  Float: "float",
  Boolean: "bool",
  Date: "date",
  Time: "time",
  DateTime: "timestamp",
  DateTimeTz: "timestamptz",
  Opaque: "opaque",
};

const OF_ENGINE: [RegExp, string][] = [
  [/^(VARCHAR|CHAR|BPCHAR|TEXT|STRING|ENUM)\b/, "text"],
  [/^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?\b/, "int"],
  [/^(DECIMAL|NUMERIC)\b/, "decimal"],
  [/^(DOUBLE|FLOAT|REAL)\b/, "float"],
  [/^BOOL(EAN)?\b/, "bool"],
  [/^(TIMESTAMP WITH TIME ZONE|TIMESTAMPTZ)\b/, "timestamptz"],
  [/^TIMESTAMP(_\w+)?\b/, "timestamp"],
  [/^(TIME WITH TIME ZONE|TIMETZ)\b/, "timetz"],
];

/** What the author says of a type, in the words of `typeOf`. */
export function authorType(dataType: DataType | null): string | null {
  return dataType && OF_AUTHOR[dataType];
}

/** A type in one word that needs no legend. Nested types are kept whole, since a query needs their insides. */
export function typeOf({ type, dataType }: { type: string; dataType: DataType | null }): string | null {
  const line = oneLine(type);
  if (line === "") return authorType(dataType);
  const [, element = line, brackets = ""] = /^(.*?)((?:\[\d*\])*)$/s.exec(line) ?? [];
  if (/^(STRUCT|MAP|UNION)\b/i.test(element)) return line;
  const found = OF_ENGINE.find(([pattern]) => pattern.test(element.toUpperCase()));
  return (found?.[1] ?? element.toLowerCase()) + brackets;
}
