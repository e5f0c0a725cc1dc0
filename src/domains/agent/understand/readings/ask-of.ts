import { isEqual, isSameField, nodesIn, relConds } from "../../query/parts.ts";
import { newerFirst } from "../../query/same-number.ts";
import {
  type Ask,
  type Cond,
  isKey,
  type Key,
  type Num,
  type Order,
  type Rel,
} from "../../query/semantic-query.ts";
import type { Grammar } from "../rules/grammar.ts";
import { entitiesOf } from "../senses/conditions.ts";
import type { Mod, Sense, TableSense } from "../senses/fragment.ts";
import { count, noun, type RelSense, VERB_COST } from "../senses/make.ts";
import { scopeOf } from "../senses/table-senses.ts";

type Attr = Extract<Sense, { t: "attr" }>;

interface Asked {
  ask: Ask;
  cost: number;
}

/** The query that a meaning of the whole question is, and what speaks against it. */
export function askOf(grammar: Grammar, sense: Sense): Asked | undefined {
  const asked = askedBy(grammar, sense);
  const rel = asked && entitiesOf(asked.ask);
  return rel !== undefined && isContrary(rel) ? undefined : asked;
}

/** Whoever has something has not none of it. */
function isContrary(rel: Rel): boolean {
  const conds = relConds(rel);
  return conds.some((cond) => conds.some((other) => other.k === "not" && isEqual(other.of, cond)));
}

function askedBy(grammar: Grammar, sense: Sense): Asked | undefined {
  switch (sense.t) {
    case "mod":
      return whoIs(grammar, sense.mod);
    case "rel":
      return listOf(grammar, sense);
    case "attr":
      return fieldsOf(grammar, sense);
    case "table":
      return isIdle(sense.table) || isNobodys(grammar, sense.table) || isOneEach(grammar, sense.table)
        ? undefined
        : { ask: tableAsk(sense.table), cost: 0 };
    default:
      return undefined;
  }
}

/** "who reports to X": entities of the same kind. */
function whoIs(grammar: Grammar, mod: Mod): Asked | undefined {
  if (mod.m !== "to" || mod.paths === null) return undefined;
  const { ds } = mod;
  const all: RelSense = noun(ds);
  const [head] = grammar.apply(all, mod);
  return head === undefined ? undefined : askOf(grammar, head.sense);
}

function listOf(grammar: Grammar, { rel, ds, form, verb }: RelSense): Asked | undefined {
  const key = grammar.nameKey(ds);
  // Rows that have no name are shown as they are.
  if (key === undefined)
    return rel.k === "all"
      ? undefined
      : { ask: { k: "list", rel, show: grammar.rowKeys(ds, rel) }, cost: 0.2 };
  const cost = (form === "name" ? 1 : 0) + (verb === undefined ? 0 : VERB_COST);
  if (rel.k !== "top") return { ask: { k: "list", rel, show: [key] }, cost };
  // What is first by a date is shown with it, and in its order; what has no name with whatever it is first by.
  const by = isKey(rel.by) ? rel.by : undefined;
  const isDate = by !== undefined && grammar.isDate(by);
  const order: Order[] = isDate
    ? [
        { by, dir: rel.dir === "max" ? "desc" : "asc" },
        { by: key, dir: "desc" },
      ]
    : [];
  const shown = by !== undefined && (isDate || grammar.isEvent(ds)) ? [by] : [];
  const show = [...(rel.per ?? []), key, ...shown];
  return { ask: { k: "list", rel, show, order: order.length === 0 ? undefined : order }, cost };
}

