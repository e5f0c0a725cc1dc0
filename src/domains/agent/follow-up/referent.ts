import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Cond, Key, Literal, Num, Rel, Window } from "../query/semantic-query.ts";
import { areDated, condsOf, isEqual, narrowed, type Table } from "./merge.ts";

/** What an answer is about, so that more can be asked of it. */
export interface Referent {
  /** The dataset whose entities they are, and these; undefined where it is a number alone. */
  of?: { ds: string; rel: Rel };
  /** What holds of the rows that the answer was made of. */
  conds: Cond[];
  win: Window | undefined;
}

/** More groups than these are not named one by one. */
const NAMED = 50;

export type Rows = (ask: Ask) => Promise<readonly (readonly unknown[])[]>;

/** The entities or rows that an answer speaks of: of a ranking those that it shows. */
export async function referentOf(ask: Ask, { schema }: Knowledge, rows: Rows): Promise<Referent | undefined> {
  if (ask.k === "list") {
    const ds = datasetIn(ask.rel);
    return ds === undefined ? undefined : { of: { ds, rel: ask.rel }, conds: [], win: undefined };
  }
  const scope = { conds: condsOf(ask.scope?.if), win: ask.scope?.win };
  const [key, ...others] = ask.by;
  // Of two periods nobody said which.
  if (areDated(ask.cols)) return undefined;
  if (key === undefined) {
    const rel = countedIn(ask, schema);
    const ds = rel && datasetIn(rel);
    if (rel === undefined || ds === undefined) return scope;
    const during: Cond[] = scope.win === undefined ? [] : [{ k: "during", win: scope.win }];
    return { of: { ds, rel: narrowed(rel, [...scope.conds, ...during], false) }, conds: [], win: scope.win };
  }
  if (others.length > 0 || key.bucket !== undefined || key.part !== undefined) return scope;
  const isEntity = schema.datasets.get(key.ds)?.nameField === key.field && key.path === undefined;
  if (ask.top === undefined && ask.having === undefined) {
    return isEntity ? { ...scope, of: { ds: key.ds, rel: { k: "all", ds: key.ds } } } : scope;
  }
  const own = isEntity ? rankedOf(ask, key) : undefined;
  if (own !== undefined) return { ...scope, conds: [], of: { ds: key.ds, rel: own } };
  const shown = await rows(ask);
  const values = shown.map(([value]) => value).filter(isLiteral);
  if (shown.length > NAMED || values.length !== shown.length || values.length === 0) return undefined;
  const cond: Cond = { k: "is", key, values, match: "equal" };
  if (!isEntity) return { ...scope, conds: [...scope.conds, cond] };
  return { ...scope, of: { ds: key.ds, rel: { k: "where", in: { k: "all", ds: key.ds }, if: cond } } };
}

/** What a number is the number of. */
function countedIn({ cols: [num, ...others] }: Table, schema: Schema): Rel | undefined {
  if (others.length > 0) return undefined;
  if (num?.k === "agg") return num.fn === "count" ? num.in : undefined;
  const ref = num?.k === "metric" && num.scope === undefined ? countedBy(num.name, schema) : undefined;
  return ref && { k: "all", ds: ref.ds };
}

/** The first ones by a number, as entities: in the period and of the rows of the table. */
function rankedOf({ top, having, scope }: Table, { ds }: Key): Rel | undefined {
  if (top === undefined || having !== undefined || top.per !== undefined || top.by.k !== "metric")
    return undefined;
  const conds = condsOf(scope?.if);
  const own = conds.filter((cond) => cond.k === "is" && cond.key.ds === ds && cond.key.path === undefined);
  if (own.length !== conds.length) return undefined;
  const all: Rel = narrowed({ k: "all", ds }, own, false);
  const by = { ...top.by, scope: { ...top.by.scope, ...(scope?.win !== undefined && { win: scope.win }) } };
  const { n, dir, skip, ties } = top;
  return { k: "top", in: all, by, dir, n, ...(skip !== undefined && { skip }), ties };
}

