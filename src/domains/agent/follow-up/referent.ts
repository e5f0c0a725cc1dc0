import { reversed, toOnePath } from "../compile/paths.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { bare, condsOf, datasetIn, isEqual, nodesIn, relConds, swapped, whereAll } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Cond, Hop, Key, Literal, Num, Rel, Window } from "../query/semantic-query.ts";
import { GLOSSARY } from "../understand/languages/german/glossary.ts";
import { foldGerman, stemGerman } from "../understand/languages/german/stem.ts";
import { phraseKey } from "../understand/languages/words.ts";
import type { Context } from "./context.ts";
import { areDated, narrowed, rescoped, type Table, windowsIn, withConds } from "./parts.ts";

/** What a word that points back can stand for: the set that was answered, with all that was said of it. */
export interface Referent {
  /** The dataset whose entities they are, and these; undefined where it is a number alone. */
  of?: { ds: string; rel: Rel };
  /** What holds of the rows that the answer was made of. */
  conds: Cond[];
  /** When that was; of several periods nobody said which. */
  win: Window | "several" | undefined;
  /** Everything is told apart by these. */
  by: Key[];
  /** It is one of them that was named: only what it is itself is asked of it. */
  isNamed?: true;
}

/** More groups than these are not named one by one. */
const NAMED = 50;

/** What an answer was about: of a ranking those that it shows; the likeliest first. */
export async function referentsOf(ask: Ask, { knowledge: { schema }, rows }: Context): Promise<Referent[]> {
  if (ask.k === "list") {
    const [{ ds = "", path = [] } = {}, ...more] = ask.show;
    const none = { conds: [], win: undefined, by: [] };
    // The manager of somebody is who was shown.
    if (path.length > 0 && more.length === 0)
      return [{ ...none, of: { ds, rel: { k: "via", from: ask.rel, path } } }];
    return setsOf([ask.rel], none, schema);
  }
  const conds = condsOf(ask.scope?.if);
  const scope: Referent = { conds, win: ask.scope?.win, by: ask.by };
  // Of two periods nobody said which, and a share is of two numbers.
  if (areDated(ask.cols)) return [];
  const [num] = ask.cols;
  // A share of those who were pointed to is of these.
  const theirs = num?.k === "calc" && num.op === "/" && "scope" in num.a ? condsOf(num.a.scope?.if) : [];
  const shared = theirs.flatMap((cond) => (cond.k === "link" && cond.path.length === 0 ? [cond.to] : []));
  if (shared.length > 0) return setsOf(shared, { ...scope, by: [] }, schema);
  const [key, ...others] = ask.by;
  const isFirst = ask.top !== undefined || ask.having !== undefined;
  if (!isFirst || key === undefined) {
    const counted = countedIn(ask, schema);
    const said = [...(counted === undefined ? [] : relConds(counted)), ...conds];
    // Those whose rows they are, and not what they have: "orders of the stores", "customers with orders".
    const isTheirs = (cond: Cond) => cond.k === "link" && cond.path.every(({ dir }) => dir === "one");
    const linked = said.flatMap((cond) => (cond.k === "link" && isTheirs(cond) ? [cond.to] : []));
    const during: Cond[] =
      scope.win === undefined || scope.win === "several" ? [] : [{ k: "during", win: scope.win }];
    const isSaid = key === undefined || counted?.k !== "all" || conds.length + during.length > 0;
    const own = counted && isSaid ? [narrowed(counted, [...conds, ...during])] : [];
    const rest = { ...scope, conds: [] };
    const sets = setsOf([...own, ...linked], rest, schema);
    if (sets.length > 0) return sets;
    const named = namedIn(conds, scope, schema);
    if (key === undefined) return ask.cols.some(({ k }) => k === "calc") ? named : [scope, ...named];
    const isEntity = others.length === 0 && isNameOf(key, schema);
    return [isEntity ? { ...scope, of: { ds: key.ds, rel: { k: "all", ds: key.ds } } } : scope];
  }
  if (others.length > 0 || key.bucket !== undefined || key.part !== undefined) return [];
  return shownOf(ask, key, { ...scope, by: [] }, { schema, rows });
}

