import { parseJson } from "../json-text.ts";
import {
  asText,
  decimalColumn,
  floatingPoint,
  largeInteger,
  type ReadText,
  smallInteger,
  WrongValue,
} from "../value-text.ts";

/** What a server says of a column of its result. */
export interface MysqlField {
  name: string;
  columnType: number;
  columnLength: number;
  characterSet: number;
  flags: number;
  decimals: number;
  /** MariaDB's own types travel as text; only this tells. */
  extendedTypeName?: string | undefined;
  extendedFormat?: string | undefined;
}

interface ColumnReader {
  type: string;
  read: ReadText;
}

/** Of values that are not text in any character set. */
const BINARY_CHARSET = 63;
const UNSIGNED_FLAG = 32;

/**
 * Values come as bytes, each of which is one character of the text that is read here: those of text columns have
 * to be decoded first, those of binary ones must not be.
 */
const utf8: ReadText = (bytes) => Buffer.from(bytes, "latin1").toString("utf8");
const base64: ReadText = (bytes) => Buffer.from(bytes, "latin1").toString("base64");

const json: ReadText = (bytes) => {
  try {
    return parseJson(utf8(bytes) as string);
  } catch (error) {
    throw error instanceof SyntaxError ? new WrongValue() : error;
  }
};

/** MySQL keeps dates that do not exist (0000-00-00, 2024-00-15): no other engine knows them. */
const isNoDate = (text: string): boolean => /^\d{4}-(00-|\d\d-00)/.test(text);

const date: ReadText = (text) => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new WrongValue();
  return isNoDate(text) ? null : text;
};

const timestamp: ReadText = (text) => {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?$/.test(text)) throw new WrongValue();
  return isNoDate(text) ? null : text.replace(" ", "T");
};

/** The session's time zone is UTC. */
const zonedTimestamp: ReadText = (text) => {
  const stamp = timestamp(text);
  return stamp === null ? null : `${stamp}Z`;
};

/** Up to 838 hours, and negative: a span of time and not a time of day. */
const span: ReadText = (text) => {
  if (!/^-?\d{2,3}:\d\d:\d\d(\.\d{1,6})?$/.test(text)) throw new WrongValue();
  return text;
};

/** Up to eight bytes, the highest first. */
const bitNumber = (bytes: string): bigint =>
  BigInt(`0x${Buffer.from(bytes, "latin1").toString("hex") || "0"}`);

const BIT_FLAG: ColumnReader = { type: "BOOLEAN", read: (bytes) => bitNumber(bytes) !== 0n };
const BITS: ColumnReader = { type: "UBIGINT", read: (bytes) => bitNumber(bytes).toString() };
const TEXT: ColumnReader = { type: "VARCHAR", read: utf8 };
const BYTES: ColumnReader = { type: "BLOB", read: base64 };
const JSON_VALUE: ColumnReader = { type: "JSON", read: json };

const integers = (signed: string, unsigned: string, read: ReadText) => (field: MysqlField) => ({
  type: (field.flags & UNSIGNED_FLAG) === 0 ? signed : unsigned,
  read,
});

const always = (type: string, read: ReadText) => () => ({ type, read });

/** By the numbers of the protocol. */
const READERS: Readonly<Record<number, (field: MysqlField) => ColumnReader>> = {
  0: mysqlDecimal,
  1: integers("TINYINT", "UTINYINT", smallInteger),
  2: integers("SMALLINT", "USMALLINT", smallInteger),
  3: integers("INTEGER", "UINTEGER", smallInteger),
  4: always("FLOAT", floatingPoint),
  5: always("DOUBLE", floatingPoint),
  6: () => TEXT,
  7: always("TIMESTAMP WITH TIME ZONE", zonedTimestamp),
  8: integers("BIGINT", "UBIGINT", largeInteger),
  9: integers("INTEGER", "UINTEGER", smallInteger),
  10: always("DATE", date),
  11: always("INTERVAL", span),
  12: always("TIMESTAMP", timestamp),
  13: always("SMALLINT", smallInteger),
  16: ({ columnLength }) => (columnLength === 1 ? BIT_FLAG : BITS),
  245: () => JSON_VALUE,
  246: mysqlDecimal,
  255: () => BYTES,
};

/** The type of a column in DuckDB's words, and how its bytes are read. */
export function columnReader(field: MysqlField): ColumnReader {
  if (field.extendedFormat === "json") return JSON_VALUE;
  if (field.extendedTypeName === "uuid") return { type: "UUID", read: asText };
  if (field.extendedTypeName?.startsWith("inet")) return TEXT;
  const known = READERS[field.columnType];
  if (known !== undefined) return known(field);
  return field.characterSet === BINARY_CHARSET ? BYTES : TEXT;
}

/** The length of a decimal counts a sign and a point, where there can be one. */
function mysqlDecimal({ columnLength, decimals, flags }: MysqlField): ColumnReader {
  const sign = (flags & UNSIGNED_FLAG) === 0 ? 1 : 0;
  return decimalColumn(columnLength - sign - (decimals > 0 ? 1 : 0), decimals);
}
