import { DATA_TYPES, type DataType } from "../model.ts";

/** Types as databases and people call them. */
const WORDS: Record<DataType, string> = {
  String:
    "string str varchar varchar2 nvarchar char nchar bpchar character charactervarying text mediumtext longtext " +
    "tinytext ntext clob citext uuid guid uniqueidentifier enum category",
  Integer:
    "integer int int1 int2 int4 int8 int16 int32 int64 int128 bigint smallint tinyint mediumint hugeint uhugeint " +
    "uinteger ubigint usmallint utinyint uint8 uint16 uint32 uint64 byteint long short serial bigserial smallserial",
  Decimal: "decimal dec numeric number bignumeric bigdecimal money smallmoney currency",
  Float: "float float4 float8 float32 float64 double doubleprecision real",
  Boolean: "boolean bool bit logical",
  Date: "date date32",
  Time: "time timewithouttimezone timetz timewithtimezone",
  DateTime:
    "datetime datetime2 smalldatetime datetime64 timestamp timestampwithouttimezone timestampntz timestamps " +
    "timestampms timestampus timestampns",
  DateTimeTz:
    "datetimetz datetimeoffset timestamptz timestampltz timestampwithtimezone timestampwithlocaltimezone",
  Opaque:
    "opaque json jsonb xml blob bytea binary varbinary bytes struct map union list array variant object super " +
    "interval geometry geography point hstore inet vector",
};

const TYPES = new Map(
  DATA_TYPES.flatMap((type) => WORDS[type].split(" ").map((word): [string, DataType] => [word, type])),
);

/** The format's type for `VARCHAR(20)`, `bigint`, `timestamp with time zone` and the like. */
export function dataTypeOf(text: string): DataType | null {
  if (/(\[\d*\])\s*$/.test(text)) return "Opaque";
  const word = withoutParameters(text)
    .replace(/\bunsigned\b/i, "")
    .toLowerCase()
    .replace(/[\s_]/g, "");
  return TYPES.get(word) ?? null;
}

/** `DECIMAL(18,2)` is a decimal. Not by a regular expression: it would try every bracket with every other. */
function withoutParameters(text: string): string {
  const start = text.search(/[(<]/);
  const end = Math.max(text.lastIndexOf(")"), text.lastIndexOf(">"));
  return start === -1 || end < start ? text : text.slice(0, start) + text.slice(end + 1);
}

export function isOwnType(text: string): text is DataType {
  return (DATA_TYPES as readonly string[]).includes(text);
}

const TEMPORAL: readonly (DataType | null)[] = ["Date", "Time", "DateTime", "DateTimeTz"];

export function isTemporal(type: DataType | null): boolean {
  return TEMPORAL.includes(type);
}
