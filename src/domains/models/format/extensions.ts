import { clip } from "../../../kernel/text.ts";
import { DATA_TYPES, type DataType, type Expression, type Extension } from "../model.ts";
import { plain, type Tree, treeOf, Unkeepable } from "./parse.ts";
import { type Keys, list, object, type Reader, text, type ValuesOf, warnOfUnknownKey } from "./readers.ts";
import type { Spot } from "./report.ts";

/** A vendor's extension of a part of the model, with its place. */
export interface RawExtension {
  vendor: string;
  data: Tree;
  spot: Spot;
}

/** JSON in a text, as the format wants it, or written out. */
const extensionData: Reader<Tree> = (tree, spot) => {
  if (tree.kind !== "scalar" || typeof tree.value !== "string") return tree;
  try {
    return treeOf(JSON.parse(tree.value), tree.line, spot.report.budget);
  } catch (error) {
    if (error instanceof Unkeepable) spot.error(`The data ${error.message}.`);
    else if (!(error instanceof SyntaxError)) throw error;
    else
      spot.error(
        `The data is no valid JSON: ${clip(error.message, 200)}.`,
        "Correct it, or write it out as a map.",
      );
    return tree;
  }
};

const extensionFields = object("A custom extension", {
  vendor_name: { read: text, also: ["vendor"], isNeeded: true },
  data: { read: extensionData, isNeeded: true },
});

export const extension: Reader<RawExtension> = (tree, spot) => {
  const { vendor_name, data } = extensionFields(tree, spot) ?? {};
  return vendor_name === undefined || data === undefined ? undefined : { vendor: vendor_name, data, spot };
};

/** Keys of extensions that become part of the model, by vendor. */
export type Taken<K extends Keys> = Readonly<Record<"COMMON" | "KENNING", readonly (keyof K & string)[]>>;

/** Takes what the model has a place for out of the extensions; the rest stays as it is, for export. */
export function takeOut<K extends Keys>(
  extensions: readonly RawExtension[],
  keys: K,
  taken: Taken<K>,
): { values: Partial<ValuesOf<K>>; extensions: Extension[] } {
  const values: Record<string, unknown> = {};
  const left: Extension[] = [];
  for (const { vendor, data, spot } of extensions) {
    const known = taken[vendor.toUpperCase() as keyof Taken<K>] ?? [];
    if (data.kind !== "map" || known.length === 0) {
      // Policies that somebody believes in must not get lost.
      if (data.kind === "list" && vendor.toUpperCase() === "KENNING") {
        spot.error("Kenning's extension must be a map with keys, not a list.", `It has ${known.join(", ")}.`);
      }
      left.push({ vendor, data: plain(data) });
      continue;
    }
    const others: [string, unknown][] = [];
    for (const [name, entry] of data.entries) {
      if (!known.includes(name)) {
        const key = { name, line: entry.line };
        if (vendor.toUpperCase() === "KENNING") warnOfUnknownKey(key, "Kenning's extension", known, spot);
        others.push([name, plain(entry.value)]);
        continue;
      }
      const part = spot.part(name, entry.line);
      const value = keys[name]?.read(entry.value, part);
      if (values[name] === undefined) values[name] = value;
      else part.warn(`The extensions say ${name} twice: the first one counts.`);
    }
    const isUsedUp = others.length === 0 && data.entries.size > 0;
    if (!isUsedUp) left.push({ vendor, data: Object.fromEntries(others) });
  }
  return { values: values as Partial<ValuesOf<K>>, extensions: left };
}

/** The other way: puts values into the vendor's extension, or into a new one before the others. */
export function putIn(
  extensions: readonly Extension[],
  vendor: string,
  values: Readonly<Record<string, unknown>>,
): Extension[] {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  if (present.length === 0) return [...extensions];
  const index = extensions.findIndex((one) => one.vendor.toUpperCase() === vendor && isFilledMap(one.data));
  if (index === -1) return [{ vendor, data: Object.fromEntries(present) }, ...extensions];
  return extensions.map((one, i) =>
    i === index ? { ...one, data: { ...(one.data as object), ...Object.fromEntries(present) } } : one,
  );
}

/** An empty one is left alone: reading the file again would take it for one of ours. */
function isFilledMap(data: unknown): boolean {
  return typeof data === "object" && data !== null && !Array.isArray(data) && Object.keys(data).length > 0;
}

type Dialect = Expression["dialects"][number];

/** The dialects that the format knows. Others, such as DUCKDB, are written to an extension of ours. */
const FORMAT_DIALECTS = new Set("ANSI_SQL SNOWFLAKE MDX TABLEAU DATABRICKS MAQL BIGQUERY".split(" "));

/** Expressions in dialects, each once. */
export const dialects: Reader<Dialect[]> = (tree, spot) => {
  const read = list("The dialects", dialectExpression)(tree, spot) ?? [];
  const found = new Map<string, Dialect>();
  for (const { dialect, expression } of read) {
    const name = dialect.toUpperCase();
    if (found.has(name)) spot.warn(`There are two expressions for ${clip(name)}: the first one counts.`);
    else found.set(name, { dialect: name, expression });
  }
  return [...found.values()];
};

const dialectFields = object("An expression in a dialect", {
  dialect: { read: text, isNeeded: true },
  expression: { read: text, isNeeded: true },
});

const dialectExpression: Reader<Dialect> = (tree, spot) => {
  const { dialect, expression } = dialectFields(tree, spot) ?? {};
  return dialect === undefined || expression === undefined ? undefined : { dialect, expression };
};

const expressionFields = object("An expression", { dialects: { read: dialects, isNeeded: true } });

/** `{ dialects: […] }`, or in older files the SQL itself. */
export const expression: Reader<Dialect[]> = (tree, spot) => {
  if (tree.kind === "map") return expressionFields(tree, spot)?.dialects ?? [];
  const sql = text(tree, spot);
  return sql === undefined ? [] : [{ dialect: "ANSI_SQL", expression: sql }];
};

/** The one order in which we keep dialects: those of the format first. See `writtenDialects`. */
export function keptDialects(all: readonly Dialect[]): Dialect[] {
  const { inFormat, others } = split(all);
  const isStandIn =
    inFormat.length === 1 &&
    inFormat[0]?.dialect === "ANSI_SQL" &&
    inFormat[0].expression === others[0]?.expression;
  return isStandIn ? others : [...inFormat, ...others];
}

/** The format wants an expression in a dialect of its own: where there is none, ours stands in for it. */
export function writtenDialects(all: readonly Dialect[]): { inFormat: Dialect[]; others: Dialect[] } {
  const { inFormat, others } = split(all);
  if (inFormat.length > 0 || others[0] === undefined) return { inFormat, others };
  return { inFormat: [{ dialect: "ANSI_SQL", expression: others[0].expression }], others };
}

function split(all: readonly Dialect[]): { inFormat: Dialect[]; others: Dialect[] } {
  return {
    inFormat: all.filter(({ dialect }) => FORMAT_DIALECTS.has(dialect)),
    others: all.filter(({ dialect }) => !FORMAT_DIALECTS.has(dialect)),
  };
}

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
