import { homesIn, linkOf, toOnePath } from "../../compile/paths.ts";
import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import {
  allOf,
  bare,
  condsOf,
  isEqual,
  nodesIn,
  rebuilt,
  relConds,
  swapped,
  whereAll,
} from "../../query/parts.ts";
import type { Schema } from "../../query/schema.ts";
import type { Ask, Cond, Hop, Key, Num, Rel, Scope } from "../../query/semantic-query.ts";
import type { Said } from "../candidates/said.ts";
import { onDeed } from "../lexicon/deeds.ts";
import { inRoles } from "../rules/roles.ts";
import { type Fragment, type Leaf, leavesOf, type Sense } from "../senses/fragment.ts";
import { askOf } from "./ask-of.ts";

/** A query that the whole question may be, and the words that it was made of. */
export interface Query {
  ask: Ask;
  cost: number;
  leaves: readonly Leaf[];
  /** Words that nothing was made of, by their place among those that were kept. */
  skipped: readonly number[];
}

/** The queries that the meanings of a whole question are. */
export function queriesOf(meanings: readonly Fragment[], { all, grammar, knowledge }: Said): Query[] {
  return meanings.flatMap((fragment) => {
    const asked = askOf(grammar, fragment.sense);
    if (asked === undefined) return [];
    const leaves = leavesOf(fragment);
    const cost = fragment.cost + asked.cost;
    const own = throughOwnPlaces(asked.ask, leaves, knowledge);
    const ask = onDeed(inOneDeed(own, leaves, knowledge), leaves);
    return inRoles(ask, { words: all, leaves, knowledge })
      .filter((each) => !contradictsItself(each))
      .map((each) => ({ ask: each, cost, leaves, skipped: fragment.skipped }));
  });
}

/** The field that some words are about. */
function keyOf(sense: Sense): Key | undefined {
  if (sense.t === "field") return sense.key;
  return sense.t === "cond" && sense.cond.k === "is" ? sense.cond.key : undefined;
}

/** The datasets that words speak of: by their noun, or by a field that no other has. */
function spokenOf(all: readonly Leaf[], { schema }: Knowledge): ReadonlySet<string> {
  const isTheirs = ({ ds, field }: Key) =>
    [...schema.datasets.values()].every(({ name, fields }) => name === ds || !fields.has(field));
  return new Set(
    all.flatMap(({ sense }) => {
      if (sense.t === "rel") return sense.form === "name" ? [] : [sense.ds];
      const key = keyOf(sense);
      return key !== undefined && isTheirs(key) ? [key.ds] : [];
    }),
  );
}

/** What says where something is. */
function isPlace(field: unknown): boolean {
  return (
    typeof field === "string" &&
    /^(region|country|state|city|town|county|district|postcode|zip)$/i.test(field)
  );
}

/** The same of what places belong to: the region of a store where stores are spoken of. */
function throughOwnPlaces(ask: Ask, leaves: readonly Leaf[], knowledge: Knowledge): Ask {
  const { definitions, schema } = knowledge;
  const spoken = spokenOf(leaves, knowledge);
  const [owner, ...others] = definitions.ownPlaces.filter((ds) => spoken.has(ds));
  if (owner === undefined || others.length > 0) return ask;
  const links = [...schema.links.values()].filter(({ from, isSoft }) => from === owner && isSoft !== true);
  const own = schema.datasets.get(owner)?.fields;
  return rebuilt(ask, (node) => {
    // "revenue of stores by city": theirs, and not that of whoever bought there.
    const isOthers = node.ds !== undefined && node.ds !== owner && !spoken.has(node.ds as string);
    if (isOthers && node.path === undefined && isPlace(node.field) && own?.has(node.field as string))
      return { ...node, ds: owner };
    const link = links.find(({ to }) => to === node.ds && to !== owner);
    if (link === undefined || node.field === undefined || node.path !== undefined) return node;
    return { ...node, path: [{ link: link.name, dir: "one" }] };
  });
}

type Link = Extract<Cond, { k: "link" }>;

/**
 * "which products did customers from Austria buy in May": a verb that is said once is one deed, that of the customers
 * with the products in May. It is not what they ever bought, nor whatever anybody bought then.
 */
function inOneDeed(ask: Ask, leaves: readonly Leaf[], { schema }: Pick<Knowledge, "schema">): Ask {
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

type Is = Extract<Cond, { k: "is" }>;

/** Whether a query asks for rows of which a field is this and is something else, so that nothing can be found. */
function contradictsItself(ask: Ask): boolean {
  const common = ask.k === "table" ? condsOf(ask.scope?.if) : [];
  const rows = nodesIn(ask).map((node) => {
    if (node.k === "where") return relConds(node as Extract<Rel, { k: "where" }>);
    return "scope" in node ? condsOf((node.scope as Scope | undefined)?.if) : [];
  });
  const numbers = ask.k === "table" ? ask.cols.flatMap(ownConds).map((conds) => [...common, ...conds]) : [];
  return [...rows, ...numbers].some((conds) => isNobody(conds.flatMap(ofSameRow)));
}

/** What is said of the rows that each number in it is made of. */
function ownConds(num: Num): Cond[][] {
  if (num.k === "calc") return [...ownConds(num.a), ...ownConds(num.b)];
  if (num.k === "metric") return [condsOf(num.scope?.if)];
  if (num.k !== "agg") return [];
  return [[...condsOf(num.scope?.if), ...(num.in === undefined ? [] : relConds(num.in))]];
}

/** A link along no way leads to the row itself. */
function ofSameRow(cond: Cond): Is[] {
  if (cond.k === "is") return cond.match === "equal" ? [cond] : [];
  return cond.k === "link" && cond.path.length === 0 ? relConds(cond.to).flatMap(ofSameRow) : [];
}

function isNobody(all: readonly Is[]): boolean {
  return all.some((a, i) =>
    all
      .slice(i + 1)
      .some((b) => isEqual(a.key, b.key) && !a.values.some((value) => b.values.includes(value))),
  );
}
