import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { bare, condsOf, datasetIn, isEqual, relConds } from "../query/parts.ts";
import type { Ask, Cond, Key, Num, Window } from "../query/semantic-query.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { fold, phraseKey } from "../understand/languages/words.ts";
import { type Change, countOf } from "./change.ts";
import { asksOf, type Context, numberIn, tablesOf } from "./context.ts";
import {
  areDated,
  isMadeOf,
  onlyBase,
  rescoped,
  type Table,
  windowOf,
  windowsIn,
  withoutWindow,
} from "./parts.ts";
import { days, spanOf, yearOf } from "./pointing.ts";
import { isCalled } from "./referent.ts";
import { inTheirCalendar, inTheirYear, isTime, sameIn, UNITS } from "./that-time.ts";

/** But "not cancelled orders" and "nicht stornierte Bestellungen" are some of them. */
export const EXCLUDES =
  /^(?:without|excluding|exclude|except(?: for)?|not(?! \p{L}+ed \p{L})|ohne|außer|nicht(?! \p{L}+(?:te|ene)[nrs]? \p{L}))(?!\p{L})/iu;
export const COUNTS =
  /^(?:(?:and )?how many(?: (?:are|were|is) (?:there|they|that|those|it))?|(?:und )?wie viele(?: (?:sind|waren) (?:es|das|sie))?)\s*\??$/i;
/** A fragment begins with one of these; a whole question may as well. */
export const PREPOSITION =
  /^(?:by|per|for|in|with|since|from|during|until|at|on|vs\.?|versus|against|compared? (?:to|with)|in comparison|than|nach|pro|je|für|im|am|an|aus|bei|beim|vom|zum|zur|seit|mit|bis|von|ab|gegenüber|gegen|verglichen mit)(?!\p{L})/iu;
/** What follows one of these is a grouping or a period, and no other number. */
const GROUPS = /^(?:by|per|since|from|during|until|nach|pro|je|seit|bis|vs\.?|versus|compared?|gegenüber)\b/i;
/** "in days" is how a time is told, and no grouping. */
const UNIT = /^in (?:days|weeks|months|years|hours|minutes|tagen|wochen|monaten|jahren|stunden|minuten)$/i;

type Is = Extract<Cond, { k: "is" }>;

/** How the words of a fragment are meant. */
export interface How {
  adds: boolean;
  /** It says of which rows the same is wanted, and nothing else. */
  limits?: true;
  /** Less of the same is wanted: "only …". */
  isLess?: boolean;
  /** In the place of what was told apart before. */
  isInstead?: boolean;
}

/**
 * The changes that some words make to a query, as they are read beside its number; the likeliest first, and beside it
 * what is just as likely.
 */
export async function* readChanges(
  said: string,
  ask: Ask,
  how: How,
  context: Context,
): AsyncGenerator<Change[][]> {
  if (COUNTS.test(said)) {
    yield [[{ k: "count" }]];
    return;
  }
  const excludes = EXCLUDES.test(said);
  const words = said
    .replace(EXCLUDES, "")
    .replace(
      /^(?:in|for|from|to|at|on|by|per|with|nach|für|aus|bei|mit|von|an) (?:which|what|welche[nrms]?) /i,
      "by ",
    )
    .replace(/^(?:the |das |der |die )?(?:full|whole|entire|complete|all of|ganzen?|gesamten?) /i, "")
    // The year before is the one before what was asked for, and not before today.
    .replace(BEFORE_IT, (_, unit: string) => `the ${UNITS[unit.toLowerCase()] ?? "year"} before`)
    .trim();
  const fragment = inTheirCalendar(inTheirYear(words, ask, context), ask, context);
  if (fragment === "") return;
  const reader = new Reader(context, { ...how, excludes });
  const part = PART.exec(fragment)?.groups?.said;
  if (part !== undefined && ask.k === "table") {
    const changes = await reader.part(part, ask);
    if (changes !== undefined) yield [changes];
    return;
  }
  const own = excludes
    ? reader.ungrouped(fragment, ask)
    : ((how.adds ? undefined : await reader.value(fragment, ask)) ?? (await reader.shown(fragment, ask)));
  if (own !== undefined) {
    yield [own];
    return;
  }
  const period = excludes || how.adds ? undefined : periodOf(fragment, context);
  if (period !== undefined) {
    // "and last year?" after a month is that year, or that month of it.
    const then =
      ask.k === "table" && LAST_YEAR.test(fragment) ? reader.redated("the year before", ask) : undefined;
    const isYear = yearOf(windowsIn(ask)[0] ?? period) !== undefined;
    yield [[{ k: "period", win: period }], ...(then === undefined || isYear ? [] : [then])];
    return;
  }
  if (ask.k === "list" && /^(?:by|per|nach|pro|je)\b/i.test(fragment)) return;
  if (ask.k === "list") yield* reader.ofTable(fragment, countOf(ask));
  else if (how.limits === true) yield* reader.ofTable(fragment, ask);
  else {
    const isNone = excludes || isTime(fragment, context) || GROUPS.test(fragment);
    const number = isNone ? undefined : await reader.number(fragment, ask);
    // "only customers" are never how many of them there are.
    const isCount = number?.some(
      ({ k, ...each }) => k === "number" && JSON.stringify(each).includes('"fn":"count"'),
    );
    const other = how.isLess === true && isCount === true ? undefined : number;
    const first = other ?? (await reader.beside(fragment, ask)) ?? reader.redated(fragment, ask);
    if (first !== undefined) yield [first];
    // What is another number is nothing else, and what is compared with one period is not with another.
    const isShift = context.dates(fragment).some((each) => each.kind === "compare" && each.series !== true);
    const isThird = isShift && (areDated(ask.cols) || ask.scope?.win !== undefined);
    if (other === undefined && !isThird) yield* reader.ofTable(fragment, ask);
  }
}

