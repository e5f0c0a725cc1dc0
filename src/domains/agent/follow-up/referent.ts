import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Cond, Key, Literal, Num, Rel, Window } from "../query/semantic-query.ts";
import { GLOSSARY } from "../understand/languages/german/glossary.ts";
import { foldGerman, stemGerman } from "../understand/languages/german/stem.ts";
import { phraseKey } from "../understand/languages/words.ts";
import type { Context } from "./context.ts";
import { areDated, condsOf, datasetIn, isEqual, narrowed, swapped, type Table, withConds } from "./parts.ts";

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

/** The entities or rows that an answer speaks of: of a ranking those that it shows. */
export async function referentOf(
  ask: Ask,
  { knowledge: { schema }, rows }: Context,
): Promise<Referent | undefined> {
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
    return { of: { ds, rel: narrowed(rel, [...scope.conds, ...during]) }, conds: [], win: scope.win };
  }
  if (others.length > 0 || key.bucket !== undefined || key.part !== undefined) return scope;
  const isEntity = schema.datasets.get(key.ds)?.nameField === key.field && key.path === undefined;
  const all: Rel = { k: "all", ds: key.ds };
  if (ask.top === undefined && ask.having === undefined)
    return isEntity ? { ...scope, of: { ds: key.ds, rel: all } } : scope;
  const own = isEntity ? firstOf(ask, key) : undefined;
  if (own !== undefined) return { ...scope, conds: [], of: { ds: key.ds, rel: own } };
  const shown = await rows(ask);
  const values = shown.map(([value]) => value).filter(isLiteral);
  if (shown.length > NAMED || values.length !== shown.length || values.length === 0) return undefined;
  const cond: Cond = { k: "is", key, values, match: "equal" };
  if (!isEntity) return { ...scope, conds: [...scope.conds, cond] };
  return { ...scope, of: { ds: key.ds, rel: { k: "where", in: all, if: cond } } };
}

/** What a number is the number of. */
function countedIn({ cols: [num, ...others] }: Table, schema: Schema): Rel | undefined {
  if (others.length > 0) return undefined;
  if (num?.k === "agg") return num.fn === "count" ? num.in : undefined;
  const ds = num?.k === "metric" && num.scope === undefined ? countedBy(num.name, schema) : undefined;
  return ds === undefined ? undefined : { k: "all", ds };
}

/** The first ones by a number, as entities: in the period and of the rows of the table. */
function firstOf({ top, having, scope }: Table, { ds }: Key): Rel | undefined {
  if (top === undefined || having !== undefined || top.per !== undefined || top.by.k !== "metric")
    return undefined;
  const conds = condsOf(scope?.if);
  const isOwn = (cond: Cond) => cond.k === "is" && cond.key.ds === ds && cond.key.path === undefined;
  if (!conds.every(isOwn)) return undefined;
  const by = { ...top.by, scope: { ...top.by.scope, ...(scope?.win !== undefined && { win: scope.win }) } };
  const { n, dir, skip, ties } = top;
  const all = narrowed({ k: "all", ds }, conds);
  return { k: "top", in: all, by, dir, n, ...(skip !== undefined && { skip }), ties };
}

function isLiteral(value: unknown): value is Literal {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
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
  const all = of && { k: "all", ds: of.ds };
  const isNamed = JSON.stringify(ask).includes(JSON.stringify(all) ?? "?");
  const next = isNamed ? swapped(ask, (part) => (isEqual(part, all) ? of?.rel : undefined)) : ask;
  const link: Cond[] = of === undefined || isNamed ? [] : [{ k: "link", at: of.ds, path: [], to: of.rel }];
  const isDated = win === undefined || isOfTime(ask);
  if (next.k === "table") {
    const things = next.cols.some((num) => countsThings(num, schema));
    // Customers in a period are those that came then, or those that bought something: nobody said which.
    if (!isDated && things && !(isNamed && isOfTime(of?.rel))) return undefined;
    const table = withConds(next, [...condsOf(next.scope?.if), ...conds, ...link]);
    return isDated || things ? table : { ...table, scope: { ...table.scope, win } };
  }
  const ds = datasetIn(next.rel);
  // "in that category" is where they are, whenever that was.
  const isOwn = isNoun && conds.length > 0 && conds.every((cond) => cond.k === "is" && cond.key.ds === ds);
  // Who was meant by a number alone is not known, and a list of them would be one of all.
  if (of === undefined && win !== undefined && !isOwn) return undefined;
  const during: Cond[] = isDated || ds === undefined || !isEvent(ds, schema) ? [] : [{ k: "during", win }];
  return { ...next, rel: narrowed(next.rel, [...conds, ...link, ...during]) };
}

function isOfTime(node: unknown): boolean {
  return (JSON.stringify(node) ?? "").includes('"said":');
}

/** Whether a number is one of things that are there, and not of what happens. */
export function countsThings(num: Num, schema: Schema): boolean {
  const own = num.k === "agg" && num.in !== undefined ? datasetIn(num.in) : undefined;
  const ds = own ?? (num.k === "metric" ? countedBy(num.name, schema) : undefined);
  return ds !== undefined && !isEvent(ds, schema);
}

/** The dataset that a metric counts, each row once and whatever it is. */
function countedBy(name: string, schema: Schema): string | undefined {
  const { aggregates: [only, ...others] = [], texts = [] } = schema.metrics.get(name)?.formula ?? {};
  const [start, ref, end] = only?.pieces ?? [];
  const isCount = /^\s*count\s*\(\s*(?:distinct\s+)?$/i.test(String(start)) && end === ")";
  if (!isCount || others.length > 0 || texts.some((text) => text.trim() !== "")) return undefined;
  if (typeof ref !== "object") return undefined;
  return isEqual(schema.datasets.get(ref.ds)?.key, [ref.field]) ? ref.ds : undefined;
}

/** What happens has a number or a date, and no name. */
function isEvent(ds: string, { datasets }: Schema): boolean {
  const { fields, nameField } = datasets.get(ds) ?? {};
  return fields?.get(nameField ?? "")?.kind !== "text" || /(^|_)id$/i.test(nameField ?? "");
}

/** What an answer tells apart. */
export function keyOf(ask: Ask): Key | undefined {
  return ask.k === "table" ? ask.by[0] : ask.show[0];
}

/** Whether one of these words is what the rows of an answer are called. */
export function namesKey(words: string, ask: Ask, { knowledge }: Context): boolean {
  const key = keyOf(ask);
  return key !== undefined && (words.match(/\p{L}+/gu) ?? []).some((word) => isCalled(word, key, knowledge));
}

/** Whether a noun is what the author calls the field, or whatever has it for a name. */
export function isCalled(noun: string, { ds, field, bucket }: Key, { model }: Knowledge): boolean {
  const english = phraseKey(noun);
  if (bucket !== undefined) return english === bucket;
  const dataset = model.datasets.find(({ name }) => name === ds);
  const own = dataset?.fields.find(({ name }) => name === field)?.ai.synonyms ?? [];
  const isName = /(?:^|_)(?:name|title|id)$/i.test(field);
  const named = [field, ...own, ...(isName ? [ds, ...(dataset?.ai.synonyms ?? [])] : [])];
  const german = stemGerman(foldGerman(noun));
  const called = [english, german, ...(GLOSSARY.get(german) ?? []).map(({ stems }) => stems)];
  return named
    .map((name) => phraseKey(name))
    .some((name) => called.some((word) => name === word || name.split(" ").includes(word)));
}
