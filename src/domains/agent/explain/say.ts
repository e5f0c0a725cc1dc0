import { bare, condsOf, datasetIn, isEqual, relConds } from "../query/parts.ts";
import { isPartOf } from "../query/same-number.ts";
import {
  type Ask,
  type Comparison,
  type Cond,
  type Hop,
  isKey,
  type Key,
  type Num,
  type Rel,
  type Scope,
  type Window,
} from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";
import { calledIn, locale, period, t, word } from "./words.ts";

/** Readings in words that tell them apart: their own, or those that the query itself gives. */
export function inTheirWords(readings: readonly Reading[]): Reading[] {
  const isAlone = (texts: readonly string[], i: number) =>
    texts.indexOf(texts[i] as string) === texts.lastIndexOf(texts[i] as string);
  const own = readings.map((reading) => reading.said.trim());
  const said = own.map((text, i) =>
    text !== "" && isAlone(own, i) ? text : say((readings[i] as Reading).ask),
  );
  const full = said.map((text, i) => `${text}${ofWhom((readings[i] as Reading).ask)}`);
  const isClear = said.every((_, i) => isAlone(said, i) || !isAlone(full, i));
  // Whoever is told of one whose it is has to be told of all.
  return readings.map((reading, i) => ({ ...reading, said: (isClear ? said : full)[i] as string }));
}

/** Two things may have a nationality. */
function ofWhom(ask: Ask): string {
  const counted = ask.k === "list" ? [] : ask.cols.flatMap((num) => (num.k === "agg" ? (num.of ?? []) : []));
  const keys = ask.k === "list" ? ask.show : [...ask.by, ...counted];
  return keys.length === 0 ? "" : t` of ${listed([...new Set(keys.map(({ ds }) => words(ds)))])}`;
}

/** A query in words. */
export function say(ask: Ask): string {
  if (ask.k === "list") return sayList(ask);
  const { by, cols, having, top, limit } = ask;
  const numbers = listed(cols.map((num) => sayNum(withoutWindow(num, ask.scope?.win))));
  const keys = by.length === 0 ? "" : t` by ${listed(by.map(sayKey))}`;
  const groups = having === undefined ? "" : t`, where ${sayCond(having)}`;
  const first = limit === undefined ? "" : t`, the first ${limit}`;
  return onceEach(
    `${numbers}${keys}${sayScope(ask.scope)}${top === undefined ? "" : sayTop(top, ask)}${groups}${first}`,
  );
}

/** What is said of a set and of the number of it at once is one period: "in 2025 in 2025". */
function onceEach(text: string): string {
  return text.replaceAll(/( (?:in|on|from|im|am|vom?) (?:[^ ]+ ){0,5}?\d{4})(?=\1(?![\p{L}\p{N}]))/gu, "");
}

function sayTop(
  { n, skip, dir, by, per }: NonNullable<Extract<Ask, { k: "table" }>["top"]>,
  ask: Ask,
): string {
  const [only, ...others] = ask.k === "table" ? ask.cols : [];
  const isClear = others.length === 0 && isEqual(only, by);
  const of = isClear ? "" : t` by ${sayNum(by)}`;
  const after = skip === undefined ? "" : skip === 1 ? t` after the first` : t` after the first ${skip}`;
  const rest = `${after}${of}${each(per)}`;
  if (n === 1) return dir === "max" ? t`, the highest${rest}` : t`, the lowest${rest}`;
  return dir === "max" ? t`, the ${n} highest${rest}` : t`, the ${n} lowest${rest}`;
}

function sayList({ rel, show, limit }: Extract<Ask, { k: "list" }>): string {
  const [first, ...others] = show;
  const entities =
    rel.k === "via" && first !== undefined ? t`${words(first.ds)} of ${sayRel(rel.from)}` : sayRel(rel);
  const more = limit === undefined ? "" : t`, the first ${limit}`;
  if (first === undefined || !isName(first)) return `${t`${listed(show.map(sayKey))} of ${entities}`}${more}`;
  return `${entities}${others.length === 0 ? "" : t`, with ${listed(others.map(sayKey))}`}${more}`;
}

