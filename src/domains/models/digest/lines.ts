import type { AiContext } from "../model.ts";
import type { VisibleDataset, VisibleField, VisibleModel } from "../visible-model.ts";
import { code, enumOf, listOf, oneLine } from "./inline.ts";
import { authorType, typeOf } from "./short-type.ts";
import { sqlName, tableName } from "./sql-name.ts";

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
