import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { hasKind, isEqual, isSameField, nodesIn, rebuilt } from "../../query/parts.ts";
import type { Schema } from "../../query/schema.ts";
import type { Ask, Cond, Grain, Key, Num, Scope, Window } from "../../query/semantic-query.ts";
import { valueIn } from "../candidates/candidates.ts";
import type { Language } from "../languages/language.ts";
import type { Word } from "../languages/words.ts";
import type { Assumption } from "../reading.ts";
import type { Leaf } from "../senses/fragment.ts";

type Table = Extract<Ask, { k: "table" }>;

/** What the question leaves to the author's conventions. */
export function finished(
  said: Ask,
  { now }: { now: string },
  { definitions, schema }: Knowledge,
  isDateNamed = false,
): Ask {
  if (said.k !== "table") return said;
  const ask = firstOfEach(isDateNamed ? said : asOfDay(said, now, schema));
  const { win } = ask.scope ?? {};
  if (win !== undefined) return withinWindow(grownSoFar(ask, win, now), win);
  // "sold more than 400 units last year at a margin below 36 %": in the same period.
  const [only, ...others] = metricWindows(ask);
  const isOfTop = only !== undefined && hasTopOf(ask, only);
  if ((ask.having !== undefined || isOfTop) && only !== undefined && others.length === 0)
    return { ...ask, scope: { ...ask.scope, win: only } };
  return inAuthorsPeriod(ask, now, definitions);
}

/** Numbers without a period are of the one that the author gives them. */
export function inAuthorsPeriod(ask: Table, now: string, { defaultMonths }: Knowledge["definitions"]): Table {
  const months = Math.max(
    0,
    ...ask.cols.map((num) =>
      num.k === "metric" && num.scope?.win === undefined ? (defaultMonths.get(num.name) ?? 0) : 0,
    ),
  );
  if (months === 0 || ask.by.some(({ bucket }) => bucket !== undefined)) return ask;
  const to = new Date(`${now.slice(0, 10)}T00:00:00Z`);
  to.setUTCDate(to.getUTCDate() + 1);
  const from = new Date(to);
  from.setUTCMonth(from.getUTCMonth() - months);
  const recent = { from: isoDate(from), to: isoDate(to), said: `the ${months} months up to today` };
  return { ...ask, scope: { ...ask.scope, win: recent } };
}

/** The different periods that metrics are of. */
function metricWindows(ask: Ask): Window[] {
  const all = nodesIn(ask).flatMap(({ k, scope }) => {
    const { win } = (k === "metric" ? (scope as Scope | undefined) : undefined) ?? {};
    return win === undefined ? [] : [win];
  });
  return [...new Map(all.map((win) => [JSON.stringify(win), win])).values()];
}

/** The top customers of a question about 2025 are those of 2025. */
function withinWindow(ask: Table, win: Window): Table {
  return rebuilt(ask, (node) => {
    const by = node.by as Num | undefined;
    const isOpen = node.k === "top" && by?.k === "metric" && by.scope === undefined;
    return isOpen ? { ...node, by: { ...by, scope: { win } } } : node;
  });
}

/** A year that is not over has grown over as many days of the year before. */
function grownSoFar(ask: Table, win: Window, now: string): Table {
  const isShifted = hasKind(ask, "lag") && ask.by.every(({ bucket }) => bucket === undefined);
  const soFar = isShifted ? upToToday(win, now) : undefined;
  return soFar === undefined ? ask : { ...ask, scope: { ...ask.scope, win: soFar } };
}

/** As much of a period as is over; undefined where all of it is, or nothing. */
export function upToToday(win: Window, now: string): Window | undefined {
  const tomorrow = new Date(`${now.slice(0, 10)}T00:00:00Z`);
  tomorrow.setUTCDate(tomorrow.getUTCDate() + 1);
  const to = isoDate(tomorrow);
  if (win.to === null || win.to <= to || (win.from ?? "") > now) return undefined;
  return { ...win, to, said: `${win.said.replace(/ \([^()]*\)$/, "")} until today` };
}

function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** "the share of the top 10 customers in 2025": those of 2025, and their share then. */
function hasTopOf(ask: Ask, win: Window): boolean {
  return nodesIn(ask).some(({ k, by }) => {
    const own = k === "top" ? (by as { scope?: Scope } | undefined)?.scope?.win : undefined;
    return isEqual(own, win);
  });
}

const GRAINS: readonly Grain[] = ["day", "week", "month", "quarter", "year"];

