import { quoteName } from "../../../kernel/sql-text.ts";
import type { AiContext, DataType } from "../model.ts";
import type { VisibleDataset, VisibleField, VisibleModel } from "../visible-model.ts";

type VisibleRelationship = VisibleModel["relationships"][number];
type VisibleMetric = VisibleModel["metrics"][number];

export function datasetLine(dataset: VisibleDataset): string {
  const { name, primaryKey, uniqueKeys, fields } = dataset;
  const keys = [
    ...(primaryKey.length === 0 ? [] : [`PK ${columns(primaryKey)}`]),
    ...uniqueKeys.filter((key) => !sameColumns(key, primaryKey)).map((key) => `unique ${columns(key)}`),
  ];
  const rows = dataset.rowCount === null ? [] : [count(dataset.rowCount, "row")];
  const facts = [...rows, count(fields.length, "field"), ...keys].join(", ");
  return words(tableName(name), facts, about(dataset), remarks(dataset.ai));
}

/** A foreign key names its partner's column only where that is called otherwise. */
export function fieldLine(
  field: VisibleField,
  { name, primaryKey }: VisibleDataset,
  model: VisibleModel,
): string {
  const partners = model.relationships
    .filter(({ from, fromColumns }) => from === name && sameColumns(fromColumns, [field.name]))
    .map(({ to, toColumns }) => (sameColumns(toColumns, [field.name]) ? sqlName(to) : end(to, toColumns)));
  return words(
    `**${sqlName(field.name)}**`,
    typeOf(field),
    primaryKey.includes(field.name) && "PK",
    field.isTime !== null && (field.isTime ? "time-dim" : "dim"),
    partners.length > 0 && `→ ${partners.join(", ")}`,
    field.distinctValues.length > 0 && enumOf(field.distinctValues),
    field.sql !== null && `= ${code(field.sql)}`,
    about(field),
    remarks(field.ai),
  );
}

/** Many-to-one, which the section's heading says, unless the columns are also a key of the dataset they are in. */
export function relationshipLine(relationship: VisibleRelationship, { datasets }: VisibleModel): string {
  const { name, from, to, fromColumns, toColumns, ai } = relationship;
  const source = datasets.find((dataset) => dataset.name === from);
  const keys = source === undefined ? [] : [source.primaryKey, ...source.uniqueKeys];
  return words(
    `${oneLine(name)}: ${end(from, fromColumns)} → ${end(to, toColumns)}`,
    keys.some((key) => sameColumns(key, fromColumns)) && "one-to-one",
    about({ description: null, ai }),
    remarks(ai),
  );
}

export function metricLine({ name, sql, type, description, dataType, ai }: VisibleMetric): string {
  return words(
    oneLine(name),
    authorType(dataType) ?? typeOf({ type, dataType }),
    `= ${code(sql)}`,
    about({ description, ai }),
    remarks(ai),
  );
}

/** A dash and the description, then in italics what else it is called. */
export function about(thing: { description: string | null; label?: string | null; ai: AiContext }): string {
  const { description, label, ai } = thing;
  const otherNames = label ? [label, ...ai.synonyms.filter((synonym) => synonym !== label)] : ai.synonyms;
  return words(
    description && `— ${oneLine(description)}`,
    otherNames.length > 0 && `*${listOf(otherNames)}*`,
  );
}

/** Examples, instructions, and whatever further keys the author has put beside them. */
function remarks(ai: AiContext): string {
  return words(
    ai.examples.length > 0 && `e.g. ${listOf(ai.examples)}`,
    ai.instructions && `Note: ${oneLine(ai.instructions)}`,
    ...more(ai).map(oneLine),
  );
}

export function more({ more }: AiContext): string[] {
  return Object.entries(more).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
}

/** One end of a relationship: `orders.customer_id`, `order_items.(order_id, line)`. */
function end(dataset: string, names: string[]): string {
  return `${sqlName(dataset)}.${columns(names)}`;
}

function columns(names: string[]): string {
  const list = names.map(sqlName).join(", ");
  return names.length === 1 ? list : `(${list})`;
}

