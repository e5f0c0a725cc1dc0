import type { DateFound } from "../dates/read-dates.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Cond, Num, Rel, Window } from "../query/semantic-query.ts";
import { fold } from "../understand/languages/words.ts";
import { COUNTS, EXCLUDES, type Going, PREPOSITION } from "./follow-up.ts";
import {
  applied,
  areDated,
  type Change,
  changeOf,
  condsOf,
  holds,
  isEqual,
  mergeList,
  narrowed,
  onlyBase,
  relConds,
  type Table,
  undated,
  windowOf,
  withNumber,
} from "./merge.ts";
import { countsThings } from "./referent.ts";

interface Changing extends Going {
  adds: boolean;
  /** It says of which rows the same is wanted, and nothing else. */
  limits?: true;
}

/** What follows one of these is a grouping or a period, and no other number. */
const GROUPS =
  /^(?:by|per|in|since|from|during|until|nach|pro|je|im|seit|bis|vs\.?|versus|compared?|gegenüber)\b/i;

/** A query with what some words change of it; undefined where that could not be told, or not all of it. */
export async function changed(rest: string, ask: Ask, changing: Changing): Promise<Ask | undefined> {
  const { limits, ...going } = changing;
  const excludes = EXCLUDES.test(rest);
  const fragment = rest
    .replace(EXCLUDES, "")
    .replace(/^(?:in|for|from|at|on|by|per|nach|für|aus|bei) (?:which|what|welche[nrms]?) /i, "by ")
    // The year before is the one before what was asked for, and not before today.
    .replace(/^(?:im |das |in the |the )?(?:vorjahr|previous year|prior year)$/i, "the year before")
    .trim();
  if (COUNTS.test(rest)) {
    if (ask.k === "table") return undefined;
    return { k: "table", by: [], cols: [{ k: "agg", fn: "count", in: ask.rel }] };
  }
  if (fragment === "") return undefined;
  if (ask.k === "list") return changedList(fragment, ask, { ...changing, excludes });
  if (!excludes && limits !== true && !GROUPS.test(fragment)) {
    const other = await otherNumber(fragment, ask, going);
    if (other !== undefined) return withNumber(ask, other, changing.adds);
  }
  const beside = limits === true ? undefined : await comparedValue(fragment, ask, going);
  if (beside !== undefined) return beside;
  const dated = limits === true ? undefined : await redated(fragment, ask, changing);
  if (dated !== undefined) return dated;
  // Two periods are no growth over a third.
  if (areDated(ask.cols) && going.dates(fragment).some(({ kind }) => kind === "compare")) return undefined;
  return regrouped(fragment, ask, { ...changing, excludes });
}

async function regrouped(
  fragment: string,
  ask: Table,
  { adds, limits, excludes, ...going }: Changing & { excludes: boolean },
): Promise<Table | undefined> {
  const carrier = carrierOf(ask, going.knowledge);
  if (carrier === undefined) return undefined;
  const plain = await plainOf(carrier, ask, going);
  if (plain === undefined) return undefined;
  const joints = PREPOSITION.test(fragment) ? [" "] : [" for ", " in ", " ", " by "];
  for (const joint of joints) {
    const change = await changeBy(`${carrier}${joint}${fragment}`, plain, going);
    // "in days" is how a time is told, and no grouping.
    if (change === undefined || (UNIT.test(fragment) && change.by.length > 0)) continue;
    const merged = applied(ask, change, { adds, excludes });
    const isRegrouped = merged !== undefined && JSON.stringify(merged.by) !== JSON.stringify(ask.by);
    if (merged !== undefined && !(limits === true && isRegrouped)) return clear(merged, ask, going);
  }
  return undefined;
}

const UNIT = /^in (?:days|weeks|months|years|hours|minutes|tagen|wochen|monaten|jahren|stunden|minuten)$/i;