/** Fields by which entities are called: to list them is to list these. */
function isName({ field, bucket, path }: Key): boolean {
  return (
    bucket === undefined &&
    path?.at(-1)?.isNoun !== true &&
    /(^|_)(name|title|id|code|key|number)$/i.test(field)
  );
}

/** What a column shows. */
export function sayColumn(of: Key | Num): string {
  return isKey(of) ? sayKey(of) : sayNum(of);
}

/** What something is told apart by, in words. */
export function sayKey({ path, ...key }: Key): string {
  const { as: role, isNoun } = path?.at(-1) ?? {};
  if (role !== undefined && isNoun === true) return role;
  return role === undefined ? sayPlain(key) : t`${sayPlain(key)} of ${role}`;
}

function sayPlain({ ds, field, bucket, fiscal, part, since, isNamed }: Omit<Key, "path">): string {
  if (since !== undefined) return t`days from ${sayKey(since)} to ${words(field)}`;
  if (part !== undefined) return word(part);
  if (isNamed === true)
    return `${words(field.replace(/_?(date|at|on|day)$/i, ""))} ${word(bucket ?? "")}`.trim();
  if (bucket !== undefined) return word(fiscal === true ? `fiscal ${bucket}` : bucket);
  return calledIn(`${ds}.${field}`) ?? words(field.replace(/(?<=.)_name$/i, ""));
}

/** A field with the entity that it is of: "customer state". */
function sayField(key: Key): string {
  const field = sayKey(key);
  if (key.path?.at(-1)?.as !== undefined) return field;
  if (field === calledIn(`${key.ds}.${key.field}`)) return field;
  const entity = singular(words(key.ds));
  return field.split(" ").some((word) => entity.split(" ").includes(word)) ? field : `${entity} ${field}`;
}

function sayScope(scope: Scope | undefined): string {
  const whole = scope?.whole === true ? t` of all` : "";
  return `${whole}${sayConds(condsOf(scope?.if))}${scope?.win === undefined ? "" : sayWindow(scope.win)}`;
}

/** Years, quarters and months need no days to be understood. */
const CALENDAR = /(\d{4}|Q[1-4] \d{4}|\p{Lu}\p{Ll}+ \d{4}) \([^()]*\)/gu;
const OTHER_PERIODS = /(fiscal year|week \d+ of|half(?: of)?) $/;

/** A period by its name. */
export function shortWindow({ said }: Pick<Window, "said">): string {
  return period(plainWindow(said));
}

function plainWindow(said: string): string {
  return said.replaceAll(CALENDAR, (whole, name: string, at: number) =>
    OTHER_PERIODS.test(said.slice(0, at)) ? whole : name,
  );
}

function sayWindow(win: Window): string {
  const said = plainWindow(win.said);
  const on = win.on === undefined ? "" : t` by ${sayKey(win.on)}`;
  if (/^(up to|from|since|until|before|after|any time|the )/i.test(said)) return `, ${period(said)}${on}`;
  const isSpan = / to /.test(said.replaceAll(/\([^()]*\)/g, ""));
  const isDay = /^\d{1,2} /.test(said) && !isSpan;
  const link = isSpan ? "from" : isDay ? "on" : "in";
  return ` ${period(`${link} ${said}`)}${on}`;
}

/** What is said of the whole query need not be said of each of its numbers; a condition is nothing without it. */
function withoutWindow<T>(node: T, win: Window | undefined): T {
  if (win === undefined || typeof node !== "object" || node === null) return node;
  if ("k" in node && node.k === "during") return node;
  if (Array.isArray(node)) return node.map((each) => withoutWindow(each, win)) as T;
  const kept = Object.entries(node).filter(([name, value]) => name !== "win" || !isEqual(value, win));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutWindow(value, win)])) as T;
}

