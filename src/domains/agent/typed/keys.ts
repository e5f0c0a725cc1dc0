import { AppError } from "../../../kernel/errors.ts";
import { homesIn, linkOf, reversed, toOnePath } from "../compile/paths.ts";
import {
  findMetric,
  isDate,
  isSameName,
  keyNamed,
  keysNamed,
  kindOfKey,
  qualified,
  unknownName,
} from "../query/names.ts";
import { datasetIn, nodesIn, whereAll } from "../query/parts.ts";
import type { Schema, SchemaField } from "../query/schema.ts";
import {
  type Ask,
  type Comparison,
  type Cond,
  type Grain,
  type Hop,
  isKey,
  type Key,
  type Num,
  type Rel,
  type Window,
} from "../query/semantic-query.ts";

/** `orders.order_date:month`, and `airports.city via flight_origin` where several relationships lead there. */
const KEY = /^(.*?)(?:\s*:\s*([a-z_]+))?(?:\s+via\s+(.+?))?$/is;

const BUCKETS: readonly Grain[] = ["day", "week", "month", "quarter", "year"];
const GRAINS: ReadonlyMap<string, Partial<Key>> = new Map<string, Partial<Key>>([
  ...BUCKETS.map((bucket) => [bucket, { bucket }] as const),
  ["fiscal_quarter", { bucket: "quarter", fiscal: true }],
  ["fiscal_year", { bucket: "year", fiscal: true }],
  ["weekday", { part: "weekday" }],
  ["hour", { part: "hour" }],
]);

/** A field that the model has for this caller, with what is said of it behind its name. */
export function keyOf(schema: Schema, text: string): Key {
  const whole = text.trim();
  // A name may have such signs itself.
  if (keysNamed(schema, whole).length > 0) return keyNamed(schema, whole);
  const [, name = "", grain, via] = KEY.exec(whole) ?? [];
  const metric = findMetric(schema, name);
  if (metric !== undefined && keysNamed(schema, name).length === 0)
    throw new AppError("bad_request", `${metric} is a metric, and no field.`, {
      hint: "Metrics stand in metrics, in order, and in where as conditions on groups.",
    });
  const key = alongWay(schema, name) ?? keyNamed(schema, name, waysLike(schema, name));
  return {
    ...key,
    ...(grain !== undefined && grained(schema, key, grain)),
    ...(via && viaOf(schema, key, via)),
  };
}

/** What days between dates are, what a part of a date is, and else what its field is. */
export function kindOf(schema: Schema, key: Key): SchemaField["kind"] {
  if (key.since !== undefined) return "number";
  if (key.part !== undefined) return key.part === "hour" ? "number" : "text";
  return kindOfKey(schema, key);
}

function grained(schema: Schema, key: Key, said: string): Partial<Key> {
  const found = GRAINS.get(said.toLowerCase());
  const known = [...GRAINS.keys()].join(", ");
  if (found === undefined)
    throw new AppError("bad_request", `There is no grain ${said}.`, { hint: `Take one of ${known}.` });
  if (isDate(schema, key)) return found;
  throw new AppError("bad_request", `${qualified(key)} is no date, so it has no ${said}.`);
}

function viaOf({ links }: Schema, { ds }: Key, said: string): Pick<Key, "path"> {
  const leading = [...links.values()].filter(({ to, isSoft }) => to === ds && isSoft !== true);
  const link = leading.find(({ name }) => isSameName(name, said))?.name;
  if (link !== undefined) return { path: [{ link, dir: "one", as: link.replaceAll("_", " ") }] };
  const names = leading.map(({ name }) => name).join(", ");
  throw new AppError("bad_request", `No relationship ${said} leads to ${ds}.`, {
    hint: names === "" ? "None does." : `Those that do: ${names}.`,
  });
}

/** `store_in_region.region_name`: a field of where that relationship leads. */
function alongWay(schema: Schema, text: string): Key | undefined {
  const [way = "", field = "", ...more] = text.split(".");
  const { to = "" } = [...schema.links.values()].find(({ name }) => isSameName(name, way)) ?? {};
  const [key] = more.length === 0 ? keysNamed(schema, `${to}.${field}`) : [];
  return key && !schema.datasets.has(way) ? { ...key, ...viaOf(schema, key, way) } : undefined;
}

/** `manager.name` and `employees.region_name` say a way: `employees.name via manager`. */
function waysLike({ datasets, links }: Schema, text: string): string[] {
  const [way = "", ...rest] = text.toLowerCase().split(".");
  const field = rest.at(-1) ?? "";
  // Half of a dataset's name is no way.
  if ([...datasets.keys()].some((ds) => !isSameName(ds, way) && ds.toLowerCase().startsWith(way))) return [];
  return [...links.values()].flatMap(({ name, from, to, isSoft }) => {
    const found = [...(datasets.get(to)?.fields.keys() ?? [])].find((each) => isSameName(each, field));
    const isSaid = isSameName(from, way) || name.toLowerCase().includes(way);
    return isSoft === true || found === undefined || !isSaid || way === ""
      ? []
      : [`${to}.${found} via ${name}`];
  });
}