/** Things in a period are those that came then, or those that did something: nobody said which. */
function clear(merged: Table, ask: Table, { knowledge: { schema } }: Going): Table | undefined {
  const isDated = merged.scope?.win !== undefined && merged.scope.win.on === undefined;
  const isNew = isDated && ask.scope?.win === undefined;
  return isNew && merged.cols.some((num) => num.k === "agg" && countsThings(num, schema))
    ? undefined
    : merged;
}

/** Readings of a text that is wholly understood; the best first. */
async function asksOf(text: string, { read }: Going): Promise<Ask[]> {
  const { readings, missing, unclear } = await read(text);
  const [best] = readings;
  if (missing.length > 0 || unclear.length > 0 || best === undefined) return [];
  return readings.filter(({ cost }) => cost <= best.cost + NEAR).map(({ ask }) => ask);
}

/** Readings that cost more than this are other ones. */
const NEAR = 0.8;

async function tablesOf(text: string, going: Going): Promise<Table[]> {
  return (await asksOf(text, going)).filter((ask) => ask.k === "table");
}

/** The number that a table is of, as its words alone are read: a count stays one, also where the author has a metric for it. */
async function plainOf(carrier: string, ask: Table, going: Going): Promise<Table | undefined> {
  const all = await tablesOf(carrier, going);
  const base = onlyBase(ask.cols);
  const isBase = ({ cols: [num] }: Table) =>
    num?.k === base?.k && (num?.k !== "metric" || (base?.k === "metric" && num.name === base.name));
  return all.find(isBase) ?? all[0];
}

/** What words add to the number that they are said of. */
async function changeBy(text: string, plain: Table, going: Going): Promise<Change | undefined> {
  const changes = (await tablesOf(text, going)).map((said) => changeOf(plain, said));
  return changes.find((change) => change !== undefined && isOf(change));
}

/** Whether all that became of the number was made of it. */
function isOf({ of, cols }: Change): boolean {
  return cols === undefined || cols.every((num) => holds(num, of));
}

async function changedList(
  fragment: string,
  ask: Extract<Ask, { k: "list" }>,
  { excludes, ...going }: Changing & { excludes: boolean },
): Promise<Ask | undefined> {
  const carrier = nounOf(ask.rel);
  if (carrier === undefined) return undefined;
  const joints = PREPOSITION.test(fragment) ? [" "] : [" for ", " in ", " "];
  for (const joint of joints) {
    const [said] = await asksOf(`${carrier}${joint}${fragment}`, going);
    const merged = said && mergeList(ask, said, { excludes });
    if (merged !== undefined) return merged;
    // "with more than 5 orders": which ones these are shows where they are counted.
    const counts = await tablesOf(`number of ${carrier}${joint}${fragment}`, going);
    const conds =
      counts
        .map(({ cols: [num] }) => (num?.k === "agg" && num.in !== undefined ? relConds(num.in) : []))
        .find((each) => each.length > 0) ?? [];
    if (conds.length > 0) return { ...ask, rel: narrowed(ask.rel, conds, excludes) };
  }
  return undefined;
}

/** "and the budget?" after an average is the average budget. */
async function otherNumber(fragment: string, ask: Table, going: Going): Promise<Table | undefined> {
  const named = fragment.replace(/^(?:for|für|of|von|with|mit)\s+/i, "");
  const bare = named.replace(/^(?:the|das|die|der|den|show|me|by)\s+/gi, "");
  const other =
    (await numberIn(named, going)) ?? (await madeSo(aggregateOf(ask, going.knowledge), bare, going));
  if (other === undefined) return undefined;
  // What a metric is mostly asked for does not overrule the period that was asked for.
  const isDated = going.dates(fragment).some(({ kind }) => kind === "window" || kind === "compare");
  if (isDated || (ask.scope?.win === undefined && !areDated(ask.cols))) return other;
  const { scope: { win: _, ...scope } = {}, ...rest } = other;
  return { ...rest, scope };
}

/** The number of a field; none where a number is called "total" itself, and the other words say something of that. */
async function madeSo(aggregate: string, bare: string, going: Going): Promise<Table | undefined> {
  const other = await numberIn(`${aggregate} ${bare}`, going);
  const own = await numberIn(aggregate, going);
  const [mine, theirs] = [own, other].map((table) => table && onlyBase(table.cols));
  return mine !== undefined && isEqual(mine, theirs) ? undefined : other;
}

