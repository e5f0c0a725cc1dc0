import type { FieldDef } from "pg";
import { LIMITS } from "../../limits.ts";
import {
  asText,
  type ColumnReader,
  decimalColumn,
  floatingPoint,
  freeDecimal,
  json,
  largeInteger,
  type ReadText,
  smallInteger,
  WrongValue,
} from "../value-text.ts";

const boolean: ReadText = (text) => {
  if (text === "t" || text === "true") return true;
  if (text === "f" || text === "false") return false;
  throw new WrongValue();
};

const bytes: ReadText = (text) => {
  if (!/^\\x([0-9a-f]{2})*$/i.test(text)) throw new WrongValue();
  return Buffer.from(text.slice(2), "hex").toString("base64");
};

/** DuckDB writes `(BC)` behind the date. */
const date: ReadText = (text) => {
  if (/^-?infinity$/.test(text)) return text;
  const match = /^(\d{4,7}-\d\d-\d\d)( BC)?$/.exec(text);
  if (match === null) throw new WrongValue();
  return match[1]! + (match[2] === undefined ? "" : " (BC)");
};

/** The session's time zone is UTC, so an offset can only be zero. */
const timestamp: ReadText = (text) => {
  if (/^-?infinity$/.test(text)) return text;
  const match = /^(\d{4,7}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)(\+00(?::00)?)?( BC)?$/.exec(text);
  if (match === null) throw new WrongValue();
  const [, day, time, zone, era] = match;
  return `${day}${era === undefined ? "T" : " (BC) "}${time}${zone === undefined ? "" : "Z"}`;
};

/** `1 year -2 mons +3 days -04:05:06`, in the words of DuckDB, which knows no plus. */
const interval: ReadText = (text) => text.replaceAll("+", "").replace(/\bmon(s?)\b/, "month$1");

const READERS: Readonly<Record<number, ColumnReader>> = {
  16: { type: "BOOLEAN", read: boolean },
  17: { type: "BLOB", read: bytes },
  20: { type: "BIGINT", read: largeInteger },
  21: { type: "SMALLINT", read: smallInteger },
  23: { type: "INTEGER", read: smallInteger },
  26: { type: "UINTEGER", read: smallInteger },
  114: { type: "JSON", read: json },
  700: { type: "FLOAT", read: floatingPoint },
  701: { type: "DOUBLE", read: floatingPoint },
  1082: { type: "DATE", read: date },
  1083: { type: "TIME", read: asText },
  1114: { type: "TIMESTAMP", read: timestamp },
  1184: { type: "TIMESTAMP WITH TIME ZONE", read: timestamp },
  1186: { type: "INTERVAL", read: interval },
  1266: { type: "TIME WITH TIME ZONE", read: asText },
  1560: { type: "BIT", read: asText },
  1562: { type: "BIT", read: asText },
  1700: { type: "DOUBLE", read: freeDecimal },
  2950: { type: "UUID", read: asText },
  3802: { type: "JSON", read: json },
};

const TEXT: ColumnReader = { type: "VARCHAR", read: asText };

/** Types whose values are arrays of another type. Of what else there is (own enums …) arrays stay text. */
const ITEM_OF_ARRAY: Readonly<Record<number, number>> = {
  199: 114,
  1000: 16,
  1001: 17,
  1002: 18,
  1003: 19,
  1005: 21,
  1007: 23,
  1009: 25,
  1014: 1042,
  1015: 1043,
  1016: 20,
  1021: 700,
  1022: 701,
  1028: 26,
  1041: 869,
  1115: 1114,
  1182: 1082,
  1183: 1083,
  1185: 1184,
  1187: 1186,
  1231: 1700,
  1270: 1266,
  1561: 1560,
  1563: 1562,
  2951: 2950,
  3807: 3802,
};

const NUMERIC = 1700;
/** Length word of PostgreSQL's own, which its type modifiers count in. */
const MODIFIER_OFFSET = 4;

/** The type of a column in DuckDB's words, and how its text is read. */
export function columnReader({ dataTypeID, dataTypeModifier }: FieldDef): ColumnReader {
  if (dataTypeID === NUMERIC && dataTypeModifier >= MODIFIER_OFFSET) return numeric(dataTypeModifier);
  const item = ITEM_OF_ARRAY[dataTypeID];
  if (item === undefined) return READERS[dataTypeID] ?? TEXT;
  const { read } = READERS[item] ?? TEXT;
  // JSON and not a typed list: the type does not say how many dimensions a value has.
  return { type: "JSON", read: (text) => readArray(text, read) };
}

function numeric(modifier: number): ColumnReader {
  const packed = modifier - MODIFIER_OFFSET;
  // Eleven bits with a sign: since version 15 a scale may be negative.
  const scale = ((packed & 0x7ff) ^ 0x400) - 0x400;
  return decimalColumn(packed >> 16, scale);
}

/** Reads an array as PostgreSQL writes it (`{1,NULL,"a b"}`, nested, with bounds in front) into nested arrays. */
function readArray(text: string, readItem: ReadText): unknown[] {
  const reader = new ArrayReader(text.replace(/^(\[-?\d+:-?\d+\])+=/, ""), readItem);
  return reader.readAll();
}

class ArrayReader {
  readonly #text: string;
  readonly #readItem: ReadText;
  #at = 0;

  constructor(text: string, readItem: ReadText) {
    this.#text = text;
    this.#readItem = readItem;
  }

  readAll(): unknown[] {
    const array = this.#readArray(0);
    if (this.#at !== this.#text.length) throw new WrongValue();
    return array;
  }

  #readArray(depth: number): unknown[] {
    if (this.#text[this.#at] !== "{" || depth > LIMITS.datasources.jsonDepth) throw new WrongValue();
    this.#at += 1;
    const items: unknown[] = [];
    if (this.#text[this.#at] === "}") {
      this.#at += 1;
      return items;
    }
    for (;;) {
      items.push(this.#text[this.#at] === "{" ? this.#readArray(depth + 1) : this.#readOne());
      const sign = this.#text[this.#at];
      this.#at += 1;
      if (sign === "}") return items;
      if (sign !== ",") throw new WrongValue();
    }
  }

  #readOne(): unknown {
    if (this.#text[this.#at] === '"') return this.#readItem(this.#readQuoted());
    const start = this.#at;
    while (this.#at < this.#text.length && !",}".includes(this.#text[this.#at]!)) this.#at += 1;
    const item = this.#text.slice(start, this.#at);
    return item === "NULL" ? null : this.#readItem(item);
  }

  #readQuoted(): string {
    let item = "";
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at]!;
      if (sign === '"') {
        this.#at += 1;
        return item;
      }
      if (sign === "\\") this.#at += 1;
      item += this.#text[this.#at] ?? "";
      this.#at += 1;
    }
    throw new WrongValue();
  }
}
