import { toOnePath } from "../../compile/paths.ts";
import { allOf, bare, relConds, whereAll } from "../../query/parts.ts";
import {
  type Ask,
  type Cond,
  type Hop,
  isKey,
  type Key,
  type Num,
  type Rel,
} from "../../query/semantic-query.ts";
import type { Facts } from "../model/facts.ts";
import type { Grammar } from "../rules/grammar.ts";
import type { TableSense } from "./fragment.ts";
import type { RelSense } from "./make.ts";

/** Conditions on an entity's own fields hold of whatever belongs to it. */
export function condOf({ rel, ds }: Pick<RelSense, "rel" | "ds">): Cond {
  const plain: Cond[] = [];
  let inner = rel;
  while (inner.k === "where" && isPlain(inner.if)) {
    plain.unshift(inner.if);
    inner = inner.in;
  }
  const all = inner.k === "all" ? allOf(plain) : undefined;
  return all ?? { k: "link", at: ds, path: [], to: rel };
}

function isPlain(cond: Cond): boolean {
  return cond.k === "is" || cond.k === "null" || (cond.k === "not" && isPlain(cond.of));
}

/** The datasets of which one of several conditions holds; of a single one it is known already. */
export function datasetsOf(cond: Cond): string[] {
  if (cond.k === "or") return cond.of.flatMap((each) => (each.k === "is" ? [each.key.ds] : datasetsOf(each)));
  return cond.k === "not" ? datasetsOf(cond.of) : [];
}

/** What is listed or counted. */
export function entitiesOf(ask: Ask): Rel | undefined {
  if (ask.k === "list") return ask.rel;
  const [num] = ask.cols;
  return num?.k === "agg" ? num.in : undefined;
}

/** How many things are said of what is listed or counted. */
export function conditionsIn(ask: Ask): number {
  const rel = entitiesOf(ask);
  const { scope, having } = ask.k === "table" ? ask : {};
  return (
    (rel === undefined ? 0 : relConds(rel).length) +
    [scope?.if, scope?.win, having].filter((each) => each !== undefined).length
  );
}

/** "placed their first order in March": the first one of each, and it was in March. */
export function firstOfEach(facts: Facts, ds: string, rel: Rel, path: readonly Hop[]): Rel | undefined {
  const isOwn =
    rel.k === "top" && rel.n === 1 && rel.per === undefined && isKey(rel.by) && facts.isDate(rel.by);
  const [id, ...others] = facts.schema.datasets.get(ds)?.key ?? [];
  const isTheirs = path.length > 0 && path.every(({ dir }) => dir === "many");
  if (!isOwn || id === undefined || others.length > 0 || !isTheirs) return undefined;
  const { during = [], before = [] } = Object.groupBy(relConds(rel.in), ({ k }) =>
    k === "during" ? "during" : "before",
  );
  return whereAll({ ...rel, in: whereAll(bare(rel.in), before), per: [{ ds, field: id }] }, during);
}

/** "bought Audio but not Lighting": no single item is both, so it is said of whoever bought. */
export function linkedTo(
  at: string,
  path: Hop[],
  { rel: to, not, isOne }: { rel: Rel; not: boolean; isOne: boolean },
): Cond {
  const [base, conds] = [bare(to), relConds(to)];
  const link = (some: Cond[]): Cond => ({ k: "link", at, path, to: whereAll(base, some) });
  const field = (cond: Cond) =>
    cond.k === "is" && cond.match === "equal" ? JSON.stringify(cond.key) : undefined;
  const without = conds.find(
    (cond) =>
      cond.k === "not" &&
      field(cond.of) !== undefined &&
      conds.some((each) => field(each) === field(cond.of)),
  );
  const several = not ? undefined : conds.find((cond) => cond.k === "is" && cond.all === true);
  const isApart = without !== undefined || several !== undefined;
  // What belongs to one only: it is for whoever has several of these to say.
  if (isApart && base.k === "all" && isOne) return { k: "and", of: conds };
  if (without?.k === "not") {
    const others = conds.filter((cond) => cond !== without);
    const positive = others.filter((cond) => field(cond) !== field(without.of));
    return { k: "and", of: [link(others), { k: "not", of: link([...positive, without.of]) }] };
  }
  if (several?.k === "is") {
    const others = conds.filter((cond) => cond !== several);
    const { all: _, ...one } = several;
    return { k: "and", of: several.values.map((value) => link([...others, { ...one, values: [value] }])) };
  }
  return { k: "link", at, path, to };
}

