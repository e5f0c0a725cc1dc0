import type { AggregateFormula } from "../query/metric-formula.ts";
import type { Link, Schema } from "../query/schema.ts";
import type { Hop, Key, Window } from "../query/semantic-query.ts";
import type { RowCompiler } from "./row-compiler.ts";
import type { Rows } from "./rows.ts";

/** A way along links, each row of which has at most one partner at its end. */
export type ToOnePath = readonly Link[];

export function linkOf(schema: Schema, name: string): Link {
  const link = schema.links.get(name);
  if (link === undefined) throw new CompileError(`There is no relationship ${name}.`);
  return link;
}

/** Where a path ends. */
export function endOf(schema: Schema, path: readonly Hop[]): string {
  const last = path.at(-1);
  if (last === undefined) throw new CompileError("A path needs a step.");
  const link = linkOf(schema, last.link);
  return last.dir === "one" ? link.to : link.from;
}

export function reversed(path: readonly Hop[]): Hop[] {
  return path.toReversed().map(({ link, dir }) => ({ link, dir: dir === "one" ? "many" : "one" }));
}

/**
 * The cheapest way from a dataset to one that each of its rows belongs to. Links of a dataset to itself (a manager)
 * and those that were guessed are taken only when the tail names them, since nobody means them by accident.
 */
export function toOnePath(
  schema: Schema,
  from: string,
  to: string,
  tail: readonly Hop[] = [],
): ToOnePath | undefined {
  const ends = tail.map(({ link }) => linkOf(schema, link));
  const start = ends[0]?.from ?? to;
  const way = cheapest(schema, from, start);
  if (way !== undefined) return [...way, ...ends];
  return tail.length === 0 ? undefined : toOnePath(schema, from, to);
}

/** The datasets to which everything that an aggregate reads belongs. */
export function homesIn(schema: Schema, { columns }: Pick<AggregateFormula, "columns">): string[] {
  const named = [...new Set(columns.map(({ ds }) => ds))];
  return named.filter((ds) => named.every((other) => toOnePath(schema, ds, other) !== undefined));
}

const known = new WeakMap<Schema, Map<string, ReadonlyMap<string, { path: Link[] }>>>();

function cheapest(schema: Schema, from: string, to: string): ToOnePath | undefined {
  const ways = known.get(schema) ?? new Map<string, ReadonlyMap<string, { path: Link[] }>>();
  known.set(schema, ways);
  const here = ways.get(from) ?? waysFrom(schema, from);
  ways.set(from, here);
  return here.get(to)?.path;
}

function waysFrom(schema: Schema, from: string): Map<string, { cost: number; path: Link[] }> {
  const best = new Map<string, { cost: number; path: Link[] }>([[from, { cost: 0, path: [] }]]);
  const open = [from];
  for (let place = open.shift(); place !== undefined; place = open.shift()) {
    const here = best.get(place) as { cost: number; path: Link[] };
    for (const link of schema.links.values()) {
      if (link.from !== place || link.to === place || link.isSoft === true) continue;
      const cost = here.cost + link.cost;
      if (cost >= (best.get(link.to)?.cost ?? Number.POSITIVE_INFINITY)) continue;
      best.set(link.to, { cost, path: [...here.path, link] });
      open.push(link.to);
    }
  }
  return best;
}

/** A semantic query that this model cannot carry; the message says why to whoever asked. */
export class CompileError extends Error {
  override readonly name = "CompileError";
}

/** What comes of some work; undefined where the model cannot carry it. */
export function ifCarried<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CompileError) return undefined;
    throw error;
  }
}

interface Beside {
  /** The rows of the numbers beside it, and the dates that these go by. */
  parts: readonly { rows: Rows; date: Key | null }[];
  win: Window | undefined;
}

/** What happened, such as the orders of a day, is in a period as the number beside it is; a store is there always. */
export function isOfEvents(compiler: RowCompiler, ds: string, { parts, win }: Beside): boolean {
  const { date, nameField, fields } = compiler.dataset(ds);
  if (date === null) return false;
  const homes = parts.flatMap((part) => [
    part.rows.ds,
    part.date?.ds,
    compiler.dataset(part.rows.ds).date?.ds,
  ]);
  if (homes.includes(ds)) return true;
  if (parts.length === 0 && win !== undefined)
    throw new CompileError(`Whether ${ds} are to be limited to ${win.said} cannot be told.`);
  return fields.get(nameField ?? "")?.kind !== "text" || /(^|_)id$/i.test(nameField ?? "");
}
