import { AppError } from "../../../kernel/errors.ts";
import { columnName } from "../compile/columns.ts";
import type { Compiled } from "../compile/compile.ts";
import { homesIn, toOnePath } from "../compile/paths.ts";
import { isToldBy } from "../compile/told-by.ts";
import { shortWindow } from "../explain/say.ts";
import { daysBy, type Knowledge } from "../knowledge/build-knowledge.ts";
import { periodEnd, periodStart } from "../phases/data-period.ts";
import { findMetric, isDate, keysNamed, qualified } from "../query/names.ts";
import { condsOf, datasetIn, isSameField, nodesIn, swapped } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Cond, Key, Num, Rel, Window } from "../query/semantic-query.ts";
import { closedIn } from "../verified/open-to.ts";
import { hasPeriods } from "../verified/query-text.ts";
import { redated, windowsOf } from "../verified/redated.ts";
import { hasOwnPeriod } from "../verified/verified-reading.ts";
import type { Queried } from "../work.ts";
import { belonging, homesOf, linking } from "./keys.ts";
import type { QueryWish } from "./query-wish.ts";

interface Made {
  ask: Ask;
  compiled: Compiled;
  knowledge: Knowledge;
}

/** What the model has settled and the wish has not said. */
export function remarksOn(wish: QueryWish, made: Made): string[] {
  const own = ownDates(made);
  return [
    ...authors(wish, made),
    ...(own.length > 0 ? own : otherDate(made)),
    ...begunLate(made),
    ...waysOf(made),
    ...sharedNames(wish, made),
    ...otherFields(made),
    ...withoutAny(made),
    ...ofSome(made),
  ];
}

/** An average of what each has is one of those who have any. */
function ofSome({ ask }: Made): string[] {
  const each = ask.k === "table" ? nodesIn(ask.cols).filter(({ k }) => k === "each") : [];
  const told = each.map(({ per }) => (per as Key[]).filter(({ bucket }) => bucket === undefined));
  const names = told.flatMap((keys) => (keys.length === 0 ? [] : [keys.map(({ ds }) => ds)[0]]));
  return [...new Set(names)].map((ds) => `${ds} without any are left out of what is said of each`);
}

/** A period that only the author of the model says. */
function authors({ period, compare }: QueryWish, { ask }: Made): string[] {
  const win = ask.k === "table" ? ask.scope?.win : undefined;
  if (win === undefined || period !== undefined || compare !== undefined) return [];
  return [`without a period the model takes ${win.said}`];
}

/** The date of a period, where rows are told apart by another one. */
function otherDate({ ask, compiled }: Made): string[] {
  const time = timeOf(ask);
  const own = compiled.used.windows.filter(({ win: { on } }) => on === undefined).map(({ date }) => date);
  const others = time === undefined ? [] : own.filter((date) => !isSameField(time, date));
  return [...new Set(others.map(qualified))].map((date) => `the period goes by ${date}`);
}

/** A number that does not reach the date goes by one of its own. */
function ownDates({ ask, knowledge: { schema } }: Made): string[] {
  const time = timeOf(ask);
  if (ask.k === "list" || time === undefined) return [];
  return ask.cols.flatMap((num) => {
    const { formula, date = null } = (num.k === "metric" && schema.metrics.get(num.name)) || {};
    const counted = num.k === "agg" && num.in !== undefined ? (datasetIn(num.in) ?? []) : [];
    const homes = [
      ...(formula?.aggregates ?? []).flatMap((each) => homesIn(schema, each).slice(0, 1)),
      counted,
    ];
    const far = homes.flat().find((home) => toOnePath(schema, home, time.ds, time.path) === undefined);
    const own = far === undefined ? null : (date ?? schema.datasets.get(far)?.date ?? null);
    return own === null
      ? []
      : [`${columnName(num)} goes by ${qualified(own)}, as ${qualified(time)} is no date of it`];
  });
}

/** What is held against days before the first one of the data is held against less. */
function begunLate({ ask, compiled, knowledge }: Made): string[] {
  const lag = ask.k === "table" ? ask.cols.find((num) => num.k === "lag") : undefined;
  const data = daysBy(compiled.used.windows.find(({ win }) => win.on === undefined)?.date, knowledge);
  if (ask.k === "list" || lag === undefined || data === undefined) return [];
  const grain = timeOf(ask)?.bucket;
  const isWhole = grain !== undefined && periodStart(data.first, grain) === data.first.slice(0, 10);
  const late = Array.from({ length: lag.n }).reduce<string>((day) => periodEnd(day, lag.grain), data.first);
  if (isWhole || (ask.scope?.win?.from ?? "") >= late) return [];
  return [`the data begin on ${data.first.slice(0, 10)}, so what lies before ${late} is held against less`];
}