/** "compared to Mistral": one beside the other. */
async function comparedValue(fragment: string, ask: Table, going: Going): Promise<Table | undefined> {
  const [, name] = /^compared (?:to|with) (.+)$/i.exec(fragment) ?? [];
  const carrier = carrierOf(ask, going.knowledge);
  if (name === undefined || carrier === undefined || going.dates(fragment).length > 0) return undefined;
  const plain = await plainOf(carrier, ask, going);
  const change = plain && (await changeBy(`${carrier} for ${name}`, plain, going));
  const [cond, ...more] = change?.conds ?? [];
  if (change?.cols !== undefined || more.length > 0 || cond?.k !== "is") return undefined;
  const old = condsOf(ask.scope?.if);
  const own = old.find((each) => each.k === "is" && isEqual(each.key, cond.key));
  if (own?.k !== "is") return undefined;
  const both: Cond = { ...own, values: [...own.values, ...cond.values] };
  const conds = old.map((each) => (each === own ? both : each));
  const by = [...ask.by.filter((key) => !isEqual(key, own.key)), own.key];
  const { fill: _, ...rest } = ask;
  return { ...rest, by, scope: { ...ask.scope, if: conds.length === 1 ? both : { k: "and", of: conds } } };
}

/** Another period that is said by the one before: "the year before", "compared to 2024", "the same period in 2024". */
async function redated(fragment: string, before: Table, going: Changing): Promise<Table | undefined> {
  const carrier = carrierOf(before, going.knowledge);
  const ask = uncompared(before);
  const win = ask.scope?.win;
  if (carrier === undefined || win?.from == null || win.to == null) return undefined;
  const same = sameIn(fragment, win, going);
  const isShift = going.dates(fragment).some((found) => found.kind === "compare" && found.series !== true);
  if (same === undefined && !isShift) return undefined;
  const plain = await plainOf(carrier, ask, going);
  const [of] = plain?.cols ?? [];
  if (plain === undefined || of === undefined) return undefined;
  const none = { adds: false, excludes: false };
  const instead = (other: Window) =>
    applied(ask, { of, cols: undefined, by: [], conds: [], counted: [], win: other }, none);
  if (same !== undefined && !COMPARES.test(fragment)) return instead(same);
  const other = same === undefined ? fragment : `compared to ${spanOf(same)}`;
  const change = await changeBy(`${carrier} from ${spanOf(win)} ${other}`, plain, going);
  if (change?.cols === undefined) return undefined;
  const cols = change.cols.map((num) => inWindow(num, win));
  if (COMPARES.test(fragment)) return applied(ask, { ...change, cols }, none);
  // "and the year before?": that one in the place of the other.
  const earlier = cols.map(windowOf).find((each) => each !== undefined && each !== win);
  return earlier === undefined ? undefined : instead(earlier);
}

/** What was compared with another period, without that. */
function uncompared(ask: Table): Table {
  const [first, second] = ask.cols;
  const win = first && windowOf(first);
  if (first === undefined || second === undefined || win === undefined) return ask;
  const cols = [undated(first)];
  return isEqual(cols, [undated(second)]) ? { ...ask, cols, scope: { ...ask.scope, win } } : ask;
}

/** A period by the name that it was given. */
function inWindow(num: Num, known: Window): Num {
  const win = windowOf(num);
  if (win === undefined || !("scope" in num)) return num;
  const isKnown = win.from === known.from && win.to === known.to;
  const { on } = known;
  const said = yearOf(win) ?? win.said.replace(/^(?:compared with|verglichen mit) /, "");
  return {
    ...num,
    scope: { ...num.scope, win: isKnown ? known : { ...win, said, ...(on !== undefined && { on }) } },
  } as Num;
}

const COMPARES =
  /(?<!\p{L})(?:vs|versus|compared?|comparison|against|than|over|growth|change|gegen|gegenüber|ggü|vergleich|verglichen|als|wachstum|veränderung)(?!\p{L})/iu;
