import type { Link, Schema } from "../query/schema.ts";
import type { Hop, Key } from "../query/semantic-query.ts";
import { linkOf, toOnePath } from "./paths.ts";

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