function timeOf(ask: Ask): Key | undefined {
  const keys = ask.k === "table" ? ask.by : [];
  return keys.find(({ bucket, part }) => bucket !== undefined || part !== undefined);
}

/** Of several ways to a dataset the model takes one, unless one is said. */
function waysOf({ ask, compiled, knowledge: { schema } }: Made): string[] {
  const said = new Set(nodesIn(ask).flatMap(({ link }) => (typeof link === "string" ? [link] : [])));
  const homes = [...homesOf(ask, schema)];
  const isNear = (from: string) => homes.some((home) => toOnePath(schema, home, from) !== undefined);
  return [...compiled.used.links].flatMap((link) => {
    const others = [...schema.links.values()].filter(
      ({ name, from, to, isSoft }) =>
        to === link.to && from !== to && name !== link.name && isSoft !== true && isNear(from),
    );
    const names = others.map(({ name }) => name);
    return said.has(link.name) || names.length === 0
      ? []
      : [
          `${link.to} is reached via ${link.name}, and not via ${names.join(", ")} (say "${link.to}.… via ${names[0]}" for that)`,
        ];
  });
}

/** A name that a metric and a field share means the metric. */
function sharedNames({ where = [] }: QueryWish, { knowledge: { schema } }: Made): string[] {
  return where.flatMap(({ field }) => {
    const name = findMetric(schema, field);
    const others = name === undefined ? [] : keysNamed(schema, field).filter((key) => !isDate(schema, key));
    return others.length === 0
      ? []
      : [`${name} in where is the metric, and not ${others.map(qualified).join(", ")}`];
  });
}

const MOST_VALUES = 10;

/** A value may be one of another field too: a region, and a brand. */
function otherFields({ ask, knowledge: { values } }: Made): string[] {
  const conds = nodesIn(ask) as unknown as Cond[];
  const said = conds.flatMap((cond) =>
    cond.k === "is" && cond.match === "equal" ? cond.values.map((value) => ({ key: cond.key, value })) : [],
  );
  return said.slice(0, MOST_VALUES).flatMap(({ key, value }) => {
    const others = values.filter((each) => !isSameField(each, key) && each.values.includes(String(value)));
    const isNamesake = (each: Pick<Key, "field">) => each.field === key.field;
    const names = others.filter((each) => !isNamesake(each)).map(qualified);
    return typeof value !== "string" || names.length === 0
      ? []
      : [`${value} is taken as ${qualified(key)}; it is also a ${names.join(", a ")}`];
  });
}

/** The fewest are of those that have some. */
function withoutAny({ ask }: Made): string[] {
  if (ask.k === "list" || ask.by.length === 0) return [];
  const isBelow = condsOf(ask.having).some((cond) => cond.k === "cmp" && /^<=?$/.test(cond.op));
  if (ask.top?.dir !== "min" && !isBelow) return [];
  const [{ ds } = { ds: "" }] = ask.by;
  return [`only those that have some at all: who has none is found by where "count(…) per ${ds}" = 0`];
}

export const ALWAYS: Window = { from: null, to: null, said: "all time" };

type Leaf = Extract<Num, { k: "metric" | "agg" }>;

/** The metrics and aggregates that a number is calculated from. */
export function leavesOf(num: Num): Leaf[] {
  switch (num.k) {
    case "metric":
    case "agg":
      return [num];
    case "calc":
      return [...leavesOf(num.a), ...leavesOf(num.b)];
    case "each":
    case "lag":
    case "running":
      return leavesOf(num.of);
    default:
      return [];
  }
}

/** The datasets whose rows make up a number. */
export function homesOfLeaf(leaf: Leaf, schema: Schema): string[] {
  if (leaf.k === "agg") return [datasetIn(leaf.in as Rel) ?? []].flat();
  const { aggregates = [] } = schema.metrics.get(leaf.name)?.formula ?? {};
  return [...new Set(aggregates.flatMap((each) => homesIn(schema, each).slice(0, 1)))];
}

/**
 * A sum or an average of what measured rows belong to is no event of a period: the floor area of stores beside their
 * revenue is that of all of them, whenever they were opened.
 */
