import { nodesIn } from "../query/parts.ts";
import type { Ask } from "../query/semantic-query.ts";
import { bestScore, type Linked } from "./link.ts";
import type { LinkSchema } from "./schema.ts";
import { isGrammar, plain } from "./words.ts";

/** A query, the datasets that its statement reads, and the texts of the question that are periods. */
export interface Stated {
  ask: Ask;
  read: ReadonlySet<string>;
  dates: readonly string[];
}

/**
 * What a query is made of and which words it leaves out, whoever made it: rules and drafts are told apart by it. It is
 * whole if each word that names something is in it, and beyond drafts if none can say it.
 */
export function askNumbers(
  schema: LinkSchema,
  linked: Linked,
  { ask, read, dates }: Stated,
): { numbers: number[]; isWhole: boolean; isBeyond: boolean } {
  const nodes = nodesIn(ask);
  const count = (...kinds: string[]) => nodes.filter(({ k }) => kinds.includes(k as string)).length;
  const has = (name: string) => flag(nodes.some((node) => node[name] !== undefined));
  const periods = count("during") + nodes.filter(({ win }) => win !== undefined).length;
  const fields = fieldsOf(schema, nodes);
  const around = { read, dates, nodes, hasPeriod: periods > 0 };
  const { left, unasked } = coverage(schema, linked, { ...around, fields });
  const all = new Set([...fields, ...waysOf(schema, nodes)]);
  const numbers = [
    flag(ask.k === "table"),
    ask.k === "table" ? ask.by.length : -1,
    ask.k === "table" ? ask.cols.length : ask.show.length,
    flag(ask.k === "list" && ask.distinct === true),
    periods,
    dates.length,
    flag(dates.length > 0) - flag(periods > 0 || has("bucket") > 0),
    has("bucket"),
    has("part") + has("since"),
    has("having"),
    has("per"),
    count("metric"),
    count("calc", "each"),
    count("lag", "running"),
    count("top") + flag(ask.k === "table" && ask.top !== undefined),
    count("link", "via"),
    count("not", "null"),
    count("or"),
    count("is"),
    count("cmp"),
    count("agg"),
    nodes.filter(({ fn }) => fn === "sum" || fn === "avg").length,
    read.size,
    left,
    ...unasked,
  ];
  const isBeyond = count("metric", "calc", "each", "lag", "running") + has("since") + has("part") > 0;
  const words = metricWords(nodes);
  return {
    numbers,
    isWhole: coverage(schema, linked, { ...around, fields: all, words }).left === 0,
    isBeyond,
  };
}

/** A metric stands for the words of its name: "total_revenue" is what "revenue" says. */
function metricWords(nodes: ReturnType<typeof nodesIn>): Set<string> {
  const names = nodes.flatMap(({ k, name }) => (k === "metric" && typeof name === "string" ? [name] : []));
  return new Set(names.flatMap((name) => plain(name.replaceAll("_", " ")).split(" ")));
}

/** Whether it leaves out a period that was named. */
export function isTimeless({ ask, dates }: Omit<Stated, "read">, { language }: Linked): boolean {
  const nodes = nodesIn(ask);
  if (nodes.some(({ k, win, bucket, part }) => k === "during" || (win ?? bucket ?? part) !== undefined))
    return false;
  const literals = new Set(
    nodes.flatMap(({ values, v, n }) => [...(Array.isArray(values) ? values : []), v, n].map(String)),
  );
  // "in 2022" is a number of a year as well, "March 2022" is none.
  const named = (text: string) =>
    text.split(/[^\p{L}\d]+/u).filter((word) => !isGrammar(word.toLowerCase(), language));
  return dates.some((text) => /\d/.test(text) && !named(text).every((word) => literals.has(word)));
}

const flag = (value: boolean) => (value ? 1 : 0);

/** The columns by which a query chooses one of several ways. */
function waysOf({ edges }: LinkSchema, nodes: ReturnType<typeof nodesIn>): number[] {
  const links = new Set(nodes.map(({ link }) => link));
  return edges.flatMap(({ link, fromColumn }) =>
    links.has(link.name) && fromColumn >= 0 ? [fromColumn] : [],
  );
}

function fieldsOf({ columns }: LinkSchema, nodes: ReturnType<typeof nodesIn>): Set<number> {
  const named = new Set(nodes.flatMap(({ ds, field }) => (field === undefined ? [] : [`${ds}\n${field}`])));
  return new Set(columns.flatMap(({ ds, field, index }) => (named.has(`${ds}\n${field}`) ? [index] : [])));
}

interface Around {
  fields: ReadonlySet<number>;
  read: ReadonlySet<string>;
  dates: readonly string[];
  nodes: ReturnType<typeof nodesIn>;
  hasPeriod: boolean;
  /** Words that it covers besides those of its fields and tables. */
  words?: ReadonlySet<string>;
}

/** Words that name something and are nothing of the query, and parts of the query that no word names. */
function coverage(
  { columns, tables }: LinkSchema,
  linked: Linked,
  { fields, read, dates, nodes, hasPeriod, words }: Around,
): { left: number; unasked: number[] } {
  const { tokens, marks, values, numbers } = linked;
  const covered = new Uint8Array(tokens.length);
  const cover = ({ start, end }: { start: number; end: number }) => covered.fill(1, start, end);
  for (const index of fields)
    for (const each of linked.columns[index] ?? []) if (each.score > 0.5) cover(each);
  for (const { index, ds } of tables)
    if (read.has(ds)) for (const each of linked.tables[index] ?? []) if (each.score > 0.5) cover(each);
  const literals = new Set(
    nodes.flatMap((node) => [...(Array.isArray(node.values) ? node.values : []), node.v, node.n].map(String)),
  );
  const plains = new Set([...literals].map(plain));
  for (const each of values)
    if (fields.has(each.column) && (plains.has(plain(each.value)) || plains.has(plain(each.part ?? ""))))
      cover(each);
  for (const { at, value } of numbers) if (literals.has(String(value))) covered[at] = 1;
  const ofDates = new Set(hasPeriod ? dates.flatMap((text) => plain(text).split(" ")) : []);
  for (const [i, { text }] of tokens.entries())
    if (ofDates.has(text) || words?.has(text) === true) covered[i] = 1;
  const isLeft = (mark: string) => marks.filter((each, i) => each === mark && covered[i] === 0).length;
  const said = new Set(values.map(({ value }) => plain(value)));
  const numbersSaid = new Set(numbers.map(({ value }) => String(value)));
  const isSaid = (value: unknown) =>
    typeof value === "number" ? numbersSaid.has(String(value)) : said.has(plain(String(value)));
  const unsaid = nodes
    .flatMap(({ k, values: all }) => (k === "is" && Array.isArray(all) ? all : []))
    .filter((value) => !isSaid(value));
  const isUnnamed = (index: number) => bestScore(linked.columns[index]) < 0.3;
  const isTableUnnamed = tables.filter(
    ({ index, ds }) =>
      read.has(ds) &&
      bestScore(linked.tables[index]) < 0.4 &&
      ![...fields].some((i) => columns[i]?.ds === ds),
  );
  return {
    left: isLeft("C") + isLeft("T") + isLeft("V") + isLeft("N"),
    unasked: [
      isLeft("C"),
      isLeft("T"),
      isLeft("V") + isLeft("N"),
      [...fields].filter(isUnnamed).length,
      isTableUnnamed.length,
      unsaid.length,
    ],
  };
}
