import { toOnePath } from "../../compile/paths.ts";
import { bare, relConds, whereAll } from "../../query/parts.ts";
import type { Cond, Key, Num, Rel } from "../../query/semantic-query.ts";
import type { Grammar } from "../rules/grammar.ts";
import { condOf } from "./conditions.ts";
import type { TableSense } from "./fragment.ts";

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
