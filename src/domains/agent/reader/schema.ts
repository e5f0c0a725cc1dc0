import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Link } from "../query/schema.ts";
import type { ReaderLanguage } from "./language.ts";
import { nameWords, plain, stemOf } from "./words.ts";

/** A field as questions are linked to it. */
export interface Column {
  index: number;
  table: number;
  ds: string;
  field: string;
  words: string[];
  stems: string[];
  kind: "number" | "text" | "date" | "boolean";
  isKey: boolean;
  isUnique: boolean;
  /** The column of another table that its values are of; -1 where they are of none. */
  foreign: number;
  rows: number;
  distinct: number;
  min: number;
  max: number;
  isWhole: boolean;
  /** It is called an id or a code. */
  isId: boolean;
  /** How much it is called a name, from 0 to 3. */
  nameLike: number;
  hasYear: boolean;
}

export interface Table {
  index: number;
  ds: string;
  words: string[];
  stems: string[];
  columns: number[];
  rows: number;
  /** The column that is its key, and the one that its rows are called by; -1 where there is none. */
  key: number;
  label: number;
  /** It only links others. */
  isBridge: boolean;
}

/** Rows of `from` belong to one row of `to`. */
export interface Edge {
  link: Link;
  from: number;
  to: number;
  fromColumn: number;
  toColumn: number;
  cost: number;
}

/** What the words of a question can be linked to. */
export interface LinkSchema {
  tables: Table[];
  columns: Column[];
  edges: Edge[];
  /** By table. */
  adjacent: Edge[][];
  /** By value, as they are compared. */
  values: ReadonlyMap<string, { column: number; value: string }[]>;
  /** Between tables, along edges. */
  distance: number[][];
}

const known = new WeakMap<Knowledge, Map<string, LinkSchema>>();

export function linkSchemaOf(knowledge: Knowledge, language: ReaderLanguage): LinkSchema {
  const byLanguage = known.get(knowledge) ?? new Map<string, LinkSchema>();
  known.set(knowledge, byLanguage);
  const schema = byLanguage.get(language.id) ?? buildSchema(knowledge, language);
  byLanguage.set(language.id, schema);
  return schema;
}

function buildSchema(knowledge: Knowledge, language: ReaderLanguage): LinkSchema {
  const tables: Table[] = [];
  const columns: Column[] = [];
  for (const dataset of knowledge.model.datasets) addTable(dataset, knowledge, language, { tables, columns });
  const edges = edgesOf(knowledge, tables, columns);
  for (const { fromColumn, toColumn } of edges) {
    const from = columns[fromColumn];
    if (from !== undefined && from.foreign === -1) from.foreign = toColumn;
  }
  const adjacent = tables.map(({ index }) => edges.filter(({ from, to }) => from === index || to === index));
  for (const table of tables) {
    const foreign = table.columns.filter((i) => (columns[i] as Column).foreign >= 0);
    table.isBridge = foreign.length >= 2 && table.columns.length <= 5;
  }
  const distance = tables.map(({ index }) => distancesFrom(index, tables.length, adjacent));
  return { tables, columns, edges, adjacent, values: valuesIn(knowledge, columns), distance };
}

type VisibleDataset = Knowledge["model"]["datasets"][number];

function addTable(
  { name: ds, primaryKey, uniqueKeys, rowCount }: VisibleDataset,
  { schema, profiles = [] }: Knowledge,
  language: ReaderLanguage,
  { tables, columns }: { tables: Table[]; columns: Column[] },
): void {
  const dataset = schema.datasets.get(ds);
  if (dataset === undefined) return;
  const words = nameWords(ds);
  const counted = profiles.filter((profile) => profile.ds === ds);
  const index = tables.length;
  const own: Column[] = [];
  for (const { name: field, kind, finest } of dataset.fields.values()) {
    const isNumbering = dataset.isNumbered && field === primaryKey[0];
    // A year that was made a date stands beside the number that it was made of.
    if (kind === "other" || isNumbering || finest === "year") continue;
    const profile = counted.find((each) => each.field === field);
    const rows = profile?.rows ?? rowCount ?? 0;
    const fieldWords = nameWords(field);
    const isAlone = [primaryKey, ...uniqueKeys].some((key) => key.length === 1 && key[0] === field);
    own.push({
      index: columns.length + own.length,
      table: index,
      ds,
      field,
      words: fieldWords,
      stems: fieldWords.map((word) => stemOf(word, language)),
      kind,
      isKey: primaryKey.length === 1 && primaryKey[0] === field,
      isUnique: isAlone || (rows > 0 && (profile?.distinct ?? 0) >= rows * 0.98),
      foreign: -1,
      rows,
      distinct: Math.min(profile?.distinct ?? rows, rows),
      min: profile?.min ?? Number.NEGATIVE_INFINITY,
      max: profile?.max ?? Number.POSITIVE_INFINITY,
      isWhole: profile?.isWhole ?? true,
      isId: ID.test(field),
      nameLike: nameLikeness(kind, fieldWords),
      hasYear: fieldWords.includes("year") || fieldWords.includes("jahr"),
    });
  }
  columns.push(...own);
  tables.push({
    index,
    ds,
    words,
    stems: words.map((word) => stemOf(word, language)),
    columns: own.map((column) => column.index),
    rows: rowCount ?? own[0]?.rows ?? 0,
    key: own.find(({ isKey }) => isKey)?.index ?? -1,
    label: labelOf(own, dataset.nameField),
    isBridge: false,
  });
}

