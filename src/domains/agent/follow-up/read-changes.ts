import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Cond, Num, Window } from "../query/semantic-query.ts";
import { fold } from "../understand/languages/words.ts";
import { type Change, countOf } from "./change.ts";
import { type Context, numberIn, tablesOf } from "./context.ts";
import {
  areDated,
  bare,
  condsOf,
  isEqual,
  isMadeOf,
  onlyBase,
  relConds,
  rescoped,
  type Table,
  windowOf,
  withoutWindow,
} from "./parts.ts";

export const EXCLUDES = /^(?:without|excluding|exclude|except(?: for)?|not|ohne|außer|nicht)\b/i;
export const COUNTS =
  /^(?:(?:and )?how many(?: (?:are|were|is) (?:there|they|that|those|it))?|(?:und )?wie viele(?: (?:sind|waren) (?:es|das|sie))?)\s*\??$/i;
/** A fragment begins with one of these; a whole question may as well. */
export const PREPOSITION =
  /^(?:by|per|for|in|with|since|from|during|until|at|on|vs\.?|versus|against|compared? (?:to|with)|in comparison|than|nach|pro|je|für|im|seit|mit|bis|von|ab|gegenüber|gegen|verglichen mit)(?!\p{L})/iu;
/** What follows one of these is a grouping or a period, and no other number. */
const GROUPS =
  /^(?:by|per|in|since|from|during|until|nach|pro|je|im|seit|bis|vs\.?|versus|compared?|gegenüber)\b/i;
/** "in days" is how a time is told, and no grouping. */
const UNIT = /^in (?:days|weeks|months|years|hours|minutes|tagen|wochen|monaten|jahren|stunden|minuten)$/i;

/** How the words of a fragment are meant. */
export interface How {
  adds: boolean;
  /** It says of which rows the same is wanted, and nothing else. */
  limits?: true;
}

/** The changes that some words make to a query, as they are read beside its number; the likeliest first. */
export async function* readChanges(
  said: string,
  ask: Ask,
  how: How,
  context: Context,
): AsyncGenerator<Change[]> {
  if (COUNTS.test(said)) {
    yield [{ k: "count" }];
    return;
  }
  const excludes = EXCLUDES.test(said);
  const fragment = said
    .replace(EXCLUDES, "")
    .replace(/^(?:in|for|from|at|on|by|per|nach|für|aus|bei) (?:which|what|welche[nrms]?) /i, "by ")
    // The year before is the one before what was asked for, and not before today.
    .replace(/^(?:im |das |in the |the )?(?:vorjahr|previous year|prior year)$/i, "the year before")
    .trim();
  if (fragment === "") return;
  const reader = new Reader(context, { ...how, excludes });
  if (ask.k === "list") yield* reader.ofTable(fragment, countOf(ask));
  else if (how.limits === true) yield* reader.ofTable(fragment, ask);
  else {
    const other = excludes || GROUPS.test(fragment) ? undefined : await reader.number(fragment, ask);
    const first = other ?? (await reader.beside(fragment, ask)) ?? reader.redated(fragment, ask);
    if (first !== undefined) yield first;
    // What is another number is nothing else, and two periods are no growth over a third.
    const isThird = areDated(ask.cols) && context.dates(fragment).some(({ kind }) => kind === "compare");
    if (other === undefined && !isThird) yield* reader.ofTable(fragment, ask);
  }
}

class Reader {
  readonly #context: Context;
  readonly #how: How & { excludes: boolean };

  constructor(context: Context, how: How & { excludes: boolean }) {
    this.#context = context;
    this.#how = how;
  }