function isLiteral(value: unknown): value is Literal {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function datasetIn(rel: Rel): string | undefined {
  if (rel.k === "all") return rel.ds;
  if (rel.k === "where" || rel.k === "top") return datasetIn(rel.in);
  return rel.k === "set" ? datasetIn(rel.a) : undefined;
}

/** With these entities in the place of all of their kind; undefined where nothing speaks of them. */
function put(ask: Ask, { ds, rel }: { ds: string; rel: Rel }): Ask | undefined {
  let isPut = false;
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== "object" || node === null) return node;
    if (isEqual(node, { k: "all", ds })) {
      isPut = true;
      return rel;
    }
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, walk(value)]));
  };
  const next = walk(ask) as Ask;
  return isPut ? next : undefined;
}

/**
 * Of what an answer was about, and in its period unless it says another; undefined where that cannot be said of it, or
 * not all of it.
 */
export function about(
  ask: Ask,
  { of, conds, win }: Referent,
  schema: Schema,
  isNoun: boolean,
): Ask | undefined {
  const named = of === undefined ? undefined : put(ask, of);
  const link: Cond[] =
    of === undefined || named !== undefined ? [] : [{ k: "link", at: of.ds, path: [], to: of.rel }];
  const next = named ?? ask;
  const isDated = win === undefined || isOfTime(ask);
  if (next.k === "table") {
    const all = [...condsOf(next.scope?.if), ...conds, ...link];
    const [only] = all;
    const things = next.cols.some((num) => countsThings(num, schema));
    // Customers in a period are those that came then, or those that bought something: nobody said which.
    if (!isDated && things && !(named !== undefined && isOfTime(of?.rel))) return undefined;
    return {
      ...next,
      scope: {
        ...next.scope,
        ...(only !== undefined && { if: all.length === 1 ? only : { k: "and", of: all } }),
        ...(!isDated && !things && { win }),
      },
    };
  }
  // Who was meant by a number alone is not known, and a list of them would be one of all.
  const ds = datasetIn(next.rel);
  // "in that category" is where they are, whenever that was.
  const isOwn = isNoun && conds.length > 0 && conds.every((cond) => cond.k === "is" && cond.key.ds === ds);
  if (of === undefined && win !== undefined && !isOwn) return undefined;
  const during: Cond[] = isDated || ds === undefined || !isEvent(ds, schema) ? [] : [{ k: "during", win }];
  return { ...next, rel: narrowed(next.rel, [...conds, ...link, ...during], false) };
}

function isOfTime(node: unknown): boolean {
  return (JSON.stringify(node) ?? "").includes('"said":');
}

/** Whether a number is one of things that are there, and not of what happens. */
export function countsThings(num: Num, schema: Schema): boolean {
  const ds = num.k === "agg" && num.in !== undefined ? datasetIn(num.in) : undefined;
  if (ds !== undefined) return !isEvent(ds, schema);
  const ref = num.k === "metric" ? countedBy(num.name, schema) : undefined;
  return ref !== undefined && !isEvent(ref.ds, schema);
}

/** What a metric counts, each once and whatever it is. */
function countedBy(name: string, schema: Schema): { ds: string; field: string } | undefined {
  const { aggregates = [], texts = [] } = schema.metrics.get(name)?.formula ?? {};
  const [only, ...others] = aggregates;
  const [count, ref, end] = only?.pieces ?? [];
  if (others.length > 0 || texts.some((text) => text.trim() !== "") || typeof count !== "string")
    return undefined;
  if (!/^\s*count\s*\(\s*(?:distinct\s+)?$/i.test(count) || typeof ref !== "object" || end !== ")")
    return undefined;
  const key = schema.datasets.get(ref.ds)?.key ?? [];
  return key.length === 1 && key[0] === ref.field ? ref : undefined;
}

/** What happens has a number or a date, and no name. */
function isEvent(ds: string, { datasets }: Schema): boolean {
  const { fields, nameField } = datasets.get(ds) ?? {};
  return fields?.get(nameField ?? "")?.kind !== "text" || /(^|_)id$/i.test(nameField ?? "");
}