/** "im Quartal davor", "the same period a year earlier" */
const BEFORE_IT =
  /^(?:(?:im|in|the|das|der|die|same|period|time|quarter|month|months|week|zeitraum|selben|gleichen|previous|prior)\s+)*?(?:a |one |ein )?(vorjahr|jahr|quartal|monat|woche|tag|year|quarter|month|week|day)(?: (?:davor|zuvor|vorher|früher|earlier|before|prior))?$/iu;

const LAST_YEAR = /^(?:in |im )?(?:last year|letzte[ns]? jahr|previous year|vorige[ns]? jahr)$/i;

/** A period and nothing else. */
function periodOf(fragment: string, { dates }: Context): Window | undefined {
  const [found, ...others] = dates(fragment);
  if (found?.kind !== "window" || others.length > 0 || found.end < fragment.length) return undefined;
  const isAlone = /^(?:(?:in|for|on|during|im|am|für|in der|in dem|from|of|the)\s+)*$/iu.test(
    fragment.slice(0, found.start),
  );
  return isAlone ? { ...found.window, said: found.said } : undefined;
}

export const PART =
  /^(?:what|which) (?:percentage|percent|share|proportion|fraction|part) (?:is|are|was|were) (?<said>\S+(?: \S+){0,2})$|^(?:wie viel prozent|welcher anteil) (?:sind|ist|war|waren) (?<said>\S+(?: \S+){0,2})$/i;
/** What costs hardly more is just as likely. */
const RIVAL = 0.2;

class Reader {
  readonly #context: Context;
  readonly #how: How & { excludes: boolean };

  constructor(context: Context, how: How & { excludes: boolean }) {
    this.#context = context;
    this.#how = how;
  }

  /** Another value of a field that was asked for, or one that was shown, is of that field first of all. */
  async value(fragment: string, ask: Ask): Promise<Change[] | undefined> {
    const names = fragment
      .replace(BEFORE_NAME, "")
      .split(/\s*,\s*|\s+(?:and|or|und|oder)\s+/i)
      .map((name) => phraseKey(name));
    const asked = condsIn(ask).flatMap((cond): Is[] => {
      const { ds, field } = cond.key;
      const all = this.#context.knowledge.values.find((each) => each.ds === ds && each.field === field);
      return named(cond, all?.values ?? [], names);
    });
    const keys = ask.k === "table" ? ask.by : ask.show;
    const isTold = keys.some(({ bucket, part }) => bucket === undefined && part === undefined);
    const rows = asked.length > 0 || !isTold ? [] : await this.#context.rows(ask);
    const told = keys.flatMap((key, i) =>
      named(
        { k: "is", key, values: [], match: "equal" },
        rows.map((row) => row[i]),
        names,
      ),
    );
    const found = [...asked, ...told];
    const isSame = (a: Is, b: Is) => a.key.ds === b.key.ds && a.key.field === b.key.field;
    const [only, ...others] = found.filter(
      (cond, i) => found.findIndex((other) => isSame(cond, other)) === i,
    );
    return only === undefined || others.length > 0
      ? undefined
      : [{ k: "where", conds: [only], excludes: false }];
  }

