import type { ColumnType } from "./column-types.ts";

const WHOLE = /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$|^BIGNUM$/;

const WORDS: Readonly<Record<string, string>> = {
  BOOLEAN: "true or false",
  FLOAT: "numbers",
  DOUBLE: "numbers",
  VARCHAR: "text",
  JSON: "JSON",
  BLOB: "bytes",
  UUID: "UUIDs",
  DATE: "dates",
  TIME: "times of day",
  INTERVAL: "durations",
  "TIMESTAMP WITH TIME ZONE": "times with a zone",
  NULL: "no values",
};

/** What a column holds, for people who do not know the types of a database. */
export function typeWords(type: ColumnType): string {
  switch (type.kind) {
    case "decimal":
      return type.scale === 0 ? "whole numbers" : "numbers";
    case "list":
      return type.item.kind === "scalar" && type.item.name === "NULL"
        ? "lists"
        : `lists of ${typeWords(type.item)}`;
    case "struct":
    case "map":
      return "objects";
    case "scalar":
      if (WHOLE.test(type.name)) return "whole numbers";
      return WORDS[type.name] ?? (type.name.startsWith("TIMESTAMP") ? "dates with times" : type.name);
  }
}
