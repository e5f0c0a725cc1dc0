import { quoteName } from "../../../kernel/sql-text.ts";
import { allOf, bare, condsOf, isEqual, relConds } from "../query/parts.ts";
import type { Link, Schema } from "../query/schema.ts";
import {
  type Aggregate,
  type Cond,
  datasetOf,
  type Hop,
  type Key,
  type Num,
  type Rel,
  type Scope,
} from "../query/semantic-query.ts";
import { CompileError, endOf, homesIn, linkOf, toOnePath } from "./paths.ts";
import type { RowCompiler } from "./row-compiler.ts";
import { columnOf, type Rows } from "./rows.ts";

/** How rows are told apart by what each of them may belong to in several ways. */
export interface Spread {
  way: ManyWay;
  /** What is said of the rows along the way. */
  conds: readonly Cond[];
}

/** The rows that a number of groups is made of, with what is said of them, and how they are told apart. */
export function toldApart(
  compiler: RowCompiler,
  of: Rel,
  scope: Scope,
  by: readonly Key[],
): { rows: Rows; scope: Scope; spread: Spread | undefined } {
  const way = scope.whole === true ? undefined : wayTo(compiler.schema, compiler.datasetOf(of), by);
  if (way === undefined) return { rows: compiler.rows(of), scope, spread: undefined };
  const isPlain = bare(of).k === "all";
  const said = [...(isPlain ? relConds(of) : []), ...condsOf(scope.if)];
  const { own, along } = alongTheWay(compiler.schema, way, said);
  const { if: _, ...rest } = scope;
  const all = allOf(own);
  return {
    rows: compiler.rows(isPlain ? bare(of) : of),
    scope: { ...rest, ...(all && { if: all }) },
    spread: { way, conds: along },
  };
}

/** The way to those keys that rows have several of; what no way leads to cannot tell them apart. */
function wayTo(schema: Schema, ds: string, by: readonly Key[]): ManyWay | undefined {
  const far = by.filter((key) => isFar(schema, ds, key));
  const ways = far.map((key) => manyWay(schema, ds, key) ?? untold(ds, key));
  const longest = ways.toSorted((a, b) => b.hops.length - a.hops.length)[0];
  const other = far.find((_, i) => !isAlong(ways[i] as ManyWay, longest as ManyWay));
  if (other !== undefined) untold(ds, other);
  return longest;
}

function isFar(schema: Schema, ds: string, { bucket, part, ...key }: Key): boolean {
  const isTime = bucket !== undefined || part !== undefined;
  return !isTime && toOnePath(schema, ds, key.ds, key.path) === undefined;
}

function isAlong({ at, hops }: ManyWay, whole: ManyWay): boolean {
  return at === whole.at && isEqual(hops, whole.hops.slice(0, hops.length));
}

function untold(ds: string, key: Key): never {
  throw new CompileError(`${ds} cannot be told apart by ${key.field} of ${key.ds}.`);
}

/**
 * What is said of rows along the way is said of those that tell them apart: orders by product, of products of one
 * category, are not told apart by the others that are in them.
 */
function alongTheWay(schema: Schema, way: ManyWay, conds: readonly Cond[]): { own: Cond[]; along: Cond[] } {
  const [own, along]: [Cond[], Cond[]] = [[], []];
  for (const cond of conds) {
    const said = saidAlong(schema, way, cond);
    if (said === undefined) own.push(cond);
    else along.push(...said);
  }
  return { own, along };
}

function saidAlong(schema: Schema, { at, hops, last }: ManyWay, cond: Cond): Cond[] | undefined {
  if (cond.k !== "link" || cond.at !== at || cond.count !== undefined) return undefined;
  const { path, to } = cond;
  const isSame = (i: number) => path[i]?.link === hops[i]?.link && path[i]?.dir === hops[i]?.dir;
  const parting = hops.findIndex((_, i) => !isSame(i));
  const shared = parting === -1 ? hops.length : parting;
  if (shared === 0) return undefined;
  const place = endOf(schema, hops.slice(0, shared));
  if (place === last && path.length === shared && bare(to).k === "all") return relConds(to);
  if (place !== last && toOnePath(schema, last, place) === undefined) return undefined;
  return [{ k: "link", at: place, path: path.slice(shared), to }];
}

