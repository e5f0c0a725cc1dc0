import {
  asText,
  type ColumnReader,
  decimalColumn,
  floatingPoint,
  json,
  largeInteger,
  type ReadText,
  smallInteger,
  WrongValue,
} from "../value-text.ts";

/** Column definition in a server's result set. */
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

interface MysqlReader extends ColumnReader {
  /** How the bytes of a value become the text that is read: binary ones as a character for each byte. */
  encoding: "utf8" | "latin1";
}

/** Of values that are not text in any character set. */
const BINARY_CHARSET = 63;
const UNSIGNED_FLAG = 32;

const base64: ReadText = (bytes) => Buffer.from(bytes, "latin1").toString("base64");

/** MySQL keeps dates that do not exist (0000-00-00, 2024-00-15, 2023-02-30): no other engine knows them. */
function isNoDate(text: string): boolean {
  const [year, month, day] = text.slice(0, 10).split("-").map(Number) as [number, number, number];
  // The day before the first of the next month is the last of this one; years below 100 would mean 19xx.
  const lastDay = (): number => new Date(Date.UTC(2_000 + (year % 400), month, 0)).getUTCDate();
  return month === 0 || day === 0 || (day > 28 && day > lastDay());
}

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

const binary = (type: string, read: ReadText): MysqlReader => ({ type, read, encoding: "latin1" });
const textual = (type: string, read: ReadText): MysqlReader => ({ type, read, encoding: "utf8" });

const BIT_FLAG = binary("BOOLEAN", (bytes) => bitNumber(bytes) !== 0n);
const BITS = binary("UBIGINT", (bytes) => bitNumber(bytes).toString());
const BYTES = binary("BLOB", base64);
const TEXT = textual("VARCHAR", asText);
const JSON_VALUE = textual("JSON", json);

const integers = (signed: string, unsigned: string, read: ReadText) => (field: MysqlField) =>
  binary((field.flags & UNSIGNED_FLAG) === 0 ? signed : unsigned, read);

const always = (type: string, read: ReadText) => () => binary(type, read);

/** By the numbers of the protocol. */
const READERS: Readonly<Record<number, (field: MysqlField) => MysqlReader>> = {
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
export function columnReader(field: MysqlField): MysqlReader {
  if (field.extendedFormat === "json") return JSON_VALUE;
  if (field.extendedTypeName === "uuid") return textual("UUID", asText);
  if (field.extendedTypeName?.startsWith("inet")) return TEXT;
  const known = READERS[field.columnType];
  if (known !== undefined) return known(field);
  return field.characterSet === BINARY_CHARSET ? BYTES : TEXT;
}

/** The length of a decimal counts a sign and a point, where there can be one. */
function mysqlDecimal({ columnLength, decimals, flags }: MysqlField): MysqlReader {
  const sign = (flags & UNSIGNED_FLAG) === 0 ? 1 : 0;
  const reader = decimalColumn(columnLength - sign - (decimals > 0 ? 1 : 0), decimals);
  return { ...reader, encoding: "latin1" };
}