const ID = /(^|_)(id|code|no|key|nr|nummer)$/i;
const PART_OF_NAME = new Set(["first", "last", "middle", "family", "file", "user", "vor", "nach"]);

function nameLikeness(kind: string, words: readonly string[]): number {
  if (kind !== "text") return 0;
  if (words.includes("name")) return words.some((word) => PART_OF_NAME.has(word)) ? 2 : 3;
  return words.includes("title") || words.includes("titel") ? 2.5 : 0;
}

/** What rows are called by: their name, or else the first text that tells them apart. */
function labelOf(columns: readonly Column[], nameField: string | null): number {
  const named = columns.filter(({ nameLike }) => nameLike > 0);
  const best = named.toSorted((a, b) => b.nameLike - a.nameLike || a.index - b.index)[0];
  const texts = columns.filter(({ kind, isId }) => kind === "text" && !isId);
  const called = columns.find(({ field }) => field === nameField);
  return (best ?? called ?? texts.find(({ isUnique }) => isUnique) ?? texts[0] ?? columns[0])?.index ?? -1;
}

/** What a step costs that only a table's name speaks for, as against one between keys. */
const HOP = 1;

function edgesOf({ schema }: Knowledge, tables: readonly Table[], columns: readonly Column[]): Edge[] {
  const place = new Map(tables.map(({ ds, index }) => [ds, index]));
  const columnOf = (ds: string, field: string | undefined) =>
    columns.find((column) => column.ds === ds && column.field === field)?.index ?? -1;
  return [...schema.links.values()].flatMap((link) => {
    const [from, to] = [place.get(link.from), place.get(link.to)];
    if (from === undefined || to === undefined || from === to || link.isSoft === true) return [];
    const fromColumn = columnOf(link.from, link.columns[0]?.from);
    const toColumn = columnOf(link.to, link.columns[0]?.to);
    return [{ link, from, to, fromColumn, toColumn, cost: HOP * link.cost }];
  });
}

function distancesFrom(start: number, count: number, adjacent: readonly Edge[][]): number[] {
  const distances = Array.from({ length: count }, () => Number.POSITIVE_INFINITY);
  distances[start] = 0;
  const open = new Set(distances.keys());
  while (open.size > 0) {
    const near = [...open].reduce((a, b) => ((distances[a] as number) <= (distances[b] as number) ? a : b));
    open.delete(near);
    for (const { from, to, cost } of adjacent[near] ?? []) {
      const next = from === near ? to : from;
      distances[next] = Math.min(distances[next] as number, (distances[near] as number) + cost);
    }
  }
  return distances;
}

/** Longest value that is looked for in a question. */
const VALUE_CHARACTERS = 60;

function valuesIn({ values }: Knowledge, columns: readonly Column[]): LinkSchema["values"] {
  const place = new Map(columns.map(({ ds, field, index }) => [`${ds}\n${field}`, index]));
  const index = new Map<string, { column: number; value: string }[]>();
  for (const { ds, field, values: all } of values) {
    const column = place.get(`${ds}\n${field}`);
    if (column === undefined) continue;
    for (const value of all) {
      const key = plain(value);
      if (key === "" || key.length > VALUE_CHARACTERS) continue;
      const hits = index.get(key);
      if (hits === undefined) index.set(key, [{ column, value }]);
      else if (!hits.some((hit) => hit.column === column)) hits.push({ column, value });
    }
  }
  return index;
}