function sayRel(rel: Rel): string {
  switch (rel.k) {
    case "all":
      return words(rel.ds);
    case "where":
      return nameIn(rel) ?? sayWhere(rel);
    case "via": {
      const called = calledAs(rel.path);
      if (called !== undefined) return t`${called} of ${sayRel(rel.from)}`;
      return t`what belongs to ${sayRel(rel.from)} (${rel.path.map(({ link }) => words(link)).join(", ")})`;
    }
    case "top": {
      const by = isKey(rel.by) ? sayKey(rel.by) : sayNum(rel.by);
      const n = rel.n === 1 ? "" : `${rel.n} `;
      if (isKey(rel.by) && /(date|day|time|_at|_on)$/i.test(rel.by.field)) {
        return rel.dir === "max"
          ? t`the ${n}latest ${sayRel(rel.in)} by ${by}${each(rel.per)}`
          : t`the ${n}earliest ${sayRel(rel.in)} by ${by}${each(rel.per)}`;
      }
      return rel.dir === "max"
        ? t`the ${n}${sayRel(rel.in)} with the highest ${by}${each(rel.per)}`
        : t`the ${n}${sayRel(rel.in)} with the lowest ${by}${each(rel.per)}`;
    }
    case "set": {
      const [a, b] = [sayRel(rel.a), sayRel(rel.b)];
      return { union: t`${a} or ${b}`, intersect: t`${a} that are also ${b}`, minus: t`${a} but not ${b}` }[
        rel.op
      ];
    }
  }
}

/** A field whose values are names of other entities leads to these: `~state.capital`. */
function calledAs(path: readonly Hop[]): string | undefined {
  const [, field] = /^~[^.]+\.(.+)$/.exec(path.at(-1)?.link ?? "") ?? [];
  return field === undefined ? undefined : words(field);
}

function sayWhere(rel: Extract<Rel, { k: "where" }>): string {
  return `${sayRel(bare(rel))}${sayConds(relConds(rel))}`;
}

/** Entities that are called by their names. */
function nameIn(rel: Rel): string | undefined {
  if (rel.k !== "where" || rel.in.k !== "all" || rel.if.k !== "is" || rel.if.match !== "equal")
    return undefined;
  return /(^|_)name$/i.test(rel.if.key.field) ? listed(rel.if.values.map(String), "or") : undefined;
}

/** Conditions behind a noun: what it has, when it was, and what holds of it. */
function sayConds(all: readonly Cond[]): string {
  const links = all.flatMap((each) => sayLink(each) ?? []);
  const windows = all.flatMap((each) => (each.k === "during" ? [sayWindow(each.win)] : []));
  const others = all.filter((each) => each.k !== "during" && sayLink(each) === undefined);
  const and = word("and");
  const where = others.length === 0 ? "" : t` where ${others.map(sayCond).join(` ${and} `)}`;
  return `${links.map((link) => ` ${link}`).join(` ${and}`)}${where}${windows.join(` ${and}`)}`;
}

/** "of Universität Tübingen", "with at least 3 returns", "without orders in 2025". */
function sayLink(cond: Cond): string | undefined {
  if (cond.k === "not") {
    const { of } = cond;
    if (of.k !== "link" || of.count !== undefined) return undefined;
    return of.path.length === 0 ? t`other than ${sayRel(of.to)}` : t`without ${sayRel(of.to)}`;
  }
  if (cond.k !== "link") return undefined;
  const { path, to, count } = cond;
  if (count !== undefined) return t`with ${sayOp(count.op)} ${count.n} ${sayRel(to)}`;
  const role = path.at(-1)?.as;
  if (role !== undefined) return t`with ${role} ${sayRel(to)}`;
  // "states with bordering state Texas": through what only links them.
  const { link = "", dir } = path.at(-1) ?? {};
  if (dir === "one" && path[0]?.dir === "many") return t`with ${words(link)} ${sayRel(to)}`;
  return dir === "many" ? t`with ${sayRel(to)}` : t`of ${sayRel(to)}`;
}