  /** "and the purchase price?" of what was shown with another one. */
  async shown(fragment: string, ask: Ask): Promise<Change[] | undefined> {
    if (ask.k === "table") return undefined;
    const [own] = await asksOf(fragment.replace(BEFORE_NAME, ""), this.#context);
    const isOther = own?.k === "list" && own.rel.k === "all" && own.rel.ds === datasetIn(ask.rel);
    return isOther && !isEqual(own.show, ask.show) ? [{ k: "show", keys: own.show }] : undefined;
  }

  /** "without category": not told apart by it any more. */
  ungrouped(fragment: string, ask: Ask): Change[] | undefined {
    const key =
      ask.k === "table"
        ? ask.by.find((each) => isCalled(fragment, each, this.#context.knowledge))
        : undefined;
    return key && [{ k: "free", key, isGroup: true }];
  }

  /** A grouping, a period or conditions: whatever the words add to the number that they are said of. */
  async *ofTable(fragment: string, ask: Table): AsyncGenerator<Change[][]> {
    const joints = PREPOSITION.test(fragment) ? [" "] : [" for ", " in ", " ", " by "];
    for (const joint of joints) {
      const [changes, ...rivals] = await this.#readings(`${joint}${fragment}`, ask);
      const isGrouped = changes?.some(({ k }) => k === "group") === true;
      // How much of something there is tells nothing apart.
      const isMeasure = changes?.some(
        (change) => change.k === "group" && change.by.some((key) => this.#isMeasure(key)),
      );
      const isLess = this.#how.limits === true || (this.#how.isLess === true && !PREPOSITION.test(fragment));
      const isOther = (isGrouped && (UNIT.test(fragment) || isLess)) || isMeasure === true;
      const isPart = changes?.every(({ k }) => k === "where" || k === "counted") === true;
      // What is added is never less.
      const isRight = isPart ? !this.#how.adds : !this.#how.excludes;
      if (changes !== undefined && !isOther && isRight) yield [changes, ...rivals];
    }
  }

  #isMeasure({ ds, field, bucket }: Key): boolean {
    const dataset = this.#context.knowledge.schema.datasets.get(ds);
    const { kind, isDimension } = dataset?.fields.get(field) ?? {};
    return (
      bucket === undefined && kind === "number" && isDimension === false && !dataset?.key.includes(field)
    );
  }

  /** "what percentage is urgent?" */
  async part(said: string, ask: Table): Promise<Change[] | undefined> {
    const [only, ...others] = (await this.#added(` for ${said}`, ask)) ?? [];
    const isPart = (only?.k === "where" || only?.k === "counted") && others.length === 0;
    return isPart ? [{ k: "part", conds: only.conds }] : undefined;
  }

  async #added(words: string, ask: Table): Promise<Change[] | undefined> {
    return (await this.#readings(words, ask))[0];
  }

  /** What words add to the number that they are said of, and what they may just as well. */
  async #readings(words: string, ask: Table): Promise<Change[][]> {
    const carrier = carrierOf(ask, this.#context.knowledge, words);
    const base = onlyBase(ask.cols);
    // A count stays one, also where the author has a metric for it.
    const isBase = ({ cols: [num] }: Table) =>
      num?.k === base?.k && (num?.k !== "metric" || (base?.k === "metric" && num.name === base.name));
    const all = carrier === undefined ? [] : await tablesOf(carrier, this.#context);
    const plain = all.find(isBase) ?? all[0];
    if (plain === undefined) return [];
    const said = await tablesOf(`${carrier}${words}`, this.#context);
    const close = (await tablesOf(`${carrier}${words}`, this.#context, RIVAL)).length;
    const isOf = (change: Change) =>
      change.k !== "become" || change.cols.every((num) => isMadeOf(num, change.of));
    const found = said.map((each) => this.#difference(plain, each));
    const first = found.findIndex((changes) => changes.every(isOf));
    const isRival = (changes: Change[]) => changes.every(({ k }) => k === "where") && changes.every(isOf);
    return first === -1 ? [] : [found[first] as Change[], ...found.slice(first + 1, close).filter(isRival)];
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
    const during = counted?.find((cond) => cond.k === "during");
    const win = isEqual(said.scope?.win, plain.scope?.win) ? during?.win : said.scope?.win;
    const things = counted?.filter((cond) => cond !== during) ?? [];
    const { top, having, order } = said;
    const choice = { ...(top && { top }), ...(having && { having }), ...(order && { order }) };
    const isOther = counted === undefined && !isEqual(plain.cols, said.cols);
    const all: (Change | false | undefined)[] = [
      isOther && { k: "become", of, cols: said.cols },
      by.length > 0 && { k: "group", by, adds },
      win && { k: "period", win },
      things.length > 0 && { k: "counted", conds: things, excludes },
      conds.length > 0 && { k: "where", conds, excludes },
      Object.keys(choice).length > 0 && { k: "choose", of, ...choice },
    ];
    return all.filter((change) => typeof change === "object");
  }

  /** "and the budget?" after an average is the average budget. */
  async number(fragment: string, ask: Table): Promise<Change[] | undefined> {
    const called = fragment.replace(/^(?:for|für|of|von|with|mit|in|im)\s+/i, "");
    const found = (await numberIn(called, this.#context)) ?? (await this.#madeSo(ask, called));
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
    // What cannot be added up is told by its average.
    const other =
      (await numberIn(`${aggregate} ${name}`, this.#context)) ??
      (await numberIn(`average ${name}`, this.#context));
    const own = await numberIn(aggregate, this.#context);
    return own && other && isEqual(onlyBase(own.cols), onlyBase(other.cols)) ? undefined : other;
  }

  /** "compared to Mistral": one beside the other. */
  async beside(fragment: string, ask: Table): Promise<Change[] | undefined> {
    const name = VERSUS.exec(fragment)?.[1] ?? (this.#how.adds ? fragment : undefined);
    if (name === undefined || this.#context.dates(fragment).length > 0) return undefined;
    const [only, ...more] = (await this.value(name, ask)) ?? (await this.#added(` for ${name}`, ask)) ?? [];
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
    const isPair = this.#context.dates(fragment).length > 1;
    const other = sameIn(fragment, win, this.#context) ?? (isPair ? undefined : this.#shifted(fragment, win));
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
    // A month has no quarter before it.
    if (found.shift?.grain === "quarter" && days(win) < 80) return undefined;
    const on = win.on !== undefined && { on: win.on };
    return { ...found.window, said: yearOf(found.window) ?? found.said, ...on };
  }
}

const VERSUS =
  /^(?:compared? (?:to|with)|vs\.?|versus|against|gegenüber|gegen|verglichen mit|im vergleich zu[mr]?) (.+)$/i;
/** What may stand before a name. */
const BEFORE_NAME = /^(?:(?:in|for|from|of|at|the|only|für|aus|von|der|die|das|den|dem|marke|brand)\s+)+/i;

/** The values that a query is limited to. */
function condsIn(node: unknown): Is[] {
  if (typeof node !== "object" || node === null) return [];
  const own = node as Is;
  return own.k === "is" && own.match === "equal" ? [own] : Object.values(node).flatMap(condsIn);
}

/** With the values that are called so, where there is one for each name. */
function named(cond: Is, all: readonly unknown[], names: readonly string[]): Is[] {
  const texts = all.filter((value) => typeof value === "string");
  const values = names.map((name) => texts.find((value) => phraseKey(value) === name));
  return values.every((value) => value !== undefined) ? [{ ...cond, values }] : [];
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
/** Words that a fragment can be read with: what it adds is taken, and these are not. */
export function carrierOf(ask: Table, { model, schema }: Knowledge, beside = ""): string | undefined {
  const text = JSON.stringify(ask.cols);
  const used = /"k":"metric","name":"([^"]+)"/.exec(text)?.[1];
  const counted = /"k":"all","ds":"([^"]+)"/.exec(text)?.[1];
  const first = model.metrics.find(({ name }) => schema.metrics.has(name))?.name;
  const count = languagesOf(beside)[0]?.isForeign === true ? "Anzahl" : "number of";
  const name = used ?? (counted === undefined ? first : `${count} ${counted}`);
  return name && fold(name).replaceAll("_", " ");
}
