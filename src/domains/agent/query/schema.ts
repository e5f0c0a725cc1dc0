import { columnKind } from "../../../kernel/values.ts";
import type { VisibleModel } from "../../models/index.ts";
import { type ColumnRef, type MetricFormula, splitFormula } from "./metric-formula.ts";
import type { Key } from "./semantic-query.ts";

/** What the compiler has to know of a model, as one caller sees it. */
export interface Schema {
  datasets: ReadonlyMap<string, SchemaDataset>;
  links: ReadonlyMap<string, Link>;
  metrics: ReadonlyMap<string, SchemaMetric>;
  /** The month in which the fiscal year starts. */
  fiscalMonth: number;
  /** Monday when left out. */
  weekStart?: "monday" | "sunday" | "saturday";
  /** From when to when there are rows, by each date. */
  periods?: readonly DataPeriod[];
}

/** The days that the rows of a dataset are about by one of its dates, as far as this caller sees them. */
export interface DataPeriod {
  ds: string;
  field: string;
  first: string;
  last: string;
}

export interface SchemaDataset {
  name: string;
  fields: ReadonlyMap<string, SchemaField>;
  /** What tells one entity from another: the primary key, or else the name; of rows that are events, nothing. */
  key: readonly string[];
  /** Whether each row is one entity. */
  isKeyed: boolean;
  /** The key only numbers rows, of which nothing is known that tells them apart. */
  isNumbered: boolean;
  /** The field that people call an entity by. */
  nameField: string | null;
  /** The date that is meant when none is named. */
  date: Key | null;
}

export interface SchemaField {
  name: string;
  type: string;
  kind: "text" | "number" | "date" | "boolean" | "other";
  /** Whether the author says that it tells rows apart, rather than how much there is. */
  isDimension: boolean;
  /** Of a date only this is known. */
  finest?: "year" | "month";
  /** How it is written in the data where it has no value. */
  blank?: string;
}

/** Each row of `from` has at most one partner in `to`. */
export interface Link {
  name: string;
  from: string;
  to: string;
  columns: { from: string; to: string }[];
  /** What a step along it costs where there are several ways: less for those that the author prefers. */
  cost: number;
  /** Found by its values, and not named by the author. */
  isSoft?: true;
}

export interface SchemaMetric {
  name: string;
  formula: MetricFormula;
  date: Key | null;
}

/** The days of the rows by one date. */
export function daysOf(
  { periods = [] }: Schema,
  date: Pick<DataPeriod, "ds" | "field"> | null | undefined,
): DataPeriod | undefined {
  return periods.find(({ ds, field }) => ds === date?.ds && field === date.field);
}

/** What the author's instructions settle for the compiler. */
export interface SchemaRules {
  fiscalMonth?: number;
  /** The date of a metric or dataset, by its name. */
  dates?: ReadonlyMap<string, Key>;
  /** Links to be taken where there are several ways. */
  preferredLinks?: ReadonlySet<string>;
}

const HOP_COST = 1;
const PREFERRED_COST = 0.5;

export function schemaOf(
  model: VisibleModel,
  { rules = {}, isAggregate }: { rules?: SchemaRules; isAggregate: (name: string) => boolean },
): Schema {
  const datasets = new Map(
    model.datasets.map((dataset) => {
      const links = model.relationships.filter(({ from }) => from === dataset.name);
      const foreign = new Set(links.flatMap(({ fromColumns }) => fromColumns));
      return [dataset.name, datasetSchema(dataset, foreign, rules)] as const;
    }),
  );
  const links = new Map(
    model.relationships.map(({ name, from, to, fromColumns, toColumns }) => {
      const columns = fromColumns.map((column, i) => ({ from: column, to: toColumns[i] as string }));
      const cost = rules.preferredLinks?.has(name) ? PREFERRED_COST : HOP_COST;
      return [name, { name, from, to, columns, cost }] as const;
    }),
  );
  // What happened without a date of its own goes by that of what it belongs to; somebody with a name goes by none.
  for (const [name, dataset] of datasets) {
    const { nameField, key, date } = dataset;
    if (date === null && (nameField === null || key.includes(nameField)))
      datasets.set(name, { ...dataset, date: nearestDate(name, datasets, links) });
  }
  const find = (dataset: string | null, column: string) => findColumn(datasets, dataset, column);
  const metrics = new Map<string, SchemaMetric>();
  for (const { name, sql } of model.metrics) {
    const formula = splitFormula(sql, { isAggregate, find });
    if (formula !== undefined) metrics.set(name, { name, formula, date: rules.dates?.get(name) ?? null });
  }
  return { datasets, links, metrics, fiscalMonth: rules.fiscalMonth ?? 1 };
}

function nearestDate(
  from: string,
  datasets: ReadonlyMap<string, SchemaDataset>,
  links: ReadonlyMap<string, Link>,
): Key | null {
  const seen = new Set([from]);
  for (const place of seen) {
    const date = datasets.get(place)?.date ?? null;
    if (date !== null) return date;
    for (const link of links.values()) if (link.from === place) seen.add(link.to);
  }
  return null;
}

