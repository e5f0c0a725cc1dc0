import { homesIn, linkOf, toOnePath } from "../../compile/paths.ts";
import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { allOf, bare, condsOf, relConds, swapped, whereAll } from "../../query/parts.ts";
import type { Schema } from "../../query/schema.ts";
import type { Ask, Cond, Hop, Num, Rel } from "../../query/semantic-query.ts";
import type { Leaf } from "../senses/fragment.ts";

type Link = Extract<Cond, { k: "link" }>;

/**
 * "which products did customers from Austria buy in May": a verb that is said once is one deed, that of the customers
 * with the products in May. It is not what they ever bought, nor whatever anybody bought then.
 */
export function inOneDeed(ask: Ask, leaves: readonly Leaf[], { schema }: Pick<Knowledge, "schema">): Ask {
  const counted = ask.k === "table" ? ofOwnRows(ask, schema) : ask;
  const [rows, ...others] = leaves.flatMap(({ sense }) =>
    sense.t === "link" ? [""] : sense.t === "rel" && sense.verb !== undefined ? [sense.ds] : [],
  );
  if (rows === undefined || others.length > 0) return counted;
  return swapped(counted, (part) => {
    const some = part as Rel | Link;
    if (some.k === "where") return byDeed(some, rows, schema);
    return some.k === "link" && some.count === undefined ? withinDeed(some, rows, schema) : undefined;
  });
}

/** "units of products that customers from Austria bought": of the rows that are theirs, and not of all of these products. */
function ofOwnRows(ask: Extract<Ask, { k: "table" }>, schema: Schema): Ask {
  const [home, ...others] = new Set(ask.cols.flatMap((num) => homesOf(num, schema)));
  if (home === undefined || others.length > 0 || ask.scope?.if === undefined) return ask;
  const conds = condsOf(ask.scope.if).flatMap((cond): Cond[] => {
    if (cond.k !== "link" || cond.path.length > 0 || cond.count !== undefined || bare(cond.to).k !== "all")
      return [cond];
    const all = relConds(cond.to);
    const theirs = all.map((each) => (isPlainLink(each) ? whoseRows(each, home, schema) : undefined));
    if (theirs.every((each) => each === undefined)) return [cond];
    const rest = whereAll(
      bare(cond.to),
      all.filter((_, i) => theirs[i] === undefined),
    );
    return [{ ...cond, to: rest }, ...theirs.filter((each) => each !== undefined)];
  });
  const all = allOf(conds);
  return { ...ask, scope: { ...ask.scope, ...(all && { if: all }) } };
}

function homesOf(num: Num, schema: Schema): string[] {
  if (num.k !== "metric") return [""];
  const { aggregates = [] } = schema.metrics.get(num.name)?.formula ?? {};
  return aggregates.map((aggregate) => homesIn(schema, aggregate)[0] ?? "");
}

/** Beside the deed: "products that customers bought", and they were bought in May. */
function byDeed(rel: Rel, rows: string, schema: Schema): Rel | undefined {
  const conds = relConds(rel);
  const deeds = conds.filter((cond) => isDeed(cond, rows));
  const [deed] = deeds;
  if (deed === undefined || deeds.length > 1) return undefined;
  const theirs = conds.flatMap((cond) =>
    cond !== deed && isPlainLink(cond) ? [{ cond, own: whoseRows(cond, rows, schema) }] : [],
  );
  const bound = theirs.filter(({ own }) => own !== undefined);
  if (bound.length === 0) return undefined;
  const to = whereAll(
    deed.to,
    bound.map(({ own }) => own as Cond),
  );
  const isBound = (cond: Cond) => bound.some((each) => each.cond === cond);
  return whereAll(
    bare(rel),
    conds.filter((cond) => !isBound(cond)).map((cond) => (cond === deed ? { ...deed, to } : cond)),
  );
}

/** Behind the deed: "products of customers who bought", when they did. */
function withinDeed({ at, path, to }: Link, rows: string, schema: Schema): Cond | undefined {
  const conds = relConds(to);
  const [deed, ...more] = conds.flatMap((cond) => (isDeed(cond, rows) ? [cond] : []));
  if (deed === undefined || more.length > 0 || !isTimed(deed.to, at)) return undefined;
  const others = whereAll(
    bare(to),
    conds.filter((cond) => cond !== deed),
  );
  const theirs = whoseRows({ k: "link", at, path, to: others }, rows, schema);
  if (theirs === undefined) return undefined;
  const place = path.findIndex((hop) => endOfHop(hop, schema) === rows);
  return { k: "link", at, path: path.slice(0, place + 1), to: { k: "where", in: deed.to, if: theirs } };
}

/** That rows on the way of a link are of those at its end; undefined where it passes none, or they are of several. */
function whoseRows({ path, to }: Link, rows: string, schema: Schema): Cond | undefined {
  const place = path.findIndex((hop) => endOfHop(hop, schema) === rows);
  const rest = place === -1 ? [] : path.slice(place + 1);
  const last = rest.at(-1);
  if (last === undefined || rest.some(({ dir }) => dir === "many") || bare(to).k !== "all") return undefined;
  const who = endOfHop(last, schema);
  return toOnePath(schema, rows, who) === undefined ? undefined : { k: "link", at: who, path: [], to };
}

function isPlainLink(cond: Cond): cond is Link {
  return cond.k === "link" && cond.count === undefined;
}

function isDeed(cond: Cond, rows: string): cond is Link {
  if (!isPlainLink(cond) || cond.path.length === 0) return false;
  const all = bare(cond.to);
  return all.k === "all" && all.ds === rows;
}

/** Whether it is said when it was, and nothing of what is asked for: who bought a lamp bought other things too. */
function isTimed(rel: Rel, asked: string): boolean {
  const conds = relConds(rel);
  const isOwn = (cond: Cond) => cond.k === "during" || (cond.k === "is" && cond.key.ds !== asked);
  return conds.some(({ k }) => k === "during") && conds.every(isOwn);
}

function endOfHop({ link, dir }: Hop, schema: Schema): string {
  const { from, to } = linkOf(schema, link);
  return dir === "one" ? to : from;
}
