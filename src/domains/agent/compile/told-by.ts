import { quoteName } from "../../../kernel/sql-text.ts";
import { allOf, bare, condsOf, isEqual, relConds } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import {
  type Aggregate,
  type Cond,
  datasetOf,
  type Key,
  type Num,
  type Rel,
  type Scope,
} from "../query/semantic-query.ts";
import { CompileError } from "./compile-error.ts";
import { type ManyWay, manyWay } from "./many-ways.ts";
import { endOf, homesIn, linkOf, toOnePath } from "./paths.ts";
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