function sameColumns(some: string[], others: string[]): boolean {
  return some.length > 0 && some.length === others.length && some.every((name) => others.includes(name));
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** What there is, with spaces between. */
export function words(...parts: (string | false | null)[]): string {
  return parts.filter(Boolean).join(" ");
}

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
function authorType(dataType: DataType | null): string | null {
  return dataType && OF_AUTHOR[dataType];
}

/** A type in one word that needs no legend. Nested types are kept whole, since a query needs their insides. */
function typeOf({ type, dataType }: { type: string; dataType: DataType | null }): string | null {
  const line = oneLine(type);
  if (line === "") return authorType(dataType);
  const [, element = line, brackets = ""] = /^(.*?)((?:\[\d*\])*)$/s.exec(line) ?? [];
  if (/^(STRUCT|MAP|UNION)\b/i.test(element)) return line;
  const found = OF_ENGINE.find(([pattern]) => pattern.test(element.toUpperCase()));
  return (found?.[1] ?? element.toLowerCase()) + brackets;
}

/** The words that DuckDB takes for something else than a column; `sql-name.test.ts` asks it. */
const KEYWORDS = new Set(
  `all analyse analyze and anti any array as asc asof asymmetric at authorization binary both by case cast check
  collate collation column columns concurrently constraint create cross default deferrable desc describe distinct
  do else end except false fetch for foreign freeze from full generated glob group having ilike in initially inner
  intersect into is isnull join lambda lateral leading left like limit map natural not notnull null offset on only
  or order outer overlaps pivot pivot_longer pivot_wider placing positional primary qualify references returning
  right select semi show similar some struct summarize symmetric table tablesample then to trailing true try_cast
  union unique unpack unpivot using variadic verbose when where window with`.split(/\s+/),
);

/** A name as it is written in SQL: quoted only where it must be, since quotes cost tokens. */
export function sqlName(name: string): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/i.test(name) && !KEYWORDS.has(name.toLowerCase());
  return isPlain ? name : tableName(name);
}

/** A dataset's name for FROM: always quoted, so that it stands out as the name of a table. */
export function tableName(name: string): string {
  // A line break in a name cannot be shown on one line; everything else is kept as it is.
  return quoteName(name.toWellFormed().replace(/[\p{Cc}\u2028\u2029]/gu, " "));
}

/**
 * The texts of a model come from its author and may hold anything. One thing stays one line, and no text begins a
 * line, so none can look like a heading or like another field.
 */

/** What authors list may be long; the digest says how many values it leaves out. */
const ENUM_VALUES_MAX = 100;

/** Of one text: line breaks, control characters and runs of spaces become a space. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** A text of several lines, quoted so that it stays a block of its own. */
export function block(text: string): string[] {
  return text
    .toWellFormed()
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
    .map((line) => line.replace(/\p{Cc}+/gu, " ").trimEnd())
    .filter((line) => line !== "")
    .map((line) => `> ${line}`);
}

/** SQL between as many backticks as it takes. */
function code(sql: string): string {
  const text = sqlOnOneLine(sql);
  const runs = (text.match(/`+/g) ?? []).map(({ length }) => length);
  if (runs.length === 0) return `\`${text}\``;
  const fence = "`".repeat(Math.max(...runs) + 1);
  return `${fence} ${text} ${fence}`;
}

/** A comment to the end of the line would swallow the rest once there is only one line. */
function sqlOnOneLine(sql: string): string {
  const parts = /'[^']*(?:'|$)|"[^"]*(?:"|$)|\/\*[\s\S]*?(?:\*\/|$)|--([^\n\r]*)/g;
  const safe = sql.replace(parts, (part, comment: string | undefined) =>
    comment === undefined ? part : `/* ${comment.replaceAll("*/", "").trim()} */`,
  );
  return oneLine(safe);
}

function enumOf(values: readonly (string | number | boolean)[]): string {
  const shown = values.slice(0, ENUM_VALUES_MAX).map((value) => listed(String(value)));
  if (values.length > shown.length) shown.push(`… ${values.length - shown.length} more`);
  return `{${shown.join(", ")}}`;
}

function listOf(texts: readonly string[]): string {
  return texts.map(listed).join(", ");
}

/** One of a list: between quotes where it would look like two, or like the list's end. */
function listed(text: string): string {
  const line = oneLine(text);
  return line === "" || /[,{}*]|^'|^…/.test(line) ? `'${line.replaceAll("'", "''")}'` : line;
}