/** Joins each row with every different one of what it is told apart by, and gives the columns of these. */
export function joinSpread(
  compiler: RowCompiler,
  rows: Rows,
  { way, conds }: Spread,
  keys: readonly { name: string; key: Key }[],
): Map<Key, string> {
  const told = keys.filter(({ key }) => isFar(compiler.schema, rows.ds, key));
  const target = compiler.all(way.last);
  for (const cond of conds) target.where(compiler.condition(target, cond));
  const { columns } = linkOf(compiler.schema, way.hops[0]?.link as string);
  const near = compiler.joinBack(target, way.hops.slice(1));
  const ids = columns.map(({ from }, i) => `${columnOf(near, from)} AS l${i + 1}`);
  const shown = told.map(({ name, key }) => {
    if (key.ds !== way.last || key.path !== undefined) target.where(compiler.isThere(target, key));
    return `${target.column(key)} AS ${name}`;
  });
  const pairs = `SELECT DISTINCT ${[...ids, ...shown].join(", ")} ${target.from()}`;
  const alias = compiler.alias(way.last);
  const start = rows.aliasOf(way.at);
  const on = columns.map(({ to }, i) => `${columnOf(alias, `l${i + 1}`)} = ${columnOf(start, to)}`);
  rows.innerJoin(`JOIN (${pairs}) AS ${quoteName(alias)} ON ${on.join(" AND ")}`);
  const names = columns.map((_, i) => `l${i + 1}`).join(", ");
  compiler.noteSpread({
    ds: rows.ds,
    keys: told.map(({ key }) => key),
    sql: `SELECT 1 FROM (${pairs}) AS pairs GROUP BY ${names} HAVING count(*) > 1 LIMIT 1`,
  });
  return new Map(told.map(({ name, key }) => [key, columnOf(alias, name)]));
}

/** What an aggregate is. */
interface Kind {
  fn: string;
  isCount: boolean;
}

/** What is the same however often it is met is told by whatever rows have; anything else by what a bridge leads to. */
function isFit({ isBridged }: ManyWay, { fn, isCount }: Kind): boolean {
  return isCount || fn === "min" || fn === "max" || (isBridged && /^(sum|avg|median)$/.test(fn));
}

export function requireTold({ way }: Spread, kind: Kind, ds: string, by: readonly Key[]): void {
  const far = by.find(({ bucket, part }) => bucket === undefined && part === undefined);
  if (!isFit(way, kind)) untold(ds, far as Key);
}

/** Whether this number of a dataset can be told apart by a key that each row has several of. */
export function isToldBy(
  schema: Schema,
  num: Extract<Num, { k: "metric" | "agg" }>,
  ds: string,
  key: Key,
): boolean {
  const way = manyWay(schema, ds, key);
  const kinds: Kind[] =
    num.k === "metric"
      ? (schema.metrics.get(num.name)?.formula.aggregates ?? [])
      : [{ fn: num.fn, isCount: num.fn === "count" || num.fn === "distinct" }];
  const homes = new Set(homesOf(schema, num));
  return way !== undefined && homes.size === 1 && kinds.every((kind) => isFit(way, kind));
}

/** Whether a number counts for several of the groups that these keys make. */
export function isSpread(schema: Schema, num: Num, by: readonly Key[]): boolean {
  return homesOf(schema, num).some((home) => by.some((key) => isFar(schema, home, key)));
}

/** Parts that are told apart in different ways are not divided by each other: revenue of a product by orders with it. */
export function requireAlike(schema: Schema, nums: readonly Num[], by: readonly Key[]): void {
  const apart = nums.filter((num) => homesOf(schema, num).length > 0).map((num) => isSpread(schema, num, by));
  if (new Set(apart).size > 1)
    throw new CompileError("What belongs to one of the groups is not set against what belongs to several.");
}