function sayCond(cond: Cond): string {
  switch (cond.k) {
    case "and":
      return cond.of.map(sayCond).join(` ${word("and")} `);
    case "or":
      return t`either ${cond.of.map(sayCond).join(` ${word("or")} `)}`;
    case "not":
      return sayNot(cond.of);
    case "is":
      return cond.match === "contains"
        ? t`${sayField(cond.key)} contains ${sayValues(cond.values)}`
        : t`${sayField(cond.key)} is ${sayValues(cond.values)}`;
    case "null":
      return t`${sayField(cond.key)} is empty`;
    case "during":
      return sayWindow(cond.win).replace(/^,? /, "");
    case "cmp":
      // "is after 1 Feb 2025": what a period is called says on which side of it.
      if (!isKey(cond.b) && cond.b.k === "day") return t`${sayOperand(cond.a)} is ${period(cond.b.win.said)}`;
      return t`${sayOperand(cond.a)} is ${sayOp(cond.op)} ${sayOperand(cond.b)}`;
    case "link":
      return sayLink(cond) as string;
  }
}

/** What is not at least 5 may be nothing at all. */
const BELOW: Partial<Record<Comparison, string>> = { "<>": "", ">=": "less than", ">": "at most" };

function sayNot(cond: Cond): string {
  if (cond.k === "is") {
    const [only, ...others] = cond.values;
    if (typeof only === "boolean" && others.length === 0)
      return t`${sayField(cond.key)} is not ${sayValues([only])}`;
    return cond.match === "contains"
      ? t`${sayField(cond.key)} does not contain ${sayValues(cond.values)}`
      : t`${sayField(cond.key)} is not ${sayValues(cond.values)}`;
  }
  if (cond.k === "null") return t`${sayField(cond.key)} is not empty`;
  if (cond.k === "during") return t`not ${sayCond(cond)}`;
  if (cond.k === "cmp" && cond.op in BELOW) {
    const bound = `${word(BELOW[cond.op] ?? "")} ${sayOperand(cond.b)}`.trimStart();
    return t`${sayOperand(cond.a)} is ${bound} or nothing`;
  }
  return sayLink({ k: "not", of: cond }) ?? t`not (${sayCond(cond)})`;
}

function sayValues(values: readonly (string | number | boolean)[]): string {
  return listed(
    values.map((value) => (value === true ? word("yes") : value === false ? word("no") : String(value))),
    "or",
  );
}

function sayOp(op: Comparison): string {
  const said = {
    "=": "exactly",
    "<>": "not",
    "<": "less than",
    "<=": "at most",
    ">": "more than",
    ">=": "at least",
  }[op];
  return word(said);
}

function sayOperand(value: Num | Key): string {
  return isKey(value) ? sayField(value) : sayNum(value);
}

const AGGREGATES = {
  count: "number of",
  distinct: "number of different",
  sum: "total",
  avg: "average",
  median: "median",
  min: "lowest",
  max: "highest",
  only: "the",
} as const;

function sayNum(num: Num): string {
  switch (num.k) {
    case "lit":
      return num.v.toLocaleString(locale());
    case "day":
      return period(num.win.said);
    case "field":
      return sayKey(num.key);
    case "metric":
      return `${calledIn(num.name) ?? words(num.name)}${sayScope(num.scope)}`;
    case "agg": {
      const of =
        num.of === undefined ? "" : num.fn === "distinct" ? sayDifferent(num.of, num.in) : sayKey(num.of);
      const rows =
        num.in === undefined ? (num.path?.map(({ link }) => words(link)).join(", ") ?? "") : sayRel(num.in);
      const what = of === "" ? rows : rows === "" ? of : t`${of} of ${rows}`;
      // "lowest lowest elevation"
      const fn = what.startsWith(`${AGGREGATES[num.fn]} `) ? "the" : AGGREGATES[num.fn];
      return `${word(fn)} ${what}${sayScope(num.scope)}`.trim();
    }
    case "each":
      return `${word(AGGREGATES[num.fn])} ${sayNum(num.of)}${each(num.per)}${sayScope(num.scope)}`;
    case "calc":
      return sayCalc(num);
    case "lag":
      return `${sayNum(num.of)} ${sayLag(num)}`;
    case "running":
      return t`running total of ${sayNum(num.of)}`;
  }
}

/** Entities are counted by their keys; a key among the rows that are counted may be of others. */
function sayDifferent(key: Key, rows: Rel | undefined): string {
  const isOwn = rows !== undefined && datasetIn(rows) === key.ds;
  return /(^|_)id$/.test(key.field) && !isOwn ? words(key.ds) : sayKey(key);
}