export function timeless(cols: Num[], schema: Schema): Num[] {
  const leaves = cols.flatMap(leavesOf);
  const homes = leaves.flatMap((leaf) => homesOfLeaf(leaf, schema));
  const isAround = (of: string) => homes.some((ds) => ds !== of && toOnePath(schema, ds, of) !== undefined);
  const around = leaves.filter(
    (leaf) =>
      leaf.k === "agg" &&
      !["count", "distinct"].includes(leaf.fn) &&
      leaf.scope?.win === undefined &&
      homesOfLeaf(leaf, schema).every(isAround),
  );
  return swapped(cols, (part) =>
    around.includes(part as Leaf) ? { ...part, scope: { ...(part as Leaf).scope, win: ALWAYS } } : undefined,
  );
}

interface Asked {
  cols: readonly Num[];
  keys: readonly Key[];
  win: Window | undefined;
}

/** What a number cannot be told by is said with what can be asked instead. */
export function requireReach({ cols, keys, win }: Asked, schema: Schema): void {
  for (const leaf of cols.flatMap(leavesOf))
    for (const home of homesOfLeaf(leaf, schema)) {
      const far = keys.find(
        ({ bucket, part, ...key }) =>
          !bucket && !part && !reaches(schema, home, key) && !isToldBy(schema, leaf, home, key),
      );
      if (far !== undefined) throw severalOf(leaf, home, far, schema);
      const date = leaf.k === "metric" ? schema.metrics.get(leaf.name)?.date : null;
      if (win !== undefined && leaf.scope?.win === undefined && !date && !schema.datasets.get(home)?.date)
        throw dateless(leaf, home, win, schema);
    }
}

function reaches(schema: Schema, home: string, { ds, path }: Key): boolean {
  return toOnePath(schema, home, ds, path) !== undefined;
}

function severalOf(leaf: Leaf, home: string, key: Key, schema: Schema): AppError {
  const others = linking(schema, [home, key.ds]).flatMap((via) => countedIn(schema, via, home));
  const metrics = [...schema.metrics.keys()].filter((name) =>
    homesOfLeaf({ k: "metric", name }, schema).every((each) => reaches(schema, each, key)),
  );
  const what = `${home} cannot be told apart by ${key.field} of ${key.ds}, so there is no ${columnName(leaf)} by ${qualified(key)}.`;
  const counted = others.length === 0 ? "" : `To count each of ${home} with all that it has: ${others[0]}. `;
  const able =
    metrics.length === 0 ? "" : `Metrics that can be told by it: ${metrics.slice(0, 10).join(", ")}. `;
  return new AppError("bad_request", what, {
    hint: `${counted}${able}Or use fields of ${home}, or of what each of its rows belongs to.`,
  });
}

function dateless(leaf: Leaf, home: string, win: Window, schema: Schema): AppError {
  const dated = belonging(schema, home).filter((ds) => schema.datasets.get(ds)?.date);
  const forms = dated.flatMap((ds) => countedIn(schema, ds, home)).slice(0, 3);
  return new AppError("bad_request", `${home} has no date, so it cannot be limited to ${shortWindow(win)}.`, {
    hint:
      forms.length === 0
        ? `Leave the period out, or write ${columnName(leaf)} beside numbers with periods of their own: "revenue[${shortWindow(win)}]".`
        : `Count those with rows in that period: ${forms.join(", ")}.`,
  });
}

/** The entities that rows belong to, counted by the column that says so: `distinct(orders.customer_id)`. */
function countedIn({ datasets, links }: Schema, ds: string, entity: string): string[] {
  return [...links.values()].flatMap(({ from, to, columns: [only, ...others], isSoft }) =>
    from === ds && to === entity && isSoft !== true && only !== undefined && others.length === 0
      ? datasets.get(ds)?.fields.has(only.from) === true
        ? [`distinct(${ds}.${only.from})`]
        : []
      : [],
  );
}

const LEAST_WORDS = 3;

/** A question means the query whenever and by whomever it is asked, as long as all of it is read off the question. */
export function whyNotVerified(question: string | undefined): NonNullable<Queried["whyTheirs"]> {
  return (ask, { knowledge, moment, preferences }) => {
    if (question === undefined) return "No question was given with the query, so there is none to verify.";
    // "yes" and "by month" are said of what was asked before.
    if (question.split(/\s+/).length < LEAST_WORDS)
      return "The question is too short to mean the same to everybody.";
    if (redated(ask, question, { from: moment, to: moment, knowledge }) === undefined) {
      const said = windowsOf(ask).map((win) => win.said);
      return `The question does not say the period ${said.join(" or ")}, so that it would mean other days later.`;
    }
    if (hasOwnPeriod(preferences) && !hasPeriods(ask))
      return "Your preferences have a period for questions that say none, so you would not get this answer.";
    const closed = closedIn(ask, knowledge, question);
    if (closed.length === 0) return undefined;
    return `The question does not say ${closed.join(" or ")}, or the data have no such value, so it would not be used.`;
  };
}
