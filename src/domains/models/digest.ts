import { AppError } from "../../kernel/errors.ts";
import { quoteName } from "../../kernel/sql-text.ts";
import { clip, nearest } from "../../kernel/text.ts";
import { LIMITS } from "./limits.ts";
import type { AiContext, DataType } from "./model.ts";
import type { VisibleDataset, VisibleField, VisibleModel } from "./visible-model.ts";

export const DIGEST_SCOPES = ["datasets", "relationships", "metrics"] as const;
type DigestScope = (typeof DIGEST_SCOPES)[number];

interface ModelDigest {
  markdown: string;
  page: number;
  /** Of the scope; without one, of the longest section. */
  pages: number;
  /** Items of the scope; without one, of all sections. */
  total: number;
}

/** Without a scope the model as a whole, with the first page of each section; `page` counts only with a scope. */
export function modelDigest(
  model: VisibleModel,
  { scope, page = 1, perPage }: { scope?: DigestScope; page?: number; perPage: number },
): ModelDigest {
  if (scope !== undefined) return sectionDigest(model, scope, page, perPage);
  const sections = DIGEST_SCOPES.map((each) => sectionDigest(model, each, 1, perPage));
  return {
    markdown: [head(model), ...sections.map(({ markdown }) => markdown)].join("\n\n"),
    page: 1,
    pages: Math.max(...sections.map(({ pages }) => pages)),
    total: sections.reduce((sum, { total }) => sum + total, 0),
  };
}

function head(model: VisibleModel): string {
  const { name, ai, datasets } = model;
  const [first] = datasets;
  return [
    `# ${words(oneLine(name), about(model))}`,
    ...block([ai.instructions ?? "", ...more(ai)].join("\n")),
    ...(ai.examples.length === 0 ? [] : ["Examples:", ...ai.examples.map((text) => `- ${oneLine(text)}`)]),
    ...(first === undefined ? [] : [`In SQL use bare dataset names: FROM ${tableName(first.name)}`]),
  ].join("\n");
}

function sectionDigest(model: VisibleModel, scope: DigestScope, page: number, perPage: number): ModelDigest {
  const next = `scope: "${scope}"`;
  const paged = <T>(all: readonly T[]) => pageOf(`the ${scope}`, all, page, perPage);
  const digest = <T>(heading: string, part: Page<T>, line: (item: T) => string): ModelDigest => ({
    markdown: section(heading, part, line, next),
    page,
    pages: part.pages,
    total: part.total,
  });
  switch (scope) {
    case "datasets":
      return digest(`## Datasets (${model.datasets.length})`, paged(model.datasets), datasetLine);
    case "relationships": {
      const { relationships } = model;
      const heading = `## Relationships (${relationships.length}${relationships.length === 0 ? "" : ", many-to-one"})`;
      return digest(heading, paged(relationships), (each) => relationshipLine(each, model));
    }
    case "metrics": {
      const { metrics } = model;
      const heading = `## Metrics (${metrics.length}${metrics.length === 0 ? "" : ", formulas to paste, not columns"})`;
      return digest(heading, paged(metrics), metricLine);
    }
  }
}

/** More names than these are no help in an error; the model's digest lists them. */
const NAMES_IN_ERROR_MAX = 30;

interface WantedDataset {
  name: string;
  page?: number;
}

interface DatasetsDigest {
  markdown: string;
  /** The pages that are in it, in the order in which they were asked for. */
  datasets: { name: string; page: number; pages: number; total: number }[];
}

/** Datasets with their fields, each with a page of its own. What is asked for twice comes once. */
export function datasetsDigest(
  model: VisibleModel,
  wanted: readonly WantedDataset[],
  { perPage }: { perPage: number },
): DatasetsDigest {
  if (wanted.length < 1 || wanted.length > LIMITS.models.datasetsPerCall) {
    throw new AppError(
      "bad_request",
      `Ask for 1 to ${LIMITS.models.datasetsPerCall} datasets in one call, not ${wanted.length}.`,
    );
  }
  const pages = new Map<string, { dataset: VisibleDataset; page: number }>();
  for (const { dataset, page } of found(model, wanted)) {
    pages.set(JSON.stringify([dataset.name, page]), { dataset, page });
  }
  const parts = [...pages.values()].map(({ dataset, page }) => datasetDigest(model, dataset, page, perPage));
  return {
    markdown: parts.map(({ markdown }) => markdown).join("\n\n"),
    datasets: parts.map(({ name, page, pages, total }) => ({ name, page, pages, total })),
  };
}