function fieldsOf(grammar: Grammar, sense: Attr): Asked | undefined {
  const none = withNone(grammar, sense);
  if (none !== undefined) return { ask: none, cost: 0 };
  const { rel, order } = sense;
  // The first ones of each category are shown with it.
  const show = [...(rel.k === "top" ? (rel.per ?? []) : []), ...sense.keys];
  const [first] = show;
  const only = show.length === 1 ? first : undefined;
  // Of a field that many share, each value is wanted once.
  const isShared =
    only !== undefined &&
    grammar.isLabel(only) &&
    (grammar.nameKey(only.ds)?.field !== only.field || only.path !== undefined);
  const distinct = (order === undefined && isShared) || undefined;
  // Numbers of what happened again and again are seldom wanted one by one.
  const isOfEvents = only !== undefined && grammar.isNumber(only) && grammar.isEvent(only.ds);
  // The channel with the most visits is no channel of the one day that had the most.
  const by = rel.k === "top" && isKey(rel.by) && isShared && grammar.isEvent(sense.ds) ? rel.by : undefined;
  const isOfOne = by !== undefined && grammar.isNumber(by) && grammar.usualOf(by) !== undefined;
  const cost = (isOfEvents ? 0.6 : 0) + (isOfOne ? 1.2 : 0);
  return { ask: { k: "list", rel, show, order, distinct }, cost };
}

/** "brands that were not sold": of none of their products it is true. */
function withNone(grammar: Grammar, { rel, ds, keys }: Attr): Ask | undefined {
  const [key, ...others] = keys;
  const isNot = rel.k === "where" && rel.if.k === "not" && rel.if.of.k === "link";
  if (!isNot || key === undefined || others.length > 0 || key.ds !== ds || !grammar.isLabel(key))
    return undefined;
  if (grammar.nameKey(ds)?.field === key.field || rel.if.k !== "not") return undefined;
  const having: Cond = {
    k: "cmp",
    a: count({ k: "where", in: rel.in, if: rel.if.of }),
    op: "=",
    b: { k: "lit", v: 0 },
  };
  return { k: "table", by: [key], cols: [count(rel.in)], scope: {}, having };
}

/** Of rows that a metric leaves out there is no such number. */
function isNobodys(grammar: Grammar, { cols, conds }: TableSense): boolean {
  return cols.some((num) => num.k === "metric" && conds.some((cond) => grammar.leavesOut(num.name, cond)));
}

/** Of each of them there is one. */
function isOneEach(grammar: Grammar, { cols: [num], by }: TableSense): boolean {
  if (num?.k !== "agg" || num.fn !== "count" || num.of !== undefined || num.in === undefined) return false;
  const ds = grammar.datasetOf(num.in);
  const { isKeyed, key = [] } = grammar.schema.datasets.get(ds) ?? {};
  const isName = (each: Key) =>
    each.ds === ds &&
    each.path === undefined &&
    each.bucket === undefined &&
    each.part === undefined &&
    grammar.nameKey(ds)?.field === each.field;
  return isKeyed === true && key.length === 1 && by.some(isName);
}

/** A part that is the whole says nothing. */
function isIdle({ cols, conds, by }: TableSense): boolean {
  return cols.some((num) => {
    // Of what is one value anyway, nobody asks how many there are.
    if (num.k === "agg" && num.fn === "distinct" && num.of !== undefined)
      return nodesIn([conds, num.in]).some(({ k, key }) => k === "is" && isEqual(key, num.of));
    if (num.k !== "calc") return false;
    const part = partOf(num.a);
    // Brands are not told apart in a difference between two of them.
    if (num.op === "-" && part?.k === "is" && by.some((key) => isSameField(key, part.key))) return true;
    if (num.op !== "/") return false;
    return isEqual(num.a, num.b) || conds.some((cond) => isEqual(cond, part));
  });
}

/** What says which part of something a number is of. */
function partOf(num: Num): Cond | undefined {
  if (num.k === "agg" && num.in?.k === "where") return num.in.if;
  return num.k === "metric" || num.k === "agg" ? num.scope?.if : undefined;
}

function tableAsk({ cols, by, conds, win, top, having, order }: TableSense): Ask {
  return {
    k: "table",
    by,
    cols: newerFirst(cols),
    scope: scopeOf({ conds, win }),
    top: top ?? undefined,
    having: having ?? undefined,
    order: order.length === 0 ? undefined : order,
    fill: (by.length === 1 && by[0]?.bucket !== undefined && by[0].isNamed !== true) || undefined,
  };
}