const SAME =
  /(?:(?:the |den |der |im |in )*(?:same|gleichen?|selben?) (?:period|time|months?|quarters?|weeks?|days|zeitraum|monat|quartal|woche))(?: (?:in|of|im|von))?\s+(?<year>.+)$/iu;

/** As many days and months, in another year. */
function sameIn(fragment: string, { from, to }: Window, { dates }: Going): Window | undefined {
  const { year } = SAME.exec(fragment)?.groups ?? {};
  const found = year === undefined ? undefined : dates(year).find((each) => isYear(each));
  if (found?.kind !== "window" || found.window.from === null || from === null || to === null)
    return undefined;
  const years = Number(found.window.from.slice(0, 4)) - Number(from.slice(0, 4));
  const moved = (day: string) => `${Number(day.slice(0, 4)) + years}${day.slice(4)}`;
  const win = { from: moved(from), to: moved(to), said: "" };
  return { ...win, said: yearOf(win) ?? spanOf(win) };
}

function isYear(found: DateFound): boolean {
  return found.kind === "window" && found.grain === "year";
}

function yearOf({ from, to }: Pick<Window, "from" | "to">): string | undefined {
  const year = from?.slice(0, 4) ?? "";
  return from === `${year}-01-01` && to === `${Number(year) + 1}-01-01` ? year : undefined;
}

/** From its first to its last day. */
function spanOf({ from, to }: Pick<Window, "from" | "to">): string {
  const last = new Date(`${(to ?? "").slice(0, 10)}T00:00:00Z`);
  last.setUTCDate(last.getUTCDate() - 1);
  return `${(from ?? "").slice(0, 10)} to ${last.toISOString().slice(0, 10)}`;
}

/** A fragment that is another number: a metric, or entities to be counted. */
export async function numberIn(text: string, { read, knowledge }: Going): Promise<Table | undefined> {
  const { readings, missing, unclear } = await read(text);
  const [best] = readings;
  if (best === undefined || missing.length > 0 || unclear.length > 0) return undefined;
  if (best.ask.k === "table") return best.ask;
  const { rel, show } = best.ask;
  const [only, ...others] = show;
  if (rel.k !== "all" || only === undefined || others.length > 0) return undefined;
  const { nameField, key = [] } = knowledge.schema.datasets.get(rel.ds) ?? {};
  // A field that was named is no wish to count whatever has it.
  if (only.ds !== rel.ds || (only.field !== nameField && !key.includes(only.field))) return undefined;
  return { k: "table", by: [], cols: [{ k: "agg", fn: "count", in: rel }] };
}

/** How the numbers before were made of rows. */
function aggregateOf({ cols: [num] }: Table, { schema }: Knowledge): string {
  if (num?.k === "agg") return num.fn === "avg" ? "average" : "total";
  const formula = num?.k === "metric" ? schema.metrics.get(num.name)?.formula : undefined;
  const [start] = formula?.aggregates[0]?.pieces ?? [];
  return typeof start === "string" && /^\s*(avg|mean)\s*\(/i.test(start) ? "average" : "total";
}

/** Words that the fragment can be read with: what it adds is taken, and these are not. */
function carrierOf(ask: Table, { model, schema }: Knowledge): string | undefined {
  const used = /"k":"metric","name":"([^"]+)"/.exec(JSON.stringify(ask.cols))?.[1];
  const counted = /"k":"all","ds":"([^"]+)"/.exec(JSON.stringify(ask.cols))?.[1];
  const first = model.metrics.find(({ name }) => schema.metrics.has(name))?.name;
  const name = used ?? (counted === undefined ? first : `number of ${counted}`);
  return name === undefined ? undefined : fold(name).replaceAll("_", " ");
}

function nounOf(rel: Rel): string | undefined {
  if (rel.k === "all") return rel.ds.replaceAll("_", " ");
  if (rel.k === "where" || rel.k === "top") return nounOf(rel.in);
  return undefined;
}