function sayLag({ n, grain }: Extract<Num, { k: "lag" }>): string {
  return n === 1 ? t`the ${word(grain)} before` : t`${n} ${word(`${grain}s`)} before`;
}

function sayCalc({ op, a, b }: Extract<Num, { k: "calc" }>): string {
  const windows = windowsOfSame(a, b);
  if (op === "growth") {
    if (b.k === "lag" && isEqual(b.of, a)) return t`growth of ${sayNum(a)} over ${sayLag(b)}`;
    if (windows !== undefined) return t`growth of ${windows.of} from ${windows.b} to ${windows.a}`;
    return t`growth of ${sayNum(a)} over ${sayNum(b)}`;
  }
  if (op === "-" && windows !== undefined)
    return t`change of ${windows.of} from ${windows.b} to ${windows.a}`;
  const [x, y] = [sayNum(a), sayNum(b)];
  if (op === "/" && isPartOf(a, b)) return sayShare(a, b);
  if (op === "/") return `${x} ${sayDivisor(b)}`;
  return { "+": t`${x} plus ${y}`, "-": t`${x} less ${y}`, "*": t`${x} times ${y}` }[op];
}

const COUNTED = /^(?:number of|Anzahl) /;

/** "per visit", "per 100 visits", "in days" */
function sayDivisor(num: Num): string {
  if (num.k === "lit" && num.unit !== undefined) return t`in ${word(num.unit)}`;
  if (num.k === "calc" && num.op === "/" && num.b.k === "lit")
    return t`per ${`${sayNum(num.b)} ${sayNum(num.a).replace(COUNTED, "")}`}`;
  if (num.k !== "agg" || num.fn !== "count" || num.in === undefined) return t`per ${singular(sayNum(num))}`;
  const [noun = "", ...conds] = sayNum(num)
    .replace(COUNTED, "")
    .split(/(?= (?:where|with|without|of|in|from|on|mit|ohne|von|im|am|vom) )/);
  return t`per ${`${singular(noun)}${conds.join("")}`}`;
}

/** "share of total revenue where order channel is Online" */
function sayShare(a: Num, b: Num): string {
  const whole = sayNum("scope" in b ? { ...b, scope: { ...b.scope, whole: false } } : b);
  if (a.k === "agg" && a.in !== undefined) return t`share of ${sayNum(a)} in the ${whole}`;
  return t`share of total ${`${whole}${"scope" in a ? sayScope(a.scope) : ""}`}`;
}

/** The same metric in two periods. */
function windowsOfSame(a: Num, b: Num): { of: string; a: string; b: string } | undefined {
  if (a.k !== "metric" || b.k !== "metric" || a.name !== b.name) return undefined;
  const [mine, theirs] = [a.scope?.win, b.scope?.win];
  if (mine === undefined || theirs === undefined) return undefined;
  if (!isEqual(a.scope?.if, b.scope?.if)) return undefined;
  const of = sayNum({ ...a, scope: a.scope?.if === undefined ? {} : { if: a.scope.if } });
  return { of, a: shortWindow(mine), b: shortWindow(theirs) };
}

function each(keys: readonly Key[] | undefined): string {
  return keys === undefined || keys.length === 0 ? "" : t` for each ${listed(keys.map(sayKey))}`;
}

function listed(texts: readonly string[], link: "and" | "or" = "and"): string {
  if (texts.length < 3) return texts.join(` ${word(link)} `);
  return `${texts.slice(0, -1).join(", ")} ${word(link)} ${texts.at(-1)}`;
}

function singular(noun: string): string {
  return noun
    .replace(/(?<=\b(mov|cook|ser|spec|t|l|p|d|calor|zomb|rook|hood))ies$/, "ie")
    .replace(/ies$/, "y")
    .replace(/(?<=[sxz]|ch|sh)es$/, "")
    .replace(/(?<![su])s$/, "");
}

function words(name: string): string {
  return name.replaceAll(/[_~]+/g, " ").trim();
}