type Counted = Extract<Num, { k: "agg" }> & { in: Rel };

/** "customers per sales channel", where a channel is one of orders: of how many different customers these are. */
export function countedByDeeds(grammar: Grammar, table: TableSense, keys: Key[]): TableSense | undefined {
  const num = countedIn(table);
  const ds = num && grammar.datasetOf(num.in);
  // A period of theirs is no period of what they did.
  const isDated = table.win !== null && grammar.schema.datasets.get(ds ?? "")?.date != null;
  if (num === undefined || ds === undefined || isDated) return undefined;
  const deed = deedOf(grammar, num.in) ?? deedBetween(grammar, ds, keys);
  return deed && ofDeeds(grammar, table, num, deed);
}

/** What happened to entities and to what they are told apart by: itself that, or the only thing that is near to both. */
function deedBetween(grammar: Grammar, ds: string, keys: readonly Key[]): Rel | undefined {
  // Of what was done, each belongs to one.
  if (keys.some((key) => grammar.isEvent(key.ds) && grammar.nameKey(key.ds)?.field === key.field))
    return undefined;
  const isReached = (from: string) =>
    keys.every((key) => key.ds === from || toOnePath(grammar.schema, from, key.ds) !== undefined);
  const own = keys.find((key) => grammar.isEvent(key.ds) && isReached(key.ds))?.ds;
  if (own !== undefined) return { k: "all", ds: own };
  const near = grammar.eventsOf(ds).filter((event) => isReached(event.ds));
  const least = Math.min(...near.map(({ path }) => path.length));
  const [only, ...others] = near.filter(({ path }) => path.length === least);
  return only === undefined || others.length > 0 ? undefined : { k: "all", ds: only.ds };
}

/** "how many customers ordered per month": the month of the order, and not the one in which they became customers. */
export function countedWhenDone(grammar: Grammar, table: TableSense): TableSense | undefined {
  const num = countedIn(table);
  const deed = num && deedOf(grammar, num.in);
  return num && deed && ofDeeds(grammar, table, num, deed);
}

function countedIn({ cols: [num, ...others], top, having }: TableSense): Counted | undefined {
  const isCount = num?.k === "agg" && num.fn === "count" && num.of === undefined && num.path === undefined;
  if (!isCount || num.in === undefined || others.length > 0 || top !== null || having !== null)
    return undefined;
  return { ...num, in: num.in };
}

/** What entities are said to have done. */
function deedOf(grammar: Grammar, rel: Rel): Rel | undefined {
  const [deed, ...others] = relConds(rel).filter(isDeed);
  const isOnly = deed !== undefined && others.length === 0 && grammar.isEvent(grammar.datasetOf(deed.to));
  return isOnly ? deed.to : undefined;
}

function isDeed(cond: Cond): cond is Extract<Cond, { k: "link" }> {
  if (cond.k !== "link" || cond.count !== undefined || cond.path.length === 0) return false;
  return cond.path.every(({ dir }) => dir === "many");
}

/** How many different ones what was done belongs to; what else is said of them holds. */
function ofDeeds(grammar: Grammar, table: TableSense, num: Counted, deed: Rel): TableSense | undefined {
  const ds = grammar.datasetOf(num.in);
  const home = grammar.datasetOf(deed);
  const [field, ...others] = grammar.schema.datasets.get(ds)?.key ?? [];
  if (field === undefined || others.length > 0 || toOnePath(grammar.schema, home, ds) === undefined)
    return undefined;
  const isSaid = (cond: Cond) => isDeed(cond) && cond.to === deed;
  const rest = whereAll(
    bare(num.in),
    relConds(num.in).filter((cond) => !isSaid(cond)),
  );
  const conds = rest.k === "all" ? table.conds : [...table.conds, condOf({ rel: rest, ds })];
  return { ...table, cols: [{ ...num, fn: "distinct", of: { ds, field }, in: deed }], conds };
}