/** The one thing that conditions name: "revenue of Ann Berg". */
function namedIn(conds: readonly Cond[], scope: Referent, schema: Schema): Referent[] {
  return conds.flatMap((cond): Referent[] => {
    if (cond.k !== "is" || cond.values.length !== 1) return [];
    const { ds, field } = cond.key;
    const isName = isNameOf(cond.key, schema) || isEqual(schema.datasets.get(ds)?.key, [field]);
    const rel: Rel = { k: "where", in: { k: "all", ds }, if: cond };
    return isName ? [{ ...scope, conds: [], by: [], of: { ds, rel }, isNamed: true }] : [];
  });
}

/** What a table counts, where something was said of it. */
export function countedSet(ask: Table, schema: Schema): Referent | undefined {
  const [num] = ask.cols;
  const rel = num?.k === "agg" && ask.cols.length === 1 ? num.in : undefined;
  if (rel === undefined || rel.k === "all") return undefined;
  const { win, if: cond } = ask.scope ?? {};
  const during: Cond[] = win === undefined ? [] : [{ k: "during", win }];
  const set = narrowed(rel, [...condsOf(cond), ...during]);
  return setsOf([set], { conds: [], win, by: ask.by }, schema)[0];
}

/** Entities, and when they did what they were chosen by. */
function setsOf(rels: readonly Rel[], { win, ...scope }: Referent, schema: Schema): Referent[] {
  return rels.flatMap((rel) => {
    const ds = datasetIn(rel);
    if (ds === undefined) return [];
    // When things came to be there says nothing of what they do.
    const isOwn = (cond: Cond) => cond.k === "during" && !isEvent(ds, schema);
    const first = bare(rel);
    const deeds = [first.k === "top" ? first : [], relConds(rel).filter((cond) => !isOwn(cond))];
    const periods = windowsIn(deeds).map(({ on: _, ...period }) => period);
    const isOne = periods.every(({ from, to }) => from === periods[0]?.from && to === periods[0].to);
    return [{ ...scope, of: { ds, rel }, win: win ?? (isOne ? periods[0] : "several") }];
  });
}

/** The first groups, as entities or by their names. */
async function shownOf(
  ask: Table,
  key: Key,
  scope: Referent,
  { schema, rows }: { schema: Schema; rows: Context["rows"] },
): Promise<Referent[]> {
  const all: Rel = { k: "all", ds: key.ds };
  const isEntity = isNameOf(key, schema);
  const own = isEntity ? firstOf(ask, key) : undefined;
  if (own !== undefined) return [{ ...scope, conds: [], of: { ds: key.ds, rel: own } }];
  const shown = await rows(ask);
  const values = shown.map(([value]) => value).filter(isLiteral);
  if (shown.length > NAMED || values.length !== shown.length || values.length === 0) return [];
  const cond: Cond = { k: "is", key, values, match: "equal" };
  if (!isEntity) return [{ ...scope, conds: [...scope.conds, cond] }];
  return [{ ...scope, of: { ds: key.ds, rel: { k: "where", in: all, if: cond } } }];
}

export function isNameOf({ ds, field, path }: Key, schema: Schema): boolean {
  return schema.datasets.get(ds)?.nameField === field && path === undefined;
}