/** The same of the parts of a metric. */
export function requireOneHome(schema: Schema, name: string, by: readonly Key[]): void {
  const homes = new Set(homesOf(schema, { k: "metric", name }));
  if (homes.size > 1 && isSpread(schema, { k: "metric", name }, by))
    throw new CompileError(
      `${name} is made of what belongs to one of the groups and of what belongs to several.`,
    );
}

/** The numbers of groups that rows are in several times are no parts of a whole. */
export function requireEach(schema: Schema, fn: Aggregate, of: Num, by: readonly Key[]): void {
  if (!isSpread(schema, of, by)) return;
  const isCounted =
    of.k === "agg"
      ? of.fn === "count" || of.fn === "distinct"
      : of.k === "metric" && schema.metrics.get(of.name)?.formula.only?.isCount === true;
  if (fn === "sum" || ((fn === "avg" || fn === "median") && !isCounted))
    throw new CompileError("Groups that share rows have no total and no average.");
}

/** The datasets whose rows a number of groups is made of. */
function homesOf(schema: Schema, num: Num): string[] {
  if ("scope" in num && num.scope?.whole === true) return [];
  switch (num.k) {
    case "metric": {
      const { aggregates = [] } = schema.metrics.get(num.name)?.formula ?? {};
      return aggregates.flatMap((each) => homesIn(schema, each).slice(0, 1));
    }
    case "agg":
      return num.in === undefined ? [num.of?.ds ?? ""] : [datasetOf(num.in, (path) => endOf(schema, path))];
    case "calc":
      return [...homesOf(schema, num.a), ...homesOf(schema, num.b)];
    case "lag":
    case "running":
    case "each":
      return homesOf(schema, num.of);
    case "field":
      return [num.key.ds];
    default:
      return [];
  }
}

/** A way from rows to what each of them may belong to in several ways: an order to its products. */
export interface ManyWay {
  /** What each row belongs to where the way begins to branch: itself, or what it has one of. */
  at: string;
  /** From there to the rows that say what belongs together. */
  hops: readonly Hop[];
  /** The dataset of those rows, each of which has one of what is asked for. */
  last: string;
  /** It branches at one bridge only, which says nothing but what belongs together. */
  isBridged: boolean;
}

/** More steps back than these are no way that anybody means. */
const MOST_BRANCHES = 2;
const MOST_HOPS = 6;

/**
 * The only way by which rows can be told apart by what they belong to in several ways; undefined where each has one of
 * it, where several ways are as short, and where it is only something else that both have to do with: the targets of a
 * region are not those of its shops.
 */
export function manyWay(schema: Schema, from: string, key: Key): ManyWay | undefined {
  const { isKeyed, key: own = [] } = schema.datasets.get(from) ?? {};
  if (isKeyed !== true || own.length === 0 || toOnePath(schema, from, key.ds, key.path)) return undefined;
  const tail = (key.path ?? []).map(({ link }) => linkOf(schema, link));
  const [only, ...others] = shortestWays(schema, from, tail[0]?.from ?? key.ds).filter((way) =>
    isMeant(schema, way),
  );
  if (only === undefined || others.length > 0) return undefined;
  const start = only.findIndex(({ dir }) => dir === "many");
  const end = only.findLastIndex(({ dir }) => dir === "many");
  const hops = only.slice(start, end + 1);
  return {
    at: linkOf(schema, hops[0]?.link as string).to,
    hops,
    last: linkOf(schema, hops.at(-1)?.link as string).from,
    isBridged: hops.length === 1 && isBridge(schema, linkOf(schema, hops[0]?.link as string).from),
  };
}