function datasetDigest(model: VisibleModel, dataset: VisibleDataset, page: number, perPage: number) {
  const { name, ai, fields } = dataset;
  const table = tableName(name);
  const part = pageOf(`the fields of ${table}`, fields, page, perPage);
  // What helps to find it (size, keys, synonyms) stands in the model's digest; whoever asks for page 2 has read page 1.
  const heading =
    page > 1
      ? [`## ${table}`]
      : [
          `## ${words(table, about({ ...dataset, ai: { ...ai, synonyms: [] } }))}`,
          ...block([ai.instructions ?? "", ...more(ai)].join("\n")),
        ];
  const next = `name: ${JSON.stringify(name)}`;
  const line = (field: (typeof fields)[number]) => fieldLine(field, dataset, model);
  const markdown = section(heading.join("\n"), part, line, next);
  return { markdown, name, page, pages: part.pages, total: part.total };
}

function found({ datasets }: VisibleModel, wanted: readonly WantedDataset[]) {
  const named = wanted.map(({ name, page = 1 }) => ({ name, page, dataset: lookUp(datasets, name) }));
  const unknown = named.filter(({ dataset }) => dataset === undefined).map(({ name }) => name);
  if (unknown.length > 0) throw noSuchDatasets([...new Set(unknown)], datasets);
  return named.map(({ dataset, page }) => ({ dataset: dataset as VisibleDataset, page }));
}

/** By its name, also in the quotes in which the digest shows it, or in another case if there is only one such. */
function lookUp(datasets: VisibleDataset[], name: string): VisibleDataset | undefined {
  const exact = datasets.find((dataset) => dataset.name === name || tableName(dataset.name) === name);
  if (exact !== undefined) return exact;
  const [similar, ...others] = datasets.filter(
    (dataset) => dataset.name.toLowerCase() === name.toLowerCase(),
  );
  return others.length === 0 ? similar : undefined;
}

function noSuchDatasets(unknown: string[], datasets: VisibleDataset[]): AppError {
  const names = datasets.map(({ name }) => name);
  const meant = [...new Set(unknown.flatMap((name) => nearest(name, names) ?? []))];
  const hints = [
    ...(meant.length === 0 ? [] : [`Did you mean ${meant.map(tableName).join(", ")}?`]),
    names.length > NAMES_IN_ERROR_MAX
      ? `It has ${names.length} datasets; the model's digest lists them (scope: "datasets").`
      : `Its datasets: ${names.map(tableName).join(", ")}.`,
  ];
  const list = unknown.map((name) => tableName(clip(name))).join(", ");
  const what = unknown.length === 1 ? "dataset" : "datasets";
  return new AppError("not_found", `This model has no ${what} ${list}.`, { hint: hints.join(" ") });
}

interface Page<T> {
  items: T[];
  /** Counts from 1. */
  page: number;
  pages: number;
  /** Items on all pages. */
  total: number;
  /** Items on the pages after this one. */
  left: number;
}

/** One page of a list. An empty list has one empty page. */
function pageOf<T>(what: string, all: readonly T[], page: number, perPage: number): Page<T> {
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  if (!Number.isInteger(page) || page < 1 || page > pages) {
    const count = pages === 1 ? "1 page" : `${pages} pages`;
    throw new AppError("bad_request", `There is no page ${page}: ${what} fill ${count}.`, {
      hint: pages === 1 ? "Ask for page 1." : `Ask for a page from 1 to ${pages}.`,
      data: { pages },
    });
  }
  const items = all.slice((page - 1) * perPage, page * perPage);
  return { items, page, pages, total: all.length, left: Math.max(0, all.length - page * perPage) };
}

/** A section: its heading with what there is, its lines, and how to get the next page if there is one. */
function section<T>(
  heading: string,
  { items, page, pages, left }: Page<T>,
  line: (item: T) => string,
  next: string,
): string {
  return [
    page === 1 ? heading : `${heading} page ${page} of ${pages}`,
    ...items.map((item) => `- ${line(item)}`),
    ...(left === 0 ? [] : [`${left} more: ${next}, page: ${page + 1}`]),
  ].join("\n");
}

type VisibleRelationship = VisibleModel["relationships"][number];
type VisibleMetric = VisibleModel["metrics"][number];

function datasetLine(dataset: VisibleDataset): string {
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
function fieldLine(field: VisibleField, { name, primaryKey }: VisibleDataset, model: VisibleModel): string {
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
function relationshipLine(relationship: VisibleRelationship, { datasets }: VisibleModel): string {
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

function metricLine({ name, sql, type, description, dataType, ai }: VisibleMetric): string {
  return words(
    oneLine(name),
    authorType(dataType) ?? typeOf({ type, dataType }),
    `= ${code(sql)}`,
    about({ description, ai }),
    remarks(ai),
  );
}

/** A dash and the description, then in italics what else it is called. */
function about(thing: { description: string | null; label?: string | null; ai: AiContext }): string {
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

function more({ more }: AiContext): string[] {
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
function words(...parts: (string | false | null)[]): string {
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
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** A text of several lines, quoted so that it stays a block of its own. */
function block(text: string): string[] {
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