/** The dataset whose entities are meant; each of them has to be told from the others. */
export function entityNamed({ datasets }: Schema, name: string): string {
  const found = [...datasets.values()].find((each) => isSameName(each.name, name));
  if (found === undefined) throw unknownName("dataset", name, [...datasets.keys()]);
  if (found.key.length > 0) return found.name;
  throw new AppError("bad_request", `The model does not say what tells ${found.name} apart.`, {
    hint: "Take a dataset with a primary key, or group by a field and compare the number of groups.",
  });
}

/** That rows belong to one of those entities of which this holds. */
export function ofEntity(ds: string, cond: Cond): Cond {
  return { k: "link", at: ds, path: [], to: whereAll({ k: "all", ds }, [cond]) };
}

/** A number as each entity has it: of the rows that belong to it. */
export function ofEach(num: Num, ds: string, schema: Schema): Num {
  switch (num.k) {
    case "agg":
      return { ...num, path: wayTo(num, ds, schema) };
    case "calc":
      return { ...num, a: ofEach(num.a, ds, schema), b: ofEach(num.b, ds, schema) };
    case "metric":
    case "lit":
      return num;
    default:
      throw new AppError("bad_request", `Such a number is not told for each of ${ds}.`, {
        hint: "Compare a metric, an aggregate or what is calculated of some: count(orders) per customers.",
      });
  }
}

function wayTo({ fn, in: rel }: Extract<Num, { k: "agg" }>, ds: string, schema: Schema): Hop[] {
  const counted = datasetIn(rel as Rel) as string;
  const own = backTo(schema, counted, ds);
  if (own !== undefined) return own;
  const [between] = linking(schema, [ds, counted]);
  // What is met along several rows would be added several times.
  if (between !== undefined && fn !== "sum" && fn !== "avg" && fn !== "median") {
    const there = toOnePath(schema, between, counted) ?? [];
    return [
      ...(backTo(schema, between, ds) as Hop[]),
      ...there.map(({ name: link }) => ({ link, dir: "one" as const })),
    ];
  }
  throw new AppError("bad_request", `${counted} do not belong to ${ds}.`, {
    hint: `Take rows that do: ${belonging(schema, ds).join(", ") || "there are none"}.`,
  });
}

/** From an entity to the rows that belong to it. */
export function backTo(schema: Schema, from: string, ds: string): Hop[] | undefined {
  const path = toOnePath(schema, from, ds);
  return path && reversed(path.map(({ name: link }) => ({ link, dir: "one" })));
}

/** The datasets whose rows belong to all of these; of several those that are nearest. */
export function linking(schema: Schema, all: readonly string[]): string[] {
  const far = (ds: string) => {
    const ways = all.map((to) => toOnePath(schema, ds, to));
    return ways.every((way) => way !== undefined)
      ? ways.flat().reduce((sum, { cost }) => sum + cost, 0)
      : Number.POSITIVE_INFINITY;
  };
  const found = [...schema.datasets.keys()].map((ds) => ({ ds, cost: far(ds) }));
  const least = Math.min(...found.map(({ cost }) => cost));
  return Number.isFinite(least) ? found.filter(({ cost }) => cost === least).map(({ ds }) => ds) : [];
}

/** Datasets whose rows belong to those of this one. */
export function belonging(schema: Schema, ds: string): string[] {
  return [...schema.datasets.keys()].filter(
    (each) => each !== ds && toOnePath(schema, each, ds) !== undefined,
  );
}

/** A period holds for what is counted of entities as well, unless a number has one of its own, or no date. */
export function datedNumber(num: Num, win: Window, schema: Schema): Num {
  const dated = (of: Num) => datedNumber(of, win, schema);
  if (num.k === "calc") return { ...num, a: dated(num.a), b: dated(num.b) };
  const counted = num.k === "agg" && num.in !== undefined ? datasetIn(num.in) : undefined;
  if (counted !== undefined && schema.datasets.get(counted)?.date == null) return num;
  return num.k === "metric" || num.k === "agg" ? { ...num, scope: { win, ...num.scope } } : num;
}

/** Of nothing it is 0: a count or a sum. */
export function isAmount(num: Num, { metrics }: Schema): boolean {
  const fn =
    num.k === "agg" ? num.fn : num.k === "metric" ? (metrics.get(num.name)?.formula.only?.fn ?? "") : "";
  return /^(count|distinct|sum)/.test(fn);
}

const OPPOSITE: Partial<Record<Comparison, Comparison>> = { "<": ">=", "<=": ">", "=": "<>" };