  /** A grouping, a period or conditions: whatever the words add to the number that they are said of. */
  async *ofTable(fragment: string, ask: Table): AsyncGenerator<Change[]> {
    const joints = PREPOSITION.test(fragment) ? [" "] : [" for ", " in ", " ", " by "];
    for (const joint of joints) {
      const changes = await this.#added(`${joint}${fragment}`, ask);
      const isGrouped = changes?.some(({ k }) => k === "group") === true;
      const isOther = isGrouped && (UNIT.test(fragment) || this.#how.limits === true);
      if (changes !== undefined && !isOther) yield changes;
    }
  }

  async #added(words: string, ask: Table): Promise<Change[] | undefined> {
    const carrier = carrierOf(ask, this.#context.knowledge);
    const base = onlyBase(ask.cols);
    // A count stays one, also where the author has a metric for it.
    const isBase = ({ cols: [num] }: Table) =>
      num?.k === base?.k && (num?.k !== "metric" || (base?.k === "metric" && num.name === base.name));
    const all = carrier === undefined ? [] : await tablesOf(carrier, this.#context);
    const plain = all.find(isBase) ?? all[0];
    if (plain === undefined) return undefined;
    const said = await tablesOf(`${carrier}${words}`, this.#context);
    const isOf = (change: Change) =>
      change.k !== "become" || change.cols.every((num) => isMadeOf(num, change.of));
    return said.map((each) => this.#difference(plain, each)).find((changes) => changes.every(isOf));
  }

  /** Whatever stands in a query with some words, and not without them. */
  #difference(plain: Table, said: Table): Change[] {
    const { adds, excludes } = this.#how;
    const [of] = plain.cols;
    if (of === undefined) return [];
    const counted = countedConds(of, said.cols);
    const known = condsOf(plain.scope?.if);
    const by = said.by.filter((key) => !plain.by.some((other) => isEqual(key, other)));
    const conds = condsOf(said.scope?.if).filter((cond) => !known.some((other) => isEqual(cond, other)));
    const win = isEqual(said.scope?.win, plain.scope?.win) ? undefined : said.scope?.win;
    const { top, having, order } = said;
    const choice = { ...(top && { top }), ...(having && { having }), ...(order && { order }) };
    const isOther = counted === undefined && !isEqual(plain.cols, said.cols);
    const all: (Change | false | undefined)[] = [
      isOther && { k: "become", of, cols: said.cols },
      by.length > 0 && { k: "group", by, adds },
      win && { k: "period", win },
      counted && counted.length > 0 && { k: "counted", conds: counted, excludes },
      conds.length > 0 && { k: "where", conds, excludes },
      Object.keys(choice).length > 0 && { k: "choose", of, ...choice },
    ];
    return all.filter((change) => typeof change === "object");
  }

  /** "and the budget?" after an average is the average budget. */
  async number(fragment: string, ask: Table): Promise<Change[] | undefined> {
    const named = fragment.replace(/^(?:for|für|of|von|with|mit)\s+/i, "");
    const found = (await numberIn(named, this.#context)) ?? (await this.#madeSo(ask, named));
    if (found === undefined) return undefined;
    // What a metric is mostly asked for does not overrule the period that was asked for.
    const isSaid = this.#context.dates(fragment).some(({ kind }) => kind === "window" || kind === "compare");
    const isDated = ask.scope?.win !== undefined || areDated(ask.cols);
    const other = isDated && !isSaid ? withoutWindow(found) : found;
    const plain: Table = { k: "table", by: [], cols: other.cols };
    return [{ k: "number", cols: other.cols, adds: this.#how.adds }, ...this.#difference(plain, other)];
  }

  /** The number of a field; none where a number is called "total" itself, and the other words say something of that. */
  async #madeSo({ cols: [num] }: Table, named: string): Promise<Table | undefined> {
    const { schema } = this.#context.knowledge;
    const metric = num?.k === "metric" ? schema.metrics.get(num.name) : undefined;
    const start = num?.k === "agg" ? `${num.fn}(` : String(metric?.formula.aggregates[0]?.pieces[0]);
    const aggregate = /^\s*(?:avg|mean)\s*\(/i.test(start) ? "average" : "total";
    const name = named.replace(/^(?:the|das|die|der|den|show|me|by)\s+/gi, "");
    const other = await numberIn(`${aggregate} ${name}`, this.#context);
    const own = await numberIn(aggregate, this.#context);
    return own && other && isEqual(onlyBase(own.cols), onlyBase(other.cols)) ? undefined : other;
  }

  /** "compared to Mistral": one beside the other. */
  async beside(fragment: string, ask: Table): Promise<Change[] | undefined> {
    const name = /^compared (?:to|with) (.+)$/i.exec(fragment)?.[1];
    if (name === undefined || this.#context.dates(fragment).length > 0) return undefined;
    const [only, ...more] = (await this.#added(` for ${name}`, ask)) ?? [];
    const [cond, ...others] = only?.k === "where" ? only.conds : [];
    if (more.length > 0 || cond?.k !== "is" || others.length > 0) return undefined;
    const own = condsOf(ask.scope?.if).find((each) => each.k === "is" && isEqual(each.key, cond.key));
    if (own?.k !== "is") return undefined;
    const both: Cond = { ...own, values: [...own.values, ...cond.values] };
    return [
      { k: "where", conds: [both], excludes: false },
      { k: "group", by: [own.key], adds: true },
    ];
  }

  /** Another period that is said by the one before: "the year before", "compared to 2024", "the same period in 2024". */
  redated(fragment: string, ask: Table): Change[] | undefined {
    const win = ask.scope?.win ?? windowOf(ask.cols[0]);
    const of = onlyBase(ask.cols.slice(0, 1));
    if (win?.from == null || win.to == null || of === undefined) return undefined;
    const other = sameIn(fragment, win) ?? this.#shifted(fragment, win);
    if (other === undefined) return undefined;
    if (!COMPARES.test(fragment)) return [{ k: "period", win: other }];
    const [a, b] = [win, other].map((each) => rescoped(of, { win: each })) as [Num, Num];
    const cols: Num[] = GROWS.test(fragment) ? [{ k: "calc", op: "growth", a, b }] : [a, b];
    return [{ k: "become", of, cols }];
  }

  /** The period that another one is compared with. */
  #shifted(fragment: string, win: Window): Window | undefined {
    const all = this.#context.dates(`from ${spanOf(win)} ${fragment}`);
    const found = all.find((each) => each.kind === "compare" && each.series !== true);
    if (found?.kind !== "compare" || found.window === undefined) return undefined;
    const said = found.said.replace(/^(?:compared with|verglichen mit) /, "");
    const on = win.on !== undefined && { on: win.on };
    return { ...found.window, said: yearOf(found.window) ?? said, ...on };
  }
}

/** "number of tickets" and "number of urgent tickets": the same is counted, under conditions. */
function countedConds(of: Num, [num, ...others]: readonly Num[]): Cond[] | undefined {
  if (of.k !== "agg" || num?.k !== "agg" || others.length > 0 || !of.in || !num.in) return undefined;
  const isSame = isEqual({ ...of, in: null }, { ...num, in: null }) && isEqual(of.in, bare(num.in));
  return isSame ? relConds(num.in) : undefined;
}

const COMPARES =
  /(?<!\p{L})(?:vs|versus|compared?|comparison|against|than|over|growth|change|gegen|gegenüber|ggü|vergleich|verglichen|als|wachstum|veränderung)(?!\p{L})/iu;
const GROWS = /(?<!\p{L})(?:growth|change|wachstum|veränderung)(?!\p{L})/iu;
const SAME =
  /(?:same|gleichen?|selben?) (?:period|time|months?|quarters?|weeks?|days|zeitraum|monat|quartal|woche)(?: (?:in|of|im|von))?\s+(?<year>\d{4})$/iu;

/** As many days and months, in another year. */
function sameIn(fragment: string, { from, to, on }: Window): Window | undefined {
  const { year } = SAME.exec(fragment)?.groups ?? {};
  if (year === undefined || from === null || to === null) return undefined;
  const years = Number(year) - Number(from.slice(0, 4));
  const moved = (day: string) => `${Number(day.slice(0, 4)) + years}${day.slice(4)}`;
  const win = { from: moved(from), to: moved(to) };
  return { ...win, said: yearOf(win) ?? spanOf(win), ...(on !== undefined && { on }) };
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

/** Words that a fragment can be read with: what it adds is taken, and these are not. */
function carrierOf(ask: Table, { model, schema }: Knowledge): string | undefined {
  const text = JSON.stringify(ask.cols);
  const used = /"k":"metric","name":"([^"]+)"/.exec(text)?.[1];
  const counted = /"k":"all","ds":"([^"]+)"/.exec(text)?.[1];
  const first = model.metrics.find(({ name }) => schema.metrics.has(name))?.name;
  const name = used ?? (counted === undefined ? first : `number of ${counted}`);
  return name && fold(name).replaceAll("_", " ");
}