/** What a number is the number of. */
function countedIn({ cols: [num, ...others] }: Table, schema: Schema): Rel | undefined {
  if (others.length > 0) return undefined;
  if (num?.k === "agg") return num.in ?? (num.of && { k: "all", ds: num.of.ds });
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
  { of, conds, win, by }: Referent,
  schema: Schema,
  isNoun: boolean,
): Ask | undefined {
  const all = of && { k: "all", ds: of.ds };
  const places = JSON.stringify(ask).split(JSON.stringify(all) ?? "?").length - 1;
  // "how many people report to him": nobody said which of them is him.
  if (places > 1 && !isEqual(of?.rel, all)) return undefined;
  const isNamed = places > 0;
  const whose = isNamed ? swapped(ask, (part) => (isEqual(part, all) ? of?.rel : undefined)) : ask;
  const link = of === undefined || isNamed ? [] : linkTo(of, homesOf(ask, schema), schema);
  if (link === undefined) return undefined;
  const period = win === undefined || isOfTime(ask) ? undefined : win;
  if (period === "several") return undefined;
  const next = period && isNamed ? swapped(whose, (part) => doneThen(part, of, period, schema)) : whose;
  if (period && isNamed && nodesIn(next).some((node) => isAround(node, of, schema))) return undefined;
  if (next.k === "table") {
    const things = next.cols.some((num) => countsThings(num, schema));
    // Customers in a period are those that came then, or those that bought something: nobody said which.
    const then =
      period !== undefined && things && !(isNamed && isOfTime(of?.rel)) ? dated(next, period, schema) : next;
    if (then?.k !== "table") return undefined;
    const isPlain = then.by.length === 0 && then.top === undefined;
    const table = {
      ...withConds(then, [...condsOf(then.scope?.if), ...conds, ...link]),
      ...(isPlain && { by }),
    };
    return period === undefined || things ? table : { ...table, scope: { ...table.scope, win: period } };
  }
  const ds = datasetIn(next.rel);
  // "in that category" is where they are, whenever that was.
  const isOwn = isNoun && conds.length > 0 && conds.every((cond) => cond.k === "is" && cond.key.ds === ds);
  // Who was meant by a number alone is not known, and a list of them would be one of all.
  if (of === undefined && win !== undefined && !isOwn) return undefined;
  const isThen = period !== undefined && ds !== undefined && isEvent(ds, schema);
  const during: Cond[] = isThen ? [{ k: "during", win: period }] : [];
  // Who is called by name is the same, whatever rows of theirs were spoken of.
  const isCalledSo = of?.rel.k === "where" && of.rel.in.k === "all" && of.rel.if.k === "is";
  return { ...next, rel: narrowed(next.rel, [...(isCalledSo ? [] : conds), ...link, ...during]) };
}

/** Whether it leads from things to these by way of what happened: "products with orders of them". */
function isAround(part: object, of: Referent["of"], schema: Schema): part is Extract<Cond, { k: "link" }> {
  const { k, at, path = [], to } = part as Extract<Cond, { k: "link" }>;
  if (k !== "link" || new Set(path.map(({ dir }) => dir)).size < 2 || isEvent(at, schema)) return false;
  return nodesIn(to).some((node) => isEqual(node, of?.rel));
}

/** Things of what these did then, and not of whoever did something then. */
function doneThen(part: object, of: Referent["of"], win: Window, schema: Schema): Cond | undefined {
  if (of === undefined || !isAround(part, of, schema)) return undefined;
  const known = relConds(of.rel);
  const [deed, ...others] = relConds(part.to).filter((cond) => !known.some((other) => isEqual(cond, other)));
  const event = deed?.k === "link" && deed.count === undefined ? datasetIn(deed.to) : undefined;
  if (deed?.k !== "link" || event === undefined || others.length > 0) return undefined;
  const path = toOnePath(schema, event, part.at)?.map(({ name }): Hop => ({ link: name, dir: "one" }));
  if (path === undefined || toOnePath(schema, event, of.ds) === undefined) return undefined;
  const theirs: Cond = { k: "link", at: of.ds, path: [], to: of.rel };
  return { ...part, path: reversed(path), to: narrowed(deed.to, [theirs, { k: "during", win }]) };
}

/** That rows belong to some entities, or these to them; undefined where only something else that nobody named links them. */
function linkTo(
  { ds, rel }: NonNullable<Referent["of"]>,
  homes: readonly string[],
  schema: Schema,
): Cond[] | undefined {
  if (homes.some((home) => toOnePath(schema, home, ds) !== undefined))
    return [{ k: "link", at: ds, path: [], to: rel }];
  for (const home of homes) {
    const path = toOnePath(schema, ds, home)?.map(({ name }): Hop => ({ link: name, dir: "one" }));
    if (path !== undefined) return [{ k: "link", at: home, path: reversed(path), to: rel }];
  }
  return undefined;
}