function datasetSchema(
  dataset: VisibleModel["datasets"][number],
  foreign: ReadonlySet<string>,
  { dates }: SchemaRules,
): SchemaDataset {
  const fields = new Map(
    dataset.fields.map(({ name, type, isTime, sql, ai: { more } }) => {
      const field: SchemaField = {
        name,
        type,
        kind: kindOf(type, isTime),
        isDimension: isTime !== null,
        ...(NEW_YEAR.test(sql ?? "") && { finest: "year" }),
        ...(FIRST_DAY.test(sql ?? "") && { finest: "month" }),
        ...(typeof more["blank"] === "string" && { blank: more["blank"] }),
      };
      return [name, field] as const;
    }),
  );
  const nameField = nameFieldOf(dataset, foreign);
  const dated = dataset.fields.filter(({ name }) => fields.get(name)?.kind === "date");
  // Nobody is asked about in the year in which they were born.
  const firstDate = dated.find(({ name }) => !OF_LIFE.test(name));
  // What happened to others at some time is a row for each time, and a name does not tell them apart.
  const isEvents = dataset.primaryKey.length === 0 && firstDate !== undefined && foreign.size > 0;
  const isKeyed = dataset.primaryKey.length > 0 || isEvents;
  const key = isKeyed ? dataset.primaryKey : nameField === null ? [] : [nameField];
  const date = firstDate === undefined ? null : { ds: dataset.name, field: firstDate.name };
  return {
    name: dataset.name,
    fields,
    key,
    isKeyed,
    isNumbered: isNumbered(dataset),
    nameField,
    date: dates?.get(dataset.name) ?? date,
  };
}

/** Made of a year alone, or of a year and a month. */
const NEW_YEAR = /^make_date\([^,]+, 1, 1\)$/i;
const FIRST_DAY = /\|\| '-' \|\| '1', \['%Y-/;

/** As an inferred model numbers rows that nothing tells apart; such a number is nobody's name. */
function isNumbered({ primaryKey }: Pick<VisibleModel["datasets"][number], "primaryKey">): boolean {
  return primaryKey.length === 1 && primaryKey[0] === "row_number";
}

/** Dates by which nothing else goes. */
const OF_LIFE = /birth|born|^dob$|death|died/i;

const NAMES = /(^|_)(name|title|label)$|^(company|firm|firma)$/i;
/** Names of somebody whom a row only speaks of: the ship name of an order is whom it was sent to. */
const OF_OTHERS =
  /^(ship|shipping|ship_to|bill|billing|bill_to|delivery|recipient|receiver|sender|contact|emergency)_.*(name|title)$/i;

/** The text that stands for an entity: called `name`, or like the dataset; else the first dimension of text. */
function nameFieldOf(
  { name, fields, primaryKey }: VisibleModel["datasets"][number],
  foreign: ReadonlySet<string>,
): string | null {
  const stem = name.toLowerCase().replace(/s$/, "");
  // Ships have a ship name of their own.
  const isOthers = (field: string) => OF_OTHERS.test(field) && !field.toLowerCase().startsWith(stem);
  const texts = fields.filter(
    ({ name: field, type, isTime }) =>
      isTime !== null &&
      kindOf(type, isTime) === "text" &&
      (primaryKey.length > 0 ? !isOthers(field) : !foreign.has(field)),
  );
  const named = texts.find(
    ({ name: field }) => /(^|_)name$/i.test(field) && field.toLowerCase().startsWith(stem),
  );
  const isNumber = isNumbered({ primaryKey });
  // Of rows that are only numbered, the name of an airport is something that many of them have.
  const called = isNumber ? /^(full_?)?(name|title|label)$/i : NAMES;
  const found =
    named ??
    texts.find(({ name: field }) => called.test(field)) ??
    texts.find(({ ai }) => ai.synonyms.includes("name")) ??
    texts.find(({ name: field }) => singular(field) === singular(name)) ??
    (primaryKey.length === 0 ? texts[0] : undefined);
  return found?.name ?? (primaryKey.length === 1 && !isNumber ? (primaryKey[0] as string) : null);
}

function singular(word: string): string {
  return word.toLowerCase().replace(/ies$/, "y").replace(/s$/, "");
}

export function kindOf(type: string, isTime: boolean | null): SchemaField["kind"] {
  const kind = /^UUID$/i.test(type) ? "text" : columnKind(type);
  return kind === "text" && isTime === true ? "other" : kind;
}

function findColumn(
  datasets: ReadonlyMap<string, SchemaDataset>,
  dataset: string | null,
  column: string,
): ColumnRef | undefined {
  for (const { name, fields } of datasets.values()) {
    if (dataset !== null && name.toLowerCase() !== dataset.toLowerCase()) continue;
    const field = [...fields.keys()].find((each) => each.toLowerCase() === column.toLowerCase());
    if (field !== undefined) return { ds: name, field };
    // A metric may name a column that is no field; the view of its dataset has it as well.
    if (dataset !== null) return { ds: name, field: column };
  }
  return undefined;
}