/** Entities without any rows have a sum of 0 as well, which SQL does not know. */
export function orNone(cond: Cond, schema: Schema): Cond {
  if (cond.k !== "cmp" || isKey(cond.a) || isKey(cond.b) || cond.b.k !== "lit") return cond;
  const { v } = cond.b;
  const op = OPPOSITE[cond.op];
  const takesNone = cond.op === "<" ? v > 0 : cond.op === "<=" ? v >= 0 : v === 0;
  const isSum = isAmount(cond.a, schema) && !isCounted(cond.a, schema);
  return op === undefined || !takesNone || !isSum ? cond : { k: "not", of: { ...cond, op } };
}

function isCounted(num: Num, { metrics }: Schema): boolean {
  if (num.k === "agg") return num.fn !== "sum";
  return num.k === "metric" && metrics.get(num.name)?.formula.only?.isCount === true;
}

/** A relationship that was said has to be on the way of every number: the compiler takes another one where it is not. */
export function requireWays(ask: Ask, schema: Schema): void {
  const keys = nodesIn(ask).filter((node) => "field" in node && "path" in node) as unknown as Key[];
  for (const home of homesOf(ask, schema)) for (const key of keys) requireWay(schema, home, key);
}

function requireWay(schema: Schema, home: string, key: Key): void {
  const [first] = key.path ?? [];
  const leads = (from: string) => toOnePath(schema, home, from) !== undefined;
  if (first === undefined || leads(linkOf(schema, first.link).from) || !leads(key.ds)) return;
  const ways = [...schema.links.values()].filter(
    ({ from, to, isSoft }) => to === key.ds && isSoft !== true && leads(from),
  );
  const names = ways.map(({ name }) => name).join(", ");
  throw new AppError("bad_request", `${first.link} does not lead from ${home} to ${qualified(key)}.`, {
    hint: names === "" ? "No relationship does: leave via out." : `Those that do: ${names}.`,
  });
}

/** The datasets whose rows are listed, or make up the numbers. */
export function homesOf(ask: Ask, schema: Schema): Set<string> {
  if (ask.k === "list") return new Set([datasetIn(ask.rel)].flatMap((ds) => ds ?? []));
  const homes = nodesIn(ask).flatMap(({ k, in: rel, name }) => {
    if (k === "agg") return datasetIn(rel as Rel) ?? [];
    const { formula } = (k === "metric" && schema.metrics.get(name as string)) || {};
    return (formula?.aggregates ?? []).flatMap((each) => homesIn(schema, each).slice(0, 1));
  });
  return new Set(homes);
}

/** What opens, by what closes it. */
const PAIRS: Readonly<Record<string, string>> = { ")": "(", "]": "[" };

/** A place in a text that stands outside of brackets and quotes. */
interface Found {
  at: number;
  sign: string;
}

/** Where a sign stands outside of brackets and quotes; undefined where these do not fit together. */
export function outside(text: string, sign: RegExp): Found[] | undefined {
  const sticky = new RegExp(sign.source, `${sign.flags.replace(/[gy]/g, "")}y`);
  const open: string[] = [];
  const found: Found[] = [];
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (open.length === 0) {
      sticky.lastIndex = at;
      const [hit] = sticky.exec(text) ?? [];
      if (hit) {
        found.push({ at, sign: hit });
        at += hit.length - 1;
        continue;
      }
    }
    if (letter === '"' || isQuote(text, at)) {
      const end = text.indexOf(letter, at + 1);
      if (end === -1) return undefined;
      at = end;
    } else if (letter === "(" || letter === "[") open.push(letter);
    else if (letter in PAIRS && open.pop() !== PAIRS[letter]) return undefined;
  }
  return open.length === 0 ? found : undefined;
}

/** An apostrophe inside of a word is none. */
function isQuote(text: string, at: number): boolean {
  return text.charAt(at) === "'" && !/[\p{L}\p{N}]/u.test(text.charAt(at - 1));
}

/** The parts between such signs. */
export function splitOutside(text: string, sign: RegExp): string[] {
  const cuts = outside(text, sign) ?? [];
  const starts = [0, ...cuts.map((cut) => cut.at + cut.sign.length)];
  return starts.map((start, i) => text.slice(start, cuts[i]?.at).trim());
}

/** What stands before a bracket that ends the text, and what in it: `count(orders[2025])` for "(". */
export function beforeBracket(
  text: string,
  opening: "(" | "[",
): { head: string; inside: string } | undefined {
  if (PAIRS[text.at(-1) ?? ""] !== opening) return undefined;
  const starts = [...text].flatMap((letter, at) => (letter === opening ? [at] : []));
  const at = starts.find((start) => outside(text.slice(start + 1, -1), /(?!)/) !== undefined);
  return at === undefined || outside(text.slice(0, at), /(?!)/) === undefined
    ? undefined
    : { head: text.slice(0, at).trim(), inside: text.slice(at + 1, -1).trim() };
}