/** The datasets whose rows a query is made of. */
export function homesOf(ask: Ask, { metrics }: Schema): string[] {
  return nodesIn(ask.k === "list" ? ask.rel : ask.cols).flatMap(({ k, name, ds }) => {
    if (k === "all") return [String(ds)];
    const { aggregates = [] } = (k === "metric" && metrics.get(String(name))?.formula) || {};
    return aggregates.flatMap(({ pieces }) =>
      pieces.flatMap((each) => (typeof each === "string" ? [] : [each.ds])),
    );
  });
}

function isOfTime(node: unknown): boolean {
  return (JSON.stringify(node) ?? "").includes('"said":');
}

/** In a period: what happened then, or what was done by those that are asked for. */
export function dated(ask: Ask, win: Window, schema: Schema): Ask | undefined {
  const { on: _, ...then } = win;
  if (ask.k === "table") {
    if (!ask.cols.some((num) => countsThings(num, schema)))
      return { ...ask, scope: { ...ask.scope, win: then } };
    const [num, ...others] = ask.cols;
    const rel =
      num?.k === "agg" && others.length === 0 && num.in !== undefined
        ? doneIn(num.in, then, schema)
        : undefined;
    return rel && { ...ask, cols: [{ ...(num as Extract<Num, { k: "agg" }>), in: rel }] };
  }
  const rel = doneIn(ask.rel, then, schema);
  return rel && { ...ask, rel };
}

function doneIn(rel: Rel, win: Window, schema: Schema): Rel | undefined {
  const ds = datasetIn(rel);
  if (ds !== undefined && isEvent(ds, schema)) return narrowed(rel, [{ k: "during", win }]);
  if (
    rel.k === "top" &&
    "k" in rel.by &&
    rel.by.k !== "lit" &&
    rel.by.k !== "field" &&
    !countsThings(rel.by, schema)
  )
    return { ...rel, by: rescoped(rel.by, { win }) };
  const conds = relConds(rel);
  const deed = conds.find((cond) => cond.k === "link" && isEvent(datasetIn(cond.to) ?? "", schema));
  if (deed?.k !== "link") return undefined;
  const then: Cond = { ...deed, to: narrowed(deed.to, [{ k: "during", win }]) };
  return narrowed(
    bare(rel),
    conds.map((cond) => (cond === deed ? then : cond)),
  );
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
export function isEvent(ds: string, { datasets }: Schema): boolean {
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

/** Whether a noun is what those are called that a referent stands for. */
export function isOf(noun: string, { of }: Referent, knowledge: Knowledge): boolean {
  const field = of && knowledge.schema.datasets.get(of.ds)?.nameField;
  return of !== undefined && isCalled(noun, { ds: of.ds, field: field ?? `${of.ds}_id` }, knowledge);
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

/** Its own rows, whenever they were; undefined where it is of others of one period, which are none of another. */
export function ofAnyTime(ask: Table, schema: Schema): Table | undefined {
  const homes = homesOf(ask, schema);
  const isThen = (cond: Cond) => cond.k === "during" && isEqual(cond.win, ask.scope?.win);
  const conds = condsOf(ask.scope?.if).map((cond): Cond | undefined => {
    const said = cond.k === "link" && cond.path.length === 0 ? relConds(cond.to) : [];
    if (cond.k !== "link" || !said.some(isThen)) return cond;
    const rest = said.filter((each) => !isThen(each));
    return homes.includes(cond.at) ? { ...cond, to: whereAll(bare(cond.to), rest) } : undefined;
  });
  const free = conds.filter((cond) => cond !== undefined);
  return free.length < conds.length ? undefined : withConds(ask, free);
}