/** "which month had the highest revenue in each year": the first of each, and not the highest of every month. */
function firstOfEach(ask: Table): Table {
  const [num, ...others] = ask.cols;
  const [key, ...more] = ask.by;
  if (num?.k !== "each" || (num.fn !== "max" && num.fn !== "min") || others.length + more.length > 0)
    return ask;
  const [per] = num.per;
  const isFiner = (a: Key, b: Key) =>
    isSameField(a, b) && GRAINS.indexOf(a.bucket ?? "year") < GRAINS.indexOf(b.bucket ?? "day");
  if (key === undefined || per === undefined || num.per.length > 1 || !isFiner(key, per)) return ask;
  const { fill: _, ...rest } = ask;
  const top = { n: 1, by: num.of, dir: num.fn, per: [per], ties: "keep" as const };
  return { ...rest, by: [per, key], cols: [num.of], top };
}

/** "tickets open on 31 December": opened until then, and not closed by then. */
function asOfDay(ask: Table, now: string, schema: Schema): Table {
  const { if: cond, win } = ask.scope ?? {};
  const isDay = win?.from && win.to && Date.parse(win.to) - Date.parse(win.from) === 86_400_000;
  const isDate =
    cond?.k === "null" && schema.datasets.get(cond.key.ds)?.fields.get(cond.key.field)?.kind === "date";
  if (!isDate || !isDay || win.on !== undefined || (win.to as string) > now) return ask;
  const later: Cond = {
    k: "during",
    win: { from: win.to, to: null, on: cond.key, said: `after ${win.said}` },
  };
  const until = { from: null, to: win.to, said: `until ${win.said}` };
  return { ...ask, scope: { ...ask.scope, if: { k: "or", of: [cond, later] }, win: until } };
}

/** Groups below a number are those that have some: who has none is in no group. */
export function assumedOf(ask: Ask): Assumption[] {
  if (ask.k === "list" || ask.having?.k !== "cmp" || !/^<=?$/.test(ask.having.op)) return [];
  const { a } = ask.having;
  if (!("k" in a) || (a.k !== "metric" && a.k !== "agg")) return [];
  return [{ at: null, choice: "only those that have some at all, not those that have none", others: [] }];
}

/** What the grammar may make of a difference between two values of one name: more is a word that tells them apart. */
const NAMESAKE_MARGIN = 0.8;

/** "units of Outdoor": a category and a product of one name are as likely, whichever the sentence goes better with. */
export function namesakesOf<
  T extends { ask: Ask; cost: number; left: readonly number[]; leaves: readonly Leaf[] },
>(readings: readonly T[]): T[] {
  const [best] = readings;
  if (best?.ask.k !== "table") return [];
  return best.leaves.flatMap((leaf) => {
    const [, key] = valueIn(leaf.sense);
    const isOther = (other: Leaf) => {
      const [, its] = valueIn(other.sense);
      const isThere = other.start === leaf.start && other.end === leaf.end;
      return isThere && its?.ds === key?.ds && its?.field !== key?.field;
    };
    // "Outdoor products", "the category Outdoor"
    const isSaid = best.leaves.some(({ sense, start, end }) => {
      if (sense.t === "field") return isSameField(sense.key, key);
      const isNoun = sense.t === "rel" && sense.form === "noun" && sense.ds === key?.ds;
      return isNoun && (start === leaf.end || end === leaf.start);
    });
    const rival =
      key === undefined || isSaid ? undefined : readings.find((each) => each.leaves.some(isOther));
    const isNear = rival !== undefined && rival.cost <= best.cost + NAMESAKE_MARGIN;
    return isNear && rival.left.length === best.left.length ? [rival] : [];
  });
}

/** "the Hamburg store": one of them, whatever else is in Hamburg. */
export function oneMeant(
  words: readonly Word[],
  { ask, leaves }: { ask: Ask; leaves: readonly Leaf[] },
  { grammar, isMany, isForeign }: Language,
): { oneOf?: string } {
  const isPlain = ask.k === "table" && ask.by.length === 0 && ask.cols.every(({ k }) => k === "metric");
  const noun = leaves.find(({ sense, start, end }) => {
    if (sense.t !== "rel" || sense.form !== "noun" || sense.rel.k !== "all") return false;
    const { norm = "" } = words[end - 1] ?? {};
    const isSingle = isForeign === true ? !/[rsn]$/.test(norm) : !isMany(norm);
    // "the store in Hamburg"
    const after = grammar.get(words[end]?.norm ?? "")?.op === "prep" ? [end, end + 1] : [end];
    const isOf = (leaf: Leaf) =>
      leaf.sense.t === "cond" &&
      leaf.sense.ds === sense.ds &&
      (leaf.end === start || after.includes(leaf.start));
    return isSingle && leaves.some(isOf);
  });
  return isPlain && noun?.sense.t === "rel" ? { oneOf: noun.sense.ds } : {};
}