/** What belongs to the rows themselves, and what a bridge leads to. */
function isMeant(schema: Schema, way: readonly Hop[]): boolean {
  if (way.length > MOST_HOPS || way.filter(({ dir }) => dir === "many").length > MOST_BRANCHES) return false;
  const own = way.findIndex(({ dir }) => dir === "one");
  return way.every(
    ({ dir, link }, i) =>
      dir === "one" || own === -1 || i < own || isBridge(schema, linkOf(schema, link).from),
  );
}

/** Whether rows say nothing but which of two others belong together, with a day or a rank at most. */
export function isBridge({ datasets, links, metrics }: Schema, ds: string): boolean {
  const { fields, isKeyed = false, key = [] } = datasets.get(ds) ?? {};
  const own = [...links.values()].filter(({ from, isSoft }) => from === ds && isSoft !== true);
  const isForeign = (field: string) => own.some(({ columns }) => columns.some((pair) => pair.from === field));
  const ids = isKeyed ? key : [];
  // What has a number of its own besides is there to be counted, as soon as it has a day.
  const isNumbered = ids.length === 1 && !isForeign(ids[0] as string);
  const isTold = ({ columns }: Link) =>
    isNumbered || ids.length === 0 || columns.every((pair) => ids.includes(pair.from));
  if (own.filter(isTold).length < 2 || (!isNumbered && !ids.every(isForeign))) return false;
  const isSaid = (field: string) => isForeign(field) || ids.includes(field);
  const isMeasured = [...metrics.values()].some(({ formula }) =>
    formula.aggregates.some(({ columns }) => columns.some((each) => each.ds === ds && !isSaid(each.field))),
  );
  const isPlain = [...(fields?.values() ?? [])].every(
    ({ name, kind }) => isSaid(name) || (kind === "date" && !isNumbered) || RANK.test(name),
  );
  return isPlain && !isMeasured;
}

const RANK = /(^|_)(rank|position|pos|ordinal|sequence|seq|sort|sort_order|order_no|priority|primary|main)$/i;

/** All ways between two datasets that are as short as any; links to oneself and guessed ones are none. */
function shortestWays(schema: Schema, from: string, to: string): Hop[][] {
  const steps = stepsIn(schema);
  const far = distancesTo(steps, to);
  const waysFrom = (place: string): Hop[][] =>
    place === to
      ? [[]]
      : (steps.get(place) ?? [])
          .filter(
            ({ end, cost }) => Math.abs(cost + (far.get(end) ?? Infinity) - (far.get(place) ?? 0)) < 1e-9,
          )
          .flatMap(({ hop, end }) => waysFrom(end).map((rest) => [hop, ...rest]));
  return far.has(from) ? waysFrom(from) : [];
}

interface Step {
  hop: Hop;
  end: string;
  cost: number;
}

const known = new WeakMap<Schema, Map<string, Step[]>>();

/** The steps from each dataset, forth and back. */
function stepsIn(schema: Schema): Map<string, Step[]> {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const steps = new Map<string, Step[]>();
  for (const { name, from, to, cost, isSoft } of schema.links.values()) {
    if (from === to || isSoft === true) continue;
    steps.set(from, [...(steps.get(from) ?? []), { hop: { link: name, dir: "one" }, end: to, cost }]);
    steps.set(to, [...(steps.get(to) ?? []), { hop: { link: name, dir: "many" }, end: from, cost }]);
  }
  known.set(schema, steps);
  return steps;
}

/** How far it is from each dataset. */
function distancesTo(steps: ReadonlyMap<string, readonly Step[]>, to: string): Map<string, number> {
  const far = new Map([[to, 0]]);
  const open = [to];
  for (let place = open.shift(); place !== undefined; place = open.shift()) {
    // Each step leads back as well.
    for (const { end, cost } of steps.get(place) ?? []) {
      const all = (far.get(place) as number) + cost;
      if (all >= (far.get(end) ?? Number.POSITIVE_INFINITY)) continue;
      far.set(end, all);
      open.push(end);
    }
  }
  return far;
}
